"""Keeps typer from loading pydantic (a tenth of a second) for values that need no conversion: text, flags, nothing.

Typer converts every value through pydantic since 0.29; older ones have no `get_runtime_param` and are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_AS_THEY_ARE = (str, bool, list[str])


def lighten(command: Any) -> None:
    """Spare a command's parameters, and those of its verbs, the conversion where there is nothing to convert."""
    heavy = command.get_params
    command.get_params = lambda ctx: [_lightened(parameter) for parameter in heavy(ctx)]
    for verb in getattr(command, "commands", {}).values():
        lighten(verb)


def _lightened(parameter: Any) -> Any:
    whole = getattr(parameter, "get_runtime_param", None)
    if whole is not None and not isinstance(whole, _Light):
        parameter.get_runtime_param = _Light(whole)
    return parameter


class _Light:
    """Stands in for a parameter's conversion; what it does not know goes to `whole`, typer's own."""

    def __init__(self, whole: Callable[[], Any]) -> None:
        self._whole = whole

    def __call__(self) -> _Light:
        """Typer asks for the conversion by a call."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, converted only if it has to be."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if param.type_descriptor.annotation in _AS_THEY_ARE:
            return value
        return self._whole().coerce(value, param=param, ctx=ctx)
