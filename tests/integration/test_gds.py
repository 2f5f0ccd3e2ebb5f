"""The graph algorithms run on papergraph's graph, through Neo4j's own client."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from graphdatascience import GraphDataScience

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.ingestion import ingest

PAPERS = [Path("ingest/samples/leiden-topic-maps.md"), Path("ingest/samples/zero-noise-extrapolation.md")]
NAME = "papergraph-test"

CHUNKS = Statement("test/chunks", "MATCH (c:Chunk) RETURN id(c) AS id, c.paperId AS paper ORDER BY paper, c.ordinal")
PAPER_OF = Statement("test/papers", "MATCH (n:Chunk|Section) RETURN id(n) AS id, n.paperId AS paper")


@pytest_asyncio.fixture
async def graph(database: Database, embedder: Embedder) -> Database:
    """A store with two papers that have nothing in common."""
    await ingest(database, embedder, PAPERS)
    return database


@pytest_asyncio.fixture
async def gds(graph: Database, neo4j_server: Neo4jServer) -> AsyncIterator[GraphDataScience]:
    client = await asyncio.to_thread(
        GraphDataScience,
        neo4j_server.uri,
        auth=(neo4j_server.user, neo4j_server.password),
        database=neo4j_server.database,
        arrow=False,
        show_progress=False,
    )
    yield client
    await asyncio.to_thread(client.graph.drop, NAME, fail_if_missing=False)
    client.close()


async def test_page_rank_grows_along_the_chunks_of_each_paper(gds: GraphDataScience, graph: Database):
    projected, result = await asyncio.to_thread(gds.graph.project.native, NAME, "Chunk", "NEXT_CHUNK")

    ranks = await asyncio.to_thread(gds.page_rank.stream, projected, max_iterations=100, tolerance=1e-12)

    score_of = dict(zip(ranks["nodeId"], ranks["score"], strict=True))
    scores: dict[str, list[float]] = {}
    for record in await graph.read(CHUNKS):
        scores.setdefault(record["paper"], []).append(score_of[record["id"]])
    assert len(scores) == len(PAPERS)
    assert result.relationship_count == result.node_count - len(PAPERS) == len(score_of) - len(PAPERS)
    for along_a_paper in scores.values():
        assert along_a_paper[:2] == pytest.approx([0.15, 0.15 + 0.85 * 0.15])
        assert along_a_paper == sorted(along_a_paper)


async def test_leiden_does_not_put_two_papers_into_one_community(gds: GraphDataScience, graph: Database):
    projected, _ = await asyncio.to_thread(
        gds.graph.project.native,
        NAME,
        ["Section", "Chunk"],
        {type: {"orientation": "UNDIRECTED"} for type in ("HAS_CHUNK", "NEXT_CHUNK", "HAS_SUBSECTION")},
    )
    communities = await asyncio.to_thread(gds.leiden.stream, projected, random_seed=7, concurrency=1)

    paper_of = {record["id"]: record["paper"] for record in await graph.read(PAPER_OF)}
    papers = communities.groupby("communityId")["nodeId"].apply(lambda ids: {paper_of[id] for id in ids})
    assert len(communities) == len(paper_of)
    assert 2 <= len(papers) < len(paper_of)
    assert all(len(of_community) == 1 for of_community in papers)


async def test_a_projection_changes_nothing_in_the_store_and_is_gone_when_dropped(
    gds: GraphDataScience, graph: Database
):
    before = await graph_checksum(graph)

    projected, _ = await asyncio.to_thread(gds.graph.project.native, NAME, "Chunk", "NEXT_CHUNK")
    listed = [info.graph_name for info in await asyncio.to_thread(gds.graph.list)]
    await asyncio.to_thread(projected.drop)

    assert listed == [NAME]
    assert await asyncio.to_thread(gds.graph.list) == []
    assert (await graph_checksum(graph)).same_graph(before)
