"""Registries: one file of a folder adds one part, and a package of somebody else can add more by an entry point.

    # ingest/parsers/epub.py
    PARSER = Parser(name="epub", ...)

    parts("papergraph.ingest.parsers", "PARSER", Parser)  # {"epub": PARSER, ...}

A package of somebody else names its module, or the constant itself, in the group ``papergraph.parsers``::

    [project.entry-points."papergraph.parsers"]
    epub = "epub_for_papergraph:PARSER"
"""

import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")

NAME = re.compile(r"[a-z][a-z0-9_-]*")


class RegistryError(RuntimeError):
    """A part that the program must not start with: of another type, with a malformed name, or with a name twice."""


def parts(package: str, constant: str, kind: type[T]) -> dict[str, T]:
    """Return the parts that the modules of a package, and entry points, define as ``constant``.

    A module without this constant is a helper, and a module whose name begins with an underscore is not imported.

    Args:
        package: Dotted name of a package; its direct modules and packages are imported.
        constant: The name of the constant, in capitals.
        kind: The type of the parts; each has a ``name`` and may have an ``order``.

    Returns:
        Parts by name, sorted by ``order`` where they have one, then by name.

    Raises:
        RegistryError: A part is of another type, or its name is malformed or taken.
    """
    found: dict[str, T] = {}
    origins: dict[str, str] = {}
    for origin, part in (*_of_folder(package, constant), *_of_others(package, constant)):
        if not isinstance(part, kind):
            raise RegistryError(f"{origin}.{constant} is a {type(part).__name__}, not a {kind.__name__}")
        name: Any = getattr(part, "name", None)
        if not (isinstance(name, str) and NAME.fullmatch(name)):
            raise RegistryError(f"{origin}.{constant} has the name {name!r}; a name matches {NAME.pattern}")
        if name in found:
            raise RegistryError(f"{origin}.{constant} has the name {name!r}, which {origins[name]} has already")
        found[name], origins[name] = part, origin
    return dict(sorted(found.items(), key=lambda item: (getattr(item[1], "order", 0), item[0])))


def _of_folder(package: str, constant: str) -> Iterator[tuple[str, object]]:
    for entry in pkgutil.iter_modules(import_module(package).__path__):
        if not entry.name.startswith("_"):
            module = import_module(f"{package}.{entry.name}")
            if hasattr(module, constant):
                yield module.__name__, getattr(module, constant)


def _of_others(package: str, constant: str) -> Iterator[tuple[str, object]]:
    group = f"papergraph.{package.rpartition('.')[2]}"
    if not _is_named(group):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        loaded = point.load()
        yield point.module, getattr(loaded, constant, None) if isinstance(loaded, ModuleType) else loaded


def _is_named(group: str) -> bool:
    """Return whether an installed package has this group; ``importlib.metadata`` takes 60 ms to say no."""
    files = (file for folder in sys.path for file in Path(folder).glob("*-info/entry_points.txt"))
    return any(f"[{group}]" in file.read_text(encoding="utf-8", errors="replace") for file in files)
