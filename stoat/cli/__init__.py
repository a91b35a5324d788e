"""The command line: it parses, calls a use case, prints, and maps errors to exit codes."""
