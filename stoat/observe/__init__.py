"""Readers of the world that return facts and decide nothing."""
