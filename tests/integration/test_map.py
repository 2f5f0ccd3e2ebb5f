"""The map in a real graph: places are written once, a new paper stands beside others, and the API reads the same."""

from pathlib import Path

import numpy as np
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.enrichments.clusters.enrichment import ClustersEnrichment
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.map.enrichment import MapEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.server.graph.paper_map import paper_map
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

SAMPLES = sorted(Path("ingest/samples").glob("*.md"))
PLACES = Statement(
    "test/places",
    "MATCH (p:Paper) RETURN p.id AS id, p.mapPlace AS place, p.placedBy AS by, p.mapTopic AS topic ORDER BY id",
)


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(QuickEmbedder(embedder))


async def make(database: Database, resources: EnrichmentContext, **options: int) -> dict[str, float]:
    report = await enrich(database, [ClustersEnrichment(), MapEnrichment(**options)], resources, collection="main")
    return report.counts.get("map", {})


async def test_a_map_is_made_once_and_the_api_reads_it(database: Database, resources: EnrichmentContext) -> None:
    await ingest(database, resources.embedder, SAMPLES[:6])
    before = await paper_map(database, collection="main")
    checksum = await graph_checksum(database)
    first = await make(database, resources)
    stored = [record.data() for record in await database.read(PLACES)]
    again = await make(database, resources)
    found = await paper_map(database, collection="main")
    part = await paper_map(database, collection="main", first=2)

    assert (first["placed"], first["written"], first["anew"]) == (6, 6, 1)
    assert again == {}
    assert [one["by"] for one in stored] == ["pca"] * 6
    assert before.ids == found.ids == [one["id"] for one in stored]
    assert [list(place) for place in zip(found.x, found.y, strict=True)] == [one["place"] for one in stored]
    assert np.allclose(before.x, found.x) and np.allclose(before.y, found.y), "both by principal components"
    assert (found.method, found.n_papers, found.n_unplaced, found.truncated) == ("pca", 6, 0, False)
    assert (part.ids, part.n_papers, part.truncated) == (found.ids[:2], 6, True)
    topics = {topic.id for topic in found.topics}
    assert {one["topic"] for one in stored} - {None} <= topics
    for number, id in zip(found.topic_numbers, [one["topic"] for one in stored], strict=True):
        assert (None if number is None else found.topics[number].id) == id
    assert all(topic.above is None or topic.above < at for at, topic in enumerate(found.topics))
    assert (await graph_checksum(database)).vectors.keys() >= checksum.vectors.keys()


async def test_a_new_paper_stands_beside_the_nearest_until_the_next_run(
    database: Database, resources: EnrichmentContext
) -> None:
    await ingest(database, resources.embedder, SAMPLES[:5])
    await make(database, resources)
    await ingest(database, resources.embedder, SAMPLES[5:6])
    meanwhile = await paper_map(database, collection="main")
    made = await make(database, resources)
    after = await paper_map(database, collection="main")

    assert len(meanwhile.ids) == len(after.ids) == 6
    assert (meanwhile.n_unplaced, after.n_unplaced) == (0, 0)
    assert max(map(abs, meanwhile.x + meanwhile.y)) <= 1.0
    assert made["placed"] == 6


async def test_a_paper_that_changes_or_goes_leaves_the_map(database: Database, resources: EnrichmentContext) -> None:
    await ingest(database, resources.embedder, SAMPLES[:3])
    await make(database, resources)
    (gone, *_) = (await paper_map(database, collection="main")).ids
    await delete(database, [gone], collection="main")

    assert gone not in (await paper_map(database, collection="main")).ids


async def test_other_collections_and_too_many_points_are_not_given(
    database: Database, resources: EnrichmentContext
) -> None:
    await ingest(database, resources.embedder, SAMPLES[:1])
    hidden = await paper_map(database, collection="main", collections=frozenset({"other"}))

    assert (hidden.ids, hidden.n_papers, hidden.method) == ([], 0, None)
    with pytest.raises(InputError, match="1 to 50,000"):
        await paper_map(database, collection="main", first=50_001)
