"""Stoat: plans of work for coding agents, on one git ref, whose status is derived from what can be observed."""
