"""A store comes to this version's schema once; one that is newer, edited, drifted or another model's is refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, ModelCard
from papergraph.errors import (
    MigrationChangedError,
    OtherModelError,
    QueryError,
    SchemaDriftError,
    SchemaError,
    SchemaTooNewError,
)
from papergraph.progress import silent
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema import migrate, model
from schema.fulltext import switch_analyzer
from schema.ids import collection_term
from schema.indexes import expected_indexes
from schema.migrate import Migration, check, migrations, prepare
from server.retrieval.lucene import fulltext_query
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.ingestion import ingest
from tests.support.prepared_store import PreparedStore
from tests.support.servers import connect

CARD = ModelCard("toy", "ab" * 32, dimension=4, max_tokens=16)
ALL = [migration.name for migration in migrations()]

VERSIONS = Statement(
    "test/versions",
    "MATCH (v:SchemaVersion) WHERE v.id <> 'revision' RETURN v.id AS id, v.checksum AS checksum ORDER BY id",
)
LEFT_BY_THE_DEAD = Statement(
    "test/lock", "CREATE (:SchemaVersion {id: 'lock', owner: 'dead', leaseUntil: datetime() + duration($lease)})"
)
OWNER = Statement("test/owner", "MATCH (lock:SchemaVersion {id: 'lock'}) RETURN lock.owner AS owner")
CHUNK_OF_BEFORE = Statement(
    "test/before",
    "CREATE (:Chunk {id: 'c', paperId: '0a9f', kind: 'body', text: 'Das alte Haus', "
    f"collectionTerm: '{collection_term('main')}'}})",
)
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


async def versions(database: Database) -> list[str]:
    return [record["id"] for record in await database.read(VERSIONS)]


def statement_for(name: str, *, dimension: int = CARD.dimension) -> Statement:
    """Return the migrations' last statement that makes an index or constraint."""
    *_, found = (
        statement
        for migration in migrations()
        for statement in migration.statements(dimension=dimension)
        if f" {name} IF NOT EXISTS" in statement.text
    )
    return found


# Preparing


@pytest.mark.slow
async def test_a_bare_store_gets_all_migrations_and_a_prepared_one_none(bare: Database):
    assert await prepare(bare, CARD) == ALL
    assert await prepare(bare, CARD) == []

    assert await versions(bare) == ALL
    await check(bare, dimension=CARD.dimension)


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

    assert await prepare(bare, CARD) == ALL

    assert await migrate.analyzer_of(bare) == "german"
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
async def test_an_earlier_store_gets_the_present_index_of_texts_with_its_own_analyzer(bare: Database):
    *earlier, _ = migrations()[:24]
    await bare.run_alone(cypher.load("schema/choose_fulltext_analyzer"), analyzer="german")
    await prepare(bare, CARD, known=tuple(earlier), is_last=False)
    with pytest.raises(SchemaDriftError, match=r"chunk_text has properties .*'kind'\], expected .*'paperId'\]"):
        await check(bare, dimension=CARD.dimension)
    await bare.run_alone(CHUNK_OF_BEFORE)

    assert await prepare(bare, CARD) == ALL[23:]

    await check(bare, dimension=CARD.dimension)
    asked = {"collections": ["main"], "kinds": ["body"]}
    for papers, n_found in (["0a9f"], 1), (["0a9e"], 0):
        query = fulltext_query("Häusern", **asked, paper_ids=papers)
        assert len(await bare.rows(cypher.load("retrieval/fulltext_top_k"), fulltext_query=query, k=9)) == n_found


@pytest.mark.slow
@pytest.mark.parametrize("round", range(3))
async def test_four_processes_that_start_at_once_apply_each_migration_once(
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

        applied = await asyncio.gather(*(prepare(starter, CARD) for starter in starters))

    assert sorted(name for names in applied for name in names) == ALL
    assert await versions(bare) == ALL
    await check(bare, dimension=CARD.dimension)


@pytest.mark.slow
async def test_a_migration_that_was_interrupted_is_finished(bare: Database):
    statements = [statement for migration in migrations() for statement in migration.statements(dimension=4)]
    for statement in statements[:7]:
        await bare.run_alone(statement)

    assert await prepare(bare, CARD) == ALL

    assert await versions(bare) == ALL


@pytest.mark.slow
async def test_a_migration_that_fails_is_not_recorded_and_gives_the_lock_back(bare: Database):
    first, *others = migrations()
    broken = Migration(others[0].name, others[0].template + ";\nCREATE NONSENSE")

    with pytest.raises(QueryError, match=rf"{broken.name}, statement \d+: .*expected a graph pattern"):
        await prepare(bare, CARD, known=(first, broken))

    assert await versions(bare) == [first.name]
    assert await prepare(bare, CARD) == ALL[1:]


@pytest.mark.slow
async def test_a_new_migration_is_applied_alone(prepared: Database):
    new = Migration("9000_new", "// Something new.\nCREATE INDEX new IF NOT EXISTS FOR (n:Paper) ON (n.nChars);\n")

    assert await prepare(prepared, CARD, known=(*migrations(), new)) == ["9000_new"]

    assert await versions(prepared) == [*ALL, "9000_new"]


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

    assert await prepare(bare, CARD) == ALL

    assert await versions(bare) == ALL


@pytest.mark.slow
async def test_a_lock_with_a_running_lease_is_waited_for(bare: Database):
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="PT3S")
    preparing = asyncio.create_task(prepare(bare, CARD))
    await asyncio.sleep(1)

    assert [record["owner"] for record in await bare.read(OWNER)] == ["dead"]
    assert not preparing.done()

    assert await preparing == ALL
    assert await versions(bare) == ALL


@pytest.mark.slow
async def test_a_lock_that_is_not_given_back_is_waited_for_no_longer_than_said(
    bare: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(migrate, "LOCK_WAIT_S", 0.5)
    await bare.run_alone(LEFT_BY_THE_DEAD, lease="PT60S")

    with pytest.raises(SchemaError, match="another process has been migrating this store"):
        await prepare(bare, CARD)

    assert [record["owner"] for record in await bare.read(OWNER)] == ["dead"]


async def test_a_lock_is_given_back_by_its_owner_only(bare: Database):
    take, release = cypher.load("schema/take_lock"), cypher.load("schema/release_lock")

    assert [(await bare.run_alone(take, owner=owner))[0]["mine"] for owner in ("a", "b", "a")] == [True, False, True]
    await bare.run_alone(release, owner="b")
    assert [record["owner"] for record in await bare.read(OWNER)] == ["a"]
    await bare.run_alone(release, owner="a")
    assert await bare.read(OWNER) == []


# Refusals


@pytest.mark.slow
async def test_an_applied_migration_that_was_edited_is_refused(prepared: Database):
    first, *others = migrations()
    edited = replace(first, template=first.template + "\n// One more line.\n")

    with pytest.raises(MigrationChangedError, match=first.name) as caught:
        await prepare(prepared, CARD, known=(edited, *others))

    assert caught.value.migration == first.name


async def test_a_migration_that_this_version_does_not_know_is_refused(prepared: Database):
    await prepared.run_alone(cypher.load("schema/record_migration"), name="9999_future", checksum="00" * 32)

    with pytest.raises(SchemaTooNewError, match="9999_future") as caught:
        await prepare(prepared, CARD)

    assert (caught.value.found, caught.value.known) == ("9999_future", ALL[-1])


@pytest.mark.parametrize(
    "other",
    [
        replace(CARD, name="other", sha256="cd" * 32),
        replace(CARD, sha256="cd" * 32),
        replace(CARD, name="longer", sha256="ef" * 32, dimension=8),
    ],
)
async def test_another_embedding_model_is_refused_with_the_names_of_both(prepared: Database, other: ModelCard):
    with pytest.raises(OtherModelError) as caught:
        await prepare(prepared, other)

    assert (caught.value.stored, caught.value.configured) == (CARD.identity, other.identity)
    assert CARD.identity in str(caught.value)
    assert other.identity in str(caught.value)


async def test_the_same_weights_under_another_name_are_the_same_model(prepared: Database):
    assert await prepare(prepared, replace(CARD, name="/models/toy")) == []


@pytest.mark.slow
async def test_of_two_models_that_start_at_once_on_a_bare_store_one_is_refused(bare: Database):
    cards = (CARD, replace(CARD, name="other", sha256="cd" * 32))

    results = await asyncio.gather(*(prepare(bare, card) for card in cards), return_exceptions=True)

    assert [type(result) for result in results].count(OtherModelError) == 1
    assert [type(result) for result in results].count(list) == 1


# Drift


@pytest.mark.slow
async def test_a_missing_constraint_is_named(prepared: Database):
    for constraint in model.CONSTRAINTS[1:]:
        await prepared.run_alone(Statement("test/drop", f"DROP CONSTRAINT {constraint.name}"))

        with pytest.raises(SchemaDriftError) as caught:
            await prepare(prepared, CARD)

        wanted = f"constraint {constraint.name} on {constraint.label}({', '.join(constraint.properties)}) is missing"
        assert caught.value.problems[:-1] == (wanted,)
        assert wanted in str(caught.value)
        await prepared.run_alone(statement_for(constraint.name))
    assert await prepare(prepared, CARD) == []


async def test_the_constraint_on_migrations_themselves_is_made_again(prepared: Database):
    await prepared.run_alone(Statement("test/drop", "DROP CONSTRAINT schema_version_id"))

    assert await prepare(prepared, CARD) == []


async def test_a_constraint_of_the_right_name_on_something_else_is_missing(prepared: Database):
    await prepared.run_alone(Statement("test/drop", "DROP CONSTRAINT paper_key"))
    await prepared.run_alone(
        Statement("test/other", "CREATE CONSTRAINT paper_key FOR (n:Paper) REQUIRE (n.key, n.collection) IS UNIQUE")
    )

    with pytest.raises(SchemaDriftError, match=r"constraint paper_key on Paper\(collection, key\) is missing"):
        await prepare(prepared, CARD)


@pytest.mark.slow
async def test_a_missing_index_is_named(prepared: Database):
    for index in (*model.RANGE_INDEXES, *model.VECTOR_INDEXES, *model.FULLTEXT_INDEXES):
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {index.name}"))

        with pytest.raises(SchemaDriftError) as caught:
            await prepare(prepared, CARD)

        assert caught.value.problems[:-1] == (f"index {index.name} is missing",)
        await prepared.run_alone(statement_for(index.name))
    assert await prepare(prepared, CARD) == []


OTHER_OPTIONS = [
    ("chunk_embedding", "`vector.dimensions`: 4", "`vector.dimensions`: 8", "'vector.dimensions': 8"),
    ("chunk_embedding", "'cosine'", "'euclidean'", "EUCLIDEAN"),
    ("paper_embedding", "'none'", "'binary'", "BINARY"),
    ("paper_embedding", ", `vector.quantization.type`: 'none'", "", "vector.quantization.type"),
    ("entity", "`vector.hnsw.m`: 32", "`vector.hnsw.m`: 16", "'vector.hnsw.m': 16"),
    ("section_embedding", "ef_construction`: 200", "ef_construction`: 100", "'vector.hnsw.ef_construction': 100"),
    ("chunk_embedding", "[n.collection, n.paperId,", "[n.collection,", "'embedding', 'collection', 'kind'"),
    ("chunk_text", "'english'", "'standard'", "'fulltext.analyzer': 'standard'"),
    ("chunk_text", "`fulltext.eventually_consistent`: false", "`fulltext.eventually_consistent`: true", "True"),
    ("title_text", "n.title, n.abstract,", "n.title,", "'title', 'collectionTerm'"),
    ("name_text", "(n:Author|Entity|Cluster)", "(n:Author|Entity)", "'Author', 'Entity'"),
    ("paper_listing", "n.collection, n.title, n.id", "n.title, n.collection, n.id", "'title', 'collection', 'id'"),
]
"""Index, what its statement says, what it says instead, and what is then told of it."""


@pytest.mark.slow
async def test_an_index_that_is_not_what_it_should_be_is_named_with_what_it_is(prepared: Database):
    for name, before, after, told in OTHER_OPTIONS:
        right = statement_for(name)
        assert before in right.text
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {name}"))
        await prepared.run_alone(replace(right, text=right.text.replace(before, after)))
        await prepared.run_alone(right)  # M13 of docs/fault-tolerance.md: IF NOT EXISTS keeps the wrong one

        with pytest.raises(SchemaDriftError) as caught:
            await prepare(prepared, CARD)

        (problem, _) = caught.value.problems
        assert problem.startswith(f"index {name} has ")
        assert told in problem
        await prepared.run_alone(Statement("test/drop", f"DROP INDEX {name}"))
        await prepared.run_alone(right)
    assert await prepare(prepared, CARD) == []


@pytest.mark.slow
async def test_an_index_of_another_dimension_that_was_there_first_is_not_taken_for_ours(bare: Database):
    await bare.run_alone(statement_for("chunk_embedding", dimension=8))

    with pytest.raises(SchemaDriftError, match=r"index chunk_embedding has options .*'vector.dimensions': 8"):
        await prepare(bare, CARD)


@pytest.mark.slow
async def test_a_store_that_drifted_is_not_registered_for_a_model(bare: Database):
    await bare.run_alone(statement_for("chunk_embedding", dimension=8))

    with pytest.raises(SchemaDriftError):
        await prepare(bare, CARD)

    assert await bare.read(cypher.load("schema/embedding_model")) == []


@pytest.mark.slow
async def test_all_that_drifted_is_told_at_once(prepared: Database):
    for drop in ("CONSTRAINT paper_key", "CONSTRAINT chunk_id", "INDEX chunk_text", "INDEX entity"):
        await prepared.run_alone(Statement("test/drop", f"DROP {drop}"))

    with pytest.raises(SchemaDriftError) as caught:
        await prepare(prepared, CARD)

    *problems, advice = caught.value.problems
    assert [problem.split()[1] for problem in problems] == ["paper_key", "chunk_id", "entity", "chunk_text"]
    assert "schema/migrations" in advice


@pytest.mark.slow
async def test_indexes_of_others_do_not_disturb(prepared: Database):
    await prepared.run_alone(Statement("test/mine", "CREATE INDEX mine FOR (n:Paper) ON (n.license)"))

    assert await prepare(prepared, CARD) == []
