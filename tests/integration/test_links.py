"""Links in a real graph: titles that come after those who name them, shared names, nothing left of what has gone."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.statement import Statement
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

ROAD = "# The Long Road (film)\n\nA film that Ada Byron made in the rain.\n"
BYRON = "# On engines\n\nNobody says who Ada Byron was, but The Long Road tells it, and so does The Long Road Home.\n"
HOME = "# The Long Road Home\n\nA book of another sort.\n"
LINKS = Statement(
    "test/links",
    """
    MATCH (one:Paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->(:Chunk)-[:REFERS_TO]->(name:Name)<-[:TITLED]-(other:Paper)
    RETURN one.title AS one, other.title AS other, name.key AS key ORDER BY one, other
    """,
)
SHARED = Statement(
    "test/shared",
    """
    MATCH (name:Name)<-[:NAMES]-(chunk:Chunk)<-[:HAS_CHUNK]-()<-[:HAS_SECTION]-(paper:Paper)
    WITH name, collect(DISTINCT paper.title) AS papers WHERE size(papers) > 1
    RETURN name.key AS key, size(papers) AS n ORDER BY key
    """,
)
BREAK = Statement(
    "test/break", "MATCH (:Chunk)-[use:REFERS_TO]->(:Name {key: 'the long road'}) SET use.ends = [100000]"
)
ASTRAY = Statement("test/astray", "CREATE (:Name {id: 'n0', collection: 'main', key: 'nobody'})")
UNMARK = Statement(
    "test/unmark", "MATCH (paper:Paper) REMOVE paper.linksConfigHash WITH paper MATCH (l:EnrichmentState) DELETE l"
)


@pytest.fixture
def resources() -> EnrichmentContext:
    return EnrichmentContext(HashEmbedder())


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, text in (("road", ROAD), ("byron", BYRON), ("home", HOME)):
        (tmp_path / f"{name}.md").write_text(text)
    return [tmp_path / f"{name}.md" for name in ("road", "byron", "home")]


async def linked(database: Database, resources: EnrichmentContext, *, names: bool = True) -> GraphChecksum:
    report = await enrich(database, [LinksEnrichment(names=names)], resources, collection="main")
    assert (report.stopped, report.failed) == (None, ())
    return await graph_checksum(database)


async def links(database: Database) -> list[tuple[str, str]]:
    return [(record["one"], record["other"]) for record in await database.read(LINKS)]


async def test_the_links_are_the_same_in_whatever_order_papers_come_and_go(
    database: Database, resources: EnrichmentContext, files: list[Path]
):
    async def after(order: Sequence[Path]) -> GraphChecksum:
        await delete(database, [str(files[0].parent)])
        for path in order:
            await ingest(database, resources.embedder, [path])
            checksum = await linked(database, resources)
        return checksum

    await ingest(database, resources.embedder, files[:2])
    two = await linked(database, resources)
    await ingest(database, resources.embedder, files)
    all_of_them = await linked(database, resources)
    found, shared = await links(database), [tuple(record) for record in await database.read(SHARED)]
    await assert_healthy(database)
    await delete(database, [str(files[2])])
    without = await linked(database, resources)
    backwards = await after(files[::-1])

    assert found == [("On engines", "The Long Road (film)"), ("On engines", "The Long Road Home")]
    assert shared[0] == ("ada byron", 2)
    assert without.same_graph(two)
    assert backwards.same_graph(all_of_them)


async def test_nothing_is_left_of_links_and_an_interrupted_call_is_made_good(
    database: Database, resources: EnrichmentContext, files: list[Path]
):
    await ingest(database, resources.embedder, files)
    before = await linked(database, resources)

    again = await enrich(database, [LinksEnrichment()], resources, collection="main")
    await database.run_alone(UNMARK)
    repeated = await linked(database, resources)
    titles_alone = await linked(database, resources, names=False)
    shared = await database.read(SHARED)
    both = await linked(database, resources)
    await delete(database, [str(path) for path in files])

    assert again.job is None
    assert repeated.same_graph(before)
    assert (shared, titles_alone.n_relationships < before.n_relationships) == ([], True)
    assert both.same_graph(before)
    assert (await graph_checksum(database)).n_nodes == 0


async def test_the_doctor_sees_wrong_links_and_has_them_found_again(
    database: Database, resources: EnrichmentContext, files: list[Path]
):
    await ingest(database, resources.embedder, files)
    before = await linked(database, resources)
    await database.run_alone(BREAK)
    await database.run_alone(ASTRAY)

    report = await examine(database)
    mended = await repair(database)
    after = await linked(database, resources)

    assert {finding.check for finding in report.findings} == {"link_astray", "name_without_use"}
    assert mended.healthy
    assert after.same_graph(before)
