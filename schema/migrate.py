"""Creation of a store's schema, its migration to a later version, and the refusal of stores that do not fit.

The schema of a new store is created from :mod:`papergraph.schema.model` in one pass, and its version is noted. A
change of the
model after 0.1.0 comes with a file ``schema/migrations/NNNN_name.cypher``; its number is the new version, the first one
is 0002. The file holds what the model cannot say, separated by ``;``: changes of stored data, and ``DROP`` of what gets
another definition. Each statement must be repeatable, because all of them run again after a process was killed.
Constraints and indexes that are missing afterwards are created from the model.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.errors import DatabaseError, QueryError, SchemaError
from papergraph.neo4j_errors import Transaction
from papergraph.revisions import BATCHED
from papergraph.schema import model
from papergraph.schema.embedding_models import State, StoredModels, stored_models
from papergraph.schema.indexes import (
    NAMES,
    constraint_statement,
    differences,
    expected_indexes,
    quantization_of,
    vector_indexes,
    wait_until_built,
)
from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot

FOLDER = Path(__file__).parent / "migrations"
"""Folder of migrations; missing as long as there are none."""

FIRST_VERSION = 1
DDL_DEADLINE_S = 60.0
CREATION_S = 600.0
"""Limit of the creation of all constraints and indexes; constraints of a store with data read its nodes."""
CREATION_ATTEMPTS, CREATION_PAUSE_S = 8, 1.0
NAME_IS_TAKEN = "Neo.ClientError.Schema.IndexWithNameAlreadyExists"
DATA_DEADLINE_S = 6 * 3600.0
"""Limit of a statement that changes nodes in batches: finished batches stay, and a repeated call continues."""
LOCK_WAIT_S = 120.0
LOCK_POLL_S = 0.25
LOCK_RENEWAL_S = 15.0
"""A lease lasts a minute; statements over a large store take longer."""

PROPERTIES = sorted(
    {one.name for kind in (*model.NODES, *model.RELATIONSHIPS) for one in kind.properties} | {*PARTNERS.values()}
)
TYPES = [one.type for one in model.RELATIONSHIPS]


@dataclass(frozen=True)
class Migration:
    """A numbered file of statements; ``name`` is the file's, without its ending."""

    name: str
    text: str

    @property
    def version(self) -> int:
        """Version of the schema after it."""
        return int(self.name.partition("_")[0])

    def statements(self) -> Iterator[Statement]:
        """Yield the file's statements in order."""
        text = "\n".join(line for line in self.text.splitlines() if not line.startswith("//"))
        for number, statement in enumerate(filter(str.strip, text.split(";")), start=1):
            yield Statement(f"{self.name}, statement {number}", statement.strip())


Migrations = tuple[Migration, ...]


@cache
def migrations() -> Migrations:
    """Return all migrations in the order of their numbers."""
    paths = sorted(FOLDER.glob("[0-9]*.cypher"))
    return tuple(Migration(path.stem, path.read_text(encoding="utf-8")) for path in paths)


def latest(known: Migrations | None = None) -> int:
    """Return the version of the schema after all ``known`` migrations, by default this papergraph's."""
    known = migrations() if known is None else known
    return known[-1].version if known else FIRST_VERSION


async def version_of(database: Database, known: Migrations | None = None) -> int | None:
    """Return the version of a store's schema; None for an unused store.

    Raises:
        SchemaError: The version is later than the ``known`` migrations.
    """
    found = await database.read(cypher.load("schema/version"))
    version = int(found[0]["version"]) if found else None
    if version is not None and version > latest(known):
        raise SchemaError.too_new(found=version, known=latest(known))
    return version


async def prepare(
    database: Database, card: ModelCard, *, known: Migrations | None = None, restoring: bool = False
) -> list[str]:
    """Make the store ready for this version and ``card``'s vectors, or refuse it.

    Several processes may start at once: one changes the schema, the others wait for it.

    Args:
        database: The store, possibly empty.
        card: The embedding model; its dimension becomes that of the vector indexes.
        known: The migrations, those of ``schema/migrations`` by default.
        restoring: Whether the caller is restoring a snapshot into the store.

    Returns:
        The names of the migrations that this call applied; none for a store whose schema it created.

    Raises:
        SchemaError: The store has a later version of the schema.
        SchemaError: The store holds vectors of another model.
        SchemaError: A constraint or index is missing or has other options.
        SchemaError: A snapshot is being restored into the store, and not by the caller.
    """
    known = migrations() if known is None else known
    if not restoring:
        await _refuse_half_restored(database)
    await database.run_alone(cypher.load("schema/version_constraint"), deadline_s=DDL_DEADLINE_S)
    models, version = await asyncio.gather(_refuse_other_model(database, card), version_of(database, known))
    applied: list[str] = []
    if version != latest(known):
        async with _lock(database):
            version = await version_of(database, known)
            if version != latest(known):
                dimensions = {one.slot: one.dimension for one in models if one.state is not State.DROPPING}
                applied = await _bring_up(database, version, known, dimensions or {VectorSlot.FIRST: card.dimension})
    await wait_until_built(database)
    await check(database, dimension=card.dimension)
    await database.run_alone(
        cypher.load("schema/register_model"),
        name=card.name,
        sha256=card.sha256,
        dimension=card.dimension,
        probes=card.probes,
    )
    await _refuse_other_model(database, card)
    return applied


async def choose_quantization(database: Database, quantization: str) -> None:
    """Note the quantization of the vector indexes for a new store; a store that has a schema keeps its own."""
    if quantization != model.DEFAULT_QUANTIZATION:
        await database.run_alone(cypher.load("schema/version_constraint"), deadline_s=DDL_DEADLINE_S)
        await database.run_alone(cypher.load("schema/choose_quantization"), quantization=quantization)


async def _bring_up(
    database: Database, version: int | None, known: Migrations, dimensions: Mapping[VectorSlot, int]
) -> list[str]:
    """Apply the migrations after ``version``, create what is missing, and note the version last.

    A store without a version is new: its schema comes from the model alone.
    """
    lacking = [one for one in known if version is not None and one.version > version]
    for migration in lacking:
        for statement in migration.statements():
            limit_s = DATA_DEADLINE_S if BATCHED in statement.text else DDL_DEADLINE_S
            await database.run_alone(statement, deadline_s=limit_s)
    await _create_missing(database, dimensions)
    await database.run_alone(cypher.load("schema/create_names"), properties=PROPERTIES, types=TYPES)
    await database.run_alone(cypher.load("schema/record_version"), version=latest(known))
    return [migration.name for migration in lacking]


async def _create_missing(database: Database, dimensions: Mapping[VectorSlot, int]) -> None:
    """Create constraints and indexes that are missing, in one transaction.

    One transaction for each would take several times as long.
    A process killed meanwhile leaves indexes without their constraints, until Neo4j has rolled its transaction back, or
    for good if Neo4j was killed too. They are dropped when a name is taken.
    """
    statements = await _statements(database, dimensions)

    async def work(transaction: Transaction) -> None:
        for statement, parameters in statements:
            await transaction.run(statement, **parameters)

    for attempt in range(CREATION_ATTEMPTS):
        try:
            return await database.transact_until_known("create the schema", work, deadline_s=CREATION_S)
        except QueryError as error:
            if error.status != NAME_IS_TAKEN or attempt == CREATION_ATTEMPTS - 1:
                raise
        await asyncio.sleep(CREATION_PAUSE_S)
        await _drop_orphans(database)


async def _drop_orphans(database: Database) -> None:
    """Drop indexes that have the name of a constraint which does not exist."""
    constraints = {record["name"] for record in await database.read(cypher.load("schema/constraints"))}
    indexes = {record["name"] for record in await database.read(cypher.load("schema/indexes"))}
    for name in sorted({one.name for one in model.CONSTRAINTS} & indexes - constraints):
        await database.run_alone(cypher.load("schema/drop_index"), deadline_s=DDL_DEADLINE_S, name=name)


async def _statements(
    database: Database, dimensions: Mapping[VectorSlot, int]
) -> list[tuple[Statement, dict[str, Any]]]:
    """Return the statements that create all constraints and indexes, with their parameters."""
    analyzer, quantization = await analyzer_of(database), await quantization_of(database)
    indexes = expected_indexes(dimensions, analyzer=analyzer, quantization=quantization)
    return [
        *((constraint_statement(constraint), {}) for constraint in model.CONSTRAINTS),
        *((index.statement, index.parameters) for index in indexes.values()),
    ]


async def refuse(database: Database, card: ModelCard) -> None:
    """Refuse a store as :func:`prepare` does, and change nothing; one that is not prepared yet passes.

    Raises:
        SchemaError: The store has a later version of the schema.
        SchemaError: The store holds vectors of another model.
        SchemaError: A snapshot is being restored into the store.
    """
    await _refuse_half_restored(database)
    await _refuse_other_model(database, card)
    await version_of(database)


async def check(database: Database, *, dimension: int) -> None:
    """Compare the store's constraints, and those indexes that are in use, with the model.

    Raises:
        SchemaError: With one line for each that is missing, failed, or other than it should be.
    """
    active = (await stored_models(database)).active
    problems = await drift(database, {active.slot if active else VectorSlot.FIRST: dimension})
    if problems:
        raise SchemaError.drift(
            (*problems.values(), "drop what is different, then create what is missing: papergraph doctor --fix")
        )


async def drift(database: Database, dimensions: Mapping[VectorSlot, int]) -> dict[str, str]:
    """Return by name what is wrong with each constraint and index that is missing, failed or not as the model says.

    Args:
        database: The store.
        dimensions: Length of the vectors in each of the slots to look at.
    """
    stored_constraints, stored_indexes, analyzer, quantization = await asyncio.gather(
        database.read(cypher.load("schema/constraints")),
        database.read(cypher.load("schema/indexes")),
        analyzer_of(database),
        quantization_of(database),
    )
    constraints = {
        record["name"]: (tuple(record["labels"]), tuple(record["properties"]))
        for record in stored_constraints
        if record["type"] == "NODE_PROPERTY_UNIQUENESS"
    }
    indexes = {record["name"]: record.data() for record in stored_indexes}
    problems = {
        wanted.name: f"constraint {wanted.name} on {wanted.label}({', '.join(wanted.properties)}) is missing"
        for wanted in model.CONSTRAINTS
        if constraints.get(wanted.name) != ((wanted.label,), wanted.properties)
    }
    for name, wanted in expected_indexes(dimensions, analyzer=analyzer, quantization=quantization).items():
        if lines := differences(wanted, indexes.get(name)):
            problems[name] = "; ".join(lines)
    return problems


async def restore(database: Database, dimensions: Mapping[VectorSlot, int]) -> None:
    """Create the constraints and indexes that are missing, one by one; existing ones stay, right or not.

    Args:
        database: The store.
        dimensions: Length of the vectors in each of the slots whose indexes are wanted.

    Raises:
        QueryError: A constraint cannot be created, because nodes violate it.
    """
    for statement, parameters in await _statements(database, dimensions):
        await database.run_alone(statement, deadline_s=DDL_DEADLINE_S, **parameters)
    await wait_until_built(database)


async def make_vector_indexes(database: Database, slot: VectorSlot, *, dimension: int) -> None:
    """Create the vector indexes of a slot where they are missing, and wait until they are built.

    Raises:
        ValueError: A vector index cannot have this dimension.
    """
    for index in vector_indexes(slot, dimension=dimension, quantization=await quantization_of(database)):
        await index.create(database, deadline_s=DDL_DEADLINE_S)
    await wait_until_built(database)


async def drop_vector_indexes(database: Database, slot: VectorSlot) -> None:
    """Drop the vector indexes of a slot."""
    for index in model.VECTOR_INDEXES:
        await database.run_alone(
            cypher.load("schema/drop_index"), deadline_s=DDL_DEADLINE_S, name=slot.called(index.name)
        )


async def analyzer_of(database: Database) -> str:
    """Return the analyzer that was chosen for a store's texts and titles; ``english`` if none was."""
    found = await database.read(cypher.load("schema/fulltext_analyzer"))
    return str(found[0]["analyzer"]) if found else model.DEFAULT_ANALYZER


async def _refuse_half_restored(database: Database) -> None:
    (state,) = await database.read(cypher.load("archive/restore_state"))
    if state["root"] is not None:
        raise SchemaError(
            "A snapshot is being restored into this store. Wait for it; if it was interrupted, run the same papergraph "
            "restore command again."
        )


async def _refuse_other_model(database: Database, card: ModelCard) -> StoredModels:
    models = await stored_models(database)
    if models.active and not models.active.is_of(card):
        raise SchemaError.other_model(stored=models.active.identity, configured=card.identity, name=card.name)
    return models


@asynccontextmanager
async def _lock(database: Database) -> AsyncIterator[None]:
    """Hold the store's schema lock; one left by a process that died expires by the database's clock."""
    owner = uuid.uuid4().hex
    try:
        async with asyncio.timeout(LOCK_WAIT_S):
            take = cypher.load("schema/take_lock")
            while not (await database.run_alone(take, owner=owner))[0]["mine"]:  # noqa: ASYNC110 another process has it
                await asyncio.sleep(LOCK_POLL_S)
    except TimeoutError as error:
        raise SchemaError(
            f"another process has been changing the schema of this store for {LOCK_WAIT_S:g} s; try again"
        ) from error
    renewal = asyncio.create_task(_renew(database, owner))
    try:
        yield
    finally:
        renewal.cancel()
        await asyncio.wait([renewal])
        await database.run_alone(cypher.load("schema/release_lock"), owner=owner)


async def _renew(database: Database, owner: str) -> None:
    """Keep the lock until this is cancelled; a renewal that fails is tried again, for the lease outlasts several."""
    while True:
        await asyncio.sleep(LOCK_RENEWAL_S)
        with suppress(DatabaseError):
            await database.run_alone(cypher.load("schema/take_lock"), owner=owner)


OF_NOTES = "schema_version_id"
"""Constraint on the nodes that note the version, locks, choices and a restore; it stays."""

NOTED = ("schema", "fulltext")
"""Ids of the notes of the version and the analyzer; the quantization of vectors belongs to the store and stays."""


async def drop_schema(database: Database) -> None:
    """Drop each constraint and index of the model, and forget the version and the analyzer; data stays.

    Constraints and indexes that other programs created stay.

    Raises:
        DatabaseError: Neo4j failed; do it again.
    """
    dropped = NAMES | {one.name for one in model.CONSTRAINTS} - {OF_NOTES}
    for shown, drop in (  # constraints have some of the indexes
        (cypher.load("schema/constraints"), cypher.load("schema/drop_constraint")),
        (cypher.load("schema/indexes"), cypher.load("schema/drop_index")),
    ):
        for record in await database.read(shown):
            if record["name"] in dropped:
                await database.run_alone(drop, deadline_s=DDL_DEADLINE_S, name=record["name"])
    await database.run_alone(cypher.load("archive/forget_schema"), ids=list(NOTED))
