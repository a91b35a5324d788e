"""`python -m stoat`: the same as the command `stoat`."""

from __future__ import annotations

from stoat.cli.main import main

if __name__ == "__main__":
    main()
