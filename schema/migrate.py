"""Bring a store to this version's schema, once, and refuse one that is newer, edited, drifted or of another model."""

import asyncio
import hashlib
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cypher
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.errors import (
    DatabaseError,
    MigrationChangedError,
    OtherModelError,
    RestoringError,
    SchemaDriftError,
    SchemaError,
    SchemaTooNewError,
)
from papergraph.revisions import BATCHED
from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot, exchange
from schema import model
from schema.embedding_models import StoredModels, stored_models
from schema.indexes import (
    TEXT_INDEXES,
    differences,
    expected_indexes,
    quantization_of,
    wait_until_built,
    waiting_indexes,
    with_parameters,
)
from schema.languages import detect_stored
from schema.places import relate_stored

FOLDER = Path(__file__).parent / "migrations"
LARGEST_DIMENSION = 4096
DDL_DEADLINE_S = 60.0
DATA_DEADLINE_S = 6 * 3600.0
"""Limit of a statement that changes nodes in batches: what it has done stays, and it goes on where it stopped."""
LOCK_WAIT_S = 120.0
LOCK_POLL_S = 0.25
LOCK_RENEWAL_S = 15.0
"""A lease lasts a minute; statements over a large store take longer."""
DATA_STEPS: Mapping[str, Callable[[Database], Awaitable[None]]] = {
    "0016_places": relate_stored,
    "0021_languages": detect_stored,
}
"""What follows the statements of a migration where Cypher alone does not do. Each can be repeated."""

FULLTEXT_NAMES = frozenset(index.name for index in model.FULLTEXT_INDEXES)

CHANGES = re.compile(r"\b(?:SET|MERGE|REMOVE|DELETE|IN TRANSACTIONS)\b")
MADE = re.compile(r"CREATE (?:CONSTRAINT|(?:VECTOR |FULLTEXT )?INDEX) (\w+) IF NOT EXISTS\b")


@dataclass(frozen=True)
class Migration:
    """A numbered file of schema statements; ``name`` is the file's, without its ending."""

    name: str
    template: str

    @property
    def checksum(self) -> str:
        """sha-256 hex of the file."""
        return hashlib.sha256(self.template.encode()).hexdigest()

    @property
    def needs_dimension(self) -> bool:
        """Whether it makes vector indexes."""
        return "{{dimension}}" in self.template

    def statements(self, *, dimension: int) -> Iterator[Statement]:
        """Yield the file's statements in order, with the template filled in."""
        text = "\n".join(line for line in self.template.splitlines() if not line.startswith("//"))
        for number, statement in enumerate(filter(str.strip, text.split(";")), start=1):
            yield Statement(f"{self.name}, statement {number}", fill_template(statement.strip(), dimension=dimension))


def fill_template(template: str, *, dimension: int) -> str:
    """Return a schema statement with its ``{{dimension}}`` filled in: the only name that templates may use.

    Schema statements take no parameters, so this is the one place where text becomes Cypher.

    Raises:
        ValueError: The dimension is not one that a vector index can have, or the template uses another name.
    """
    if isinstance(dimension, bool) or not isinstance(dimension, int) or not 1 <= dimension <= LARGEST_DIMENSION:
        raise ValueError(f"a vector index has 1 to {LARGEST_DIMENSION} dimensions, not {dimension!r}")
    filled = template.replace("{{dimension}}", str(dimension))
    if unknown := re.search(r"\{\{.*?\}\}", filled):
        raise ValueError(f"a schema template uses {unknown[0]}; only {{{{dimension}}}} is known")
    return filled


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations in the order of their numbers."""
    return tuple(
        Migration(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("[0-9]*.cypher"))
    )


async def prepare(
    database: Database,
    card: ModelCard,
    *,
    known: tuple[Migration, ...] | None = None,
    is_last: bool = True,
    restoring: bool = False,
) -> list[str]:
    """Make the store ready for this version and ``card``'s vectors, or refuse it.

    Several processes may start at once: one applies what is missing, the others wait for it.

    Args:
        database: The store, possibly empty.
        card: The embedding model; its dimension becomes that of the vector indexes.
        known: The migrations, those of ``schema/migrations`` by default.
        is_last: Whether the store is used after these migrations; if others follow, indexes are not compared yet.
        restoring: Whether the caller is restoring a snapshot into the store.

    Returns:
        The names of the migrations that this call applied.

    Raises:
        SchemaTooNewError: The store has a migration that this version does not know.
        MigrationChangedError: An applied migration has another text now.
        OtherModelError: The store holds vectors of another model.
        SchemaDriftError: A constraint or index is missing or has other options.
        RestoringError: A snapshot is being restored into the store, and not by the caller.
    """
    known = migrations() if known is None else known
    if not restoring:
        await _refuse_half_restored(database)
    await database.run_alone(cypher.load("schema/version_constraint"), deadline_s=DDL_DEADLINE_S)
    models = await _refuse_other_model(database, card)
    applied: list[str] = []
    if await pending(database, known):
        async with _lock(database):
            for migration in await pending(database, known):
                await _apply(database, migration, models, card)
                applied.append(migration.name)
    if not await waiting_indexes(database):
        await wait_until_built(database)
    if is_last:
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


async def refuse(database: Database, card: ModelCard) -> None:
    """Refuse a store as :func:`prepare` does, and change nothing; one that is not prepared yet passes.

    Raises:
        SchemaTooNewError: The store has a migration that this version does not know.
        MigrationChangedError: An applied migration has another text now.
        OtherModelError: The store holds vectors of another model.
        RestoringError: A snapshot is being restored into the store.
    """
    await _refuse_half_restored(database)
    await _refuse_other_model(database, card)
    await pending(database, migrations())


async def check(database: Database, *, dimension: int) -> None:
    """Compare the store's constraints, and those indexes that are in use, with the model.

    Indexes that ``papergraph db compact`` is building again may be missing; searches do without them.

    Raises:
        SchemaDriftError: With one line for each that is missing, failed, or other than it should be.
    """
    active = (await stored_models(database)).active
    problems = await drift(database, {active.slot if active else VectorSlot.FIRST: dimension})
    if problems and (problems := _apart_from(await waiting_indexes(database), problems)):
        raise SchemaDriftError(
            (*problems.values(), "drop what is different, then run the statements of schema/migrations for these again")
        )


async def drift(database: Database, dimensions: Mapping[VectorSlot, int]) -> dict[str, str]:
    """Return by name what is wrong with each constraint and index that is missing, failed or not as the model says.

    Args:
        database: The store.
        dimensions: Length of the vectors in each of the places to look at.
    """
    constraints = {
        record["name"]: (tuple(record["labels"]), tuple(record["properties"]))
        for record in await database.read(cypher.load("schema/constraints"))
        if record["type"] == "NODE_PROPERTY_UNIQUENESS"
    }
    indexes = {record["name"]: record.data() for record in await database.read(cypher.load("schema/indexes"))}
    problems = {
        wanted.name: f"constraint {wanted.name} on {wanted.label}({', '.join(wanted.properties)}) is missing"
        for wanted in model.CONSTRAINTS
        if constraints.get(wanted.name) != ((wanted.label,), wanted.properties)
    }
    analyzer, quantization = await analyzer_of(database), await quantization_of(database)
    for name, expected in expected_indexes(dimensions, analyzer=analyzer, quantization=quantization).items():
        if lines := differences(name, expected, indexes.get(name)):
            problems[name] = "; ".join(lines)
    for name in problems.keys() & (await waiting_indexes(database) if problems else ()):
        problems[name] += "; papergraph db compact is building it again, or was interrupted: then repeat it"
    return problems


def _apart_from(names: Set[str], problems: Mapping[str, str]) -> dict[str, str]:
    return {name: problem for name, problem in problems.items() if name not in names}


async def restore(database: Database, dimensions: Mapping[VectorSlot, int]) -> None:
    """Make the constraints and indexes again that are missing; those that are there stay, right or not.

    Args:
        database: The store.
        dimensions: Length of the vectors in each of the places whose indexes are to be there.

    Raises:
        QueryError: A constraint cannot be made, because nodes break it.
    """
    known = {one.name for one in (*model.CONSTRAINTS, *model.RANGE_INDEXES, *model.FULLTEXT_INDEXES)}
    for migration in migrations():
        if not migration.needs_dimension:
            for statement in migration.statements(dimension=1):
                if (made := MADE.search(statement.text)) and made[1] in known - TEXT_INDEXES:
                    await database.run_alone(statement, deadline_s=DDL_DEADLINE_S)
    analyzer = await analyzer_of(database)
    for statement in text_index_statements().values():
        await database.run_alone(statement, deadline_s=DDL_DEADLINE_S, analyzer=analyzer)
    for slot, dimension in dimensions.items():
        await make_vector_indexes(database, slot, dimension=dimension)


async def make_vector_indexes(database: Database, slot: VectorSlot, *, dimension: int) -> None:
    """Make the vector indexes of a place where they are missing, and wait until they are there.

    Raises:
        ValueError: The dimension is not one that a vector index can have.
    """
    quantization = await quantization_of(database)
    for statement in vector_index_statements(slot, dimension=dimension):
        await database.run_alone(statement, deadline_s=DDL_DEADLINE_S, quantization=quantization)
    await wait_until_built(database)


async def drop_vector_indexes(database: Database, slot: VectorSlot) -> None:
    """Drop those vector indexes of a place that are there."""
    for index in model.VECTOR_INDEXES:
        await database.run_alone(
            cypher.load("schema/drop_index"), deadline_s=DDL_DEADLINE_S, name=slot.called(index.name)
        )


def vector_index_statements(slot: VectorSlot, *, dimension: int) -> Iterator[Statement]:
    """Yield what makes the vector indexes of a place: those of the first one, as migrations make them, or its partners.

    The parameter ``$quantization`` is that of the store (:func:`quantization_of`).

    Raises:
        ValueError: The dimension is not one that a vector index can have.
    """
    for migration in migrations():
        if migration.needs_dimension:
            for made in migration.statements(dimension=dimension):
                text = with_parameters(made).text
                text = text if slot is VectorSlot.FIRST else exchange(text, PARTNERS)
                yield Statement(f"{made.name}, {slot} place", text)


async def analyzer_of(database: Database) -> str:
    """Return the analyzer that was chosen for a store's texts and titles; ``english`` if none was."""
    found = await database.read(cypher.load("schema/fulltext_analyzer"))
    return str(found[0]["analyzer"]) if found else model.DEFAULT_ANALYZER


def search_index_statements(dimensions: Mapping[VectorSlot, int]) -> dict[str, Statement]:
    """Return by name what makes each full-text and vector index, the small ones first.

    Their parameters are ``$analyzer`` and ``$quantization``, those of the store.

    Args:
        dimensions: Length of the vectors in each of the places whose indexes are wanted.
    """
    made = text_index_statements()
    for migration in migrations():
        if not migration.needs_dimension:
            for one in migration.statements(dimension=1):
                if (match := MADE.search(one.text)) and match[1] in FULLTEXT_NAMES - TEXT_INDEXES:
                    made[match[1]] = one
    for slot, dimension in dimensions.items():
        for one in vector_index_statements(slot, dimension=dimension):
            if match := MADE.search(one.text):
                made[match[1]] = one
    return made


def text_index_statements() -> dict[str, Statement]:
    """Return by name what makes each index of texts and titles, as the last migration that makes it does.

    Their parameter is ``$analyzer``, that of the store.
    """
    made: dict[str, Statement] = {}
    for migration in migrations():
        if not migration.needs_dimension:
            for one in migration.statements(dimension=1):
                if (match := MADE.search(one.text)) and match[1] in TEXT_INDEXES:
                    made[match[1]] = with_parameters(one)
    return made


async def pending(database: Database, known: tuple[Migration, ...]) -> list[Migration]:
    """Return those of the ``known`` migrations that the store has not had.

    Raises:
        SchemaTooNewError: It has one that is not known.
        MigrationChangedError: It has had one with another text.
    """
    records = await database.read(cypher.load("schema/applied_migrations"))
    applied = {record["name"]: record["checksum"] for record in records}
    by_name = {migration.name: migration for migration in known}
    for name, checksum in sorted(applied.items()):
        if name not in by_name:
            raise SchemaTooNewError(found=name, known=known[-1].name)
        if by_name[name].checksum != checksum:
            raise MigrationChangedError(name)
    return [migration for migration in known if migration.name not in applied]


def changes_data(migration: Migration) -> bool:
    """Say whether a migration changes nodes or relationships, not only constraints and indexes."""
    statements = (statement.text for statement in migration.statements(dimension=1))
    return migration.name in DATA_STEPS or any(CHANGES.search(text) for text in statements)


async def _apply(database: Database, migration: Migration, models: StoredModels, card: ModelCard) -> None:
    first = next((stored.dimension for stored in models if stored.slot is VectorSlot.FIRST), card.dimension)
    chosen = {"quantization": await quantization_of(database), "analyzer": await analyzer_of(database)}
    for statement in map(with_parameters, migration.statements(dimension=first)):
        limit_s = DATA_DEADLINE_S if BATCHED in statement.text else DDL_DEADLINE_S
        await database.run_alone(statement, deadline_s=limit_s, **chosen)
    if step := DATA_STEPS.get(migration.name):
        await step(database)
    await database.run_alone(cypher.load("schema/record_migration"), name=migration.name, checksum=migration.checksum)


async def _refuse_half_restored(database: Database) -> None:
    (state,) = await database.read(cypher.load("archive/restore_state"))
    if state["root"] is not None:
        raise RestoringError


async def _refuse_other_model(database: Database, card: ModelCard) -> StoredModels:
    models = await stored_models(database)
    if models.active and not models.active.is_of(card):
        raise OtherModelError(stored=models.active.identity, configured=card.identity, name=card.name)
    return models


@asynccontextmanager
async def _lock(database: Database) -> AsyncIterator[None]:
    """Hold the store's migration lock; one left by a process that died expires by the database's clock."""
    owner = uuid.uuid4().hex
    try:
        async with asyncio.timeout(LOCK_WAIT_S):
            take = cypher.load("schema/take_lock")
            while not (await database.run_alone(take, owner=owner))[0]["mine"]:  # noqa: ASYNC110 another process has it
                await asyncio.sleep(LOCK_POLL_S)
    except TimeoutError as error:
        raise SchemaError(f"another process has been migrating this store for {LOCK_WAIT_S:g} s; try again") from error
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
