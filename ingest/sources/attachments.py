"""Files that entries of a bibliography name, as Zotero, Better BibTeX, JabRef and Mendeley write them."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingest.sources.parser import format_of

BETWEEN_FILES = re.compile(r"(?<!\\);")
BETWEEN_PARTS = re.compile(r"(?<!\\):")
ESCAPED = re.compile(r"\\([:;\\{}_&%#$ ])")
PREFERRED = (".pdf",)


def paths_in(field: str) -> list[str]:
    """Return the paths of a ``file`` field: ``title:path:type`` or a path alone, several parted by semicolons."""
    found = []
    for one in BETWEEN_FILES.split(field.replace("$\\backslash$", "\\")):
        parts = BETWEEN_PARTS.split(one.strip())
        path = ":".join(parts[1:-1]) if len(parts) > 2 else one.strip()
        if path := ESCAPED.sub(r"\1", path).strip():
            found.append(path)
    return found


def attached_file(paths: Iterable[str], folder: Path) -> str | None:
    """Return the file that holds the text of an entry of a bibliography in ``folder``, as an absolute path.

    A PDF goes before others, and a file that is there before one that is not.
    """
    absolute = [_absolute(path, folder) for path in paths if "\0" not in path]
    readable = [path for path in absolute if format_of(path) is not None]
    ranked = sorted(readable, key=lambda path: (not path.lower().endswith(PREFERRED), not Path(path).is_file()))
    return next(iter(ranked), None)


def is_below(path: str, folder: Path) -> bool:
    """Say whether a file is there and lies below a folder, links followed."""
    file = Path(path)
    return file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _absolute(path: str, folder: Path) -> str:
    if path.lower().startswith("file:"):
        path = unquote(urlsplit(path).path)
    return os.path.abspath(folder / path)  # noqa: PTH100 resolve() would follow links
