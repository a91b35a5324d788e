"""Whole stories, through the commands that people type."""
