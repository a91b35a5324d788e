"""The project's own work in git: bases, worktrees of nodes, the integration branch, landing.

    remotes → bases → worktrees, places → nodetrees (a node's worktree)     integration → landing (combining, leftovers)

Takes nothing from the store beside it; both go through `porcelain`, the one door to the git command. What may land
is decided in derive/: here it is done, and what happened is given back as a value.
"""
