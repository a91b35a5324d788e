"""Stoat for agents over MCP: the tools and the protocol, whatever carries the messages, and one carrier, stdio."""
