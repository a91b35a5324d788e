"""The demo: a small world with a real project, a plan, and a scripted agent that really edits and commits."""
