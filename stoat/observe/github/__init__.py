"""Reading GitHub: the client, the sweep, one node's detail, the issue graph. They give facts and decide nothing."""
