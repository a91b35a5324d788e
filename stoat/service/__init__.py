"""Use cases: read the state, decide, append. Every door calls these and nothing below them."""
