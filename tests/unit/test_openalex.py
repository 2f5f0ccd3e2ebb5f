import json
from collections.abc import Iterator

import pytest

from papergraph.errors import OutboundError
from papergraph.ingest.fetch.arxiv import FetchOptions, Search, collect
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import DocumentRef, Metadata, find_documents
from papergraph.ingest.sources.metadata import metadata_of
from papergraph.ingest.sources.openalex import WORKS_AT_ONCE, OpenAlex
from tests.support.fake_arxiv import FakeArxiv
from tests.support.web_site import Site

TIDES = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.48550/arxiv.2601.00002",
    "title": "Tides",
    "publication_year": 2026,
    "authorships": [{"author": {"display_name": "A. Moon"}}, {"author": {"display_name": None}}],
}
BARE = {"id": "https://openalex.org/W2", "doi": None, "title": None, "publication_year": None, "authorships": []}


@pytest.fixture
def arxiv() -> Iterator[FakeArxiv]:
    with Site() as site:
        yield FakeArxiv(site)


def cites(site: Site, doi: str, *works: str) -> None:
    told = {"id": "https://openalex.org/W9", "referenced_works": [f"https://openalex.org/{work}" for work in works]}
    site.pages[f"/works/doi:{doi}"] = json.dumps(told).encode()


def works(site: Site, *known: dict) -> None:
    def answer(query: dict[str, str]) -> bytes:
        wanted = query["filter"].removeprefix("openalex:").split("|")
        return json.dumps({"results": [each for each in known if each["id"].rpartition("/")[2] in wanted]}).encode()

    site.answers["/works"] = answer


def test_what_a_paper_cites_is_told_by_openalex_as_csl_json(arxiv):
    cites(arxiv.site, "10.48550/arxiv.2601.00001", "W2", "W1", "W404")
    works(arxiv.site, TIDES, BARE)
    openalex = OpenAlex(arxiv.web.outside, url=arxiv.site.url(""), key="s3cret")

    found = openalex.references(["10.1000/unknown", "10.48550/arxiv.2601.00001"])

    assert found == [
        {"id": "W2"},
        {
            "id": "W1",
            "title": "Tides",
            "author": [{"literal": "A. Moon"}],
            "issued": {"date-parts": [[2026]]},
            "DOI": "10.48550/arxiv.2601.00002",
        },
    ]
    assert all("api_key=s3cret" in request for request in arxiv.site.requests)
    n = len(arxiv.site.requests)
    assert openalex.references(["10.48550/arxiv.2601.00001"]) == found
    assert len(arxiv.site.requests) == n + 2  # the paper, and the work that it knows nothing of


def test_the_key_is_told_to_nobody_else(arxiv):
    arxiv.site.redirects["/works/doi:10.1000/1"] = "/elsewhere"
    arxiv.site.statuses["/elsewhere"] = 500
    openalex = OpenAlex(arxiv.web.outside, url=arxiv.site.url(""), key="s3cret")

    with pytest.raises(OutboundError) as caught:
        openalex.references(["10.1000/1"])
    assert "s3cret" in arxiv.site.requests[0]
    assert "s3cret" not in arxiv.site.requests[1] + str(caught.value) + repr(caught.value.__cause__)


def test_works_are_asked_for_by_fifty(arxiv):
    many = [{**BARE, "id": f"https://openalex.org/W{n}"} for n in range(WORKS_AT_ONCE * 2 + 1)]
    cites(arxiv.site, "10.1000/1", *(f"W{n}" for n in range(len(many))))
    works(arxiv.site, *many)

    found = OpenAlex(arxiv.web.outside, url=arxiv.site.url("")).references(["10.1000/1"])

    assert [item["id"] for item in found] == [f"W{n}" for n in range(len(many))]
    assert len(arxiv.site.requests) == 1 + 3


@pytest.mark.parametrize("answer", [b"<html>", b"[]"])
def test_an_answer_that_is_no_object_is_an_error(arxiv, answer):
    arxiv.site.pages["/works/doi:10.1000/1"] = answer

    with pytest.raises(OutboundError, match="was answered with what is no"):
        OpenAlex(arxiv.web.outside, url=arxiv.site.url("")).references(["10.1000/1"])


def test_collected_papers_have_the_references_and_each_is_asked_for_once(arxiv, tmp_path):
    for n in (1, 2, 3):
        arxiv.add(f"2601.0000{n}", f"Paper {n}")
    cites(arxiv.site, "10.48550/arxiv.2601.00001", "W1")
    cites(arxiv.site, "10.48550/arxiv.2601.00002")
    works(arxiv.site, TIDES)

    for n_missing in (1, 1):
        openalex = OpenAlex(arxiv.web.outside, url=arxiv.site.url(""))
        found = collect(arxiv.web.arxiv, Search("paper"), tmp_path, FetchOptions(citations=openalex))
        assert [each.arxiv_id for each in found.missing] == ["2601.00003"]
        assert len(found.missing) == n_missing

    assert sum("2601.00001" in request for request in arxiv.site.requests) == 1
    first, *_ = [each.read(max_bytes=1000) for each in find_documents([tmp_path]) if isinstance(each, DocumentRef)]
    (reference,) = parse(first).references
    assert (reference.title, reference.authors, reference.year) == ("Tides", ("A. Moon",), 2026)
    assert reference.arxiv_id == "2601.00002"


@pytest.mark.parametrize("value", ["W1", [1], [{"title": "\ud800"}], [{"title": "a\0"}], [{}] * 10_001])
def test_references_that_cannot_be_are_left_out(value):
    metadata = metadata_of({"title": "x", "references": value})
    assert (metadata.references, "references" in metadata.remarks[0]) == ((), True)
    assert metadata_of({"title": "x", "references": []}) == Metadata(title="x")
