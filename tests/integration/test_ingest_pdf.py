"""PDFs on their whole way into the graph, good and bad ones side by side."""

from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import Reason
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.sources import PdfService
from papergraph.schema.checksum import graph_checksum
from papergraph.server.graph.nodes import paper_by_key
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from tests.support.damaged_pdfs import damaged_pdfs
from tests.support.fake_pdf_service import DOCLING, Double, success
from tests.support.ingestion import ingest
from tests.support.typeset import UNMARKED, pdf, prose

pytestmark = pytest.mark.slow

PAPER = f"""{UNMARKED}#set heading(numbering: "1.1")
#align(center)[#text(16pt, weight: "bold")[On the Tides of Small Seas]

Ada Lovelace and Kurt Gödel

https:\\//doi.org/10.1234/tides]

#heading(numbering: none)[Abstract]
We measure how the water of small seas rises and falls.
= Introduction
{prose(150)}
= Measuring
The gauge was read every hour by two persons who did not know of each other.
{prose(250, first=1000)}
#heading(numbering: none)[References]
[1] A book of tides.
"""
PARTS = Statement(
    "parts",
    "MATCH (p:Paper)-[:HAS_SECTION]->(s:Section)-[:HAS_CHUNK]->(c:Chunk) "
    "RETURN s.title AS title, s.kind AS kind, s.startPage AS first, s.endPage AS last, "
    "c.startPage AS start, c.endPage AS end ORDER BY c.ordinal",
)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


async def test_a_pdf_becomes_a_paper_whose_parts_know_their_pages(
    database: Database, embedder: Embedder, tmp_path: Path
):
    path = write(tmp_path / "tides.PDF", pdf(PAPER))

    (item,) = (await ingest(database, embedder, [tmp_path])).items

    assert (item.outcome, item.key, item.source) == (WriteOutcome.ADDED, "doi:10.1234/tides", str(path))
    paper = await paper_by_key(database, "doi:10.1234/tides")
    assert (paper.title, paper.doi) == ("On the Tides of Small Seas", "10.1234/tides")
    assert paper.abstract == "We measure how the water of small seas rises and falls."
    assert (paper.format, paper.heading_source, paper.body_coverage) == ("pdf", "fonts", 1.0)
    assert paper.n_pages is not None and paper.n_pages >= 2
    parts = await database.read(PARTS)
    assert [part["title"] for part in parts if part["kind"] == "references"] == ["References"]
    assert all(1 <= part["first"] <= part["start"] <= part["end"] <= part["last"] <= paper.n_pages for part in parts)
    assert {1, paper.n_pages} <= {part["end"] for part in parts}


async def test_a_passage_of_a_pdf_is_found_with_its_section_and_page(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await ingest(database, embedder, [write(tmp_path / "tides.pdf", pdf(PAPER))])

    best, *_ = (await search(Resources.of(database, embedder), SearchRequest("Who read the gauge?"))).hits

    assert best.section.title == "Measuring"
    assert best.chunk.start_page is not None


async def test_the_same_pdf_again_changes_nothing(database: Database, embedder: Embedder, tmp_path: Path):
    path = write(tmp_path / "tides.pdf", pdf(PAPER))
    await ingest(database, embedder, [path])
    before = await graph_checksum(database)

    (item,) = (await ingest(database, embedder, [path])).items

    assert item.outcome is WriteOutcome.UNCHANGED
    assert (await graph_checksum(database)).same_graph(before)


async def test_bad_pdfs_are_refused_each_for_its_reason_and_the_good_one_goes_in(
    database: Database, embedder: Embedder, tmp_path: Path
):
    whole = pdf(PAPER)
    chosen = {
        "encrypted 6": Reason.ENCRYPTED,
        "cut off 0": Reason.PARTIAL,
        "only an image": Reason.SCANNED,
        "a page of HTML": Reason.DAMAGED,
        "too many pages": Reason.TOO_LARGE,
        "letters without a meaning": Reason.NOT_TEXT,
        "nothing": Reason.EMPTY,
    }
    bad = {
        str(write(tmp_path / f"{file.name}.pdf", file.data)): chosen[file.name]
        for file in damaged_pdfs(whole, 7)
        if file.name in chosen
    }
    good = write(tmp_path / "tides.pdf", whole)

    report = await ingest(database, embedder, [tmp_path])

    assert {item.source: item.reason for item in report.failed} == bad
    assert len(bad) == len(chosen)
    assert [item.source for item in report.items if item.outcome] == [str(good)]


async def test_with_another_parser_a_pdf_is_read_anew_and_stays_one_paper(
    database: Database, embedder: Embedder, tmp_path: Path
):
    path = write(tmp_path / "tides.pdf", pdf(PAPER))
    beside = write(tmp_path / "waves.md", b"# Waves\n\nThey come and go.")
    await ingest(database, embedder, [tmp_path])
    with Double() as service:
        service.answer(success(DOCLING))
        docling = PdfService("docling", service.url)

        reread, _ = (await ingest(database, embedder, [path, beside], pdf_by=docling)).items
        again = (await ingest(database, embedder, [path, beside], pdf_by=docling)).items
    paper = await paper_by_key(database, "doi:10.1000/seas.7")  # as docling read it: nothing of before is left

    assert reread.outcome is WriteOutcome.REPLACED
    assert [item.outcome for item in again] == [WriteOutcome.UNCHANGED, WriteOutcome.UNCHANGED]
    assert len(service.paths) == 1
    assert (paper.title, paper.heading_source, paper.keys) == (
        "On tides",
        "docling",
        ("doi:10.1000/seas.7",),
    )
    own = (await ingest(database, embedder, [path, beside])).items
    assert [item.outcome for item in own] == [WriteOutcome.REPLACED, WriteOutcome.UNCHANGED]
