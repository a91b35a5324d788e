"""Stoat's tests: the tree of `stoat/` again, file for file, and `support/`."""
