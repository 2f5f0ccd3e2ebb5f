"""Gazetteers: names with a type and other spellings, from a user's file or the one that comes with the code."""

import csv
import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from papergraph.errors import InputError

KNOWN = Path(__file__).with_name("known.toml")
MOST_ENTRIES = 100_000
MOST_BYTES = 50_000_000
LONGEST_NAME = 200
LONGEST_TYPE = 50


@dataclass(frozen=True)
class Entry:
    """A name of a gazetteer; ``aliases`` are other spellings, which are found as well."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()


def read_gazetteer(path: Path) -> tuple[Entry, ...]:
    """Read a gazetteer, its form told by the ending of its name.

    ``.jsonl``: an object a line with ``name``, ``type`` and perhaps ``aliases``, a list. ``.csv``: a header with these
    names; aliases are separated by ``|``. ``.toml``: tables ``[[entities]]`` with the same keys, and ``names``, a text
    of several names separated by ``|``.

    Raises:
        InputError: The file cannot be read, is too large, or a part of it is not as told; the message says which.
    """
    read = {".jsonl": _jsonl, ".csv": _csv, ".toml": _toml}.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path}: a gazetteer is a .jsonl, .csv or .toml file", field="gazetteer")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has over {MOST_BYTES:,} bytes", field="gazetteer")
        text = path.read_text(encoding="utf-8")
        entries: list[Entry] = []
        for place, fields in read(text):
            entries.append(_entry(path, place, fields))
            if len(entries) > MOST_ENTRIES:
                raise InputError(f"{path} has over {MOST_ENTRIES:,} names", field="gazetteer")
    except (OSError, UnicodeDecodeError, ValueError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read as a gazetteer: {error}", field="gazetteer") from error
    return tuple(entries)


@cache
def known_names() -> tuple[Entry, ...]:
    """Return the widely known data sets and measures that come with the code."""
    return read_gazetteer(KNOWN)


def _jsonl(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield f"line {number}", json.loads(line)


def _csv(text: str) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(csv.DictReader(text.splitlines(keepends=True)), 2):
        aliases = [alias for alias in (row.get("aliases") or "").split("|") if alias.strip()]
        yield f"row {number}", {"name": row.get("name"), "type": row.get("type"), "aliases": aliases}


def _toml(text: str) -> Iterator[tuple[str, Any]]:
    said = tomllib.loads(text)
    tables = said.get("entities")
    if not isinstance(tables, list):
        raise ValueError("it has no tables [[entities]]")
    for number, table in enumerate(tables, 1):
        place = f"table {number}"
        if not isinstance(table, dict):
            raise ValueError(f"{place} is no table")
        if isinstance(table.get("names"), str):
            for name in _parts(table["names"]):
                yield place, {"name": name, "type": table.get("type")}
        else:
            yield place, table


def _parts(names: str) -> Iterable[str]:
    return (" ".join(name.split()) for name in names.split("|") if name.strip())


def _entry(path: Path, place: str, fields: Any) -> Entry:
    if not isinstance(fields, dict):
        raise InputError(f"{path}, {place}: not a name with its type", field="gazetteer")
    name, type, aliases = fields.get("name"), fields.get("type"), fields.get("aliases") or []
    texts = [name, type, *(aliases if isinstance(aliases, list) else [None])]
    if not all(isinstance(text, str) and text.strip() and len(text) <= LONGEST_NAME for text in texts):
        raise InputError(
            f"{path}, {place}: name, type and aliases must be texts of 1 to {LONGEST_NAME} characters, aliases a list",
            field="gazetteer",
        )
    if len(str(type)) > LONGEST_TYPE:
        raise InputError(f"{path}, {place}: a type has {LONGEST_TYPE} characters at most", field="gazetteer")
    return Entry(" ".join(str(name).split()), str(type).strip(), tuple(" ".join(alias.split()) for alias in aliases))
