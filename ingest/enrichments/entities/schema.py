"""What a model may say of a paper: types of entities, relations and allowed triples, from a TOML file."""

import itertools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from papergraph.errors import InputError

DEFAULT = Path(__file__).with_name("relations.toml")
MOST_BYTES = 100_000
LONGEST_NAME = 50
LONGEST_MEANING = 300

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class RelationSchema:
    """Types and relations with what they mean, by name, and the triples of type, relation and type that are allowed."""

    entities: tuple[tuple[str, str], ...]
    relations: tuple[tuple[str, str], ...]
    triples: tuple[Triple, ...]

    @cached_property
    def text(self) -> str:
        """The schema as a model is told it; also what tells one schema from another."""
        lines = ["Types:", *(f"- {name}: {meaning}" for name, meaning in self.entities)]
        lines += ["Relations, and between which types:"]
        for name, meaning in self.relations:
            pairs = ", ".join(f"{one} -> {other}" for one, relation, other in self.triples if relation == name)
            lines.append(f"- {name}: {meaning} ({pairs})")
        return "\n".join(lines)

    @property
    def identity(self) -> str:
        """All of it as JSON."""
        return json.dumps([self.entities, self.relations, self.triples])


def read_schema(path: Path = DEFAULT) -> RelationSchema:
    """Read a schema: tables ``entities`` and ``relations`` of names with what they mean, and tables ``[[triples]]``.

    Each of the latter has ``relation``, ``subject`` and ``object``, the last two a type or a list of types; all their
    combinations are allowed.

    Raises:
        InputError: The file cannot be read, or a part of it is not as told; the message says which.
    """
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise InputError(f"{path} has {len(content)} bytes, {MOST_BYTES} are allowed", field="relations")
        said = tomllib.loads(content.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as a schema of relations: {error}", field="relations") from error
    unknown = said.keys() - {"entities", "relations", "triples"}
    if unknown:
        raise _wrong(path, f"has {sorted(unknown)}; a schema has entities, relations and triples")
    entities, relations = (_meanings(path, said, table) for table in ("entities", "relations"))
    return RelationSchema(entities, relations, _triples(path, said.get("triples"), dict(entities), dict(relations)))


def _meanings(path: Path, said: Mapping[str, Any], table: str) -> tuple[tuple[str, str], ...]:
    rows = said.get(table)
    if not isinstance(rows, dict) or not rows:
        raise _wrong(path, f"has no table [{table}] of names with what they mean")
    for name, meaning in rows.items():
        if not name.strip() or len(name) > LONGEST_NAME:
            raise _wrong(path, f"names of [{table}] have 1 to {LONGEST_NAME} characters; {name[:80]!r} does not")
        if not isinstance(meaning, str) or not meaning.strip() or len(meaning) > LONGEST_MEANING:
            raise _wrong(path, f"[{table}] does not say what {name!r} means, in 1 to {LONGEST_MEANING} characters")
    return tuple(rows.items())


def _triples(path: Path, tables: Any, types: Mapping[str, str], relations: Mapping[str, str]) -> tuple[Triple, ...]:
    if not isinstance(tables, list) or not tables:
        raise _wrong(path, "has no tables [[triples]]")
    triples: dict[Triple, None] = {}
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict) or table.keys() != {"relation", "subject", "object"}:
            raise _wrong(path, f"the table [[triples]] number {number} must have relation, subject and object")
        sides = [[side] if isinstance(side, str) else side for side in (table["subject"], table["object"])]
        if table["relation"] not in relations:
            raise _wrong(path, f"[[triples]] number {number} has a relation {table['relation']!r} that is not told")
        for side in sides:
            if (
                not isinstance(side, list)
                or not side
                or not all(isinstance(type, str) and type in types for type in side)
            ):
                raise _wrong(path, f"[[triples]] number {number} has {side!r}, but the types are {sorted(types)}")
        triples |= dict.fromkeys((one, table["relation"], other) for one, other in itertools.product(*sides))
    if unused := relations.keys() - {relation for _, relation, _ in triples}:
        raise _wrong(path, f"no triple has the relations {sorted(unused)}")
    return tuple(triples)


def _wrong(path: Path, what: str) -> InputError:
    return InputError(f"{path} {what}", field="relations")
