"""Constraints and indexes of a store: their definitions, the statements that create them, and their state."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import SchemaError
from papergraph.schema import model
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

log = logging.getLogger(__name__)

LARGEST_DIMENSION = 4096
POLL_S, MOST_POLL_S, TOLD_EVERY_S = 0.02, 1.0, 30.0
STALLED_S = 300.0
"""Seconds without progress after which an index counts as stuck."""

NAMES = frozenset(
    {index.name for index in (*model.RANGE_INDEXES, *model.FULLTEXT_INDEXES)}
    | {slot.called(index.name) for index in model.VECTOR_INDEXES for slot in VectorSlot}
)
"""Names of all indexes that papergraph creates, without those of constraints."""

TEXT_INDEXES = frozenset(index.name for index in model.FULLTEXT_INDEXES if index.analyzer == model.DEFAULT_ANALYZER)
"""Full-text indexes whose analyzer can be chosen."""


@dataclass(frozen=True)
class Index:
    """Definition of an index, in the terms of ``SHOW INDEXES``.

    Attributes:
        name: Its name.
        type: Its kind.
        labels: Labels of the indexed nodes; more than one for a full-text index only.
        properties: Indexed properties; of a vector index the vector first, then the filters.
        options: Its ``indexConfig``.
    """

    name: str
    type: Literal["RANGE", "FULLTEXT", "VECTOR"]
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def statement(self) -> Statement:
        """Statement that creates it where it is missing; its options are the parameter ``$options``."""
        names = f"{self.name} IF NOT EXISTS FOR (n:{'|'.join(self.labels)})"
        first, *others = (f"n.{name}" for name in self.properties)
        match self.type:
            case "RANGE":
                text = f"CREATE INDEX {names} ON ({', '.join([first, *others])})"
            case "FULLTEXT":
                text = f"CREATE FULLTEXT INDEX {names} ON EACH [{', '.join([first, *others])}] OPTIONS $options"
            case "VECTOR":
                text = f"CYPHER 25 CREATE VECTOR INDEX {names} ON {first} WITH [{', '.join(others)}] OPTIONS $options"
        return Statement(f"create index {self.name}", text)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of :attr:`statement`."""
        return {"options": {"indexConfig": dict(self.options)}} if self.options else {}

    async def create(self, database: Database, *, deadline_s: float) -> None:
        """Create it where it is missing.

        Raises:
            DatabaseError: Neo4j failed.
        """
        statement = self.statement
        await database.run_alone(statement, deadline_s=deadline_s, **self.parameters)


def constraint_statement(constraint: model.Constraint) -> Statement:
    """Return the statement that creates a constraint where it is missing."""
    name, properties = constraint.name, ", ".join(f"n.{name}" for name in constraint.properties)
    text = f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{constraint.label}) REQUIRE ({properties}) IS UNIQUE"
    return Statement(f"create constraint {name}", text)


async def quantization_of(database: Database) -> str:
    """Return the quantization of a store's vector indexes, which was chosen when the store was created."""
    found = await database.read(cypher.load("schema/quantization"))
    return str(found[0]["quantization"]) if found else model.DEFAULT_QUANTIZATION


async def wait_until_built(database: Database) -> None:
    """Wait until all indexes of the store are built, for as long as they grow; that of a large store takes minutes.

    Raises:
        SchemaError: Neo4j cannot build one, or has built no more of it for five minutes.
        DatabaseError: Neo4j failed.
    """
    before: dict[str, float] = {}
    since, told, pause = time.monotonic(), time.monotonic(), POLL_S
    while True:
        found = [record for record in await database.read(cypher.load("schema/indexes")) if record["name"] in NAMES]
        if failed := [f"index {one['name']} is FAILED: {one['failure']}" for one in found if one["state"] == "FAILED"]:
            raise SchemaError.drift(failed)
        building = {one["name"]: one["percent"] for one in found if one["state"] == "POPULATING"}
        now = time.monotonic()
        if not building:
            return
        if building != before:
            before, since = building, now
        elif now - since > STALLED_S:
            raise SchemaError.drift([f"index {name} stays at {built:.0f} %" for name, built in building.items()])
        if now - told > TOLD_EVERY_S:
            told = now
            log.info("building indexes: %s", ", ".join(f"{name} {built:.0f} %" for name, built in building.items()))
        await asyncio.sleep(pause)
        pause = min(2 * pause, MOST_POLL_S)


def expected_indexes(
    dimensions: Mapping[VectorSlot, int],
    *,
    analyzer: str = model.DEFAULT_ANALYZER,
    quantization: str = model.DEFAULT_QUANTIZATION,
) -> dict[str, Index]:
    """Return the definition of each index by name: look-ups, then full-text indexes, then vector indexes.

    Args:
        dimensions: Length of the vectors in each slot whose indexes are wanted.
        analyzer: Analyzer of texts and titles.
        quantization: Quantization of vectors.

    Raises:
        ValueError: A vector index cannot have this dimension.
    """
    found: list[Index] = [Index(one.name, "RANGE", (one.label,), one.properties) for one in model.RANGE_INDEXES]
    for text in model.FULLTEXT_INDEXES:
        chosen = analyzer if text.name in TEXT_INDEXES else text.analyzer
        options = {"fulltext.analyzer": chosen, "fulltext.eventually_consistent": False}
        found.append(Index(text.name, "FULLTEXT", text.labels, text.properties, options))
    for slot, dimension in dimensions.items():
        found += vector_indexes(slot, dimension=dimension, quantization=quantization)
    return {index.name: index for index in found}


def vector_indexes(slot: VectorSlot, *, dimension: int, quantization: str) -> list[Index]:
    """Return the definitions of the vector indexes of a slot.

    Raises:
        ValueError: A vector index cannot have this dimension.
    """
    if isinstance(dimension, bool) or not isinstance(dimension, int) or not 1 <= dimension <= LARGEST_DIMENSION:
        raise ValueError(f"a vector index has 1 to {LARGEST_DIMENSION} dimensions, not {dimension!r}")
    options = {
        "vector.dimensions": dimension,
        **model.VECTOR_OPTIONS,
        "vector.quantization.type": quantization.upper(),
    }
    return [
        Index(slot.called(one.name), "VECTOR", (one.label,), (slot.called("embedding"), *one.filters), options)
        for one in model.VECTOR_INDEXES
    ]


def differences(wanted: Index, found: Mapping[str, Any] | None) -> list[str]:
    """Return in words how an index differs from its definition: missing, not ready, or with other options.

    Args:
        wanted: Its definition.
        found: Its record of ``SHOW INDEXES``; None if it is missing.
    """
    name = wanted.name
    if found is None:
        return [f"index {name} is missing"]
    problems = []
    if found["state"] != "ONLINE":
        problems.append(f"index {name} is {found['state']}: {found['failure']}")
    expected: dict[str, object] = {
        "type": wanted.type,
        "labels": sorted(wanted.labels),
        "properties": list(wanted.properties),
    }
    actual: dict[str, object] = {
        "type": found["type"],
        "labels": sorted(found["labels"]),
        "properties": found["properties"],
    }
    if wanted.options:
        expected["options"] = dict(wanted.options)
        actual["options"] = {option: found["options"].get(option) for option in wanted.options}
    problems += [
        f"index {name} has {field} {actual[field]}, expected {value}"
        for field, value in expected.items()
        if actual[field] != value
    ]
    return problems
