"""Names of entities that are known beforehand, and names that are never entities."""

import csv
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from papergraph.errors import InputError
from papergraph.schema.ids import entity_key, normalise
from papergraph.text.words import singular

# Gazetteers: names with a type and other spellings, from a user's file or the one that comes with the code


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
    """Read a gazetteer, in the format of its file extension.

    ``.jsonl``: an object a line with ``name``, ``type`` and perhaps ``aliases``, a list. ``.csv``: a header with these
    names; aliases are separated by ``|``. ``.toml``: tables ``[[entities]]`` with the same keys, and ``names``, a text
    of several names separated by ``|``.

    Raises:
        InputError: The file is unreadable, too large, or malformed; the message names the part.
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


# Names that are no entities of a field: people who are cited, places, publishers, numbers, parts of programs


FILE = Path(__file__).with_name("exclusions.toml")
CITED_SHARE = 0.2

_YEAR = r"(?:(?:19|20)\d\d[a-z]?|submitted|in press|forthcoming|to appear|in preparation)\b"
_SURNAME = r"[A-ZÀ-Þ][a-zß-ÿ’'-]+(?:-[A-ZÀ-Þ][a-zß-ÿ]+)?"
_CITED = re.compile(
    rf"(?P<one>{_SURNAME})(?:\s+et\s+al\.?|'s|’s)?,?\s*(?:[([]\s*{_YEAR}|(?:19|20)\d\d[a-z]?\b)|"  # Bates (2015)
    rf"(?P<two>{_SURNAME})\s+et\s+al\b|"
    rf"(?P<three>{_SURNAME})(?:,\s+{_SURNAME})*,?\s+(?:and|&)\s+{_SURNAME}\s*[,(\[]+\s*{_YEAR}"
)
_LISTED = re.compile(
    rf"(?:[A-Z]\.[\s-]?){{1,3}}(?P<one>{_SURNAME})\b|\b(?P<two>{_SURNAME}),?\s+(?:[A-Z]\.?[\s-]?){{1,3}}(?=[,.;:(&]|\sand\s)"
)
_NAME = re.compile(_SURNAME)
_CALLED = re.compile(
    r"(?<![\w.])(?P<made>[a-z][a-z0-9]*(?:[A-Z._][A-Za-z0-9]*)+)\((?=\S)|"  # setCor(x): no word is written so
    r"(?<![\w.])(?P<bare>[A-Z]\w*[a-z]\w*)\(\)"  # Solver()
)
_VARIABLE = re.compile(r"[^\W\d_]\d{1,2}(?:/\d+)?")
"""Names of variables, such as x1, H0 and W1/2."""
_INDEXED = re.compile(r"(?!pH)[a-z][A-Z]")
"""A variable with its index, such as fY."""
_NUMBER = re.compile(r"(?:\d+(?:st|nd|rd|th|[lx%])?|[ivx]+|[a-z]|\d+[.,/:–-]\d+|\d[\d.,]*e[-+−–]?\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class _Lists:
    names: frozenset[str]
    places: frozenset[str]
    last_words: frozenset[str]
    counted: frozenset[str]
    software: frozenset[str]


@cache
def _lists() -> _Lists:
    said = tomllib.loads(FILE.read_text(encoding="utf-8"))
    parts = {key: frozenset(normalise(name) for name in text.split("|")) for key, text in said.items()}
    names = parts["places"] | parts["publishers"] | parts["constants"]
    return _Lists(names, parts["places"], parts["last_words"], parts["counted"], parts["software"])


def cited_people(texts: Iterable[str]) -> frozenset[str]:
    """Return the surnames, in small letters, of people whom a paper cites or lists.

    A word counts as a surname when at least a fifth of its uses in the paper cite or list it.

    Args:
        texts: The paper's chunks with its references.
    """
    uses, cited = Counter[str](), Counter[str]()
    for text in texts:
        uses.update(_NAME.findall(text))
        for match in _CITED.finditer(text):
            cited.update(_NAME.findall(match[0].partition(" et al")[0]))
        cited.update(match["one"] or match["two"] for match in _LISTED.finditer(text))
    return frozenset(name.casefold() for name, n in cited.items() if n >= CITED_SHARE * uses[name])


def called_functions(texts: Iterable[str]) -> frozenset[str]:
    """Return the names, as spelt, of program functions that a paper calls.

    A compound name such as ``setCor`` is a call if a bracket follows directly; a capitalised one only with empty
    brackets, because ``AR(1)`` is a model. Plain words are left to other rules.

    Args:
        texts: Chunks of the paper, including code.
    """
    return frozenset(match["made"] or match["bare"] for text in texts for match in _CALLED.finditer(text))


def is_excluded(name: str, people: frozenset[str] = frozenset(), functions: frozenset[str] = frozenset()) -> bool:
    """Say whether a name is one of a person, a place, a publisher, a number or a program's part, and of nothing more.

    Args:
        name: As the text spells it.
        people: Surnames of :func:`cited_people`.
        functions: Names of :func:`called_functions`.
    """
    if name in functions:
        return True
    lists, plain = _lists(), normalise(name).strip(" .,:")
    if (
        plain in lists.names
        or entity_key(plain) in lists.names
        or _VARIABLE.fullmatch(plain)
        or _INDEXED.fullmatch(name)
    ):
        return True
    words = plain.split()
    if not words or words[-1].strip(".") in lists.last_words:
        return True
    if len(words) == 2 and singular(words[0]) in lists.counted and _NUMBER.fullmatch(words[1]):
        return True
    if all(word in lists.software or singular(word) in lists.software or _NUMBER.fullmatch(word) for word in words):
        return True
    return all(word.strip(".,") in people or word in lists.places or _NUMBER.fullmatch(word) for word in words)
