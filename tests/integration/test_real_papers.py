"""Real papers, read from ``PAPERGRAPH_DATA``: the whole way from the file to the passage."""

from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.server.graph.nodes import paper_by_key
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

SPANS = Statement(
    "spans", "MATCH (c:Chunk) RETURN c.startChar AS start, c.endChar AS end, c.text AS text, c.paperId AS paper_id"
)


async def test_markdown_papers_of_a_journal_go_in_with_authors_and_year(
    database: Database, embedder: Embedder, data_folder: Path
):
    folder = data_folder / "parsing" / "markdown"

    report = await ingest(database, embedder, [folder])

    assert {item.outcome for item in report.items} == {WriteOutcome.ADDED}
    paper = await paper_by_key(database, f"file:{folder / 'toqito' / 'paper.md'}")
    assert paper.title.startswith("toqito -- Theory of quantum information toolkit")
    assert (paper.year, paper.abstract[:8]) == (2021, "`toqito`")


async def test_every_chunk_of_a_real_paper_is_the_source_to_the_letter(
    database: Database, embedder: Embedder, data_folder: Path
):
    path = data_folder / "parsing" / "markdown" / "matchcake" / "paper.md"
    await ingest(database, embedder, [path])
    source = path.read_bytes().decode()

    chunks = await database.read(SPANS)

    assert len(chunks) > 10
    assert all(chunk["text"] == source[chunk["start"] : chunk["end"]] for chunk in chunks)


async def test_pdfs_of_the_acl_anthology_go_in_with_sections_pages_and_nearly_all_of_their_text(
    database: Database, embedder: Embedder, data_folder: Path
):
    path = data_folder / "parsing" / "pdf" / "N18-3011.pdf"

    report = await ingest(database, embedder, [path])

    assert [item.outcome for item in report.items] == [WriteOutcome.ADDED]
    paper = await paper_by_key(database, f"file:{path}")
    assert paper.title == "Construction of the Literature Graph in Semantic Scholar"
    assert paper.abstract.startswith("We describe a deployed scalable system for organizing published scientific")
    assert (paper.format, paper.heading_source, paper.n_pages, paper.n_pages_without_text) == ("pdf", "fonts", 8, 0)
    assert paper.body_coverage is not None and paper.body_coverage > 0.999
    best, *_ = (
        await search(Resources.of(database, embedder), SearchRequest("What was the ScienceParse system trained on?"))
    ).hits
    assert best.chunk.start_page is not None and best.chunk.end_page is not None
    assert best.chunk.start_page <= 3 <= best.chunk.end_page


async def test_a_question_finds_the_real_paper_that_answers_it(
    database: Database, embedder: Embedder, data_folder: Path
):
    await ingest(database, embedder, [data_folder / "parsing" / "markdown", Path("ingest/samples")])

    best, *_ = (
        await search(
            Resources.of(database, embedder),
            SearchRequest("simulator of matchgate circuits for non-interacting fermions"),
        )
    ).hits

    assert best.paper.title.startswith("MatchCake")
