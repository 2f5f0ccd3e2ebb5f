"""Works that catalogues list: nothing lost, nothing doubled and few requests, whatever the catalogue answers."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pytest

from papergraph.errors import InputError
from papergraph.ingest.fetch import works as module
from papergraph.ingest.fetch.works import Rests, Work, WorkCatalogues, merged
from papergraph.ingest.sources import Metadata
from papergraph.settings import Settings
from tests.support.fake_catalogue import FakeCatalogue, Fault
from tests.support.work_catalogues import error, opened

N, LIMIT = 25, 100


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCatalogue]:
    monkeypatch.setattr(module, "PER_PAGE", 10)
    with FakeCatalogue(N) as catalogue:
        yield catalogue


def edited(change: Callable[[dict], object]) -> Fault:
    def body(data: bytes) -> bytes:
        answer = json.loads(data)
        change(answer)
        return json.dumps(answer).encode()

    return Fault(body=body)


def grown(catalogue: FakeCatalogue) -> None:
    catalogue.titles[:0] = [f"The newest tides of harbour {n}" for n in range(9000, 9005)]


LATER = "Fri, 31 Dec 1999 23:59:59 GMT"
TEMPORARY = {
    "429 with Retry-After": error(429, Retry_After="7"),
    "429 with a date": error(429, Retry_After=LATER),
    "429 without a time": error(429),
    "503": error(503),
    "500": error(500),
    "a body cut short": Fault(body=lambda data: data[: len(data) // 2], lacking=5),
    "half of the document": Fault(body=lambda data: data[: len(data) // 2]),
    "a page of HTML": Fault(body=lambda data: b"<html>busy</html>"),
    "an empty body": Fault(body=lambda data: b""),
}
LASTING = {
    "401": error(401),
    "400": error(400),
    "404": error(404),
    "429 for an hour": error(429, Retry_After="3600"),
    "a redirect to another host": Fault(302, {"Location": "https://elsewhere.example.org/"}),
}
ODD = {
    "no fault": Fault(),
    "a total that grows": edited(lambda answer: answer["meta"].update(count=9999)),
    "a total that shrinks": edited(lambda answer: answer["meta"].update(count=1)),
    "no total": edited(lambda answer: answer.pop("meta")),
    "an empty page before the end": edited(lambda answer: answer.update(results=[])),
    "no list": edited(lambda answer: answer.update(results=None)),
    "new works between pages": Fault(before=grown),
}


def some_of(faults: Iterable[str]) -> list[tuple[str, str]]:
    """Return all faults for OpenAlex, and each third for the others, whose pages are read by the same code."""
    names = list(faults)
    by_name = {"openalex": names, "crossref": names[::3], "arxiv": names[1::3]}
    return [(name, fault) for name, several in by_name.items() for fault in several]


BOUND = 3 + 1 + 3
"""Requests for three pages, an empty one, and the repeats of one page."""


def total(catalogue: FakeCatalogue, name: str, fault: Fault, at: int) -> tuple[int, int, int]:
    """Return the works found with a fault at a request, in a second run where the first failed, and the requests."""
    catalogue.faults = {at: fault}
    asked = opened(catalogue, name)
    found = asked.of_query("tides", since=None, limit=LIMIT)
    n_first = len(catalogue.requests)
    if asked.failures:
        found = merged([*found, *opened(catalogue, name).of_query("tides", since=None, limit=LIMIT)])
    titles = [work.metadata.title for work in found]
    lost = set(catalogue.titles) - set(titles) - {one for one in catalogue.titles if "newest" in one}
    return len(titles) - len(set(titles)), len(lost), n_first


@pytest.mark.parametrize(("name", "fault"), some_of(TEMPORARY))
def test_a_temporary_fault_costs_one_more_request(catalogue, name, fault):
    doubled, lost, n_requests = total(catalogue, name, TEMPORARY[fault], 2)
    print(f"{name}, {fault}: {n_requests} requests")
    assert (doubled, lost) == (0, 0)
    assert n_requests <= BOUND


@pytest.mark.parametrize(("name", "fault"), some_of(LASTING))
def test_after_a_lasting_fault_the_next_run_finds_the_rest(catalogue, name, fault):
    doubled, lost, n_requests = total(catalogue, name, LASTING[fault], 2)
    print(f"{name}, {fault}: {n_requests} requests, then a second run")
    assert (doubled, lost, n_requests) == (0, 0, 2)


@pytest.mark.parametrize("at", [2])
@pytest.mark.parametrize("fault", ODD)
def test_an_odd_page_loses_and_doubles_nothing(catalogue, fault, at):
    doubled, lost, n_requests = total(catalogue, "openalex", ODD[fault], at)
    print(f"openalex, {fault} at request {at}: {n_requests} requests")
    assert (doubled, lost) == (0, 0)
    assert n_requests <= BOUND


@pytest.mark.parametrize("name", ["openalex", "crossref"])
def test_a_page_that_comes_twice_is_asked_for_again(catalogue, name):
    first: list[bytes] = []
    keep = Fault(body=lambda data: first.append(data) or data)  # type: ignore[func-returns-value]
    catalogue.faults = {1: keep, 2: Fault(body=lambda data: first[0])}
    found = opened(catalogue, name).of_query("tides", since=None, limit=LIMIT)
    print(f"{name}, a page twice: {len(catalogue.requests)} requests")
    assert (len(found), len(catalogue.requests) <= BOUND) == (N, True)


def test_with_a_key_pages_go_by_cursor_and_without_a_next_one_by_number(catalogue):
    catalogue.key = "secret"
    asked = opened(catalogue, "openalex", key="secret")
    assert len(asked.of_query("tides", since=None, limit=LIMIT)) == N
    assert "cursor=" in catalogue.requests[0]
    catalogue.requests.clear()
    catalogue.faults = {1: edited(lambda answer: answer["meta"].update(next_cursor=None))}
    assert len(opened(catalogue, "openalex", key="secret").of_query("tides", since=None, limit=LIMIT)) == N
    assert "page=2" in catalogue.requests[1]


def test_a_refused_key_is_reported_and_shown_nowhere(catalogue):
    catalogue.key = "another"
    asked = opened(catalogue, "openalex", key="secret")
    assert asked.of_query("tides", since=None, limit=LIMIT) == []
    assert len(asked.failures) == len(catalogue.requests) == 1
    assert "401" in asked.failures[0]
    assert "secret" not in asked.failures[0]


def test_a_catalogue_that_never_answers_rests_longer_after_each_failure(catalogue):
    now = [0.0]
    rests = Rests(lambda: now[0])
    catalogue.faults = {n: error(503) for n in range(1, 100)}
    for expected in (60.0, 120.0, 240.0):
        asked = opened(catalogue, "openalex", rests=rests)
        assert asked.of_query("tides", since=None, limit=LIMIT) == []
        assert rests.left_s("openalex") == expected
        n = len(catalogue.requests)
        assert opened(catalogue, "openalex", rests=rests).of_query("tides", since=None, limit=LIMIT) == []
        assert len(catalogue.requests) == n
        now[0] += expected
    assert len(catalogue.requests) == 3 * 4  # attempts of ask_patiently


def test_a_catalogue_without_an_end_is_left_at_the_limit(catalogue, monkeypatch):
    monkeypatch.setattr(catalogue, "titles", [f"The tides of harbour number {n:04}" for n in range(300)])
    found = opened(catalogue, "openalex").of_query("tides", since=None, limit=LIMIT)
    assert (len(found), len(catalogue.requests)) == (LIMIT, LIMIT // module.PER_PAGE)


def test_works_are_one_by_doi_arxiv_id_or_title():
    tides = partial(Metadata, title="Tides of a small harbour in the north")
    same = [
        Work(tides(arxiv_id="2601.00001"), "arxiv"),
        Work(tides(doi="10.48550/arxiv.2601.00001", abstract="They rise."), "openalex", openalex="W1"),
        Work(tides(doi="10.1000/182"), "crossref"),
    ]
    other = Work(Metadata(title="Tides", doi="10.1000/183"), "crossref")
    found = merged([*same, other, *same])
    assert [work.metadata.title for work in found] == ["Tides of a small harbour in the north", "Tides"]
    assert (found[0].metadata.abstract, found[0].doi, found[0].arxiv_id) == ("They rise.", None, "2601.00001")


def test_no_source_is_asked_unless_enabled(catalogue):
    with pytest.raises(InputError, match="PAPERGRAPH_WATCH_SOURCES"):
        WorkCatalogues.opened(Settings())
    with pytest.raises(InputError, match="This needs openalex"):
        opened(catalogue, "arxiv").citing(["W1"], limit=10)
    assert catalogue.requests == []
