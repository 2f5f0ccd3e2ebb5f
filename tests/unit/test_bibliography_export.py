"""Papers written as entries of a bibliography are read again as the same papers."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from papergraph.ingest.sources.records import find_records
from papergraph.ingest.sources.source import DocumentRef
from papergraph.schema.records import Paper
from papergraph.server.papers.bibliographies import (
    BIBLIOGRAPHIES,
    COMMON_STYLES,
    cite_keys,
    common_styles,
    write_bibliography,
)
from papergraph.server.papers.find import ListedPaper

ENDINGS = {"bibtex": ".bib", "csl-json": ".json", "ris": ".ris"}


def listed(title: str, *authors: str, id: str = "a", **given: object) -> ListedPaper:
    fields = {"abstract": "", "categories": (), "keys": (), "sources": (), **given}
    paper = Paper(
        id=id,
        key=f"doi:{id}",
        collection="main",
        title=title,
        content_hash="",
        n_sections=1,
        n_chunks=1,
        ingested_at=datetime(2026, 1, 1, tzinfo=UTC),
        **fields,  # type: ignore[arg-type]
    )
    return ListedPaper(paper, authors)


PAPERS = [
    listed(
        "Fitting lme4 Models: 100 % of R&D_costs at $5 and #1",
        "Douglas Bates",
        "Martin Mächler",
        "Ludwig van Beethoven",
        "Sammy Davis Jr.",
        year=2015,
        doi="10.18637/jss.v067.i01",
        journal_ref="Journal of Statistical Software, 67, 1-48",
        abstract="Estimates & errors of ~50 % of all models.",
        url="https://example.org/a_b",
    ),
    listed("The $O(n^2)$ case of walks", "R", id="b", arxiv_id="1406.5823", year=2014, primary_category="quant-ph"),
    listed("Nothing more is known", id="c"),
]


@pytest.mark.parametrize("format", ENDINGS)
def test_what_is_written_is_read_again_as_the_same(format: str, tmp_path: Path):
    path = tmp_path / f"papers{ENDINGS[format]}"
    path.write_text(BIBLIOGRAPHIES[format](PAPERS), encoding="utf-8")

    found = find_records(path)

    read = [document.read(max_bytes=10**6).metadata for document in found if isinstance(document, DocumentRef)]
    assert len(read) == len(found) == len(PAPERS)
    for one, again in zip(PAPERS, read, strict=True):
        assert again is not None
        assert again.title == one.paper.title
        assert again.authors == one.authors
        assert (again.year, again.doi, again.arxiv_id) == (one.paper.year, one.paper.doi, one.paper.arxiv_id)
        assert again.journal_ref == one.paper.journal_ref
        assert (again.abstract or "") == one.paper.abstract


def test_keys_of_entries_are_made_of_author_year_and_title_and_are_unique():
    same = [listed("The Fitting of models", "Édith Piaf", id=id, year=1950) for id in ("y", "x")]

    assert cite_keys([*same, *PAPERS]) == [
        "piaf1950fittingb",
        "piaf1950fittinga",
        "bates2015fitting",
        "r2014o",
        "nothing",
    ]


def test_the_common_citation_styles_are_those_of_the_extra():
    assert common_styles() == COMMON_STYLES


RECORDS = [
    '{"bibtex": {"type": "article", "key": "t", "fields": {"title": "T", "keywords": "sea, coast", "volume": "7"}}}',
    '{"ris": [["TY", "JOUR"], ["TI", "On tides"], ["KW", "sea"], ["KW", "coast"], ["VL", "7"]]}',
    None,
]


@pytest.mark.parametrize("record", RECORDS, ids=["bibtex", "ris", "none"])
@pytest.mark.parametrize("format", ["bibtex", "ris", "csl-json"])
def test_tags_and_notes_stand_among_what_the_record_says(record: str | None, format: str):
    paper = listed("On tides", "A. Ada", record=record)
    one = replace(paper, tags=("sea", "thesis"), notes=("Check it.", "“High” yes"))

    text = write_bibliography(format, [one])

    assert text.count("thesis") == 1 and "Check it." in text and "“High” yes" in text
    if record is not None:
        assert text.count("coast") == 1 and "7" in text
        assert len(re.findall(r"\bsea\b", text)) == 1
