"""Decisions, pure: from state, facts and the time to answers. No clock, disk, socket, git or environment."""
