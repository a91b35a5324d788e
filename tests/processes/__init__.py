"""Processes, with real ones."""
