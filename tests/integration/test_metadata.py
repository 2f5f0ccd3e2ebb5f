"""Metadata stands in the graph as clusters of papers, goes with its papers, and is told by a report."""

from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from papergraph.ingest.enrichments.metadata.enrichment import OtherSaid, PaperValue, ValueCount, metadata_report
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import metadata_cluster_id
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest
from tests.support.metadata import papers_of, write

CLUSTERS = Statement(
    "test/clusters",
    """
    MATCH (cluster:Cluster)
    RETURN cluster.id AS id, cluster.name AS name, cluster.nMembers AS n, size(cluster.embedding) AS d,
           COLLECT { MATCH (cluster)<-[of:IN_CLUSTER]-(paper) RETURN of.by ORDER BY paper.title } AS said_by
    ORDER BY name
    """,
)
SUMMARIZE = Statement(
    "test/summarize",
    "MATCH (cluster:Cluster {name: 'physics'}) CREATE (:Summary {id: 's', text: 'Old.'})-[:SUMMARIZES]->(cluster)",
)
SUMMARIES = Statement("test/summaries", "MATCH (summary:Summary) RETURN summary.id AS id")


@pytest_asyncio.fixture
async def papers(database: Database, resources: EnrichmentContext, tmp_path: Path) -> list[StoredPaper]:
    """Papers on tides and winds, without chunks: what is written is given by hand."""
    for name in ("Tides", "Winds"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nWe study {name}.\n")
    await ingest(database, resources.embedder, [tmp_path])
    return await papers_of(database)


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(QuickEmbedder(embedder))


async def test_papers_of_a_value_are_a_cluster_which_goes_with_the_last_one(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    tides, winds = papers
    empty, n_texts = await graph_checksum(database), resources.embedder.n_texts
    physics, ranking = PaperValue("area", "physics", "arxiv"), PaperValue("task", "ranking", "terms")
    await write(database, resources, tides, physics, ranking)
    first = await graph_checksum(database)

    await write(database, resources, winds, physics)
    await write(database, resources, winds, physics)
    both = {r["name"]: (r["n"], r["d"], r["said_by"]) for r in await database.read(CLUSTERS)}
    await write(database, resources, winds)
    again = await graph_checksum(database)
    await database.run_alone(cypher.load("enrichments/clear_metadata"), ids=[tides.id, winds.id])

    assert both == {"physics": (2, 384, ["arxiv", "arxiv"]), "ranking": (1, 384, ["terms"])}
    assert again.same_graph(first)
    assert resources.embedder.n_texts == n_texts + 2  # a value that stands there has its vector
    assert (await graph_checksum(database)).same_graph(empty)


async def test_summaries_of_a_cluster_that_changes_are_dropped(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    for change in ("joins", "leaves"):
        await write(database, resources, papers[0], PaperValue("area", "physics", "arxiv"))
        await database.run_alone(SUMMARIZE)
        values = [PaperValue("area", "physics", "arxiv")] if change == "joins" else []
        await write(database, resources, papers[1 if change == "joins" else 0], *values)

        assert await database.read(SUMMARIES) == []


async def test_a_report_tells_values_what_was_said_and_papers_without(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    await write(
        database,
        resources,
        papers[0],
        PaperValue("area", "physics", "scripted"),
        PaperValue("task", "other", "scripted", "Tide tables"),
    )

    report = await metadata_report(database, collection="main")

    assert report.n_papers == 2
    assert report.values == (ValueCount("area", "physics", 1), ValueCount("task", "other", 1))
    assert report.other == (OtherSaid("task", "tide tables", 1, papers[0].key),)
    assert report.without == {"area": 1, "task": 1}
    assert report.papers_without == (papers[1].key,)
    assert (await metadata_report(database, collection="none")).values == ()


@pytest.mark.writes_by_hand
async def test_collections_have_clusters_of_their_own(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    tides, winds = papers
    await write(database, resources, tides, PaperValue("area", "physics", "arxiv"))
    await write(database, resources, replace(winds, collection="other"), PaperValue("area", "physics", "arxiv"))

    assert {record["id"] for record in await database.read(CLUSTERS)} == {
        metadata_cluster_id("main", "area", "physics"),
        metadata_cluster_id("other", "area", "physics"),
    }
