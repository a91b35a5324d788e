"""What an MSBuild project says of itself: what it targets, whether it is of tests. Only its text is read.

A property is looked for in the project and in the nearest Directory.Build.props above it (and in those that it imports
from above). Whatever a condition, an import or a property of elsewhere could change is `unclear`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from stoat.observe.projects.checkout import Checkout, above

PROJECTS = (".csproj", ".fsproj", ".vbproj")
SOLUTIONS = (".sln", ".slnx", ".slnf")
_PROPS, _PACKAGES = "Directory.Build.props", "Directory.Packages.props"
_MOST_FILES = 8
_TESTS = re.compile(
    r"microsoft\.net\.test\.sdk|microsoft\.testing\.|xunit|nunit|mstest|tunit|bobcat|expecto|yolodev|machine\.specific"
    r"|fixie|specflow|reqnroll|coverlet\.collector",
    re.IGNORECASE,
)
_FRAMEWORKS = ("targetframework", "targetframeworks")
_OF_TESTS = frozenset(
    {"istestproject", "istestingplatformapplication", "testingplatformdotnettestsupport", "enablemstestrunner",
     "usemicrosofttestingplatformrunner", "enablenunitrunner", "testprojecttype"}
)  # fmt: skip
_REFERENCE = re.compile(r"\$\(([A-Za-z_][\w.]*)\)")


@dataclass
class Project:
    """What was read: `frameworks` that it targets, `tests` whether it is of tests (None where nothing says so)."""

    frameworks: tuple[str, ...] = ()
    tests: bool | None = None
    unclear: bool = False
    properties: dict[str, list[str]] = field(default_factory=dict)


def read(checkout: Checkout, place: str) -> Project | None:
    """The project at a place of the checkout; None when it cannot be read as one."""
    root = _xml(checkout, place)
    if root is None:
        return None
    project = Project()
    sources = [*reversed(list(_props(checkout, posixpath.dirname(place), project))), (root, place)]
    for element, _ in sources:
        _take(element, project)
    if _TESTS.search(root.get("Sdk", "")):
        project.tests = True
    for name in _FRAMEWORKS:
        for value in project.properties.get(name, ()):
            project.frameworks += tuple(part for one in value.split(";") if (part := one.strip()))
    project.unclear |= any("$" in framework for framework in project.frameworks) or not project.frameworks
    said = [value.strip().lower() for value in project.properties.get("istestproject", ())]
    if said and said[-1] == "false":
        project.tests = False
    return project


def _props(checkout: Checkout, directory: str, project: Project) -> Iterator[tuple[Element, str]]:
    """The props files that come in by themselves, the nearest first."""
    files = 0
    for name in (_PROPS, _PACKAGES):
        for one in above(directory):
            place = posixpath.join(one, name)
            if not checkout.has_file(place):
                continue
            element = _xml(checkout, place)
            files += 1
            if element is None or files > _MOST_FILES:
                project.unclear = True
                break
            yield element, place
            if not any("GetPathOfFileAbove" in found or ".." in found for found in _imports(element)):
                break


def _take(root: Element, project: Project) -> None:
    for group in root:
        kind = _tag(group)
        if kind == "PropertyGroup":
            for one in group:
                value = _resolved((one.text or "").strip(), project)
                conditional = "Condition" in group.attrib or "Condition" in one.attrib
                name = _tag(one).lower()
                project.unclear |= conditional and (name in _FRAMEWORKS or name in _OF_TESTS)
                values = project.properties.setdefault(name, [])
                if not conditional:
                    values.clear()
                values.append(value)
                if name in _OF_TESTS and value.lower() != "false":
                    project.tests = True
        elif kind == "ItemGroup":
            for one in group:
                if _tag(one) in ("PackageReference", "GlobalPackageReference") and _TESTS.search(
                    one.get("Include", "") or one.get("Update", "")
                ):
                    project.tests = True
        elif kind in ("Import", "Choose", "ImportGroup", "Sdk"):
            written = group.get("Project", "")
            project.unclear |= "GetPathOfFileAbove" not in written


def _imports(root: Element) -> list[str]:
    return [one.get("Project", "") for one in root.iter() if _tag(one) == "Import"]


def _resolved(value: str, project: Project) -> str:
    """The value with the properties that are known for sure put in."""

    def known(found: re.Match[str]) -> str:
        values = project.properties.get(found[1].lower(), [])
        return values[0] if len(values) == 1 else found[0]

    return _REFERENCE.sub(known, value)[:2000]


def _xml(checkout: Checkout, place: str) -> Element | None:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    data = checkout.read(place)
    try:
        return fromstring(data) if data is not None else None
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None


def _tag(element: Element) -> str:
    """An element's name; older projects have a namespace in front of it."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
