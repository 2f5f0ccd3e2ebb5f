import hashlib
from collections.abc import Iterator

import pytest

from papergraph.errors import BlockedUrlError, OutboundError, OutboundStatusError, Reason, SourceError
from papergraph.ingest.sources import DocumentRef, Format, find_documents
from papergraph.ingest.sources.arxiv import IDS_AT_ONCE, AnswerError, RefusedError, find_arxiv, read_feed, read_history
from papergraph.ingest.sources.metadata import metadata_of
from tests.support.fake_arxiv import ERROR, FEED, HISTORY, NO_HISTORY, VERSION, FakeArxiv
from tests.support.web_site import Site

FULL = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query%3Dall%3Amoon" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=all:moon</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1000</opensearch:totalResults>
  <entry>
    <id>https://arxiv.org/abs/hep-ex/0307015v2</id>
    <updated>2003-07-07T17:46:39Z</updated>
    <published>2003-07-06T13:46:39-04:00</published>
    <title>Multi-Electron Production at
  High Transverse Momenta in $e^+ p$ Collisions</title>
    <summary>  Multi-electron production is
studied.

  It agrees &amp; agrees.
</summary>
    <author>
      <name>H1 Collaboration</name>
      <arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">DESY</arxiv:affiliation>
    </author>
    <author><name>Kar&#243;l  One</name></author>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">23 pages,
  supersedes arXiv:hep-ex/0000001, which has been withdrawn</arxiv:comment>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Eur.Phys.J. C31 (2003) 17-29</arxiv:journal_ref>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1140/epjc/s2003-01326-x</arxiv:doi>
    <link href="http://arxiv.org/abs/hep-ex/0307015v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/hep-ex/0307015v2" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="hep-ex" scheme="http://arxiv.org/"/>
    <category term="hep-ex" scheme="http://arxiv.org/schemas/atom"/>
    <category term="hep-ph" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
  <entry/>
</feed>"""


@pytest.fixture
def arxiv() -> Iterator[FakeArxiv]:
    with Site() as site:
        yield FakeArxiv(site)


def read(found: DocumentRef | SourceError):
    assert isinstance(found, DocumentRef), found
    return found.read(max_bytes=10_000)


def test_an_entry_of_a_feed_is_a_record_with_all_that_it_says():
    page = read_feed(FULL)

    assert page.n_total == 1000
    assert page.records == (
        {
            "arxiv_id": "hep-ex/0307015",
            "version": "v2",
            "title": "Multi-Electron Production at High Transverse Momenta in $e^+ p$ Collisions",
            "authors": [{"name": "H1 Collaboration", "affiliations": ["DESY"]}, "Karól One"],
            "abstract": "Multi-electron production is\nstudied.\n\n  It agrees & agrees.",
            "primary_category": "hep-ex",
            "categories": ["hep-ex", "hep-ph"],
            "published": "2003-07-06T13:46:39-04:00",
            "updated": "2003-07-07T17:46:39Z",
            "comment": "23 pages, supersedes arXiv:hep-ex/0000001, which has been withdrawn",
            "journal_ref": "Eur.Phys.J. C31 (2003) 17-29",
            "doi": "10.1140/epjc/s2003-01326-x",
            "abs_url": "https://arxiv.org/abs/hep-ex/0307015v2",
            "pdf_url": "http://arxiv.org/pdf/hep-ex/0307015v2",
        },
    )
    metadata = metadata_of(page.records[0])
    assert (metadata.arxiv_id, metadata.arxiv_version, metadata.year) == ("hep-ex/0307015", 2, 2003)
    assert metadata.authors == ("H1 Collaboration", "Karól One")
    assert metadata.abstract == "Multi-electron production is studied.\n\nIt agrees & agrees."


@pytest.mark.parametrize(
    ("comment", "is_withdrawn"),
    [
        ("This paper has been withdrawn by the authors due to a crucial error in Lemma 2", True),
        ("Withdrawn: superseded", True),
        ("The manuscript was withdrawn", True),
        ("12 pages; supersedes 0801.0001, which has been withdrawn", False),
        ("This paper withdraws an earlier claim", False),
        ("", False),
    ],
)
def test_a_withdrawn_paper_is_known_by_the_beginning_of_its_comment(comment, is_withdrawn):
    (record,) = read_feed(FULL.replace(b"23 pages,", comment.encode() + b" ")).records

    assert record.get("withdrawn", False) is is_withdrawn


def test_a_history_tells_all_versions_with_their_dates_and_the_licence():
    versions = VERSION.format(n=1, size="22kb", type="") + VERSION.format(n=2, size="0kb", type="")
    history = read_history(HISTORY.format(id="2601.1", versions=versions, title="x").encode())

    assert history == {
        "versions": [
            {"version": "v1", "created": "Thu, 1 Jan 2026 15:29:52 GMT", "size": "22kb"},
            {"version": "v2", "created": "Thu, 2 Jan 2026 15:29:52 GMT", "size": "0kb"},
        ],
        "license": "http://creativecommons.org/licenses/by/4.0/",
        "submitter": "Alice Moon",
    }
    gone = versions.replace("0kb</size>", "0kb</size><source_type>I</source_type>")
    assert read_history(HISTORY.format(id="2601.1", versions=gone, title="x").encode())["withdrawn"] is True


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"Rate exceeded.", "no XML but 'Rate exceeded.'"),
        (b"", "no XML"),
        (b"<html/>", "the root html"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", "how many papers"),
        (b"<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><a>&a;</a>", "the root a"),
    ],
)
def test_what_is_no_feed_is_refused_with_what_it_is(answer, said):
    with pytest.raises(AnswerError, match=said):
        read_feed(answer)


def test_an_error_that_comes_as_a_paper_is_none():
    feed = FEED.format(query="x", n=1, total=1, start=0, entries=ERROR)

    with pytest.raises(RefusedError, match="incorrect id format for x"):
        read_feed(feed.encode())
    with pytest.raises(RefusedError, match="idDoesNotExist no such paper"):
        read_history(NO_HISTORY.encode())


def test_entities_are_not_expanded():
    bomb = FULL.replace(b"<feed ", b"<!DOCTYPE feed [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><feed ")

    (record,) = read_feed(bomb.replace(b"<title>Multi", b"<title>&b;Multi")).records

    assert "aaa" not in str(record)


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("arxiv:2601.05286", "2601.05286"),
        ("arXiv:2601.05286v12", "2601.05286v12"),
        ("arxiv:quant-ph/9901001v1", "quant-ph/9901001v1"),
        ("arxiv:math.GT/0309136", "math/0309136"),
        ("https://arxiv.org/abs/2601.05286v2", "2601.05286v2"),
        ("http://export.arxiv.org/pdf/2601.05286.pdf", "2601.05286"),
        ("arxiv:hello", None),
        ("https://arxiv.org/list/quant-ph/new", None),
        ("https://arxiv.org.example.org/abs/2601.05286", None),
        ("2601.05286", None),
    ],
)
def test_arxiv_ids_and_links_name_papers(spec, found):
    assert find_arxiv(spec) == found


def test_a_paper_at_arxiv_is_its_pdf_with_the_metadata_of_the_api(arxiv):
    arxiv.add("2601.05286", "Tides of a moon", version=2)

    (found,) = find_documents(["arXiv:2601.05286"], web=arxiv.web)
    assert not arxiv.site.requests
    source = read(found)

    assert (source.name, source.format, source.data) == ("arxiv:2601.05286", Format.PDF, b"%PDF-1.7\n...")
    assert source.metadata is not None
    assert (source.metadata.title, source.metadata.arxiv_version) == ("Tides of a moon", 2)
    assert source.content_hash != hashlib.sha256(source.data).hexdigest()
    assert [request.partition("?")[0] for request in arxiv.site.requests] == ["/api/query", "/pdf/2601.05286v2"]


def test_papers_share_a_request_for_metadata_and_each_request_waits_three_seconds(arxiv):
    names = [f"2601.0000{n}" for n in range(5)]
    for name in names:
        arxiv.add(name, name)
    arxiv.papers[4].version = 3
    arxiv.publish()

    found = list(find_documents([f"arxiv:{name}" for name in (*names, names[0], "2601.00004v3")], web=arxiv.web))
    for document in found:
        read(document)

    assert [document.name for document in found] == [f"arxiv:{name}" for name in (*names, "2601.00004v3")]
    assert len([request for request in arxiv.site.requests if request.startswith("/api")]) == 1
    assert arxiv.clock.slept == [3.0] * (len(arxiv.site.requests) - 1)


def test_a_request_for_metadata_names_at_most_a_hundred_papers(arxiv):
    ids = [f"2601.{n:05}" for n in range(IDS_AT_ONCE + 1)]
    found = list(find_documents([f"arxiv:{each}" for each in ids], web=arxiv.web))

    for document in found:
        with pytest.raises(SourceError):
            read(document)

    assert len(arxiv.site.requests) == 2


@pytest.mark.parametrize(
    ("paper", "reason", "said"),
    [
        (None, Reason.NOT_FOUND, "no such paper"),
        ({"comment": "Withdrawn, wrong sign", "version": 2}, Reason.WITHDRAWN, "«Withdrawn, wrong sign».*v1"),
        ({"pdf": None}, Reason.NOT_FOUND, "status 404"),
        ({"pdf": b"%PDF-" + b"x" * 10_000}, Reason.TOO_LARGE, "10,000 bytes"),
        ({"pdf": b"<html>Being made</html>"}, Reason.UNREACHABLE, "it is no PDF"),
    ],
)
def test_a_paper_that_cannot_be_had_is_refused_with_the_reason(arxiv, paper, reason, said):
    if paper is not None:
        arxiv.add("2601.05286", "Tides", **paper)
    (found,) = find_documents(["arxiv:2601.05286"], web=arxiv.web)

    with pytest.raises(SourceError, match=said) as caught:
        read(found)

    assert (caught.value.source, caught.value.reason) == ("arxiv:2601.05286", reason)


def test_without_a_way_out_nothing_outside_is_asked():
    (refused,) = find_documents(["arxiv:2601.05286"])

    assert isinstance(refused, SourceError)
    assert refused.reason is Reason.BLOCKED


def test_a_busy_arxiv_is_asked_again_after_as_long_as_it_says(arxiv):
    arxiv.add("2601.05286", "Tides")
    arxiv.site.busy["/api/query"] = 2
    arxiv.site.extra["/api/query"] = {"Retry-After": "17"}

    record = arxiv.web.arxiv.record("2601.05286")

    assert record is not None
    assert arxiv.clock.slept == [17.0, 17.0]
    arxiv.site.busy["/api/query"] = 9
    with pytest.raises(OutboundStatusError):
        arxiv.web.arxiv.record("2601.05286")
    assert len(arxiv.site.requests) == 3 + 4
    arxiv.site.extra["/api/query"] = {"Retry-After": "100000"}
    with pytest.raises(OutboundStatusError):
        arxiv.web.arxiv.record("2601.05286")
    assert len(arxiv.site.requests) == 3 + 4 + 1


def test_an_answer_that_tells_of_an_error_is_not_asked_for_again(arxiv):
    arxiv.site.answers["/api/query"] = lambda query: FEED.format(
        query="x", n=1, total=1, start=0, entries=ERROR
    ).encode()

    with pytest.raises(OutboundError, match="refused the request"):
        arxiv.web.arxiv.search("x", sort="relevance", start=0, n=1)
    assert len(arxiv.site.requests) == 1


def test_a_page_that_comes_empty_though_there_are_papers_is_asked_for_again(arxiv):
    arxiv.add("2601.05286", "Tides")
    whole = arxiv.site.answers["/api/query"]
    empty = [FEED.format(query="x", n=1, total=1, start=0, entries="").encode()]
    arxiv.site.answers["/api/query"] = lambda query: empty.pop() if empty else whole(query)

    page = arxiv.web.arxiv.search("x", sort="relevance", start=0, n=1)

    assert (page.n_total, len(page.records), len(arxiv.site.requests)) == (1, 1, 2)


def test_a_redirect_waits_at_the_gate_like_any_request(arxiv):
    arxiv.add("2601.05286", "Tides")
    arxiv.site.redirects["/pdf/2601.05286"] = "/pdf/2601.05286v1"

    arxiv.web.arxiv.pdf("2601.05286", max_bytes=1000)

    assert arxiv.clock.slept == [3.0]


def test_arxiv_does_not_lead_out_of_the_allowed_hosts(arxiv):
    arxiv.site.redirects["/pdf/2601.05286"] = "http://169.254.169.254/latest"

    with pytest.raises(BlockedUrlError):
        arxiv.web.arxiv.pdf("2601.05286", max_bytes=1000)
    assert len(arxiv.site.requests) == 1
