"""Write the reference of the Python client, sdk/python/API.md, from its docstrings."""

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from scripts.sdk.schema import ROOT

PACKAGE = ROOT / "sdk/python/src"


def reference() -> str:
    """Return the page.

    Raises:
        LookupError: A public name has no docstring.
    """
    sys.path.insert(0, str(PACKAGE))
    import papergraph_client

    names = [name for name in papergraph_client.__all__ if not name.startswith(("_", "Async"))]
    lines = [
        "# API of papergraph-client",
        "",
        "Written by `python -m scripts.sdk`. `AsyncPapergraph` has the methods of",
    ]
    lines += ["`Papergraph` with `await`.", ""]
    missing: list[str] = []
    for name in names:
        one = getattr(papergraph_client, name)
        if isinstance(one, ModuleType):
            continue
        lines += [f"## {name}", "", *_class(name, one, missing)]
    lines += ["## Models", "", *_models(papergraph_client.models, missing)]
    if missing:
        raise LookupError(f"public names without documentation: {', '.join(missing)}")
    return "\n".join(lines)


def undocumented() -> list[str]:
    """Return the public names without a docstring."""
    try:
        reference()
    except LookupError as error:
        return [str(error)]
    return []


def _class(name: str, one: Any, missing: list[str]) -> Iterator[str]:
    yield from (_doc(one, name, missing), "")
    for method, function in inspect.getmembers(one):
        if method.startswith("_") or not (inspect.isroutine(function) or isinstance(function, property)):
            continue
        if method in vars(Exception) or getattr(function, "__objclass__", None) is not None:
            continue
        told = _doc(function, f"{name}.{method}", missing)
        sign = "" if isinstance(function, property) else _signature(function)
        yield from (f"- `{method}{sign}`: {told}",)
    yield ""


def _models(models: ModuleType, missing: list[str]) -> Iterator[str]:
    for name, one in sorted(vars(models).items()):
        if inspect.isclass(one) and dataclasses.is_dataclass(one) and one.__module__ == models.__name__:
            fields = ", ".join(f"`{field.name}`" for field in dataclasses.fields(one))
            yield f"- `{name}`: {_doc(one, name, missing)} Fields: {fields}."
    yield ""


def _signature(function: Any) -> str:
    parameters = [
        str(one.replace(annotation=inspect.Parameter.empty))
        for name, one in inspect.signature(function).parameters.items()
        if name not in ("self", "cls")
    ]
    return f"({', '.join(parameters)})"


def _doc(one: Any, name: str, missing: list[str]) -> str:
    own = one.fget.__doc__ if isinstance(one, property) else one.__doc__
    if not own:
        missing.append(name)
        return ""
    return " ".join(inspect.cleandoc(own).split("\n\n")[0].split())
