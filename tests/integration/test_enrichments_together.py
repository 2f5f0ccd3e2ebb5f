"""All enrichments at once: the same papers give the same graph, however they came; nothing stays of what has gone."""

import random
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import EnrichReport, enrich
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.statement import Statement
from tests.support.faults import write_papers
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import CARD, HashEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

CHOICE = EnrichmentOptions.choose(questions=QuestionOptions(generator="both"), clusters=ClusterOptions(least=0.0))
LEFT = Statement(
    "test/left",
    "MATCH (n:Question|Entity|Cluster|Prototype|Summary|Name) "
    "RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label",
)
N_PAPERS = 12


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return sorted(write_papers(tmp_path_factory.mktemp("enrichments") / "papers", n_papers=N_PAPERS).iterdir())


@pytest.fixture
def resources() -> EnrichmentContext:
    return EnrichmentContext(HashEmbedder())


@pytest.fixture
def enrichments() -> list[Enrichment]:
    return CHOICE.enrichments(None)


@pytest_asyncio.fixture
async def store(database: Database) -> Database:
    """A store whose model's vectors cost nothing: the model's card is the same."""
    assert CARD.dimension == 384
    return database


async def made(
    database: Database, enrichments: list[Enrichment], resources: EnrichmentContext
) -> tuple[EnrichReport, GraphChecksum]:
    report = await enrich(database, enrichments, resources, collection="main")
    assert (report.stopped, report.failed) == (None, ())
    await assert_healthy(database)
    return report, await graph_checksum(database)


async def test_the_same_papers_give_the_same_enrichments_however_they_came(
    store: Database, enrichments: list[Enrichment], resources: EnrichmentContext, papers: list[Path]
):
    half, rest = papers[: N_PAPERS // 2], papers[N_PAPERS // 2 :]
    await ingest(store, resources.embedder, half)
    _, of_half = await made(store, enrichments, resources)
    await ingest(store, resources.embedder, rest)
    _, of_all = await made(store, enrichments, resources)

    again, unchanged = await made(store, enrichments, resources)
    await delete(store, [str(path) for path in rest])
    less, without = await made(store, enrichments, resources)
    await delete(store, [str(path) for path in half])
    _, _ = await made(store, enrichments, resources)
    left = await store.read(LEFT)
    shuffled = random.Random(1).sample(papers, N_PAPERS)  # noqa: S311
    await ingest(store, resources.embedder, shuffled)
    _, at_once = await made(store, enrichments, resources)

    assert {label for label, n in [(r["label"], r["n"]) for r in left] if n} == set()
    assert (again.job, less.n_due) == (None, 0)
    assert unchanged.same_graph(of_all)
    assert without.same_graph(of_half)
    assert at_once.same_graph(of_all)


async def test_a_paper_that_changes_and_changes_back_leaves_no_trace_and_is_the_only_one_made_again(
    store: Database, enrichments: list[Enrichment], resources: EnrichmentContext, papers: list[Path], tmp_path: Path
):
    changing = tmp_path / "changing.md"
    first = papers[0].read_text().replace("Paper 0", "A changing paper")
    changing.write_text(first)
    await ingest(store, resources.embedder, [*papers[1:5], changing])
    _, before = await made(store, enrichments, resources)

    changing.write_text(first.replace("## Results", "## Findings\n\nWe use the Kettle Data Set (KDS).\n\n## Results"))
    await ingest(store, resources.embedder, [changing])
    report, changed = await made(store, enrichments, resources)
    changing.write_text(first)
    await ingest(store, resources.embedder, [changing])
    _, after = await made(store, enrichments, resources)

    assert (report.n_due, report.n_made) == (1, 1)
    assert not changed.same_graph(before)
    assert after.same_graph(before)
