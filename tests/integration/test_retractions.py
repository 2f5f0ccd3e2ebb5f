"""Retractions in a real graph: on papers, hits, answers, exports and filters, and after another ingestion."""

import csv
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.sources.editorial import RetractionWatch
from papergraph.schema.records import Paper
from papergraph.server.answers.stored import find_answer, own_answers
from papergraph.server.auth.access import everything
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.server.graph.nodes import node_by_id
from papergraph.server.operations.annotations import NewAnnotation, annotate, export_annotations, list_annotations
from papergraph.server.operations.retractions import check_retractions
from papergraph.server.papers.annotations import AnnotationKind, AnnotationQuery
from papergraph.server.papers.bibliographies import ExportFormat, write_bibliography
from papergraph.server.papers.find import ListedPaper
from papergraph.server.retrieval.filters import parse_filter, resolve
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest
from tests.support.stored_answers import store

PAPERS = Statement("test/papers", "MATCH (paper:Paper) RETURN paper.id AS id, paper.doi AS doi ORDER BY doi")
BAD, GOOD = "10.1000/bad", "10.1000/good"


def write_table(path: Path, *rows: tuple[str, str, str]) -> RetractionWatch:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(RetractionWatch.COLUMNS)
        writer.writerows((doi, nature, day, "10.1000/notice", "+Error in Data;") for doi, nature, day in rows)
    return RetractionWatch(path)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, doi in (("bad", BAD), ("good", GOOD)):
        text = f"---\ntitle: The {name} paper\ndoi: {doi}\n---\n\n# The {name} paper\n\nTides of the {name} sea rise.\n"
        (folder / f"{name}.md").write_text(text)
    return folder


async def status_of(database: Database, id: str) -> tuple[str | None, str | None]:
    paper: Paper = await node_by_id(database, id, Paper)
    return paper.editorial_status, paper.editorial_date


async def test_a_retraction_is_on_the_paper_its_answers_filters_and_exports(
    database: Database, embedder: Embedder, files: Path, tmp_path: Path
):
    quick = QuickEmbedder(embedder)
    await ingest(database, quick, [files])
    bad, good = [record["id"] for record in await database.read(PAPERS)]
    await store(database, "answer-bad", bad)
    await store(database, "answer-good", good)
    mark = NewAnnotation(papers=[bad], kind=AnnotationKind.HIGHLIGHT, quote="Tides of the bad sea")
    await annotate(database, everything(), mark)
    table = write_table(tmp_path / "t.csv", (BAD, "Retraction", "2/6/2010 0:00"), (GOOD, "Correction", ""))

    report = await check_retractions(database, "main", catalogues=None, table=table)
    again = await check_retractions(database, "main", catalogues=None, table=table)
    assert [(one.paper_id, one.status, one.date, one.is_new) for one in report.papers] == [
        (bad, "retracted", "2010-02-06", True),
        (good, "corrected", "", True),
    ]
    assert report.papers[0].notices == ("retracted | 2010-02-06 | retraction-watch | 10.1000/notice | Error in Data",)
    assert (report.n_checked, [one.id for one in report.answers]) == (2, ["answer-bad", "answer-good"])
    assert [one.is_new for one in again.papers] == [False, False]

    (files / "bad.md").write_text((files / "bad.md").read_text().replace("rise", "fall"))
    await ingest(database, quick, [files])
    first = await own_answers(database, "a", "main", after="", first=1)
    others = await own_answers(database, "a", "main", after=first[0].id, first=9)
    assert [(one.id, one.n_quotes, one.n_lost, one.statuses) for one in (*first, *others)] == [
        ("answer-good", 1, 0, ("corrected",)),
        ("answer-bad", 1, 1, ("retracted",)),
    ]
    assert await own_answers(database, "b", "main", after="", first=9) == []
    assert await status_of(database, bad) == ("retracted", "2010-02-06")
    assert [one.paper_status for one in (await find_answer(database, "answer-bad", collections=None)).citations] == [
        "retracted"
    ]
    query = AnnotationQuery("main")
    (noted,) = await list_annotations(database, everything(), query)
    assert (noted.paper_status, noted.paper_notice) == ("retracted", report.papers[0].notices[0])
    exported = await export_annotations(database, everything(), query)
    assert "\nRETRACTED (2010-02-06, retraction-watch).\n" in exported.text
    passing = (await resolve(database, parse_filter({"not": {"status": ["retracted"]}}), ("main",))).passing
    assert passing.papers and (bad in passing.papers, good in passing.papers) == (False, True)
    with pytest.raises(InputError, match=r"no status 'withdrawn'.*There are retracted, concern"):
        parse_filter({"status": ["withdrawn"]})

    whole = await whole_paper(database, BAD)
    assert "\nstatus: retracted 2010-02-06\n" in to_markdown(whole)
    listed = [ListedPaper(whole.paper, ())]
    for format in (ExportFormat.BIBTEX, ExportFormat.CSL_JSON, ExportFormat.RIS):
        assert "Retracted 2010-02-06" in write_bibliography(format, listed)

    nothing = write_table(tmp_path / "t.csv", (GOOD, "Correction", ""))
    cleared = await check_retractions(database, "main", catalogues=None, table=nothing)
    assert (cleared.cleared, await status_of(database, bad)) == ((bad,), (None, None))


async def test_pages_of_a_check_go_on_where_the_one_before_ended(
    database: Database, embedder: Embedder, files: Path, tmp_path: Path
):
    await ingest(database, QuickEmbedder(embedder), [files])
    table = write_table(tmp_path / "t.csv", (BAD, "Retraction", ""), (GOOD, "Expression of concern", "1/1/2020 0:00"))
    first = await check_retractions(database, "main", catalogues=None, table=table, first=1)
    second = await check_retractions(database, "main", catalogues=None, table=table, after=BAD, first=1)
    third = await check_retractions(database, "main", catalogues=None, table=table, after=GOOD, first=1)
    assert [one.next_after for one in (first, second, third)] == [BAD, GOOD, None]
    assert [one.status for report in (first, second) for one in report.papers] == ["retracted", "concern"]
    with pytest.raises(NotFoundError):
        await check_retractions(database, "main", catalogues=None, table=table, collections=("other",))
    with pytest.raises(InputError, match="PAPERGRAPH_FETCH_CATALOGUES=true"):
        await check_retractions(database, "main", catalogues=None)
