"""The runner: options, profiles, prompts, the loop, and real agents in real worktrees."""
