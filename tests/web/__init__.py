"""The board: its pages, its REST, its streams, and what it refuses."""
