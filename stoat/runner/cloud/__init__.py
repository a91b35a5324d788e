"""Nodes that are handed to cloud agents: who takes them over, what they are told, and what became of them."""
