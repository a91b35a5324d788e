"""What a runner does about issues, by real agents against a fake GitHub."""
