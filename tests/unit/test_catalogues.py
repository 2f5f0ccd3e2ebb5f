"""Records and PDFs by identifier: catalogues on this machine that answer in the forms of the public ones."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from papergraph.cli.commands.ingest import _named
from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Web, find_documents
from papergraph.ingest.sources.catalogues import Catalogues, identifier
from papergraph.outbound import open_outside
from papergraph.server.operations.ingest import IngestRequest
from papergraph.settings import Settings
from tests.support.fake_arxiv import FakeArxiv
from tests.support.web_site import Site

CROSSREF = {
    "DOI": "10.1000/182",
    "type": "journal-article",
    "title": ["Tides of the <i>sea</i>"],
    "container-title": ["Journal of Tides"],
    "short-container-title": ["J. Tides"],
    "author": [
        {"given": "Ada", "family": "Moon", "sequence": "first", "ORCID": "http://orcid.org/0000-0002-1825-0097",
         "affiliation": [{"name": "Tidal Institute"}]},
        {"name": "The Sea Group", "sequence": "additional", "affiliation": []},
    ],
    "issued": {"date-parts": [[2015, 10]]},
    "volume": "3",
    "issue": "2",
    "page": "12-15",
    "publisher": "Sea Press",
    "ISSN": ["0028-0836", "1476-4687"],
    "abstract": "<jats:p>They come &amp; go.</jats:p>",
    "reference": [{"key": "r1", "DOI": "10.1000/1", "article-title": "Moons", "author": "Sun", "year": "1999a"}],
}  # fmt: skip
BOOK = {"DOI": "10.1000/book", "type": "monograph", "title": ["A book of tides"], "ISBN": ["9780306406157"]}
CHAPTER = BOOK | {"DOI": "10.1000/book.1", "type": "book-chapter", "title": ["Preface"]}
OPENALEX = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.5281/zenodo.7",
    "title": "Data of tides",
    "type": "dataset",
    "publication_year": 2020,
    "authorships": [{"author": {"display_name": "B. Sun", "orcid": "https://orcid.org/0000-0002-1825-0097"}}],
    "primary_location": {"source": {"display_name": "Zenodo", "issn_l": None}},
    "biblio": {"volume": None, "issue": None, "first_page": None, "last_page": None},
    "abstract_inverted_index": {"Water": [0, 2], "is": [1]},
    "best_oa_location": None,
    "locations": [],
}
PUBMED = """
PMID- 31452104
TI  - Tides in medicine.
FAU - Moon, Ada
JT  - The journal of tides
DP  - 2019 Aug
AID - 10.1000/pm [doi]
"""
AUTHORS = ("Ada Moon", "The Sea Group")
PDF = b"%PDF-1.7\n..."


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.pages["/works/10.1000%2F182"] = json.dumps({"status": "ok", "message": CROSSREF}).encode()
        site.pages["/works/doi:10.5281/zenodo.7"] = json.dumps(OPENALEX).encode()
        site.answers["/works"] = lambda asked: json.dumps({"message": {"items": found_by(asked)}}).encode()
        site.answers["/efetch.fcgi"] = lambda asked: (PUBMED if asked["id"] == "31452104" else "\n").encode()
        yield site


def found_by(asked: dict[str, str]) -> list[dict[str, Any]]:
    return [CHAPTER, BOOK] if asked.get("filter") == "isbn:9780306406157" else [CROSSREF] if len(asked) == 2 else []


@pytest.fixture
def web(site: Site) -> Web:
    address = site.url("")
    mirrors = {"crossref": address, "openalex": address, "pubmed": address}
    settings = Settings(fetch={"catalogues": True, "allowed_hosts": []}, mirrors=mirrors)
    outside = open_outside(settings)
    outside.pace = lambda url, interval_s: None  # type: ignore[method-assign]
    return replace(FakeArxiv(site).web, catalogues=Catalogues(outside, address, address, address))


def read(name: str, web: Web):
    (found,) = find_documents([name], web=web)
    if isinstance(found, SourceError):
        raise found
    return found.read(max_bytes=10_000)


@pytest.mark.parametrize(
    ("name", "title", "doi", "year", "authors", "place"),
    [
        ("doi:10.1000/182", "Tides of the sea", "10.1000/182", 2015, AUTHORS, "Journal of Tides, 3, 12-15"),
        ("title:tides of the sea", "Tides of the sea", "10.1000/182", 2015, AUTHORS, "Journal of Tides, 3, 12-15"),
        ("isbn:978-0-306-40615-7", "A book of tides", "10.1000/book", None, (), None),
        ("pmid:31452104", "Tides in medicine.", "10.1000/pm", 2019, ("Ada Moon",), "The journal of tides"),
        ("doi:10.5281/zenodo.7", "Data of tides", "10.5281/zenodo.7", 2020, ("B. Sun",), "Zenodo"),
    ],
)  # fmt: skip
def test_an_identifier_is_the_record_that_its_catalogue_has(web, name, title, doi, year, authors, place):
    source = read(name, web)
    document, told = parse(source), source.metadata

    assert (document.title, document.doi, document.year, document.authors) == (title, doi, year, authors)
    assert (document.key, told.journal_ref, told.remarks, told.record is not None) == (f"doi:{doi}", place, (), True)


def test_a_record_of_crossref_has_abstract_references_ids_and_affiliations(web):
    source = read("doi:10.1000/182", web)
    assert source.metadata.abstract == "They come & go."
    assert source.metadata.author_ids == ("orcid:0000-0002-1825-0097", "")
    assert (source.metadata.affiliations, source.metadata.venue_ids) == (("Tidal Institute",), ("issn:0028-0836",))
    assert [reference.doi for reference in parse(source).references] == ["10.1000/1"]


@pytest.mark.parametrize(
    ("name", "reason", "told"),
    [
        ("doi:10.1000/none", Reason.NOT_FOUND, "neither Crossref nor OpenAlex"),
        ("pmid:1", Reason.NOT_FOUND, "PubMed has no paper"),
        ("isbn:0306406152", Reason.NOT_FOUND, "no book with this ISBN"),
        ("title:Moons of Jupiter", Reason.NOT_FOUND, "nearest: «Tides of the sea» doi:10.1000/182"),
        ("pdf:doi:10.5281/zenodo.7", Reason.NOT_FOUND, "no open-access PDF"),
    ],
)
def test_what_no_catalogue_has_is_refused_with_the_reason(web, name, reason, told):
    with pytest.raises(SourceError) as refused:
        read(name, web)

    assert (refused.value.reason, told in refused.value.detail) == (reason, True)


def test_an_open_access_pdf_is_fetched_on_request_from_the_first_place_that_may_be_asked(site, web):
    elsewhere, here = "https://journal.example.org/1.pdf", site.url("/a.pdf")
    work = OPENALEX | {"best_oa_location": {"pdf_url": elsewhere}}
    site.pages["/works/doi:10.1000/182"] = json.dumps(work).encode()
    with pytest.raises(SourceError, match=r"journal\.example\.org, which is not among the hosts"):
        read("pdf:doi:10.1000/182", web)

    site.pages["/works/doi:10.1000/182"] = json.dumps(work | {"locations": [{"pdf_url": here}]}).encode()
    site.pages["/a.pdf"] = PDF
    source = read("pdf:doi:10.1000/182", web)

    assert (source.data, source.metadata.doi, source.metadata.url) == (PDF, "10.1000/182", here)


def test_nothing_is_asked_unless_it_is_enabled(site, web):
    with pytest.raises(SourceError, match="PAPERGRAPH_FETCH_CATALOGUES") as refused:
        read("doi:10.1000/182", replace(web, catalogues=None))

    assert (refused.value.reason, site.requests, Web.opened(Settings()).catalogues) == (Reason.BLOCKED, [], None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.1000/182", "doi:10.1000/182"),
        ("DOI: 10.1000/ABC.", "doi:10.1000/abc"),
        ("doi:none", None),
        ("2401.01234v2", "arxiv:2401.01234v2"),
        ("978-0-306-40615-7", "isbn:9780306406157"),
        ("0-306-40615-2", "isbn:0306406152"),
        ("978-0-306-40615-8", None),
        ("pmid: 123", "pmid:123"),
        ("pmid:x", None),
        ("title:  Tides\n of", "title:Tides of"),
        ("PDF:DOI:10.1000/1", "pdf:doi:10.1000/1"),
        ("paper.pdf", None),
        ("2401", None),
    ],
)
def test_identifiers_are_told_from_names_of_files(text, found):
    assert identifier(text) == found


def test_a_path_goes_before_an_identifier_and_requests_take_identifiers_but_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "10.1000").mkdir()
    (tmp_path / "10.1000" / "182").mkdir()

    assert _named(["10.1000/182", "10.1000/1"], ["Tides"], pdf=True) == [
        "10.1000/182", "doi:10.1000/1", "title:Tides", "pdf:doi:10.1000/1", "pdf:title:Tides",
    ]  # fmt: skip
    assert IngestRequest(sources=("10.1000/182", "pmid:7", "title:Tides")).sources
    with pytest.raises(InputError):
        IngestRequest(sources=("paper.pdf",))
    with pytest.raises(InputError):
        _named([], [], pdf=True)


@pytest.mark.parametrize(
    "message",
    [
        {"title": ["Tides"], "author": ["Ada Moon"]},
        {"title": ["Tides"], "author": {"family": "Moon"}},
        {"title": ["Tides"], "author": [{"given": "Ada", "affiliation": ["Tidal Institute"]}]},
        {"title": ["Tides"], "reference": 7},
        {"title": ["Tides"], "subject": [7]},
        {"title": ["Tides"], "author": [None]},
    ],
)
def test_a_record_of_another_form_is_refused(site, web, message):
    site.pages["/works/10.1000%2F9"] = json.dumps({"message": message}).encode()

    with pytest.raises(SourceError) as refused:
        read("doi:10.1000/9", web)

    assert refused.value.reason is Reason.BAD_METADATA
