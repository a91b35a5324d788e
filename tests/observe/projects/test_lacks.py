"""What a step names and a checkout does not have, tool by tool; and all that is not sure, about which it is silent."""

from __future__ import annotations

import pytest

from stoat.observe.projects import lacks
from stoat.observe.projects.checkout import Checkout
from stoat.plan.lack import Lack

CSPROJ = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{}</PropertyGroup><ItemGroup>{}</ItemGroup></Project>'
XUNIT = '<PackageReference Include="xunit" Version="2.9.0" />'
FILES = {
    "src/Core/Core.csproj": CSPROJ.format("<TargetFramework>net9.0</TargetFramework>", ""),
    "src/Core.Tests/Core.Tests.csproj": CSPROJ.format("<TargetFrameworks>net9.0;$(Newest)</TargetFrameworks>", XUNIT),
    "src/Directory.Build.props": "<Project><PropertyGroup><Newest>net10.0</Newest></PropertyGroup></Project>",
    "props/Directory.Build.props": "<Project><PropertyGroup><TargetFramework>net8.0</TargetFramework>"
    "<IsTestProject>true</IsTestProject></PropertyGroup></Project>",
    "props/A/A.csproj": CSPROJ.format("", ""),
    "props/B/B.csproj": CSPROJ.format("<IsTestProject>false</IsTestProject>", ""),
    "unclear/If.csproj": CSPROJ.format("<TargetFramework Condition=\"'$(X)' == ''\">net9.0</TargetFramework>", XUNIT),
    "unclear/other/In.csproj": '<Project Sdk="Microsoft.NET.Sdk"><Import Project="..\\\\x.props" />'
    "<PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup></Project>",
    "unclear/bad/Bad.csproj": "<Project><not closed",
    "old/Old.csproj": '<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003"><ItemGroup>'
    '<PackageReference Include="NUnit" /></ItemGroup></Project>',
    "two/One.csproj": CSPROJ.format("", ""),
    "two/Two.csproj": CSPROJ.format("", ""),
    "All.sln": "",
    "tests/test_lanes.py": "class TestLane:\n    def test_turn(self): ...\n\nclass TestBorn(Base):\n    pass\n\n"
    "def test_one(): ...\n",
    "tests/test_if.py": "if True:\n    def test_here(): ...\n",
    "tests/test_made.py": "from base import *\n",
    "tests/test_bdd.py": "scenarios('lanes.feature')\n",
    "package.json": '{"scripts": {"build": "x", "test:unit": "y", "lint": "z"}}',
    "web/package.json": '{"name": "web"}',
    "web/src/a.js": "",
    "odd/package.json": "[1]",
    "odder/package.json": '{"scripts": 3}',
    "Makefile": ".PHONY: clean fast\nall: app.o\n\techo a:b\nbuild test: ; @true\nVAR := x:y\nclean:\n\trm\nlib.a: x\n",
    "gen/Makefile": "include other.mk\nall:\n",
    "pat/makefile": "%.txt:\n\ttouch $@\n",
    "var/Makefile": "$(TARGETS):\n\ttouch $@\n",
    "pkg/__init__.py": "",
    "pkg/__main__.py": "",
    "pkg/tool.py": "",
    "pkg/plain/__init__.py": "",
    "scripts/check.sh": "",
    "app.c": "",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    top = tmp_path_factory.mktemp("a checkout")
    for name, text in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")
    return Checkout(top)


def path(name: str) -> list[Lack]:
    return [Lack("path", name)]


TARGETS = ("all", "build", "clean", "fast", "lib.a", "test")
SCRIPTS = ("build", "lint", "test:unit")
TESTS = "src/Core.Tests/Core.Tests.csproj"

MISSING: list[tuple[str, list[Lack]]] = [
    ("dotnet test src/Core.Test", [Lack("project", "src/Core.Test")]),
    ("dotnet test 'src\\Gone\\Gone.csproj'", [Lack("project", "src/Gone/Gone.csproj")]),
    ("dotnet build Gone.slnx -c Release", [Lack("project", "Gone.slnx")]),
    ("dotnet test src/Core", [Lack("no-tests", "src/Core/Core.csproj")]),
    ("dotnet test props/B", [Lack("no-tests", "props/B/B.csproj")]),
    (f"dotnet test {TESTS} -f net8.0", [Lack("framework", "net8.0", TESTS, ("net9.0", "net10.0"))]),
    (f"dotnet test --framework=net8.0 {TESTS} --no-build", [Lack("framework", "net8.0", TESTS, ("net9.0", "net10.0"))]),
    ("cd src/Core.Tests && dotnet test -c Release -f net7.0",
     [Lack("framework", "net7.0", TESTS, ("net9.0", "net10.0"))]),
    ("dotnet test props/A -f net9.0 -p:Y=1", [Lack("framework", "net9.0", "props/A/A.csproj", ("net8.0",))]),
    ("dotnet run --project src/Gone", [Lack("project", "src/Gone")]),
    ("dotnet test tests", [Lack("no-project", "tests")]),
    ("dotnet test two", [Lack("many-projects", "two", "", ("One.csproj", "Two.csproj"))]),
    ("pytest tests/test_gone.py", path("tests/test_gone.py")),
    ("pytest -q -n 4 -k 'x and y' tests tests/gone", path("tests/gone")),
    ("python -m pytest --tb short gone.py::test_a", path("gone.py")),
    ("PYTHONPATH=. timeout 5m uv run pytest -xvs gone", path("gone")),
    ("sh -c 'pytest gone && pytest tests'", path("gone")),
    ("stoat gate exec p/n -- pytest gone", path("gone")),
    ("coverage run -m pytest gone", path("gone")),
    ("pytest tests > log 2>&1; pytest gone | tee log", path("gone")),
    ("pytest tests/test_lanes.py::test_two", [Lack("test", "test_two", "tests/test_lanes.py")]),
    ("pytest 'tests/test_lanes.py::TestLane::test_drive[1]'",
     [Lack("test", "TestLane::test_drive", "tests/test_lanes.py")]),
    ("pytest tests/test_lanes.py::test_turn", [Lack("test", "test_turn", "tests/test_lanes.py")]),
    ("env -C web npm run nope", [Lack("script", "nope", "web/package.json")]),
    ("env -C web X=1 npm run nope && pytest gone", [Lack("script", "nope", "web/package.json"), *path("gone")]),
    ("yarn test:all", [Lack("script", "test:all", "package.json", SCRIPTS)]),
    ("npm run biuld", [Lack("script", "biuld", "package.json", SCRIPTS)]),
    ("npm test", [Lack("script", "test", "package.json", SCRIPTS)]),
    ("npm --prefix web run build", [Lack("script", "build", "web/package.json")]),
    ("cd web/src && pnpm run build", [Lack("script", "build", "web/package.json")]),
    ("yarn run test:all", [Lack("script", "test:all", "package.json", SCRIPTS)]),
    ("npm --prefix gone run build", [Lack("directory", "gone")]),
    ("make testz", [Lack("target", "testz", "Makefile", TARGETS)]),
    ("make -j 4 -C . build deploy", [Lack("target", "deploy", "Makefile", TARGETS)]),
    ("make -j4 -s CC=gcc deploy", [Lack("target", "deploy", "Makefile", TARGETS)]),
    ("make -C gone all", [Lack("directory", "gone")]),
    ("make -f gone.mk all", path("gone.mk")),
    ("make -C web build", [Lack("makefile", "web")]),
    ("python scripts/gone.py --x", path("scripts/gone.py")),
    ("python3.12 -u -X dev gone.py", path("gone.py")),
    ("python -m pkg.gone", [Lack("module", "pkg.gone", "pkg")]),
    ("python -m pkg.plain", [Lack("main", "pkg.plain", "pkg/plain")]),
    ("./gone.sh", path("gone.sh")),
    ("bash scripts/gone.sh fast", path("scripts/gone.sh")),
    ("cd gone && make all", [Lack("directory", "gone")]),
    ("cd src\nmake -f x.mk", path("src/x.mk")),
]  # fmt: skip


@pytest.mark.parametrize(("run", "expected"), MISSING, ids=[run for run, _ in MISSING])
def test_what_is_missing_is_named(run: str, expected: list[Lack], checkout: Checkout) -> None:
    assert list(lacks(run, "", checkout)) == expected


SILENT = [
    # what is there
    "dotnet test", "dotnet build All.sln -f net1.0", f"dotnet test {TESTS} -f NET10.0 --logger trx",
    "dotnet test props/A -f net8.0", "dotnet build src/Core", "dotnet test old/Old.csproj -f net48",
    "pytest", "pytest tests/test_lanes.py::TestLane::test_turn", "pytest tests/test_if.py::test_here",
    "yarn test:unit", "env -C $X pytest gone", "env -C .. pytest gone",
    "pytest tests/test_lanes.py::test_one[a/b::c]",
    "npm run build -- --watch", "pnpm run lint", "npm ci", "npm install gone",
    "make", "make all build clean fast lib.a", "make VAR=gone", "make -j", "python -m pkg", "python -m pkg.tool x",
    "bash scripts/check.sh", "python -c 'import gone' gone", "cd web && cd .. && make all",
    # what only a shell, a build or another file can tell
    "pytest $TESTS", "pytest tests/*_gone.py", "pytest tests/{a,b}.py", "pytest ~/gone", "pytest /gone",
    "pytest ../gone",
    "pytest --new-option gone", "pytest --pyargs gone.tests", "pytest tests/test_lanes.py::TestBorn::test_x",
    "pytest tests/test_made.py::test_x", "pytest tests/test_bdd.py::test_x", "cd $X && pytest gone",
    "cd gone || pytest gone2", "(cd web && pytest gone)", "if true; then pytest gone; fi",
    "for x in a; do pytest gone; done",
    "cat <<EOF\npytest gone\nEOF", "pytest 'gone", "eval pytest gone", "`which pytest` gone",
    "uv run --with x pytest gone",
    "dotnet test unclear/If.csproj -f net8.0", "dotnet test unclear/other", "dotnet test unclear/bad",
    "dotnet test a.dll",
    "dotnet test $P", "dotnet test --what is gone", "dotnet --info", "dotnet",
    "npm run $X", "npm -w web run gone", "npm run gone --if-present", "pnpm -r run gone", "yarn run tsc", "yarn gone",
    "npm --prefix odd run gone", "npm --prefix odder run gone", "npm run", "npx gone",
    "make -C gen gone", "make -C pat gone", "make -C var gone", "make app", "make app.o", "make -I x gone", "make $T",
    "python -m gone", "python -m http.server", "node_modules/.bin/gone", ".venv/bin/gone", "build/gone", "bin/gone",
    "gone", "/usr/bin/gone", "$HOME/gone",
    "", "   ", "#", "\\", "&&", "x" * 30_000,
]  # fmt: skip


@pytest.mark.parametrize("run", SILENT, ids=[run[:60] for run in SILENT])
def test_what_is_there_or_not_sure_is_passed_over(run: str, checkout: Checkout) -> None:
    assert list(lacks(run, "", checkout)) == []


def test_a_step_begins_in_its_own_directory(checkout: Checkout) -> None:
    assert list(lacks("dotnet test", "src/Core", checkout)) == [Lack("no-tests", "src/Core/Core.csproj")]
    assert list(lacks("pytest ../tests", "src", checkout)) == []
    assert list(lacks("pytest ../gone ../../gone", "src", checkout)) == path("gone")
    assert list(lacks("pytest x", "nowhere", checkout)) == []
