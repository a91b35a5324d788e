"""Git: the store on refs/stoat/state, and the one door to branches, worktrees and landings."""
