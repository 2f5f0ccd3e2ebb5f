"""What the full-text and vector indexes of a store are to be: by the model, and by what was chosen for the store."""

import asyncio
import logging
import time
from collections.abc import Mapping

import cypher
from papergraph.database import Database
from papergraph.errors import SchemaDriftError
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema import model

log = logging.getLogger(__name__)

POLL_S, MOST_POLL_S, TOLD_EVERY_S = 0.02, 1.0, 30.0
STALLED_S = 300.0
"""After how long an index of which nothing more is built is given up."""

NAMES = frozenset(
    {index.name for index in (*model.RANGE_INDEXES, *model.FULLTEXT_INDEXES)}
    | {slot.called(index.name) for index in model.VECTOR_INDEXES for slot in VectorSlot}
)
"""Names of all indexes that a store may have of us."""

TEXT_INDEXES = frozenset(index.name for index in model.FULLTEXT_INDEXES if index.analyzer == model.DEFAULT_ANALYZER)
"""Full-text indexes whose analyzer can be chosen."""

OPTIONS_OF_STORE = (
    ("vector.quantization.type", model.DEFAULT_QUANTIZATION, "$quantization"),
    ("fulltext.analyzer", model.DEFAULT_ANALYZER, "$analyzer"),
)
"""Options of indexes that are chosen for a store: default in the migrations, and the parameter in its place."""


def with_parameters(made: Statement) -> Statement:
    """Return a statement that makes an index with ``$quantization`` and ``$analyzer`` in place of the defaults."""
    text = made.text
    for option, default, parameter in OPTIONS_OF_STORE:
        text = text.replace(f"`{option}`: '{default}'", f"`{option}`: {parameter}")
    return Statement(made.name, text)


async def quantization_of(database: Database) -> str:
    """Return the quantisation that was chosen for a store's vector indexes; ``none`` if none was."""
    found = await database.read(cypher.load("schema/quantization"))
    return str(found[0]["quantization"]) if found else model.DEFAULT_QUANTIZATION


async def waiting_indexes(database: Database) -> frozenset[str]:
    """Return the names of the indexes that ``papergraph db compact`` has still to build again."""
    found = await database.read(cypher.load("schema/compaction"))
    return frozenset(found[0]["waiting"]) if found else frozenset()


async def wait_until_built(database: Database) -> None:
    """Wait until all indexes of the store are built, for as long as they grow; that of a large store takes minutes.

    Raises:
        SchemaDriftError: Neo4j cannot build one, or has built no more of it for five minutes.
        DatabaseError: Neo4j failed.
    """
    before: dict[str, float] = {}
    since, told, pause = time.monotonic(), time.monotonic(), POLL_S
    while True:
        found = [record for record in await database.read(cypher.load("schema/indexes")) if record["name"] in NAMES]
        if failed := [f"index {one['name']} is FAILED: {one['failure']}" for one in found if one["state"] == "FAILED"]:
            raise SchemaDriftError(tuple(failed))
        building = {one["name"]: one["percent"] for one in found if one["state"] == "POPULATING"}
        now = time.monotonic()
        if not building:
            return
        if building != before:
            before, since = building, now
        elif now - since > STALLED_S:
            raise SchemaDriftError(tuple(f"index {name} stays at {built:.0f} %" for name, built in building.items()))
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
) -> dict[str, dict[str, object]]:
    """Return for each index what ``SHOW INDEXES`` must say of it; of the options those that are set.

    Args:
        dimensions: Length of the vectors in each of the places whose indexes are to be there.
        analyzer: That of texts and titles.
        quantization: That of vectors.
    """
    options = model.VECTOR_OPTIONS | {"vector.quantization.type": quantization.upper()}
    expected: dict[str, dict[str, object]] = {}
    for lookup in model.RANGE_INDEXES:
        expected[lookup.name] = {"type": "RANGE", "labels": [lookup.label], "properties": list(lookup.properties)}
    for slot, dimension in dimensions.items():
        for vector in model.VECTOR_INDEXES:
            expected[slot.called(vector.name)] = {
                "type": "VECTOR",
                "labels": [vector.label],
                "properties": [slot.called("embedding"), *vector.filters],
                "options": {"vector.dimensions": dimension, **options},
            }
    for text in model.FULLTEXT_INDEXES:
        expected[text.name] = {
            "type": "FULLTEXT",
            "labels": list(text.labels),
            "properties": list(text.properties),
            "options": {
                "fulltext.analyzer": analyzer if text.name in TEXT_INDEXES else text.analyzer,
                "fulltext.eventually_consistent": False,
            },
        }
    return expected


def differences(name: str, expected: Mapping[str, object], found: Mapping[str, object] | None) -> list[str]:
    """Return in words what is wrong with an index: that it is missing or not ready, or how it differs.

    Args:
        name: Its name.
        expected: What :func:`expected_indexes` says of it.
        found: What ``SHOW INDEXES`` says of it; None if it is missing.
    """
    if found is None:
        return [f"index {name} is missing"]
    problems = []
    if found["state"] != "ONLINE":
        problems.append(f"index {name} is {found['state']}: {found['failure']}")
    for field, wanted in expected.items():
        actual = found[field]
        if field == "options" and isinstance(wanted, dict) and isinstance(actual, dict):
            actual = {option: actual.get(option) for option in wanted}
        if field == "labels" and isinstance(wanted, list) and isinstance(actual, list):
            wanted, actual = sorted(wanted), sorted(actual)
        if actual != wanted:
            problems.append(f"index {name} has {field} {actual}, expected {wanted}")
    return problems
