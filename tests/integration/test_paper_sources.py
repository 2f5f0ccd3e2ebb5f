"""Bibliographies and full texts of one work become one paper, whatever came first and what went meanwhile."""

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.edits import edit_paper, stated_fields
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.ids import public_key
from papergraph.server.graph.nodes import paper_by_key
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import clean, empty, ingest, outcomes, paper

AUTHORS = Statement("test/authors", "MATCH (a:Author)-[w:WROTE]->() RETURN a.name AS name ORDER BY w.position")
CHUNKS = Statement("test/chunks", "MATCH (c:Chunk) RETURN c.text AS text, c.year AS year ORDER BY c.paperId, c.ordinal")
COUNTS = Statement(
    "test/counts",
    "RETURN COUNT { (:Paper) } AS papers, COUNT { (:Source) } AS sources, COUNT { (:Chunk) } AS chunks",
)
ENTRY = """@article{bates2015,
  title = {Fitting Linear Mixed-Effects Models Using {lme4}},
  author = {Bates, Douglas and M{\\"a}chler, Martin},
  year = 2015, journal = {Journal of Statistical Software}, doi = {10.18637/jss.v067.i01},
}
"""


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
def kinds(tmp_path: Path) -> dict[str, Path]:
    """Sources of several kinds that are of one work by DOI, arXiv id or title, and another work beside it."""
    item = {
        "type": "article-journal",
        "id": "csl",
        "title": "Fitting linear mixed-effects models using lme4",
        "author": [{"family": "Bates", "given": "Douglas"}],
        "issued": {"date-parts": [[2015, 10]]},
        "DOI": "10.18637/jss.v067.i01",
        "abstract": "Maximum likelihood or restricted maximum likelihood estimates.",
    }
    preprint = {
        "id": "1406.5823",
        "title": "Fitting Linear Mixed-Effects Models using lme4",
        "authors": ["Douglas Bates"],
        "abstract": "Estimates of parameters.",
        "doi": "10.18637/jss.v067.i01",
        "version": "v1",
        "published": "2014-06-23T00:00:00Z",
    }
    ris = "TY  - JOUR\nTI  - Tides of the sea\nAU  - Lovelace, Ada\nPY  - 1843\nER  - \n"
    title = "Fitting Linear Mixed-Effects Models Using lme4"
    return {
        "text": write(tmp_path / "a" / "bates.md", paper(title, authors="Douglas Bates")),
        "twin": write(tmp_path / "b" / "copy.md", paper(title, authors="Douglas Bates")),
        "bib": write(tmp_path / "c" / "my.bib", ENTRY),
        "csl": write(tmp_path / "d" / "items.json", json.dumps([item])),
        "arxiv": write(tmp_path / "e" / "arxiv.jsonl", json.dumps(preprint)),
        "other": write(tmp_path / "f" / "tides.ris", ris),
        "draft": write(
            tmp_path / "g" / "draft.md",
            paper(
                "Mixed models", authors="D. Bates", extra="doi: 10.18637/jss.v067.i01\n", body="## Draft\n\nA draft."
            ),
        ),
    }


# A record completes a text


@pytest.mark.parametrize("first", ["text", "bib"])
async def test_a_bibliography_completes_a_full_text_and_never_replaces_it(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path], first: str
):
    second = "bib" if first == "text" else "text"
    await ingest(database, quick, [kinds[first]])

    report = await ingest(database, quick, [kinds[second]])

    assert outcomes(report) == [WriteOutcome.JOINED]
    (counts,) = await database.read(COUNTS)
    assert counts.values() == [1, 2, 4]
    found = await paper_by_key(database, "10.18637/jss.v067.i01")
    key = public_key(f"file:{kinds['text']}", found.id)
    assert (found.key, found.year, found.doi) == (key, 2015, "10.18637/jss.v067.i01")
    assert (found.format, found.journal_ref) == ("markdown", "Journal of Statistical Software")
    assert found.abstract.startswith("We study fitting")
    assert found.sources == ("bates.md", "my.bib#bates2015")
    assert [record["name"] for record in await database.read(AUTHORS)] == ["Douglas Bates", "Martin Mächler"]
    assert {record["year"] for record in await database.read(CHUNKS)} == {2015}
    again = await ingest(database, quick, [kinds["text"], kinds["bib"]])
    assert set(outcomes(again)) == {WriteOutcome.UNCHANGED}


async def test_each_field_knows_its_source(database: Database, quick: QuickEmbedder, kinds: dict[str, Path]):
    await ingest(database, quick, [kinds[name] for name in ("text", "bib", "arxiv")])

    stated = {one.name: (one.value, one.source, one.provider.value) for one in await _stated(database, kinds)}

    bib = f"{kinds['bib']}#bates2015"
    assert stated["year"] == (2015, bib, "publisher")
    assert stated["title"] == ("Fitting Linear Mixed-Effects Models Using lme4", bib, "publisher")
    assert stated["arxivId"] == ("1406.5823", f"{kinds['arxiv']}#1406.5823", "arxiv")
    assert stated["abstract"] == ("Estimates of parameters.", f"{kinds['arxiv']}#1406.5823", "arxiv")


async def _stated(database: Database, kinds: dict[str, Path]):
    return await stated_fields(database, f"file:{kinds['text']}", collection="main")


# Order, repetition and deletion leave no trace


async def _in_order(database: Database, quick: QuickEmbedder, paths: Sequence[Path]) -> GraphChecksum:
    await empty(database)
    for path in paths:
        await ingest(database, quick, [path])
    return await graph_checksum(database)


ORDERS = random.Random(5).sample(  # noqa: S311
    list(itertools.permutations(("text", "twin", "bib", "csl", "arxiv", "other", "draft"))), 12
)


@pytest.mark.slow
@pytest.mark.parametrize("some", [("text", "bib"), ("text", "csl", "draft"), ("bib", "arxiv", "text")])
async def test_sources_of_several_kinds_give_one_graph_in_every_order(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path], some: tuple[str, ...]
):
    expected = await clean(database, quick, [kinds[name] for name in some])

    for order in itertools.permutations(some):
        found = await _in_order(database, quick, [kinds[name] for name in order])

        assert found.same_graph(expected), order


@pytest.mark.slow
async def test_all_kinds_together_give_one_graph_in_many_orders_and_each_is_taken_back_alone(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path]
):
    expected = await clean(database, quick, list(kinds.values()))
    for order in ORDERS[:5]:
        assert (await _in_order(database, quick, [kinds[name] for name in order])).same_graph(expected), order
    for _ in range(2):
        await ingest(database, quick, list(kinds.values()))
        assert (await graph_checksum(database)).same_graph(expected)

    for gone in kinds:
        before = await _in_order(database, quick, [path for name, path in kinds.items() if name != gone])
        await ingest(database, quick, [kinds[gone]])
        assert (await graph_checksum(database)).same_graph(expected), gone
        await delete(database, [str(kinds[gone])])
        assert (await graph_checksum(database)).same_graph(before), gone


async def test_a_paper_without_documents_is_gone_with_all_its_sources(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path]
):
    await ingest(database, quick, list(kinds.values()))

    await delete(database, ["10.18637/jss.v067.i01", str(kinds["other"])])

    (counts,) = await database.read(COUNTS)
    assert counts.values() == [0, 0, 0]


# Edits


async def test_an_edit_goes_before_every_source_and_survives_that_these_change(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path]
):
    await ingest(database, quick, [kinds["text"], kinds["bib"]])
    key = f"file:{kinds['text']}"
    before = await graph_checksum(database)

    await edit_paper(database, key, {"year": 2016, "authors": ["D. M. Bates"], "doi": None}, collection="main")

    edited = await paper_by_key(database, key)
    assert (edited.year, edited.doi) == (2016, None)
    write(kinds["text"], kinds["text"].read_text().replace("It is.", "It was."))
    await ingest(database, quick, [kinds["text"], kinds["bib"], kinds["csl"]])
    edited = await paper_by_key(database, key)
    assert (edited.year, edited.doi, edited.n_chunks) == (2016, None, 4)
    assert [record["name"] for record in await database.read(AUTHORS)] == ["D. M. Bates"]
    stated = {one.name: one for one in await stated_fields(database, key, collection="main")}
    assert (stated["doi"].value, stated["doi"].provider.value) == (None, "person")

    write(kinds["text"], kinds["text"].read_text().replace("It was.", "It is."))
    await ingest(database, quick, [kinds["text"]])
    await delete(database, [str(kinds["csl"])])
    await edit_paper(database, key, {}, collection="main", undo=("year", "authors", "doi"))
    assert (await graph_checksum(database)).same_graph(before)


@pytest.mark.parametrize("fields", [{"key": "x"}, {"year": "soon"}, {"doi": "none"}, {"authors": "A, B"}])
async def test_what_cannot_be_so_is_refused_and_changes_nothing(
    database: Database, quick: QuickEmbedder, kinds: dict[str, Path], fields: dict[str, object]
):
    await ingest(database, quick, [kinds["text"]])
    before = await graph_checksum(database)

    with pytest.raises(InputError):
        await edit_paper(database, f"file:{kinds['text']}", fields, collection="main")
    with pytest.raises(NotFoundError):
        await edit_paper(database, "file:/nowhere.md", {"year": 2001}, collection="main")

    assert (await graph_checksum(database)).same_graph(before)


# Libraries of reference managers


async def test_a_library_and_the_files_beside_it_are_joined_in_one_call(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    write(tmp_path / "files" / "12" / "by file.md", paper("scan0001"))
    write(tmp_path / "files" / "13" / "by-doi.md", paper("Winds", extra="doi: 10.1000/winds\n"))
    write(tmp_path / "by-title.md", paper("On the clouds above the sea"))
    write(
        tmp_path / "My Library.bib",
        "@article{one, title={Named by its file}, year=2001, file={Full Text:files/12/by file.md:text/plain}}\n"
        "@article{two, title={Winds of the world}, year=2002, doi={10.1000/Winds}}\n"
        "@article{three, title={On the {Clouds} above the Sea}, year=2003}\n"
        "@article{four, title={Nobody has it}, year=2004}\n",
    )

    report = await ingest(database, quick, [tmp_path])

    assert report.failed == ()
    papers = Statement("test/papers", "MATCH (p:Paper) RETURN p.title AS title, p.year AS year, p.format AS format")
    assert {tuple(record.values()) for record in await database.read(papers)} == {
        ("Named by its file", 2001, "markdown"),
        ("Winds of the world", 2002, "markdown"),
        ("On the Clouds above the Sea", 2003, "markdown"),
        ("Nobody has it", 2004, "record"),
    }
    (counts,) = await database.read(COUNTS)
    assert counts["sources"] == 7


async def test_manuscripts_with_the_doi_of_a_template_stay_apart(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    paths = [
        write(tmp_path / f"{name}.md", paper(name, extra="doi: 10.18637/jss.v000.i00\n")) for name in ("One", "Two")
    ]

    await ingest(database, quick, paths)

    (counts,) = await database.read(COUNTS)
    assert counts["papers"] == 2
    assert (await paper_by_key(database, f"file:{paths[0]}")).doi is None
