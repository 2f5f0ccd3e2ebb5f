"""A store gets its schema once; one that is newer, drifted or of another model is refused."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, ModelCard
from papergraph.errors import QueryError, SchemaError
from papergraph.progress import silent
from papergraph.schema import migrate, model
from papergraph.schema.fulltext import switch_analyzer
from papergraph.schema.indexes import Index, constraint_statement, expected_indexes
from papergraph.schema.migrate import FIRST_VERSION, Migration, check, drift, drop_schema, prepare, restore
from papergraph.server.startup import open_service
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.ingestion import ingest
from tests.support.prepared_store import PreparedStore
from tests.support.servers import connect

pytestmark = pytest.mark.stores

CARD = ModelCard("toy", "ab" * 32, dimension=4, max_tokens=16)
NOTED = Statement(
    "test/versions",
    "MATCH (v:SchemaVersion) WHERE v.id <> 'revision' RETURN v.id AS id, v.version AS version ORDER BY id",
)
MADE_UP = Migration(
    "0002_licences",
    "// Licences are written in capitals, and an index of texts gets another definition.\n"
    "CYPHER 25 MATCH (paper:Paper) WHERE paper.license <> upper(paper.license)\n"
    "  CALL (paper) { SET paper.license = upper(paper.license) } IN TRANSACTIONS OF 1 ROW;\n"
    "DROP INDEX chunk_text IF EXISTS;\n",
)
THREE_PAPERS = Statement("test/papers", "UNWIND ['cc0', 'CC-BY', 'mit'] AS id CREATE (:Paper {id: id, license: id})")
LICENCES = Statement("test/licences", "MATCH (p:Paper) RETURN p.license AS licence ORDER BY p.id")
LEFT_BY_THE_DEAD = Statement(
    "test/lock", "CREATE (:SchemaVersion {id: 'lock', owner: 'dead', leaseUntil: datetime() + duration($lease)})"
)
OWNER = Statement("test/owner", "MATCH (lock:SchemaVersion {id: 'lock'}) RETURN lock.owner AS owner")
LABELS = Statement("test/labels", "CALL db.labels() YIELD label RETURN label")
LABELS_OF_A_CHUNK = Statement("test/chunk", "MATCH (chunk:Chunk) RETURN DISTINCT labels(chunk) AS labels")


async def drop_everything(database: Database) -> None:
    """Leave nothing but what no store is without, the two look-ups by label and type."""
    await wipe(database.driver, database=database.name)
    for record in await database.read(cypher.load("schema/constraints")):
        await database.run_alone(Statement("test/drop", f"DROP CONSTRAINT {record['name']}"))
    for record in await database.read(cypher.load("schema/indexes")):
        if record["type"] != "LOOKUP":
            await database.run_alone(Statement("test/drop", f"DROP INDEX {record['name']}"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def emptied(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[None]:
    """After the last test the store is what those of other modules expect."""
    yield
    async with await connect(neo4j_server) as database:
        await drop_everything(database)
        await prepare(database, embedder.card)


@pytest_asyncio.fixture
async def bare(neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, emptied: None) -> Database:
    """A store like a new one."""
    database = Database(neo4j_driver, name=neo4j_server.database)
    await drop_everything(database)
    return database


@pytest.fixture(scope="module")
def toy_store() -> PreparedStore:
    """Sees to the store for vectors of length 4: most tests leave it as it was, and making it anew takes seconds."""
    return PreparedStore(CARD, clear=drop_everything)


@pytest_asyncio.fixture
async def prepared(
    neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, emptied: None, toy_store: PreparedStore
) -> Database:
    """A store for vectors of length 4."""
    database = Database(neo4j_driver, name=neo4j_server.database)
    await toy_store.see_to(database)
    return database


async def noted(database: Database) -> dict[str, int | None]:
    return {record["id"]: record["version"] for record in await database.read(NOTED)}


def index_of(name: str, *, dimension: int = CARD.dimension) -> Index:
    return expected_indexes({VectorSlot.FIRST: dimension})[name]


async def create(database: Database, name: str, *, dimension: int = CARD.dimension) -> None:
    await index_of(name, dimension=dimension).create(database, deadline_s=60.0)


# Preparing


@pytest.mark.slow
async def test_a_bare_store_gets_its_schema_and_a_prepared_one_nothing(bare: Database):
    n_before = bare.n_queries
    assert await prepare(bare, CARD) == []
    assert bare.n_queries - n_before < 40  # a call each would be more than 80
    (first,) = await bare.read(cypher.load("schema/version"))
    assert await prepare(bare, CARD) == []

    assert await noted(bare) == {"schema": FIRST_VERSION}
    assert await bare.read(cypher.load("schema/version")) == [first]
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
async def test_a_new_store_gets_the_quantization_of_the_settings_and_keeps_it(
    bare: Database, neo4j_server: Neo4jServer, embedder: Embedder
):
    dimensions = {VectorSlot.FIRST: embedder.card.dimension}
    server = neo4j_server
    address = Address(server.uri, server.user, server.password, server.database, 8.0)

    async def quantizations() -> set[str]:
        records = await bare.read(cypher.load("schema/indexes"))
        return {one["options"]["vector.quantization.type"] for one in records if one["type"] == "VECTOR"}

    for quantization in ("scalar", "binary"):
        chosen = Settings().replace(neo4j={"quantization": quantization})
        async with open_service(chosen, address, progress=silent):
            assert await quantizations() == {"SCALAR"}
    await bare.run_alone(cypher.load("schema/drop_index"), name="entity")
    await restore(bare, dimensions)
    assert await drift(bare, dimensions) == {}
    await drop_schema(bare)
    assert await prepare(bare, embedder.card) == []
    assert await quantizations() == {"SCALAR"}


@pytest.mark.slow
async def test_a_prepared_store_has_the_constraints_and_indexes_of_the_model_and_no_others(prepared: Database):
    constraints = {record["name"] for record in await prepared.read(cypher.load("schema/constraints"))}
    indexes = {
        record["name"] for record in await prepared.read(cypher.load("schema/indexes")) if record["type"] != "LOOKUP"
    }

    assert constraints == {constraint.name for constraint in model.CONSTRAINTS}
    assert indexes == constraints | expected_indexes({VectorSlot.FIRST: CARD.dimension}).keys()


@pytest.mark.slow
async def test_the_analyzer_of_a_bare_store_can_be_chosen_before_it_is_prepared(bare: Database):
    await switch_analyzer(bare, "german", progress=silent)

    assert await prepare(bare, CARD) == []

    assert await migrate.analyzer_of(bare) == "german"
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
@pytest.mark.parametrize("round", range(3))
async def test_four_processes_that_start_at_once_agree_on_one_schema(
    bare: Database, neo4j_server: Neo4jServer, round: int
):
    async with AsyncExitStack() as stack:
        starters = [
            await stack.enter_async_context(
                await Database.connect(
                    neo4j_server.uri,
                    user=neo4j_server.user,
                    password=neo4j_server.password,
                    name=neo4j_server.database,
                    deadline_s=30.0,
                )
            )
            for _ in range(4)
        ]

        created = await asyncio.gather(*(prepare(starter, CARD) for starter in starters))
        migrated = await asyncio.gather(*(prepare(starter, CARD, known=(MADE_UP,)) for starter in starters))

    assert created == [[]] * 4
    assert sorted(migrated) == [[], [], [], [MADE_UP.name]]
    assert await noted(bare) == {"schema": 2}
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
@pytest.mark.parametrize("n_before", [0, 7, 40, 70])
async def test_a_creation_that_was_cut_off_is_finished(bare: Database, n_before: int):
    statements = [(constraint_statement(one), {}) for one in model.CONSTRAINTS]
    statements += [(one.statement, one.parameters) for one in expected_indexes({VectorSlot.FIRST: 4}).values()]
    for statement, parameters in statements[:n_before]:
        await bare.run_alone(statement, **parameters)
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="-PT1S")

    assert await prepare(bare, CARD) == []

    assert await noted(bare) == {"schema": FIRST_VERSION}


@pytest.mark.slow
async def test_an_index_that_a_killed_neo4j_left_of_a_constraint_is_replaced(bare: Database):
    await bare.run_alone(Statement("test/orphan", "CREATE INDEX paper_id FOR (n:Paper) ON (n.id)"))

    assert await prepare(bare, CARD) == []

    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
async def test_a_process_that_creates_the_schema_can_be_killed(bare: Database, neo4j_server: Neo4jServer):
    environment = os.environ | {"WORKER_URI": neo4j_server.uri, "WORKER_PASSWORD": neo4j_server.password}
    for delay_s in (0.0, 0.3, 0.8):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.prepare_worker"), env=environment, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"connected\n"
        await asyncio.sleep(delay_s)
        if process.returncode is None:
            process.kill()
        await process.wait()
    await bare.run_alone(Statement("test/lease", "MATCH (lock:SchemaVersion {id: 'lock'}) DELETE lock"))

    assert await prepare(bare, CARD) == []

    assert await noted(bare) == {"schema": FIRST_VERSION}
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
async def test_a_migration_changes_the_data_and_what_it_drops_is_created_from_the_model(prepared: Database):
    await prepared.run_alone(THREE_PAPERS)
    try:
        assert await prepare(prepared, CARD, known=(MADE_UP,)) == [MADE_UP.name]
        assert await prepare(prepared, CARD, known=(MADE_UP,)) == []
        found = [record["licence"] for record in await prepared.read(LICENCES)]
    finally:
        await wipe(prepared.driver, database=prepared.name, keep=["SchemaVersion", "EmbeddingModel"])

    assert found == ["CC-BY", "CC0", "MIT"]
    assert await noted(prepared) == {"schema": 2}
    await check(prepared, dimension=CARD.dimension)


@pytest.mark.slow
async def test_a_migration_that_fails_is_not_noted_and_gives_the_lock_back(prepared: Database):
    broken = replace(MADE_UP, text=MADE_UP.text + "CREATE NONSENSE")

    with pytest.raises(QueryError, match=rf"{broken.name}, statement 3: .*expected a graph pattern"):
        await prepare(prepared, CARD, known=(broken,))

    assert await noted(prepared) == {"schema": FIRST_VERSION}
    assert await prepare(prepared, CARD, known=(MADE_UP,)) == [MADE_UP.name]


@pytest.mark.slow
async def test_a_bare_store_has_the_latest_version_without_migrations(bare: Database):
    assert await prepare(bare, CARD, known=(MADE_UP,)) == []

    assert await noted(bare) == {"schema": 2}


@pytest.mark.slow
async def test_labels_of_the_domain_come_before_those_of_llamaindex(bare: Database, embedder: Embedder):
    await prepare(bare, embedder.card)
    await ingest(bare, embedder, [Path("ingest/samples/leiden-topic-maps.md")])

    labels = [record["label"] for record in await bare.read(LABELS)]
    shared = [node.label for node in model.NODES if node.also]

    assert {node.label for node in model.NODES} <= set(labels)
    assert max(labels.index(label) for label in shared) < min(labels.index("__Node__"), labels.index("__Entity__"))
    assert [record["labels"] for record in await bare.read(LABELS_OF_A_CHUNK)] == [["Chunk", "__Node__"]]


# The lock


@pytest.mark.slow
async def test_a_lock_left_by_a_dead_process_is_taken_over_when_its_lease_is_over(bare: Database):
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="-PT1S")

    assert await prepare(bare, CARD) == []

    assert await noted(bare) == {"schema": FIRST_VERSION}


@pytest.mark.slow
async def test_a_lock_with_a_running_lease_is_waited_for(bare: Database):
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="PT3S")
    preparing = asyncio.create_task(prepare(bare, CARD))
    await asyncio.sleep(1)

    assert [record["owner"] for record in await bare.read(OWNER)] == ["dead"]
    assert not preparing.done()

    assert await preparing == []
    assert await noted(bare) == {"schema": FIRST_VERSION}


@pytest.mark.slow
async def test_a_lock_that_is_not_given_back_is_waited_for_no_longer_than_said(
    bare: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(migrate, "LOCK_WAIT_S", 0.5)
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="PT60S")

    with pytest.raises(SchemaError, match="another process has been changing the schema of this store"):
        await prepare(bare, CARD)

    assert [record["owner"] for record in await bare.read(OWNER)] == ["dead"]


@pytest.mark.slow
async def test_a_lock_is_given_back_by_its_owner_only(bare: Database):
    take, release = cypher.load("schema/take_lock"), cypher.load("schema/release_lock")

    assert [(await bare.run_alone(take, owner=owner))[0]["mine"] for owner in ("a", "b", "a")] == [True, False, True]
    await bare.run_alone(release, owner="b")
    assert [record["owner"] for record in await bare.read(OWNER)] == ["a"]
    await bare.run_alone(release, owner="a")
    assert await bare.read(OWNER) == []


# Refusals


@pytest.mark.slow
async def test_a_store_of_a_later_version_is_refused_and_stays(prepared: Database):
    await prepared.run_alone(cypher.load("schema/record_version"), version=9)

    for refusing in (prepare, migrate.refuse):
        with pytest.raises(SchemaError, match=r"version 9; .* up to 1\. Use a newer"):
            await refusing(prepared, CARD)

    assert await noted(prepared) == {"schema": 9}


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        replace(CARD, name="other", sha256="cd" * 32),
        replace(CARD, sha256="cd" * 32),
        replace(CARD, name="longer", sha256="ef" * 32, dimension=8),
    ],
)
async def test_another_embedding_model_is_refused_with_the_names_of_both(prepared: Database, other: ModelCard):
    with pytest.raises(SchemaError) as caught:
        await prepare(prepared, other)

    assert CARD.identity in str(caught.value)
    assert other.identity in str(caught.value)


@pytest.mark.slow
async def test_the_same_weights_under_another_name_are_the_same_model(prepared: Database):
    assert await prepare(prepared, replace(CARD, name="/models/toy")) == []


@pytest.mark.slow
async def test_of_two_models_that_start_at_once_on_a_bare_store_one_is_refused(bare: Database):
    cards = (CARD, replace(CARD, name="other", sha256="cd" * 32))

    results = await asyncio.gather(*(prepare(bare, card) for card in cards), return_exceptions=True)

    assert [type(result) for result in results].count(SchemaError) == 1
    assert [type(result) for result in results].count(list) == 1


# Drift


@pytest.mark.slow
async def test_a_missing_constraint_is_named(prepared: Database):
    for constraint in model.CONSTRAINTS[1:]:
        await prepared.run_alone(Statement("test/drop", f"DROP CONSTRAINT {constraint.name}"))

        with pytest.raises(SchemaError) as caught:
            await prepare(prepared, CARD)

        wanted = f"constraint {constraint.name} on {constraint.label}({', '.join(constraint.properties)}) is missing"
        assert caught.value.problems[:-1] == (wanted,)
        assert wanted in str(caught.value)
        await prepared.run_alone(constraint_statement(constraint))
    assert await prepare(prepared, CARD) == []


@pytest.mark.slow
async def test_the_constraint_on_the_noted_version_is_made_again(prepared: Database):
    await prepared.run_alone(Statement("test/drop", "DROP CONSTRAINT schema_version_id"))

    assert await prepare(prepared, CARD) == []


@pytest.mark.slow
async def test_a_constraint_of_the_right_name_on_something_else_is_missing(prepared: Database):
    await prepared.run_alone(Statement("test/drop", "DROP CONSTRAINT paper_key"))
    await prepared.run_alone(
        Statement("test/other", "CREATE CONSTRAINT paper_key FOR (n:Paper) REQUIRE (n.key, n.collection) IS UNIQUE")
    )

    with pytest.raises(SchemaError, match=r"constraint paper_key on Paper\(collection, key\) is missing"):
        await prepare(prepared, CARD)


@pytest.mark.slow
async def test_a_missing_index_is_named(prepared: Database):
    for index in (*model.RANGE_INDEXES, *model.VECTOR_INDEXES, *model.FULLTEXT_INDEXES):
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {index.name}"))

        with pytest.raises(SchemaError) as caught:
            await prepare(prepared, CARD)

        assert caught.value.problems[:-1] == (f"index {index.name} is missing",)
        await create(prepared, index.name)
    assert await prepare(prepared, CARD) == []


EUCLIDEAN = {"vector.similarity_function": "EUCLIDEAN"}
OTHER_DEFINITIONS: list[tuple[str, dict[str, Any], str]] = [
    ("chunk_embedding", {"options": {"vector.dimensions": 8}}, "'vector.dimensions': 8"),
    ("chunk_embedding", {"options": EUCLIDEAN}, "EUCLIDEAN"),
    ("paper_embedding", {"options": {"vector.quantization.type": "BINARY"}}, "BINARY"),
    ("paper_embedding", {"options": {"vector.quantization.type": None}}, "vector.quantization.type"),
    ("entity", {"options": {"vector.hnsw.m": 16}}, "'vector.hnsw.m': 16"),
    ("question_embedding", {"options": {"vector.hnsw.ef_construction": 100}}, "'vector.hnsw.ef_construction': 100"),
    ("chunk_embedding", {"properties": ("embedding", "collection", "kind")}, "'embedding', 'collection', 'kind'"),
    ("chunk_text", {"options": {"fulltext.analyzer": "standard"}}, "'fulltext.analyzer': 'standard'"),
    ("chunk_text", {"options": {"fulltext.eventually_consistent": True}}, "True"),
    ("title_text", {"properties": ("title", "collectionTerm")}, "'title', 'collectionTerm'"),
    ("name_text", {"labels": ("Author", "Entity")}, "'Author', 'Entity'"),
    ("paper_listing", {"properties": ("title", "collection", "id")}, "'title', 'collection', 'id'"),
]
"""Index, what it has instead of its definition, and what is then told of it."""


@pytest.mark.slow
async def test_an_index_that_is_not_what_it_should_be_is_named_with_what_it_is(prepared: Database):
    for name, other, told in OTHER_DEFINITIONS:
        right = index_of(name)
        options = {**right.options, **other.get("options", {})}
        given = {option: value for option, value in options.items() if value is not None}
        wrong = replace(right, **other | {"options": given})
        assert wrong != right
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {name}"))
        await wrong.create(prepared, deadline_s=60.0)
        await create(prepared, name)  # IF NOT EXISTS keeps the wrong one

        with pytest.raises(SchemaError) as caught:
            await prepare(prepared, CARD)

        (problem, _) = caught.value.problems
        assert problem.startswith(f"index {name} has ")
        assert told in problem
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {name}"))
        await create(prepared, name)
    assert await prepare(prepared, CARD) == []


@pytest.mark.slow
async def test_an_index_of_another_dimension_that_was_there_first_is_not_taken_for_ours(bare: Database):
    await create(bare, "chunk_embedding", dimension=8)

    with pytest.raises(SchemaError, match=r"index chunk_embedding has options .*'vector.dimensions': 8"):
        await prepare(bare, CARD)


@pytest.mark.slow
async def test_a_store_that_drifted_is_not_registered_for_a_model(bare: Database):
    await create(bare, "chunk_embedding", dimension=8)

    with pytest.raises(SchemaError):
        await prepare(bare, CARD)

    assert await bare.read(cypher.load("schema/embedding_model")) == []


@pytest.mark.slow
async def test_all_that_drifted_is_told_at_once(prepared: Database):
    for drop in ("CONSTRAINT paper_key", "CONSTRAINT chunk_id", "INDEX chunk_text", "INDEX entity"):
        await prepared.run_alone(Statement("test/drop", f"DROP {drop}"))

    with pytest.raises(SchemaError) as caught:
        await prepare(prepared, CARD)

    *problems, advice = caught.value.problems
    assert [problem.split()[1] for problem in problems] == ["paper_key", "chunk_id", "chunk_text", "entity"]
    assert "papergraph doctor --fix" in advice


@pytest.mark.slow
async def test_indexes_of_others_do_not_disturb(prepared: Database):
    await prepared.run_alone(Statement("test/mine", "CREATE INDEX mine FOR (n:Paper) ON (n.license)"))

    assert await prepare(prepared, CARD) == []
