"""Nodes handed to cloud agents."""
