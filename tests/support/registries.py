"""Parts of a test that one file adds to a registry."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any


@contextmanager
def add_part(package: ModuleType, module: str, text: str, folder: Path, *caches: Callable[..., Any]) -> Iterator[None]:
    """Put a file into a package, as if it were in the package's folder, and take it out again."""
    beside = folder / f"parts_{module}"
    beside.mkdir()
    (beside / f"{module}.py").write_text(text, encoding="utf-8")
    package.__path__.append(str(beside))
    _forget(caches)
    try:
        yield
    finally:
        package.__path__.remove(str(beside))
        sys.modules.pop(f"{package.__name__}.{module}", None)
        _forget(caches)


def _forget(caches: tuple[Callable[..., Any], ...]) -> None:
    importlib.invalidate_caches()
    for one in caches:
        one.cache_clear()  # type: ignore[attr-defined]
