"""LlamaIndex's own property graph store reads what papergraph wrote."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from llama_index.core.graph_stores.types import ChunkNode, EntityNode
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import entity_id
from papergraph.schema.migrate import check
from papergraph.schema.records import Chunk
from papergraph.server.graph.nodes import nodes_by_id
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.ingestion import ingest

PAPER = Path("ingest/samples/surface-code-logical-error-rates.md")
N_CHUNKS = Statement("test/chunks", "MATCH (chunk:Chunk) RETURN count(chunk) AS n")


@pytest_asyncio.fixture
async def graph(database: Database, embedder: Embedder) -> Database:
    """A store with one paper."""
    await ingest(database, embedder, [PAPER])
    return database


@pytest_asyncio.fixture
async def store(graph: Database, neo4j_server: Neo4jServer) -> AsyncIterator[Neo4jPropertyGraphStore]:
    """LlamaIndex on that store; without APOC it cannot look at the schema by itself."""
    store = await asyncio.to_thread(
        Neo4jPropertyGraphStore,
        username=neo4j_server.user,
        password=neo4j_server.password,
        url=neo4j_server.uri,
        database=neo4j_server.database,
        refresh_schema=False,
    )
    yield store
    await store._async_driver.close()  # close() leaves it open
    store.close()


async def test_it_gets_our_chunks_with_their_text_and_properties(
    store: Neo4jPropertyGraphStore, graph: Database, embedder: Embedder
):
    hits = (
        await search(
            Resources.of(graph, embedder),
            SearchRequest("How many physical qubits does a distance-7 surface code patch need?", k=3),
        )
    ).hits
    ours = [hit.chunk for hit in hits]

    theirs = {node.id: node for node in await asyncio.to_thread(store.get, ids=[chunk.id for chunk in ours])}

    assert theirs.keys() == {chunk.id for chunk in ours}
    for chunk in ours:
        node = theirs[chunk.id]
        assert isinstance(node, ChunkNode)
        assert node.text == chunk.text
        assert (node.properties["paperId"], node.properties["kind"]) == (chunk.paper_id, chunk.kind)
        assert (node.properties["startChar"], node.properties["endChar"]) == (chunk.start_char, chunk.end_char)
        assert "embedding" not in node.properties


async def test_it_gets_all_our_chunks_and_nothing_else(store: Neo4jPropertyGraphStore, graph: Database):
    nodes = await asyncio.to_thread(store.get)

    ours = await nodes_by_id(graph, [node.id for node in nodes])

    assert {type(node) for node in ours} == {Chunk}
    assert len(nodes) == (await graph.read(N_CHUNKS))[0]["n"] > 10


async def test_it_finds_our_chunks_by_a_property(store: Neo4jPropertyGraphStore, graph: Database):
    nodes = await asyncio.to_thread(store.get, properties={"kind": "abstract"})

    assert nodes
    assert {node.properties["kind"] for node in nodes} == {"abstract"}


async def test_it_answers_structured_queries_over_our_graph(store: Neo4jPropertyGraphStore):
    rows = await asyncio.to_thread(
        store.structured_query,
        "MATCH (p:Paper)-[:HAS_SECTION]->(s:Section)-[:HAS_CHUNK]->(c:Chunk) "
        "WHERE c.text STARTS WITH $start RETURN p.title AS title, s.title AS section",
        param_map={"start": "A patch of distance 7 uses 97 physical qubits"},
    )

    assert rows == [{"title": "Surface Codes and Their Logical Error Rates", "section": "Overhead"}]


async def test_opening_it_changes_neither_our_data_nor_our_schema(
    graph: Database, neo4j_server: Neo4jServer, embedder: Embedder
):
    async def schema() -> list[list[str]]:
        return [
            sorted(record["name"] for record in await graph.read(cypher.load(f"schema/{what}")))
            for what in ("constraints", "indexes")
        ]

    before, schema_before = await graph_checksum(graph), await schema()

    store = await asyncio.to_thread(
        Neo4jPropertyGraphStore,
        username=neo4j_server.user,
        password=neo4j_server.password,
        url=neo4j_server.uri,
        database=neo4j_server.database,
        refresh_schema=False,
    )
    await store._async_driver.close()
    store.close()

    assert await schema() == schema_before
    await check(graph, dimension=embedder.card.dimension)
    assert (await graph_checksum(graph)).same_graph(before)


async def test_it_gets_our_entities_and_the_chunks_that_mention_them(
    store: Neo4jPropertyGraphStore, graph: Database, embedder: Embedder
):
    await enrich(graph, [Entities()], EnrichmentContext(embedder), collection="main")
    id = entity_id("main", "surface code")

    (node,) = await asyncio.to_thread(store.get, ids=[id])
    rows = await asyncio.to_thread(
        store.structured_query,
        "MATCH (c:Chunk)-[:MENTIONS]->(e:__Entity__ {id: $id}) RETURN c.text AS text",
        {"id": id},
    )

    assert isinstance(node, EntityNode)
    assert node.properties["type"] == "Term"
    assert rows
    assert all("surface code" in row["text"].lower() for row in rows)
