"""Bibliographies and full texts of one work become one paper, whatever came first and what went meanwhile."""

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.edits import (
    correct_paper,
    edit_paper,
    find_bare,
    find_pairs,
    mark_different,
    merge_papers,
    split_paper,
    stated_fields,
    undo_paper,
)
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.ingest.sources import Web
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.ids import public_key
from papergraph.server.graph.export import whole_paper
from papergraph.server.graph.nodes import paper_by_key
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_arxiv import FakeArxiv
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.ingestion import clean, empty, ingest, outcomes, paper
from tests.support.web_site import Site

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
    ris = "TY  - JOUR\nTI  - Tides of the northern and the southern sea\nAU  - Lovelace, Ada\nPY  - 1843\nER  - \n"
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


# Merges and splits of papers

TWINS = ("Preprint", "Version of a journal")


@pytest.fixture
async def twins(database: Database, quick: QuickEmbedder, tmp_path: Path) -> list[str]:
    """Two texts with one title and author, each with a record of its DOI; the keys of their papers."""
    await empty(database)
    for number, name in enumerate(TWINS):
        doi = f"10.1000/{number}"
        body = f"A {name} on tides.\n\n## Method\n\nWe look at {name}.\n\n## Result {number}\n\nIt is."
        text = paper(
            "Tides of the northern and the southern sea",
            authors="Ada Moon",
            extra=f"doi: {doi}\nyear: {2001 + number}\n",
            body=body,
        )
        told = f"title={{Tides of the northern and the southern sea}}, author={{Ada Moon}}, note={{{name}}}"
        entry = f"@article{{k{number}, {told}, doi={{{doi}}}}}\n"
        paths = [write(tmp_path / f"{number}.md", text), write(tmp_path / f"{number}.bib", entry)]
        await ingest(database, quick, paths)
    return ["doi:10.1000/0", "doi:10.1000/1"]


async def test_merged_papers_are_one_with_all_sources_and_a_split_brings_both_back(
    database: Database, quick: QuickEmbedder, tmp_path: Path, twins: list[str]
):
    before, (texts, *_) = await graph_checksum(database), await database.read(COUNTS)
    (pair,) = await find_pairs(database, collection="main", limit=10)
    assert (pair.keys, pair.common) == (twins, "title")

    id = await merge_papers(database, *twins, collection="main")
    assert await find_pairs(database, collection="main", limit=10) == []
    assert {(await paper_by_key(database, key)).id for key in twins} == {id}
    merged = await graph_checksum(database)
    await ingest(database, quick, [tmp_path])
    assert (await graph_checksum(database)).same_graph(merged), "it lasts"
    await edit_paper(database, id, {"year": 2010}, collection="main")
    with pytest.raises(InputError, match="one paper already"):
        await merge_papers(database, *twins, collection="main")

    await split_paper(database, id, collection="main")
    years = {key: (await paper_by_key(database, key)).year for key in twins}
    assert sorted(years.values(), key=str) in ([2001, 2010], [2002, 2010])
    await edit_paper(database, max(years, key=years.__getitem__), {}, collection="main", undo=["year"])
    assert (await graph_checksum(database)).same_graph(before)
    assert (await database.read(COUNTS))[0]["chunks"] == texts["chunks"]


async def test_citations_and_keys_of_a_merged_paper_are_those_of_the_kept_one(
    database: Database, quick: QuickEmbedder, tmp_path: Path, twins: list[str]
):
    told = "title={Tides of the northern and the southern sea}, doi={10.1000/0}, eprint={2401.01234}"
    named = f"@article{{other, {told}, archiveprefix={{arXiv}}}}"
    cited = ("A. Moon. Waves. doi:10.1000/0", "A. Moon. Waves. doi:10.1000/1", "arXiv:2401.01234")
    files = [write(tmp_path / "other.bib", named)]
    for number, entry in enumerate(cited):
        body = f"Text {number}.\n\n## References\n\n[1] {entry}"
        files.append(write(tmp_path / f"citing {number}.md", paper(f"Citing {number}", body=body)))
    await ingest(database, quick, files)
    before = await graph_checksum(database)

    id = await merge_papers(database, *twins, collection="main")

    citing = "MATCH (one:Paper)-[:CITES]->(:Paper {id: $id}) RETURN one.title AS title ORDER BY title"
    found = [record["title"] for record in await database.read(Statement("citing", citing), id=id)]
    assert found == ["Citing 0", "Citing 1", "Citing 2"]
    for name in ("@k0", "@k1", "@other", *twins, "2401.01234"):
        assert (await whole_paper(database, name)).paper.id == id, name
        assert (await paper_by_key(database, name)).id == id, name
    await assert_healthy(database)
    await split_paper(database, id, collection="main")
    assert (await graph_checksum(database)).same_graph(before)


async def test_an_edited_doi_replaces_that_of_the_documents_in_citations(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    await empty(database)
    files = [write(tmp_path / "a.md", paper("Tides", extra="doi: 10.1000/wrong\n"))]
    for name in ("wrong", "right"):
        body = f"Text.\n\n## References\n\n[1] B. Sun. Waves. doi:10.1000/{name}"
        files.append(write(tmp_path / f"{name}.md", paper(f"Citing the {name} one", body=body)))
    await ingest(database, quick, files)

    await edit_paper(database, "doi:10.1000/wrong", {"doi": "10.1000/right"}, collection="main")

    cites = "MATCH (one:Paper)-[:CITES]->(other:Paper) RETURN one.title AS title"
    assert [record["title"] for record in await database.read(Statement("cites", cites))] == ["Citing the right one"]
    await assert_healthy(database)


async def test_sources_that_belong_together_are_split_by_hand_which_lasts_until_it_is_undone(
    database: Database, quick: QuickEmbedder, tmp_path: Path, twins: list[str]
):
    before, record = await graph_checksum(database), f"{tmp_path / '0.bib'}#k0"
    id = await split_paper(database, twins[0], [record], collection="main")

    assert (await paper_by_key(database, twins[0])).id != id, "the DOI is that of the text"
    apart = await graph_checksum(database)
    write(tmp_path / "0.bib", (tmp_path / "0.bib").read_text().replace("Preprint", "Draft"))
    await ingest(database, quick, [tmp_path])
    assert (await database.read(COUNTS))[0]["papers"] == 3
    await edit_paper(database, id, {"year": 1999}, collection="main")
    assert (await paper_by_key(database, twins[0])).year == 2001, "an edit is of one of both"
    await edit_paper(database, id, {}, collection="main", undo=["year"])
    write(tmp_path / "0.bib", (tmp_path / "0.bib").read_text().replace("Draft", "Preprint"))
    await ingest(database, quick, [tmp_path])
    assert (await graph_checksum(database)).same_graph(apart)

    assert (await undo_paper(database, id, collection="main"))[1] == 1
    assert (await graph_checksum(database)).same_graph(before)
    id = await split_paper(database, twins[0], [record], collection="main")
    await merge_papers(database, id, twins[0], collection="main")
    assert (await graph_checksum(database)).same_graph(before), "a merge takes the split back"
    with pytest.raises(InputError, match="was not merged"):
        await split_paper(database, twins[0], collection="main")
    with pytest.raises(NotFoundError):
        await split_paper(database, twins[0], ["/nowhere"], collection="main")


async def test_a_pair_found_different_is_not_proposed_until_that_is_taken_back(
    database: Database, quick: QuickEmbedder, twins: list[str]
):
    for undo, expected in ((False, 0), (True, 1)):
        await mark_different(database, *reversed(twins), collection="main", undo=undo)
        assert len(await find_pairs(database, collection="main", limit=10)) == expected


@pytest.fixture
def web() -> Iterator[Web]:
    with Site() as site:
        item = {
            "DOI": "10.1000/0",
            "type": "journal-article",
            "title": ["Tides of the Northern and the Southern Sea"],
            "author": [{"given": "Ada", "family": "Moon"}, {"given": "Bo", "family": "Sun"}],
            "issued": {"date-parts": [[2003]]},
        }
        site.pages["/works/10.1000%2F0"] = json.dumps({"message": item}).encode()
        web = FakeArxiv(site).web
        web.outside.pace = lambda url, interval_s: None  # type: ignore[method-assign]
        yield replace(web, catalogues=Catalogues(web.outside, *[site.url("")] * 3))


async def test_corrections_of_a_catalogue_are_accepted_rejected_and_undone_field_by_field(
    database: Database, quick: QuickEmbedder, tmp_path: Path, web: Web
):
    text = paper("TIDES OF THE NORTHERN AND THE SOUTHERN SEA", extra="doi: 10.1000/0\nyear: 2003\n")
    await ingest(database, quick, [write(tmp_path / "a.md", text)])
    before, (id,) = await graph_checksum(database), await find_bare(database, collection="main", limit=5)

    async def proposed(**decided: list[str]) -> dict[str, object]:
        found = await correct_paper(database, web, id, collection="main", **decided)
        return {one.name: one.proposed for one in found}

    both = {"title": "Tides of the Northern and the Southern Sea", "authors": ["Ada Moon", "Bo Sun"]}
    assert await proposed() == both
    await proposed(accept=["title"], reject=["authors"])
    assert await proposed() == {}
    found = await paper_by_key(database, "doi:10.1000/0")
    assert (found.title, found.id) == (both["title"], id)
    assert await find_bare(database, collection="main", limit=5) == []
    with pytest.raises(InputError, match="Nothing is proposed"):
        await proposed(accept=["authors"])
    assert await proposed(undo=["title", "authors"]) == both
    assert (await graph_checksum(database)).same_graph(before)
