"""No tool decides what a person decides: nothing of `service/` that asks for a person is within reach of the table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import stoat
from stoat.mcp.tools import TOOLS
from tests.test_layout import Module, modules

SERVICE = Path(stoat.__file__).parent / "service"
NEVER = re.compile(
    r"approve|withdraw|expedite|merge|cloud|dismiss|answer|restart|reverify|allow|accept|reject|sign|hold|archive|purge"
    r"|mark|lead|pause|resume"
)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def persons() -> dict[str, set[str]]:
    """Module → its functions that ask for a person, themselves or through another function of the module."""
    found: dict[str, set[str]] = {}
    for file in sorted(SERVICE.glob("*.py")):
        if file.stem == "session":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        asking = {one.name for one in functions(tree) if re.search(r"\.person\(\)", ast.unparse(one))}
        while True:
            more = {
                one.name
                for one in functions(tree)
                if any(isinstance(node, ast.Name) and node.id in asking for node in ast.walk(one))
            }
            if more <= asking:
                break
            asking |= more
        if asking:
            found[file.stem] = asking
    return found


def reached(module: Module) -> Iterator[tuple[str, str]]:
    """The functions of `service/` that a module names, as (module, function)."""
    named = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module == "stoat.service":
            named |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stoat.service."):
            yield from ((str(node.module).rpartition(".")[2], alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith("stoat.service") for alias in node.names), "import the module by name"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in named:
            yield named[node.value.id], node.attr


def test_the_functions_that_ask_for_a_person_are_found() -> None:
    found = persons()
    assert {"answer", "dismiss"} <= found["questions"]
    assert {"accept", "reject", "sign_off"} <= found["reviews"]
    assert {"approve", "approve_plan"} <= found["decisions"]


def test_no_tool_reaches_a_function_that_asks_for_a_person() -> None:
    never = {(module, name) for module, names in persons().items() for name in names}
    used = {(str(one.path), what) for one in modules() if one.room == "mcp" for what in reached(one)}
    assert [(where, what) for where, what in used if what in never] == []
    assert {("questions", "ask"), ("reporting", "report"), ("nodes", "add")} <= {what for _, what in used}


def test_no_tool_has_the_name_or_an_argument_of_a_persons_decision() -> None:
    for tool in TOOLS:
        assert not NEVER.search(tool.name), tool.name
        assert "merge" not in tool.arguments.model_fields, tool.name
