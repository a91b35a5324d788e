"""Run one of the APIs until somebody ends it: see the package's docstring."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.support.agent_apis import anthropic, gemini, openai
from tests.support.agent_apis.serving import Server

APIS = {"anthropic": anthropic.api, "gemini": gemini.api, "openai": openai.api}


def main() -> None:
    """Serve one API."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.agent_apis")
    parser.add_argument("api", choices=APIS)
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    parser.add_argument("--log", type=Path, help="a file that gets a line of JSON for every request")
    given = parser.parse_args()
    server = Server(APIS[given.api](), given.port, given.log)
    print(f"{given.api} at {server.address}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
