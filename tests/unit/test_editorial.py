"""Retractions by Crossref, OpenAlex and Retraction Watch: doubles on this machine that answer in the public forms."""

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import InputError
from papergraph.ingest.sources import arxiv, catalogues
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.ingest.sources.editorial import Notice, RetractionWatch, Status, decisive, find_notices
from papergraph.ingest.sources.records import read_bibliography
from papergraph.outbound import Outside
from papergraph.server.operations.references import CheckedReference, Sources, are_one_title, check_references
from tests.support.web_site import Site

DAY = {"date-parts": [[2010, 2, 6]], "date-time": "2010-02-06T00:00:00Z", "timestamp": 1265414400000}
LATER = {"date-parts": [[2012, 3]], "date-time": "2012-03-01T00:00:00Z", "timestamp": 1330560000000}
CASES = ("own", "notice", "watch", "table", "openalex", "concern", "corrected", "reinstated", "is_notice", "clean")
EXPECTED = dict(zip(CASES, (*["retracted"] * 5, "concern", "corrected", "reinstated", None, None), strict=True))
LISTED = {f"10.1000/{case}.{number}": EXPECTED[case] for case in CASES for number in range(5)}
"""Fifty DOIs of ten kinds, with the status of each."""


def update(doi: str, kind: str, day: dict[str, Any] = DAY, source: str = "publisher") -> dict[str, Any]:
    return {"DOI": doi, "type": kind, "label": kind.title(), "source": source, "updated": day}


def work(doi: str) -> dict[str, Any]:
    """Return a work of Crossref, whose DOIs keep their case."""
    case = doi.split("/")[1].split(".")[0]
    of_paper = {
        "own": [update(f"{doi}-r", "retraction")],
        "watch": [update(f"{doi}-r", "retraction", source="retraction-watch")],
        "concern": [update(f"{doi}-e", "expression_of_concern"), update(f"{doi}-c", "correction")],
        "corrected": [update(f"{doi}-c", "Erratum"), update(f"{doi}-v", "new_version")],
        "reinstated": [update(f"{doi}-r", "retraction"), update(f"{doi}-b", "reinstatement", LATER)],
    }.get(case)
    of_notice = [update("10.1000/other", "retraction")] if case == "is_notice" else None
    return {"DOI": doi.upper(), "title": [case], "updated-by": of_paper, "update-to": of_notice}


def crossref(asked: dict[str, str]) -> bytes:
    kinds = [value.split(":", 1) for value in asked["filter"].split(",")]
    if kinds[0][0] == "doi":
        items = [work(doi) for _, doi in kinds]
    else:
        told = [doi for _, doi in kinds if "/notice." in doi]
        items = [{"DOI": f"{doi}-r", "update-to": [update(doi.upper(), "withdrawal")]} for doi in told]
    return json.dumps({"status": "ok", "message": {"total-results": len(items), "items": items * 2}}).encode()


def openalex(asked: dict[str, str]) -> bytes:
    dois = asked["filter"].removeprefix("doi:").split("|")
    flagged = ("openalex", "own", "reinstated", "is_notice")
    works = [
        {"doi": f"https://doi.org/{doi}", "is_retracted": doi.split("/")[1].split(".")[0] in flagged} for doi in dois
    ]
    return json.dumps({"meta": {"count": len(works)}, "results": works}).encode()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(catalogues, "INTERVAL_S", 0.0)
    monkeypatch.setattr(arxiv, "FIRST_PAUSE_S", 0.01)
    with Site() as site:
        site.answers |= {"/crossref/works": crossref, "/openalex/works": openalex}
        yield site


@pytest.fixture
def asked(site: Site) -> Catalogues:
    port = int(site.address.rpartition(":")[2])
    outside = Outside(hosts=["127.0.0.1"], local_ports=[port], gates={})
    return Catalogues(outside, f"{site.address}/crossref", f"{site.address}/openalex", site.address)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "retraction_watch.csv"
    columns = ("Record ID", *RetractionWatch.COLUMNS)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for number, doi in enumerate([*LISTED, "unavailable", ""]):
            if "/table." in doi or "/watch." in doi or "10." not in doi:
                reason = "+Error in Data;+Misconduct by Author;"
                values = (number, doi.upper(), "Retraction", "2/6/2010 0:00", "10.1000/N", reason)
                writer.writerow(dict(zip(columns, values, strict=True)))
    return path


def test_fifty_of_fifty_papers_have_their_status(site: Site, asked: Catalogues, table: Path):
    found = find_notices(list(LISTED), catalogues=asked, table=RetractionWatch(table))
    statuses = {doi: one.status.value if (one := decisive(several)) else None for doi, several in found.notices.items()}
    assert statuses == LISTED
    assert (found.failures, len(site.requests)) == ((), 3 * 3)
    watch = found.notices["10.1000/watch.0"]
    assert watch == {
        Notice("2010-02-06", Status.RETRACTED, "retraction-watch", "10.1000/n", "Error in Data; Misconduct by Author"),
        Notice("2010-02-06", Status.RETRACTED, "crossref", "10.1000/watch.0-r", "by Retraction Watch"),
    }
    assert {Notice.read(str(one)) for one in watch} == watch
    assert decisive(found.notices["10.1000/own.0"]) == Notice(
        "2010-02-06", Status.RETRACTED, "crossref", "10.1000/own.0-r"
    )


def test_a_table_alone_asks_nobody(site: Site, table: Path):
    found = find_notices(list(LISTED), catalogues=None, table=RetractionWatch(table))
    retracted = [doi for doi, several in found.notices.items() if several]
    assert retracted == [doi for doi in LISTED if "/table." in doi or "/watch." in doi]
    assert (site.requests, found.answered) == ([], {"retraction-watch"})


def test_a_busy_service_is_asked_again_and_a_closed_one_is_named(site: Site, asked: Catalogues):
    site.busy["/crossref/works"] = 2
    site.statuses["/openalex/works"] = 401
    found = find_notices(["10.1000/own.0"], catalogues=asked)
    assert found.answered == {"crossref"}
    assert [one.status for one in found.notices["10.1000/own.0"]] == [Status.RETRACTED]
    assert "status 401" in found.failures[0]
    assert len(site.requests) == 2 + 2 + 1


def test_a_cut_answer_is_asked_again(site: Site, asked: Catalogues):
    answers = iter([b'{"status": "ok", "mess'])
    site.answers["/crossref/works"] = lambda query: next(answers, None) or crossref(query)
    assert decisive(find_notices(["10.1000/own.0"], catalogues=asked).notices["10.1000/own.0"])


def test_more_notices_than_a_page_are_asked_in_halves(site: Site, asked: Catalogues):
    def paged(query: dict[str, str]) -> bytes:
        answer = json.loads(crossref(query))
        several = query["filter"].count("updates:") > 1
        if several:
            answer["message"] |= {"total-results": 500, "items": []}
        return json.dumps(answer).encode()

    site.answers["/crossref/works"] = paged
    dois = [doi for doi in LISTED if "/notice." in doi]
    found = find_notices(dois, catalogues=asked)
    assert all(decisive(found.notices[doi]) for doi in dois)


def test_a_comma_in_a_doi_is_no_separator(site: Site, asked: Catalogues):
    site.pages["/crossref/works/10.1000%2Fa,b"] = site.pages["/crossref/works/10.1000%2Fa%2Cb"] = json.dumps(
        {"message": {"DOI": "10.1000/a,b", "updated-by": [update("10.1000/n", "retraction")]}}
    ).encode()
    assert decisive(find_notices(["10.1000/a,b"], catalogues=asked).notices["10.1000/a,b"])


@pytest.mark.parametrize(
    ("notices", "status"),
    [
        ([("2010", "retracted"), ("2012", "reinstated"), ("", "retracted")], "reinstated"),
        ([("2010", "retracted"), ("2012", "reinstated"), ("2013", "retracted")], "retracted"),
        ([("", "reinstated")], "reinstated"),
        ([("2015", "corrected"), ("2014", "concern")], "concern"),
        ([("2015", "corrected")], "corrected"),
        ([], None),
    ],
)
def test_a_retraction_is_undone_by_a_later_reinstatement_only(notices, status):
    found = decisive(Notice(day, Status(kind), "crossref") for day, kind in notices)
    assert (found and found.status) == status


def test_another_table_is_refused(tmp_path: Path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"has no column OriginalPaperDOI; take retraction_watch\.csv"):
        RetractionWatch(tmp_path / "a.csv")


BIB = """
@article{good, title={A Survey of Tides}, doi={10.1000/good}, author={Moon, Ada}, year={2015}}
@article{upper, title={A survey of {TIDES}: Methods and Results}, doi={https://doi.org/10.1000/GOOD}}
@article{gone, title={Vaccines and the Sea}, doi={10.1000/gone}}
@article{other, title={Another Work Entirely}, doi={10.1000/good}}
@article{wrong, title={The Currents of the Northern Sea}, doi={10.1000/nowhere}, author={Sun, B.}, year={2020}}
@article{loose, title={The Currents of the Northern Seas}, author={Sun, B.}, year={2020}}
@article{stranger, title={The Currents of the Northern Sea}, author={Star, C.}, year={2020}}
@article{years, title={The Currents of the Northern Sea}, author={Sun, B.}, year={1999}}
@article{invented, title={A Work that Nobody Wrote}, author={Nobody, N.}, year={2021}}
@misc{zenodo, title={Data of tides}, doi={10.5281/zenodo.7}}
"""
WORKS = {
    "10.1000/good": {"DOI": "10.1000/GOOD", "title": ["A Survey of Tides"], "subtitle": ["Methods and Results"]},
    "10.1000/gone": {
        "DOI": "10.1000/gone",
        "title": ["RETRACTED ARTICLE: Vaccines and the Sea"],
        "updated-by": [update("10.1000/gone-r", "retraction")],
    },
}
NORTHERN = {
    "DOI": "10.1000/north",
    "title": ["The Currents of the Northern Sea"],
    "author": [{"family": "Sun", "given": "Bo"}],
    "issued": {"date-parts": [[2020, 1]]},
}


def library_of_works(asked: dict[str, str]) -> bytes:
    if "query.bibliographic" in asked:
        items = (
            [NORTHERN] if "Currents" in asked["query.bibliographic"] else [{"title": ["A Work that Somebody Wrote"]}]
        )
    else:
        named = [value.split(":", 1)[1] for value in asked["filter"].split(",") if value.startswith("doi:")]
        items = [WORKS[doi] for doi in named if doi in WORKS]
    return json.dumps({"message": {"total-results": len(items), "items": items}}).encode()


def open_works(asked: dict[str, str]) -> bytes:
    found = [{"doi": "https://doi.org/10.5281/zenodo.7", "title": "Data of Tides", "is_retracted": False}]
    return json.dumps({"results": found if "zenodo" in asked["filter"] else []}).encode()


def checked(path: Path, sources: Sources) -> dict[str, CheckedReference]:
    path.write_text(BIB)
    entries, refused = read_bibliography(path)
    report = asyncio.run(check_references(None, entries, sources, collection="main"))
    assert not refused
    return {one.key: one for one in report.references}


def test_an_entry_exists_by_its_doi_and_title_and_never_by_a_similar_title(
    site: Site, asked: Catalogues, tmp_path: Path
):
    site.answers |= {"/crossref/works": library_of_works, "/openalex/works": open_works}
    found = checked(tmp_path / "refs.bib", Sources(asked))
    assert {key: one.verdict.value for key, one in found.items()} == {
        "good": "exists",
        "upper": "exists",
        "gone": "exists",
        "zenodo": "exists",
        "other": "mismatch",
        "wrong": "title_found",
        "loose": "not_found",
        "stranger": "not_found",
        "years": "not_found",
        "invented": "not_found",
    }
    assert (found["gone"].status, found["gone"].date) == ("retracted", "2010-02-06")
    assert [key for key, one in found.items() if one.status] == ["gone"]
    assert found["other"].detail == "10.1000/good is «A Survey of Tides»"
    assert found["wrong"].detail == "10.1000/nowhere is unknown; the title is that of 10.1000/north"
    assert len(site.requests) <= 15


def test_an_entry_is_unchecked_when_nobody_answers(site: Site, asked: Catalogues, tmp_path: Path):
    offline = checked(tmp_path / "refs.bib", Sources())
    site.statuses |= {"/crossref/works": 401}
    failed = checked(tmp_path / "refs.bib", Sources(asked))
    assert {one.verdict.value for found in (offline, failed) for one in found.values()} == {"unchecked"}
    assert len(site.requests) <= 12


@pytest.mark.parametrize(
    ("stated", "title", "agree"),
    [
        ("Deep learning", "Deep Learning", True),
        ("Deep learning", "Deep learning for the diagnosis of heart failure", False),
        ("WITHDRAWN: On the tides of the sea", "On the tides of the sea", True),
        ("On the tides of the northern sea", "On the tides of the northern sea: a review", True),
        ("On the tides of the sea", "On the winds of the desert", False),
    ],
)
def test_titles_agree_by_their_letters(stated: str, title: str, agree: bool):
    assert are_one_title(stated, [title]) is agree


def test_openalex_is_not_asked_without_crossref_which_knows_the_notices(site: Site, asked: Catalogues):
    site.statuses["/crossref/works"] = 401
    found = find_notices(["10.1000/is_notice.0"], catalogues=asked)
    assert (found.answered, len(found.failures), len(site.requests)) == (frozenset(), 1, 1)
    assert not found.notices["10.1000/is_notice.0"]
