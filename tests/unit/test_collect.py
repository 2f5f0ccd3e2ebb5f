import fcntl
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from papergraph.errors import InputError, OutboundError, Reason, SourceError
from papergraph.ingest.fetch.arxiv import Collected, FetchOptions, RequestedPaper, Search, collect
from papergraph.ingest.sources import DocumentRef, Format, find_documents
from tests.support.fake_arxiv import FakeArxiv, gz, tar_gz
from tests.support.web_site import Site

MOON = Search("moon")


@pytest.fixture
def arxiv() -> Iterator[FakeArxiv]:
    with Site() as site:
        yield FakeArxiv(site)


def many(arxiv: FakeArxiv, n: int) -> None:
    for number in range(n):
        arxiv.add(f"2601.{number:05}", f"Paper {number}")


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "papers.jsonl").read_text().splitlines()]


def asked(arxiv: FakeArxiv) -> list[str]:
    paths = [request.partition("?")[0] for request in arxiv.site.requests]
    arxiv.site.requests.clear()
    return paths


def summary(found: Collected) -> tuple[int, int, int, int]:
    return found.n_papers, found.n_new, found.n_newer, found.n_fetched


@pytest.mark.parametrize(
    ("search", "query"),
    [
        (Search("surface code"), 'all:"surface code"'),
        (Search.choose("A. Moon", where="author"), 'au:"A. Moon"'),
        (Search(categories=("quant-ph", "cs.*")), "(cat:quant-ph OR cat:cs.*)"),
        (
            Search('a "b" \\ c', categories=("cond-mat.soft",), since=date(2025, 1, 2), until=date(2026, 1, 31)),
            'all:"a b c" AND (cat:cond-mat.soft) AND submittedDate:[202501020000 TO 202601312359]',
        ),
        (Search("x", since=date(2025, 1, 2)), 'all:"x" AND submittedDate:[202501020000 TO 299912312359]'),
        (Search("x OR au:y"), 'all:"x OR au:y"'),
    ],
)
def test_a_search_is_written_in_the_language_of_the_api(search, query):
    assert search.query == query


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"phrase": ' "" '}, "phrase"),
        ({"phrase": "x", "categories": ["cs.LG OR cat:x"]}, "category"),
        ({"phrase": "x", "since": date(2026, 1, 2), "until": date(2026, 1, 1)}, "until"),
        ({"phrase": "x", "where": "everything"}, "field"),
        ({"phrase": "x", "sort": "random"}, "sort"),
    ],
)
def test_a_search_that_asks_for_nothing_or_nonsense_is_refused(wrong, field):
    with pytest.raises(InputError) as caught:
        Search.choose(**wrong)

    assert caught.value.field == field


def test_a_search_is_read_page_by_page_up_to_so_many_papers(arxiv, tmp_path):
    many(arxiv, 250)

    found = collect(arxiv.web.arxiv, MOON, tmp_path / "moon", FetchOptions(most=230))

    assert (found.n_matching, *summary(found)) == (250, 230, 230, 0, 0)
    assert [line["arxiv_id"] for line in lines(tmp_path / "moon")] == [f"2601.{n:05}" for n in range(230)]
    assert asked(arxiv) == ["/api/query"] * 3
    assert arxiv.clock.slept == [3.0, 3.0]


def test_what_is_collected_is_ingested_as_it_is_with_files_and_without(arxiv, tmp_path):
    many(arxiv, 2)
    arxiv.papers[1].pdf = None
    arxiv.site.pages.pop("/pdf/2601.00001v1")

    found = collect(arxiv.web.arxiv, MOON, tmp_path / "moon", FetchOptions(wanted=RequestedPaper.PDF))
    documents = [each for each in find_documents([tmp_path / "moon"]) if isinstance(each, DocumentRef)]

    assert summary(found) == (2, 2, 0, 1)
    assert [(each.arxiv_id, each.detail) for each in found.missing] == [("2601.00001", "was answered with status 404")]
    sources = [document.read(max_bytes=1000) for document in documents]
    assert [(source.format, source.metadata.arxiv_id) for source in sources] == [
        (Format.PDF, "2601.00000"),
        (Format.RECORD, "2601.00001"),
    ]
    for source in sources:
        about = source.metadata
        assert (about.title, about.authors, about.year) == (
            f"Paper {int(about.arxiv_id[-5:])}",
            ("A. Moon", "B. Sun"),
            2026,
        )
        assert (about.primary_category, about.categories) == ("quant-ph", ("quant-ph", "cs.LG"))
        assert (about.published, about.updated) == (datetime(2026, 1, 1, 15, 29, 52, tzinfo=UTC),) * 2
        assert about.url and about.abstract == f"The abstract of {about.title}."


def test_the_same_call_again_asks_for_what_is_new_alone(arxiv, tmp_path):
    many(arxiv, 3)
    call = {"wanted": RequestedPaper.PDF, "versions": True}
    collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(**call))
    first = asked(arxiv)

    again = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(**call))
    assert asked(arxiv) == ["/api/query"]
    assert first == ["/api/query", *["/oai"] * 3, *(f"/pdf/2601.0000{n}v1" for n in range(3))]
    assert summary(again) == (3, 0, 0, 0)

    arxiv.papers[1].version = 2
    arxiv.add("2601.00009", "New")
    newer = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(**call))

    assert asked(arxiv) == ["/api/query", "/oai", "/oai", "/pdf/2601.00001v2", "/pdf/2601.00009v1"]
    assert summary(newer) == (4, 1, 1, 2)
    assert sorted(path.name for path in (tmp_path / "pdf").iterdir()) == [
        "2601.00000v1.pdf",
        "2601.00001v2.pdf",
        "2601.00002v1.pdf",
        "2601.00009v1.pdf",
    ]
    told = lines(tmp_path)[1]
    assert [version["version"] for version in told["versions"]] == ["v1", "v2"]
    assert (told["license"], told["submitter"]) == ("http://creativecommons.org/licenses/by/4.0/", "Alice Moon")


def test_what_arxiv_adds_to_a_paper_later_is_taken_over_and_its_file_kept(arxiv, tmp_path):
    many(arxiv, 1)
    collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF))
    arxiv.papers[0].comment = "Published at last"

    collect(arxiv.web.arxiv, MOON, tmp_path)

    (told,) = lines(tmp_path)
    assert (told["comment"], told["file"]) == ("Published at last", "pdf/2601.00000v1.pdf")


@pytest.mark.slow
def test_a_call_that_ends_at_any_request_is_gone_on_with_and_gives_the_same(arxiv, tmp_path):
    many(arxiv, 205)
    call = {"most": 205, "wanted": RequestedPaper.PDF}
    for paper in arxiv.papers[5:]:
        paper.comment = "Withdrawn"  # so that there are three pages, and few files
    collect(arxiv.web.arxiv, MOON, tmp_path / "whole", FetchOptions(**call))
    n_requests = len(asked(arxiv))

    for n_allowed in (0, 1, 2, 3, 4, 7):
        folder = tmp_path / str(n_allowed)
        with pytest.raises(KeyboardInterrupt):
            collect(arxiv.web_for(n_allowed).arxiv, MOON, folder, FetchOptions(**call))
        n_first = len(asked(arxiv))
        if n_allowed == 7:
            with (folder / "papers.jsonl").open("ab") as file:
                file.write(b'{"arxiv_id": "2601.000')  # a line that was being written

        collect(arxiv.web.arxiv, MOON, folder, FetchOptions(**call))

        assert lines(folder) == lines(tmp_path / "whole")
        assert n_first + len(asked(arxiv)) <= n_requests + 3


def test_withdrawn_papers_are_reported_and_neither_fetched_nor_ingested(arxiv, tmp_path):
    arxiv.add("2601.00001", "Wrong", version=3, comment="This paper has been withdrawn by the author")
    arxiv.add("2601.00002", "Taken back", version=2, withdrawn=True)
    arxiv.add("2601.00003", "Right")

    found = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF, versions=True))

    assert found.withdrawn == ("2601.00001", "2601.00002")
    assert [path.name for path in (tmp_path / "pdf").iterdir()] == ["2601.00003v1.pdf"]
    documents = list(find_documents([tmp_path]))
    assert [each.reason for each in documents if isinstance(each, SourceError)] == [Reason.WITHDRAWN] * 2
    assert len(documents) == 3


def test_sources_are_kept_as_they_came_by_what_they_are(arxiv, tmp_path):
    arxiv.add("2601.00001", "Files", source=tar_gz(**{"a.tex": b"\\section{A}"}))
    arxiv.add("2601.00002", "One file", source=gz(b"\\section{A}" * 100))
    arxiv.add("math/0309136", "A PDF", source=b"%PDF-1.4 sent so")
    arxiv.add("2601.00004", "Nonsense", source=b"<html>")
    arxiv.site.extra["/src/2601.00001v1"] = {"Content-Encoding": "x-gzip"}

    found = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.SOURCE))

    assert {line["arxiv_id"]: line.get("file") for line in lines(tmp_path)} == {
        "2601.00001": "source/2601.00001v1.tar.gz",
        "2601.00002": "source/2601.00002v1.tex.gz",
        "math/0309136": "source/math_0309136v1.pdf",
        "2601.00004": None,
    }
    assert (tmp_path / "source" / "2601.00001v1.tar.gz").read_bytes() == arxiv.papers[0].source
    assert [each.arxiv_id for each in found.missing] == ["2601.00004"]
    formats = [
        each.read(max_bytes=10_000).format for each in find_documents([tmp_path]) if isinstance(each, DocumentRef)
    ]
    assert formats == [Format.LATEX, Format.LATEX, Format.PDF, Format.RECORD]

    arxiv.site.requests.clear()
    collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF))
    assert asked(arxiv) == ["/api/query", *(f"/pdf/{paper.id}v1" for paper in arxiv.papers)]
    assert not list((tmp_path / "source").iterdir())


def test_an_arxiv_that_no_longer_answers_ends_the_call_and_what_was_had_stays(arxiv, tmp_path):
    many(arxiv, 8)
    for n in range(2, 8):
        arxiv.site.statuses[f"/pdf/2601.0000{n}v1"] = 503

    with pytest.raises(OutboundError):
        collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF))
    arxiv.site.statuses.clear()
    found = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF))

    assert (found.n_papers, found.n_fetched, found.missing) == (8, 6, ())


def test_a_file_over_the_limit_is_missing_and_the_others_go_on(arxiv, tmp_path):
    many(arxiv, 5)
    for paper in arxiv.papers[:4]:
        paper.pdf = b"%PDF-" + b"x" * 2000
    arxiv.publish()

    found = collect(arxiv.web.arxiv, MOON, tmp_path, FetchOptions(wanted=RequestedPaper.PDF, max_bytes=1000))

    assert (found.n_fetched, len(found.missing)) == (1, 4)
    assert "1,000 bytes" in found.missing[0].detail


def test_a_folder_belongs_to_one_search_and_one_process(arxiv, tmp_path):
    many(arxiv, 1)
    collect(arxiv.web.arxiv, MOON, tmp_path / "moon")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("Mine.")

    for folder, search, said in (
        ("moon", Search("sun"), "another request .*moon"),
        ("other", MOON, "contains other files"),
    ):
        with pytest.raises(InputError, match=said):
            collect(arxiv.web.arxiv, search, tmp_path / folder)
    with (tmp_path / "moon" / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="Another process"):
            collect(arxiv.web.arxiv, MOON, tmp_path / "moon")


@pytest.mark.parametrize("most", [0, 10_001])
def test_more_than_arxiv_gives_is_refused(arxiv, tmp_path, most):
    with pytest.raises(InputError, match="1 to 10,000"):
        collect(arxiv.web.arxiv, MOON, tmp_path / "moon", FetchOptions(most=most))
    assert not (tmp_path / "moon").exists()


def test_a_file_that_was_spoiled_by_hand_is_named_with_its_line(arxiv, tmp_path):
    many(arxiv, 2)
    collect(arxiv.web.arxiv, MOON, tmp_path)
    (tmp_path / "papers.jsonl").write_text('{"arxiv_id": "1"}\nnonsense\n')

    with pytest.raises(InputError, match="line 2"):
        collect(arxiv.web.arxiv, MOON, tmp_path)
