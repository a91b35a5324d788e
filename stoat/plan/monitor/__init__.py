"""Test runs as the wire events of Bobcat's monitor contract tell them: decoding, the fold, how a run is shown."""
