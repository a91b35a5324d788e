"""The architecture as a test: who imports whom, what the pure rooms never touch, how long a module gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import stoat

PACKAGE = Path(stoat.__file__).parent
MAX_LINES = 400
BANNED_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}

PURE = {"plan", "derive"}

BASE = {"errors", "clock"}
MAY_IMPORT = {
    "errors": set[str](),
    "clock": set[str](),
    "plan": BASE,
    "derive": BASE | {"plan"},
    "gitstore": BASE | {"plan", "processes"},
    "observe": BASE | {"plan", "gitstore", "processes"},
    "processes": BASE | {"plan"},
    "service": BASE | {"plan", "derive", "gitstore", "observe", "processes"},
    "runner": BASE | {"plan", "derive", "gitstore", "observe", "processes", "service"},
    "mcp": BASE | {"plan", "derive", "gitstore", "observe", "processes", "service"},
    "web": BASE | {"plan", "derive", "gitstore", "observe", "processes", "service"},
    "demo": BASE | {"plan", "gitstore", "processes", "service"},
    "pytest_plugin": BASE | {"plan", "gitstore", "observe", "processes", "service"},
    "cli": BASE | {"plan", "derive", "gitstore", "observe", "processes", "service", "runner", "web", "mcp", "demo"},
    "__main__": {"cli"},
}
"""Room → the rooms below it. Its own modules it may always import, `stoat` itself (the version) as well."""

IMPURE = {
    *("os", "sys", "platform", "locale", "getpass", "pwd", "signal", "ctypes"),  # the environment
    *("time", "datetime", "zoneinfo", "calendar", "sched"),  # the clock
    *(
        "pathlib",
        "shutil",
        "tempfile",
        "glob",
        "fileinput",
        "sqlite3",
        "mmap",
        "fcntl",
        "logging",
    ),  # the disk
    *("socket", "ssl", "select", "selectors", "urllib", "http", "email", "requests"),  # the network
    *(
        "subprocess",
        "multiprocessing",
        "threading",
        "concurrent",
        "asyncio",
        "psutil",
    ),  # processes
    *("random", "secrets", "uuid"),  # chance
    *("pygit2", "watchdog", "flask", "waitress", "typer", "rich"),  # git, and the doors
}
PURE_PARTS = {("pathlib", "PurePath"), ("pathlib", "PurePosixPath"), ("pathlib", "PureWindowsPath")}
IMPURE_CALLS = {"open", "input", "print", "exec", "eval", "__import__"}


class Module(NamedTuple):
    """One source file: its path in the package, its room, its text and its tree."""

    path: Path
    room: str
    text: str
    tree: ast.Module


class Import(NamedTuple):
    """One imported thing: `from stoat.plan import ids` is (line, "stoat.plan", "ids")."""

    line: int
    module: str
    name: str


def modules() -> Iterator[Module]:
    """Every Python file of the package; the package's own __init__ has the room ""."""
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        room = path.parts[0].removesuffix(".py")
        text = file.read_text(encoding="utf-8")
        yield Module(path, "" if room == "__init__" else room, text, ast.parse(text, str(path)))


def imports(module: Module) -> Iterator[Import]:
    """Everything that a module imports, at its top, in a function or for type checking alone."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Import(node.lineno, "." * node.level + (node.module or ""), alias.name)


def room_of(what: Import) -> str | None:
    """The room of Stoat that an import names; None for anything else and for what `stoat` itself holds."""
    parts = f"{what.module}.{what.name}".split(".")
    if parts[0] != "stoat":
        return None
    return parts[1] if parts[1] in MAY_IMPORT else None


def test_imports_only_go_down() -> None:
    wrong = []
    for module in modules():
        allowed = MAY_IMPORT.get(module.room, set()) | {module.room}
        for what in imports(module):
            room = room_of(what)
            if room is not None and room not in allowed:
                wrong.append(f"{module.path}:{what.line} imports {room}")
    assert wrong == []


def test_every_room_has_its_place_in_the_table() -> None:
    assert {module.room for module in modules()} - {""} <= set(MAY_IMPORT)


def test_imports_are_absolute() -> None:
    relative = [
        f"{module.path}:{what.line}" for module in modules() for what in imports(module) if what.module.startswith(".")
    ]
    assert relative == []


def test_the_pure_rooms_know_no_clock_disk_network_process_or_environment() -> None:
    wrong = []
    for module in modules():
        if module.room not in PURE:
            continue
        for what in imports(module):
            if what.module.split(".")[0] in IMPURE and (what.module, what.name) not in PURE_PARTS:
                wrong.append(f"{module.path}:{what.line} imports {what.module}")
            if (what.module, what.name) == ("stoat.clock", "now"):
                wrong.append(f"{module.path}:{what.line} reads the clock")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
                wrong.append(f"{module.path}:{node.lineno} calls {node.func.id}")
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "clock.now":
                wrong.append(f"{module.path}:{node.lineno} reads the clock")
    assert wrong == []


def test_no_module_is_too_long() -> None:
    lengths = {str(module.path): len(module.text.splitlines()) for module in modules()}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    assert [str(module.path) for module in modules() if not ast.get_docstring(module.tree)] == []


def test_every_public_function_says_what_it_takes_and_gives() -> None:
    silent = []
    for module in modules():
        owners: list[ast.Module | ast.ClassDef] = [module.tree]
        owners += [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
        for owner in owners:
            for node in owner.body:
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    continue
                if not node.name.startswith("_") and not ast.get_docstring(node):
                    silent.append(f"{module.path}:{node.lineno} {node.name}")
    assert silent == []


def test_no_module_is_a_drawer_for_everything() -> None:
    assert [str(module.path) for module in modules() if module.path.stem in BANNED_NAMES] == []
