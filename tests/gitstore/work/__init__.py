"""Tests of branches, worktrees and landing, with real repositories."""
