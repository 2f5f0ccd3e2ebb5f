"""The project's Cypher: one documented query per file, loaded by name.

A file's header says what it answers, its parameters, what it returns and how to try it; :func:`describe` reads it.
A file about vectors is written for the first of the two places that they can stand in (:mod:`papergraph.vector_slots`),
and its header names under ``Slots`` what is called otherwise in the second one.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from papergraph.revisions import ALL, KINDS, WRITES
from papergraph.statement import Revises, Statement
from papergraph.vector_slots import VectorSlot, exchange

FOLDERS = [Path(__file__).parent]
"""Folders of queries; a name is looked for in each in turn."""

RETURNED = re.compile(r"(\w+(?:, \w+)*)\s{2,}[A-Z]{3,}")
DOCTOR = ("Advice", "Repair", "Order", "Action", "Given")
"""Fields of checks (advice, repairs in order, place among the checks) and of repairs (what is done, given what)."""

PARAMETER = re.compile(r"\$(\w+)")
ASSIGNED = re.compile(r":param (\w+) => (.+)")
REVISED = re.compile(rf"({'|'.join(KINDS)}) \$([\w.]+)")
NOTHING, ITSELF = "nothing", "itself"
"""What a header says under ``Revises`` beside whose parameters name them: none, or those that the query sees to."""

SEVERAL = re.compile(r":param (\{.+\})")
"""The two forms of a line that sets parameters, which Neo4j Browser takes too: one value by an expression, or a map."""


@dataclass(frozen=True)
class Parameter:
    """A parameter as a header declares it."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class Documentation:
    """What a file's header says.

    Attributes:
        summary: What the query answers.
        parameters: Its parameters.
        returns: What it returns.
        tries: The ``:param`` lines, ready for Neo4j Browser.
        slots: Names in it that belong to one of the two places of vectors.
        index: The first index that it uses.
        revises: Papers that it changes, by its parameters; empty where it does not say.
        doctor: What the header of a check or a repair of the doctor says beside this, by field.
    """

    summary: str
    parameters: tuple[Parameter, ...]
    returns: str
    tries: tuple[str, ...]
    slots: tuple[str, ...] = ()
    index: str = ""
    revises: str = ""
    doctor: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what it returns, in order."""
        lines = (RETURNED.match(line) for line in self.returns.splitlines())
        return tuple(name for line in lines if line for name in line[1].split(", "))


def load(name: str, slot: VectorSlot = VectorSlot.FIRST) -> Statement:
    """Return the query in ``cypher/<name>.cypher``, header included.

    Args:
        name: The file, without its ending.
        slot: The place of vectors that is in use; where it is the second one, the names that the header declares are
            exchanged in the query and in the lines to try it.
    """
    return _load(name, slot)


@cache
def _load(name: str, slot: VectorSlot) -> Statement:
    written = Statement(name, _file(name).read_text(encoding="utf-8"), is_file=True)
    written = replace(written, revises=_revises(written))
    if slot is VectorSlot.FIRST:
        return written
    names = describe(written).slots
    lines = (
        exchange(line, names) if not line.startswith("//") or ":param" in line else line
        for line in written.text.splitlines()
    )
    return replace(written, text="\n".join(lines) + "\n")


@cache
def gathered(name: str, slot: VectorSlot = VectorSlot.FIRST) -> Statement:
    """Return the query like :func:`load`, its many small records gathered into one on their way."""
    statement = load(name, slot)
    return replace(statement, gathered=describe(statement).columns)


def names(pattern: str = "**/*") -> list[str]:
    """Return the names of all queries whose paths match a pattern of :meth:`pathlib.Path.glob`, sorted."""
    files = ((folder, path) for folder in FOLDERS for path in folder.glob(f"{pattern}.cypher"))
    return sorted(str(path.relative_to(folder).with_suffix("")) for folder, path in files)


def _file(name: str) -> Path:
    files = [folder / f"{name}.cypher" for folder in FOLDERS]
    return next((file for file in files if file.exists()), files[0])


def body(statement: Statement) -> str:
    """Return the query without its comments."""
    return "\n".join(line for line in statement.text.splitlines() if not line.lstrip().startswith("//")).strip()


def parameters_used(statement: Statement) -> set[str]:
    """Return the names of the parameters that the query's text uses."""
    return set(PARAMETER.findall(body(statement)))


def describe(statement: Statement) -> Documentation:
    """Read the header of a query file.

    Raises:
        ValueError: A part is missing or a line of it cannot be read; the message names the file.
    """
    fields = _fields(statement)
    if missing := {"Parameters", "Returns", "Try it"} - fields.keys():
        raise ValueError(f"{statement.name}: the header lacks {', '.join(sorted(missing))}")
    return Documentation(
        summary=" ".join(fields["Summary"]).strip(),
        parameters=tuple(_parameters(statement.name, fields["Parameters"])),
        returns="\n".join(fields["Returns"]),
        tries=tuple(line for line in fields["Try it"] if line.startswith(":param")),
        slots=tuple(", ".join(fields.get("Slots", [])).replace(",", " ").split()),
        index=" ".join(fields.get("Index", [])).partition(" ")[0].rstrip(","),
        revises=" ".join(fields.get("Revises", [])),
        doctor={name: " ".join(lines) for name, lines in fields.items() if name in DOCTOR},
    )


def _fields(statement: Statement) -> dict[str, list[str]]:
    """Return the lines of a header by field, whatever fields it has."""
    fields: dict[str, list[str]] = {"Summary": []}
    current = "Summary"
    for line in statement.text.splitlines():
        if not line.startswith("//"):
            break
        content = line[2:].rstrip()
        if start := re.match(
            r" (Parameters|Returns|Revises|Index|Slots|Source|Advice|Repair|Order|Action|Given|Try it)\s+(.*)", content
        ):
            current = start[1]
            fields[current] = [start[2]]
        elif content.strip():
            fields[current].append(content.strip())
    return fields


def _revises(statement: Statement) -> Revises | None:
    """Return which papers get a revision with a query: those that its header names, or all if it writes and names none.

    Raises:
        ValueError: The header says it in another way.
    """
    said = " ".join(_fields(statement).get("Revises", []))
    if not said:
        text = "\n".join(line.partition("//")[0] for line in body(statement).splitlines())
        return ALL if WRITES.search(text) else None
    named, _, itself = said.partition(ITSELF)
    paths = tuple((kind, tuple(path.split("."))) for kind, path in REVISED.findall(named))
    if REVISED.sub("", named).strip(" ,") not in ({"", "and"} if itself or ITSELF in said else {"", NOTHING}):
        raise ValueError(f"{statement.name}: cannot read {said!r} under Revises")
    return Revises(load("archive/revise_papers"), paths) if paths else None


def to_try(statement: Statement, *, but: Collection[str] = ()) -> Statement | None:
    """Return the query of one record that evaluates what the ``:param`` lines of a file say; :func:`tried` reads it.

    Args:
        statement: The file's query.
        but: Parameters whose own expressions are left out, because their values are known.

    Returns:
        The query, or None where no line is left.

    Raises:
        ValueError: A line has neither of the two forms.
    """
    columns: list[str] = []
    for number, line in enumerate(describe(statement).tries):
        if one := ASSIGNED.fullmatch(line):
            columns += [] if one[1] in but else [f"{one[2]} AS {one[1]}"]
        elif several := SEVERAL.fullmatch(line):
            columns.append(f"{several[1]} AS `{number}`")
        else:
            raise ValueError(f"{statement.name}: cannot read {line!r}")
    return Statement(f"{statement.name}:param", f"CYPHER 25\nRETURN {', '.join(columns)}") if columns else None


def tried(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the record of :func:`to_try` sets."""
    parameters: dict[str, Any] = {}
    for column, value in record.items():
        parameters |= value if column.isdigit() else {column: value}
    return parameters


def _parameters(name: str, lines: list[str]) -> list[Parameter]:
    if lines == ["none"]:
        return []
    found: list[Parameter] = []
    for line in lines:
        if start := re.match(r"\$(\w+)\s+([A-Z<>]+)\s+(.+)", line):
            found.append(Parameter(start[1], start[2], start[3]))
        elif found:
            found[-1] = Parameter(found[-1].name, found[-1].type, f"{found[-1].meaning} {line}")
        else:
            raise ValueError(f"{name}: cannot read the parameter line {line!r}")
    return found
