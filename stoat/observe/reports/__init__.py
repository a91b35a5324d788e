"""Report files of test runners → wire events of a run, lazily: one reader a format, one assembly for all of them."""
