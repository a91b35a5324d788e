"""The whole fake: who and what is on it, and the control interface that tests use."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from tests.support.fakehub.checks import CheckRun
from tests.support.fakehub.faults import Faults
from tests.support.fakehub.journal import Request
from tests.support.fakehub.limits import Limits
from tests.support.fakehub.model import Comment, User
from tests.support.fakehub.repository import METHODS, Repository

BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class FakeHub:
    """GitHub over real HTTP on 127.0.0.1, in threads, while the `with` lasts; its repositories are under `directory`.

    `url` is what STOAT_GITHUB_API is set to, `token` is accepted. `unknown_reads` is how many reads say that nobody
    knows whether a pull request merges after its head or base moved. With `socket` it also listens on a UNIX socket,
    for gh.
    """

    def __init__(
        self,
        directory: Path,
        *,
        token: str = "fake-token",
        login: str = "stoat-bot",
        port: int = 0,
        socket: Path | None = None,
        unknown_reads: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.directory = Path(directory)
        self.token = token
        self.clock = clock
        self.unknown_reads = unknown_reads
        self.lock = threading.RLock()
        self.faults = Faults()
        self.limits = Limits(clock)
        self.journal: list[Request] = []
        self.serial = 0
        self.scopes = "repo, read:org"
        self.web = "https://github.com"
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, Repository] = {}
        self.users: dict[str, User] = {}
        self.nodes: dict[str, Any] = {}
        self.runs: dict[int, CheckRun] = {}
        self.comments: dict[int, Comment] = {}
        self.leaks: list[str] = []
        self._ids = 5000
        self._run_ids = 31_500_000_000
        self.viewer = self.user(login)
        self._port, self._socket = port, socket
        self._server: Any = None
        self.url = ""
        self.storage_url = ""

    # Running it.

    def __enter__(self) -> FakeHub:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Listen (again where it did before, after `stop`); `url` says where."""
        from tests.support.fakehub.server import Servers

        self._server = Servers(self, self._port, self._socket)
        self.url, self.storage_url = self._server.url, self._server.storage_url
        self._port = int(self.url.rpartition(":")[2])

    def stop(self) -> None:
        """Stop listening; what is on disk stays."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    # What is on it.

    def repository(
        self,
        name: str,
        default: str = "main",
        private: bool = False,
        queue: bool = False,
        methods: Sequence[str] = METHODS,
        required: Sequence[str] = (),
        strict: bool = False,
        approvals: int = 0,
        *,
        empty: bool = False,
        classic: bool = False,
    ) -> Repository:
        """A new repository with one commit (none if `empty`); the rules are those of its default branch.

        `classic`: they are a branch protection rule; else they are a ruleset.
        """
        with self.lock:
            assert name.lower() not in self.repositories, f"{name} is there"
            repo = Repository(self, name, default, private, empty)
            repo.methods = tuple(methods)
            self.repositories[name.lower()] = repo
            repo.protect(default, required=required, strict=strict, approvals=approvals, queue=queue, classic=classic)
            return repo

    def find(self, name: str | None, follow: bool = True) -> Repository | None:
        """The repository called OWNER/NAME in any case (or once called so, if `follow`)."""
        key = (name or "").lower()
        return self.repositories.get(key) or (self.renamed.get(key) if follow else None)

    def rename(self, repo: Repository, name: str) -> None:
        """Give a repository another name; the old one leads to it."""
        del self.repositories[repo.name.lower()]
        self.renamed[repo.name.lower()] = repo
        owner, _, repo.short = name.partition("/")
        repo.owner = self.user(owner, "Organization")
        self.renamed.pop(name.lower(), None)
        self.repositories[name.lower()] = repo

    def user(self, login: str, kind: Literal["User", "Bot", "Organization"] = "User") -> User:
        """The user of that login; made if need be (`x[bot]` is a Bot)."""
        with self.lock:
            if login.lower() not in self.users:
                is_bot = login.endswith("[bot]")
                user = User(login, self.new_id(), "", "Bot" if is_bot else kind, self.now())
                user.node_id = self.register({"User": "U", "Bot": "BOT", "Organization": "O"}[user.kind], user)
                self.users[login.lower()] = user
            return self.users[login.lower()]

    def sync(self) -> None:
        """Take over everything that was pushed with git since."""
        for repo in list(self.repositories.values()):
            repo.sync()

    # What was asked of it.

    def operations(self) -> list[str]:
        """Every request so far in one line each, for reading a failed test."""
        return [f"{one.method} {one.path} {one.operation} {one.status}".replace("  ", " ") for one in self.journal]

    def writes(self) -> list[Request]:
        """The requests that asked for a change, whether it was made or not."""
        return [request for request in self.journal if request.write]

    # For its parts.

    def now(self) -> str:
        """The time in GitHub's form, to the second."""
        return datetime.fromtimestamp(self.seconds(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def seconds(self) -> int:
        """The time in seconds since 1970."""
        return int(self.clock())

    def new_id(self) -> int:
        """A database id that nothing else has."""
        self._ids += 1
        return self._ids

    def new_run_id(self) -> int:
        """An id of a check run or a workflow run: these are above 2^31."""
        self._run_ids += 1
        return self._run_ids

    def register(self, prefix: str, thing: Any) -> str:
        """A node id for a thing, by which it is found from now on."""
        number, letters = len(self.nodes) + 1, ""
        while number:
            number, digit = divmod(number, 32)
            letters = BASE32[digit] + letters
        node_id = f"{prefix}_kwDO{letters.rjust(6, 'A')}"
        self.nodes[node_id] = thing
        return node_id
