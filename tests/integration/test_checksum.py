"""The checksum of a graph notices every change of what it holds, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema import checksum as checksum_module
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.ingestion import ingest

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow, pytest.mark.stores]

PAPER = """---
authors: [Ada Lovelace, Kurt Gödel]
categories: [astro-ph, gr-qc]
---

# Tides

We study tides.

## Method

We look at the sea.

### Detail

Closely.

## Result

It is wet.
"""

FIRST_CHUNK = "MATCH (chunk:Chunk {ordinal: 0}) WITH chunk ORDER BY chunk.id LIMIT 1 "
VECTOR = Statement("test/vector", FIRST_CHUNK + "RETURN chunk.id AS id, chunk.embedding AS vector")
SET_VECTOR = Statement(
    "test/set", "MATCH (chunk:Chunk {id: $id}) CALL db.create.setNodeVectorProperty(chunk, 'embedding', $vector)"
)

CHANGES = {
    "a property is changed": "MATCH (p:Paper) WITH p ORDER BY p.id LIMIT 1 SET p.title = p.title + '.'",
    "a property is removed": FIRST_CHUNK + "REMOVE chunk.contentHash",
    "a property is added": FIRST_CHUNK + "SET chunk.note = 1",
    "a number becomes its text": FIRST_CHUNK + "SET chunk.nTokens = toString(chunk.nTokens)",
    "a list has another order": "MATCH (p:Paper) WITH p ORDER BY p.id LIMIT 1 SET p.categories = reverse(p.categories)",
    "the text of a vector is another": FIRST_CHUNK + "SET chunk.embeddingHash = 'other'",
    "a label is added": FIRST_CHUNK + "SET chunk:Marked",
    "a label is removed": FIRST_CHUNK + "REMOVE chunk:__Node__",
    "a node is added": "CREATE (:Author {id: 'new', name: 'New'})",
    "an empty node is added": "CREATE (:Cluster)",
    "a node is removed": FIRST_CHUNK + "DETACH DELETE chunk",
    "a relationship is removed": "MATCH (:Chunk)-[r:NEXT_CHUNK]->() WITH r ORDER BY elementId(r) LIMIT 1 DELETE r",
    "a relationship is added": "MATCH (a:Chunk)-[:NEXT_CHUNK]->()-[:NEXT_CHUNK]->(c) WITH a, c LIMIT 1 "
    "CREATE (a)-[:NEXT_CHUNK]->(c)",
    "a relationship is doubled": "MATCH (a:Chunk)-[:NEXT_CHUNK]->(b) WITH a, b LIMIT 1 CREATE (a)-[:NEXT_CHUNK]->(b)",
    "a relationship is turned round": "MATCH (a:Chunk)-[r:NEXT_CHUNK]->(b) WITH a, r, b LIMIT 1 DELETE r "
    "CREATE (b)-[:NEXT_CHUNK]->(a)",
    "a relationship has another type": "MATCH (a:Chunk)-[r:NEXT_CHUNK]->(b) WITH a, r, b LIMIT 1 DELETE r "
    "CREATE (a)-[:BEFORE]->(b)",
    "a relationship's property is changed": "MATCH ()-[w:WROTE]->() WITH w LIMIT 1 SET w.position = w.position + 10",
    "a relationship's property is added": "MATCH ()-[n:NEXT_CHUNK]->() WITH n LIMIT 1 SET n.weight = 1.0",
    "a vector is removed": FIRST_CHUNK + "REMOVE chunk.embedding",
    "a vector is turned round": FIRST_CHUNK + "SET chunk.embedding = [x IN chunk.embedding | -x]",
    "a vector is cut off": FIRST_CHUNK + "SET chunk.embedding = chunk.embedding[..100]",
}
NO_CHANGES = {
    "the time of ingestion": "MATCH (p:Paper) SET p.ingestedAt = datetime() - duration('P1D')",
    "a version of the schema": "CREATE (:SchemaVersion {id: 'test', version: 7})",
    "a vector's length in memory": FIRST_CHUNK + "SET chunk.embedding = [x IN chunk.embedding | 1.0 * x]",
}
FORGET = Statement("test/forget", "MATCH (v:SchemaVersion {id: 'test'}) DELETE v")


@pytest_asyncio.fixture
async def graph(database: Database, embedder: Embedder, tmp_path: Path) -> Database:
    """A store with two papers that share an author."""
    (tmp_path / "a.md").write_text(PAPER)
    (tmp_path / "b.md").write_text(PAPER.replace("sea", "moon").replace("Kurt Gödel", "Emmy Noether"))
    await ingest(database, embedder, [tmp_path])
    return database


def turned(vector: NDArray[np.float64], *, cosine: float) -> NDArray[np.float64]:
    """Return a vector of length 1 at a given cosine to ``vector``."""
    other = np.zeros_like(vector)
    other[np.argmin(np.abs(vector))] = 1.0
    across = other - (other @ vector) * vector
    return cosine * vector + np.sqrt(1 - cosine**2) * across / np.linalg.norm(across)


async def test_the_same_graph_has_the_same_checksum_every_time(graph: Database):
    one, two = await graph_checksum(graph), await graph_checksum(graph)

    assert one.same_graph(two)
    assert one.sha256 == two.sha256
    assert one.n_nodes == 2 * (1 + 1 + 4 + 4) + 3
    assert one.n_relationships == 2 * (1 + 2 + 4 + 1 + 4 + 3)
    assert len(one.vectors) == 2 * (1 + 4)


@pytest.mark.parametrize("page", [1, 3])
async def test_a_checksum_without_vectors_is_the_same_whatever_the_pages(
    graph: Database, page: int, monkeypatch: pytest.MonkeyPatch
):
    whole = await graph_checksum(graph)
    monkeypatch.setattr(checksum_module, "PAGE_NODES", page)

    bare = await graph_checksum(graph, keep_vectors=False)

    counts = (whole.sha256, whole.n_nodes, whole.n_relationships, whole.n_vectors)
    assert (bare.sha256, bare.n_nodes, bare.n_relationships, bare.n_vectors) == counts
    assert bare.vectors == {}
    with pytest.raises(ValueError, match="not kept"):
        bare.same_graph(whole)


async def test_pages_of_every_label_come_out_of_the_index_of_ids(graph: Database):
    for name in ("graph/checksum_nodes", "graph/checksum_relationships"):
        text = cypher.load(name).text
        assert all(f"$label = '{label}'" in text and f"(node:{label})" in text for label in checksum_module.LABELS)
        parameters = {"label": "Chunk", "after": "", "limit": 10, "vectors": False}
        plan = str((await graph.explain(cypher.load(name), parameters)).plan)
        assert "NodeByLabelScan" not in plan and "Top@neo4j" not in plan, plan
        assert plan.count("NodeUniqueIndexSeekByRange") + plan.count("NodeIndexSeekByRange") >= len(
            checksum_module.LABELS
        )


async def test_an_empty_graph_has_a_checksum_of_its_own(database: Database):
    checksum = await graph_checksum(database)

    assert (checksum.n_nodes, checksum.n_relationships, checksum.vectors) == (0, 0, {})
    assert checksum.same_graph(await graph_checksum(database))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change, id=name, marks=pytest.mark.slow if n % 4 else ())
        for n, (name, change) in enumerate(CHANGES.items())
    ],
)
async def test_a_change_is_noticed(graph: Database, change: str):
    before = await graph_checksum(graph)
    counters = (await graph.driver.execute_query(change, database_=graph.name)).summary.counters
    assert counters.contains_updates

    after = await graph_checksum(graph)

    assert not before.same_graph(after)
    assert not after.same_graph(before)


@pytest.mark.parametrize("change", NO_CHANGES.values(), ids=NO_CHANGES.keys())
async def test_what_does_not_belong_to_the_content_is_not_noticed(graph: Database, change: str):
    before = await graph_checksum(graph)
    await graph.run_alone(Statement("test/change", change))

    after = await graph_checksum(graph)

    await graph.run_alone(FORGET)
    assert before.same_graph(after)


@pytest.mark.parametrize(("cosine", "is_same"), [(1 - 1.2e-3, False), (1 - 0.8e-3, True), (1 - 1e-5, True)])
async def test_a_vector_may_differ_by_a_thousandth_in_cosine(graph: Database, cosine: float, is_same: bool):
    before = await graph_checksum(graph)
    (record,) = await graph.read(VECTOR)
    other = turned(before.vectors[record["id"]], cosine=cosine)
    await graph.run_alone(SET_VECTOR, id=record["id"], vector=other.tolist())

    after = await graph_checksum(graph)

    assert after.vectors[record["id"]] == pytest.approx(other, abs=1e-6)
    assert before.sha256 == after.sha256
    assert before.same_graph(after) is is_same
