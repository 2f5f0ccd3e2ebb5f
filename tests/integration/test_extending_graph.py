"""The examples of docs/extending.md run on a graph: a check with its repair, a query, an enrichment and a step."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import papergraph.ingest.enrichments
import papergraph.server.endpoints
import papergraph.server.retrieval.steps
from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.doctor import checks, examine, repair
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.endpoints import endpoints, find
from papergraph.server.graph import named_queries
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.pipelines import parse
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import run
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps import steps
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.examples import EXAMPLES
from tests.support.files import write
from tests.support.ingestion import ingest as ingest_papers
from tests.support.ingestion import paper
from tests.support.registries import add_part

BREAK = Statement("test/break", "MATCH (paper:Paper {title: 'Tides'}) SET paper.title = ' Tides '")

EMPTY = Statement("test/empty", "MATCH (paper:Paper {title: 'Tides'}) SET paper.nChunks = 0")

WORDS = Statement("test/words", "MATCH (paper:Paper) RETURN paper.title AS title, paper.nWords AS n ORDER BY title")


@pytest.fixture(autouse=True)
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "added"
    for path, text in EXAMPLES.items():
        if path.startswith("cypher/"):
            write(folder / path.removeprefix("cypher/"), text)
    monkeypatch.setattr(cypher, "FOLDERS", [*cypher.FOLDERS, folder])
    checks.cache_clear()
    yield
    checks.cache_clear()


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_the_check_finds_its_fault_and_the_repair_restores_the_graph(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await ingest_papers(database, QuickEmbedder(embedder), [write(tmp_path / "tides.md", paper("Tides"))])
    clean = await graph_checksum(database)
    healthy = await examine(database)
    await database.run_alone(BREAK)

    found = await examine(database)
    after = await repair(database)

    assert healthy.findings == after.findings == ()
    named = [one for one in found.findings if one.check == "title_spaces"]
    assert [(one.n, one.examples[0].problem) for one in named] == [(1, "has spaces around its title")]
    assert ("title_spaces", 1, "trimmed") in [(one.check, one.n, one.action) for one in after.repairs]
    assert (await graph_checksum(database)).same_graph(clean)


async def test_the_named_query_runs_with_its_own_values(database: Database, embedder: Embedder, tmp_path: Path):
    long, short = paper("Tides"), paper("Moon", body="It is round.")
    files = [write(tmp_path / "long.md", long), write(tmp_path / "short.md", short)]
    await ingest_papers(database, QuickEmbedder(embedder), files)

    found = await named_queries.run(database, "longest_papers")

    assert found.columns == ("title", "n_chars")
    assert [row[0] for row in found.rows] == ["Tides", "Moon"]
    assert named_queries.find("longest_papers").question == "Which papers are longest?"


@pytest.mark.writes_by_hand
async def test_the_enrichment_is_made_of_new_papers_alone_and_goes_with_a_change(
    database: Database, embedder: Embedder, tmp_path: Path
):
    quick = QuickEmbedder(embedder)
    tides = write(tmp_path / "tides.md", paper("Tides", body="They rise and fall."))
    await ingest_papers(database, quick, [tides])
    example = EXAMPLES["ingest/enrichments/words.py"]
    with add_part(papergraph.ingest.enrichments, "words", example, tmp_path, enrichments):
        layers = EnrichmentOptions.read(names="words").enrichments(None)
        first = await enrich(database, layers, EnrichmentContext(quick), collection="main")
        made = [tuple(record) for record in await database.read(WORDS)]
        again = await enrich(database, layers, EnrichmentContext(quick), collection="main")
        write(tides, paper("Tides", body="They rise."))
        await ingest_papers(database, quick, [tides])
        changed = [tuple(record) for record in await database.read(WORDS)]
        await enrich(database, layers, EnrichmentContext(quick), collection="main")

    assert (first.n_made, first.failed, again.n_due) == (1, (), 0)
    assert made == [("Tides", 4)]
    assert changed == [("Tides", None)]
    assert [tuple(record) for record in await database.read(WORDS)] == [("Tides", 2)]


async def test_the_step_runs_in_a_pipeline_and_leaves_a_trace(database: Database, embedder: Embedder, tmp_path: Path):
    files = [write(tmp_path / f"{title}.md", paper(title)) for title in ("Tides", "Moon")]
    await ingest_papers(database, QuickEmbedder(embedder), files)
    written = {"steps": [{"step": "search", "retrievers": ["fulltext"]}, {"step": "spread", "per_paper": 1}]}

    with add_part(
        papergraph.server.retrieval.steps, "spread", EXAMPLES["server/retrieval/steps/spread.py"], tmp_path, steps
    ):
        found = await run(
            Resources.of(database, QuickEmbedder(embedder)), parse("mine", written), "look", Scope(("main",))
        )

    assert [line.step for line in found.trace] == ["search", "spread"]
    assert found.trace[1].notes == ("papers: 2", "2 of 10: 2 passages were found")
    assert len({one.paper_id for one in found.candidates}) == len(found.candidates) == 2


@pytest.mark.writes_by_hand
async def test_the_endpoint_reads_papers_within_the_collections_of_the_key(
    database: Database, embedder: Embedder, tmp_path: Path
):
    files = [write(tmp_path / f"{title}.md", paper(title)) for title in ("Tides", "Moon")]
    await ingest_papers(database, QuickEmbedder(embedder), files)
    await database.run_alone(EMPTY)
    service = Service(database, QuickEmbedder(embedder))
    stranger = RequestContext(service, Principal("key", frozenset({KeyScope.READ}), ("elsewhere",)))
    example = EXAMPLES["server/endpoints/papers_without_text.py"]

    with add_part(papergraph.server.endpoints, "papers_without_text", example, tmp_path, endpoints):
        without_text: Any = find("papers-without-text").request
        found = await without_text().read(RequestContext(service))
        of_another_year = await without_text(year=1900).read(RequestContext(service))
        unreached = await without_text(collection="main").read(stranger)

    assert [one.title for one in found] == ["Tides"]
    assert of_another_year == unreached == []
    with pytest.raises(InputError, match="first"):
        without_text(first=101)
