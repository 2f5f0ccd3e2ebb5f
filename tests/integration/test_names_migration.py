"""A store with the names of version 0.1 gets today's, also when the process that renames is killed."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.run import enrich
from papergraph.database import Database
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema import model
from schema.digest import GraphDigest, graph_digest
from schema.migrate import drift, migrations, prepare
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.citing_papers import PAPERS
from tests.support.enrich_worker import CHOICE
from tests.support.faults import write_papers
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import CARD, HashEmbedder
from tests.support.ingestion import KEPT, enqueue, ingest

NAME = "0011_names"
LABELS = {"Reference": "Citation", "EnrichmentState": "Layer"}
TYPES = (("Paper", "HAS_REFERENCE", "HAS_CITATION"), ("Chunk", "CITES_REFERENCE", "CITES"))
NODE_PROPERTIES = (
    ("Paper", "nReferences", "nCitations"),
    ("Paper", "enrichments", "layers"),
    ("Paper", "configHash", "recipe"),
    ("Paper", "linksConfigHash", "linkedBy"),
    ("Paper", "headingSource", "headingsBy"),
    ("Paper", "bodyCoverage", "bodyShare"),
    ("Chunk", "nTokensEmbedded", "nTokensRead"),
    ("Question", "comparisonConfigHash", "comparedBy"),
    ("Prototype", "trainingConfigHash", "madeBy"),
    ("Layer", "configHash", "recipe"),
    ("Layer", "inputHash", "fingerprint"),
    ("IngestJob", "configHash", "recipe"),
    ("IngestTask", "configHash", "recipe"),
    ("Collection", "subject", "scope"),
)
RELATIONSHIP_PROPERTIES = (
    ("MENTIONS|NAMES|REFERS_TO", "offsets", "starts"),
    ("MENTIONS|RELATED_TO", "extractor", "by"),
)
RENAMED = ("reference_id", "reference_position", "reference_doi", "reference_arxiv", "enrichment_state_id")
OLD_RULES = (
    "CREATE CONSTRAINT citation_id FOR (n:Citation) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT citation_position FOR (n:Citation) REQUIRE (n.paperId, n.ordinal) IS UNIQUE",
    "CREATE CONSTRAINT layer_id FOR (n:Layer) REQUIRE n.id IS UNIQUE",
    "CREATE INDEX citation_doi FOR (n:Citation) ON (n.collection, n.doi)",
    "CREATE INDEX citation_arxiv FOR (n:Citation) ON (n.collection, n.arxivId)",
)
NODES = Statement(
    "test/nodes",
    "MATCH (n) WHERE NOT n:SchemaVersion RETURN n.id AS id, labels(n) AS labels, "
    "properties(n {.*, embedding: null}) AS properties",
)
RELATIONSHIPS = Statement(
    "test/relationships",
    "MATCH (a)-[r]->(b) RETURN a.id AS start, type(r) AS type, b.id AS end, properties(r) AS properties",
)
HALF_WAY = Statement(
    "test/half_way",
    "RETURN COUNT { (:Reference) } AS n_new, COUNT { ()-[:HAS_CITATION]->() } AS n_old, "
    "COUNT { ()-[:HAS_REFERENCE]->() } AS n_moved",
)
GONE = Statement("test/gone", "MATCH (version:SchemaVersion {id: $name}) DELETE version")


def change(text: str) -> Statement:
    return Statement("test/old_names", text)


def old_names() -> list[str]:
    """Return what gives a store of today the names of before."""
    statements = [f"MATCH (n:{new}) SET n:{old} REMOVE n:{new}" for new, old in LABELS.items()]
    statements += [f"MATCH (a:{label})-[r:{new}]->(b) CREATE (a)-[:{old}]->(b) DELETE r" for label, new, old in TYPES]
    statements += [
        f"MATCH (n:{label}) WHERE n.{new} IS NOT NULL SET n.{old} = n.{new} REMOVE n.{new}"
        for label, new, old in NODE_PROPERTIES
    ]
    statements += [
        f"MATCH ()-[r:{types}]->() WHERE r.{new} IS NOT NULL SET r.{old} = r.{new} REMOVE r.{new}"
        for types, new, old in RELATIONSHIP_PROPERTIES
    ]
    statements.append("MATCH (n:IngestJob {kind: 'enrichments'}) SET n.kind = 'layers'")
    return statements


@dataclass(frozen=True)
class Whole:
    """All of a store, ledgers and states too: more than a digest tells."""

    digest: GraphDigest
    nodes: list[str]
    relationships: list[str]

    @classmethod
    async def of(cls, database: Database) -> "Whole":
        nodes = [_line(record.data()) for record in await database.read(NODES)]
        relationships = [_line(record.data()) for record in await database.read(RELATIONSHIPS)]
        return cls(await graph_digest(database), sorted(nodes), sorted(relationships))


def _line(values: dict[str, Any]) -> str:
    values |= {"labels": sorted(values["labels"])} if "labels" in values else {}
    return json.dumps(values, sort_keys=True, default=str)


@pytest_asyncio.fixture(scope="module")
async def filled(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Database]:
    """A store with papers that cite each other, every enrichment, an open job and a collection's subject."""
    folder = write_papers(tmp_path_factory.mktemp("names") / "papers", n_papers=8)
    for name, text in PAPERS.items():
        (folder / name).write_text(text)
    later = write_papers(tmp_path_factory.mktemp("later") / "papers", n_papers=1, seed=1)
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, CARD)
        await wipe(database.driver, database=database.name, keep=KEPT)
        await ingest(database, HashEmbedder(), [folder])
        report = await enrich(database, CHOICE.enrichments(None), EnrichmentContext(HashEmbedder()), collection="main")
        assert not report.failed
        await enqueue(database, HashEmbedder(), [later])
        await database.run_alone(change("MERGE (c:Collection {id: 'main'}) SET c.subject = 'tides'"))
        yield database
        await wipe(database.driver, database=database.name, keep=KEPT)


@pytest_asyncio.fixture(scope="module")
async def fresh(filled: Database) -> Whole:
    return await Whole.of(filled)


@pytest_asyncio.fixture
async def old(filled: Database, fresh: Whole) -> AsyncIterator[Database]:
    """The same store as the version before had it."""
    await filled.run_alone(GONE, name=NAME)
    for statement in old_names():
        await filled.run_alone(change(statement))
    for name in RENAMED:
        kind = "INDEX" if name in ("reference_doi", "reference_arxiv") else "CONSTRAINT"
        await filled.run_alone(change(f"DROP {kind} {name}"))
    for statement in OLD_RULES:
        await filled.run_alone(change(statement))
    before = await Whole.of(filled)
    assert before.nodes != fresh.nodes and before.relationships != fresh.relationships
    yield filled
    await prepare(filled, CARD)


def test_every_old_name_of_the_store_is_mapped_once():
    text = next(one.template for one in migrations() if one.name == NAME)

    for _, new, old in (*NODE_PROPERTIES, *RELATIONSHIP_PROPERTIES, *TYPES):
        assert new in text and old in text
    today = {prop.name for one in (*model.NODES, *model.RELATIONSHIPS) for prop in one.properties}
    assert {new for _, new, _ in (*NODE_PROPERTIES, *RELATIONSHIP_PROPERTIES)} <= today
    assert not {"recipe", "layers", "nCitations", "linkedBy", "comparedBy", "madeBy", "starts", "scope"} & today


async def assert_fresh(database: Database, fresh: Whole) -> None:
    now = await Whole.of(database)
    assert (now.nodes, now.relationships) == (fresh.nodes, fresh.relationships)
    assert now.digest.same_graph(fresh.digest)
    assert await drift(database, {VectorSlot.FIRST: CARD.dimension}) == {}
    await assert_healthy(database)


async def test_the_store_uses_every_name_that_is_new(fresh: Whole):
    text = "\n".join((*fresh.nodes, *fresh.relationships))

    used = [*LABELS, *(new for _, new, _ in (*TYPES, *NODE_PROPERTIES, *RELATIONSHIP_PROPERTIES))]
    assert [name for name in used if f'"{name}"' not in text] == []


@pytest.mark.slow
async def test_a_store_of_the_version_before_becomes_what_a_fresh_one_is(old: Database, fresh: Whole):
    assert await prepare(old, CARD) == [NAME]

    await assert_fresh(old, fresh)
    assert await prepare(old, CARD) == []


async def test_the_statements_can_be_run_again_on_a_store_that_has_the_names(filled: Database, fresh: Whole):
    await filled.run_alone(GONE, name=NAME)

    assert await prepare(filled, CARD) == [NAME]

    await assert_fresh(filled, fresh)


@pytest.mark.slow
async def test_killed_between_batches_it_goes_on_where_it_stopped(
    old: Database, fresh: Whole, neo4j_server: Neo4jServer
):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.support.migrate_worker"),
        env={**os.environ, "WORKER_URI": neo4j_server.uri, "WORKER_PASSWORD": neo4j_server.password},
    )
    async with asyncio.timeout(60):
        while process.returncode is None and not (await old.read(HALF_WAY))[0]["n_new"]:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    process.kill()
    await process.wait()
    half_way = (await old.read(HALF_WAY))[0]
    assert process.returncode == -9
    assert half_way["n_new"] and half_way["n_old"]

    assert await prepare(old, CARD) == [NAME]

    await assert_fresh(old, fresh)


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 15, 17, 19, 24, 30])
async def test_stopped_after_any_statement_it_goes_on_with_the_next(old: Database, fresh: Whole, n: int):
    statements = list(next(one for one in migrations() if one.name == NAME).statements(dimension=CARD.dimension))
    assert n < len(statements)
    for statement in statements[:n]:
        await old.run_alone(statement)

    assert await prepare(old, CARD) == [NAME]

    await assert_fresh(old, fresh)
