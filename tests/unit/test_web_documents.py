import hashlib
from collections.abc import Iterator

import pytest

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Format, Metadata, Web, find_documents
from papergraph.ingest.sources.source import hash_content
from tests.support.fake_arxiv import FakeArxiv
from tests.support.web_site import Site

PDF = b"%PDF-1.7\n..."


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def web(site: Site) -> Web:
    return FakeArxiv(site).web


def fetch(url: str, web: Web):
    (found,) = find_documents([url], web=web)
    assert not isinstance(found, SourceError), found
    assert found.content_hash(max_bytes=1000) is None
    return found.read(max_bytes=1000)


@pytest.mark.parametrize(
    ("path", "media_type", "body", "found"),
    [
        ("/a", "application/pdf", PDF, Format.PDF),
        ("/a", "text/html; charset=utf-8", PDF, Format.PDF),
        ("/a.txt", "text/plain", PDF, Format.PDF),
        ("/a", "text/markdown; charset=utf-8", b"# A", Format.MARKDOWN),
        ("/", "text/html", b"<p>A</p>", Format.HTML),
        ("/a.md", "text/plain; charset=utf-8", b"# A", Format.MARKDOWN),
        ("/a", "Text/Plain", b"A", Format.TEXT),
        ("/a.nxml", "application/octet-stream", b"<article/>", Format.XML),
        ("/a", "application/xml", b"<article/>", Format.XML),
        ("/a.md?raw=1", "", b"# A", Format.MARKDOWN),
        ("/src/2601.05286", "application/gzip", b"\x1f\x8b", Format.LATEX),
    ],
)
def test_what_a_url_gives_is_told_by_its_beginning_its_type_or_its_name(site, web, path, media_type, body, found):
    site.pages[path], site.types[path] = body, media_type

    assert fetch(site.url(path), web).format is found


@pytest.mark.parametrize(
    ("path", "media_type", "body", "reason", "said"),
    [
        ("/a", "image/png", b"\x89PNG", Reason.UNSUPPORTED_TYPE, "is image/png"),
        ("/a", "application/pdf", b"<html>", Reason.UNSUPPORTED_TYPE, "is application/pdf"),
        ("/a.pdf", "", b"<html>", Reason.UNSUPPORTED_TYPE, "nothing that is told"),
        ("/a", "text/plain", b"", Reason.EMPTY, "is empty"),
        ("/a", "text/plain", b"a" * 1001, Reason.TOO_LARGE, "1,000 bytes"),
        ("/gone", "text/plain", None, Reason.NOT_FOUND, "status 404"),
    ],
)
def test_what_cannot_be_a_document_is_refused_under_the_name_of_its_url(
    site, web, path, media_type, body, reason, said
):
    if body is not None:
        site.pages[path], site.types[path] = body, media_type

    with pytest.raises(SourceError, match=said) as caught:
        fetch(site.url(path), web)

    assert (caught.value.source, caught.value.reason) == (site.url(path), reason)


def test_a_url_that_must_not_be_asked_is_refused_and_nothing_is_asked(site, web):
    for url in ("https://example.org/a.md", f"http://user@127.0.0.1:{site.port}/a.md", "http://127.0.0.1:1/a.md"):
        with pytest.raises(SourceError) as caught:
            fetch(url, web)
        assert caught.value.reason is Reason.BLOCKED
    assert not site.requests


def test_a_document_is_named_by_its_url_and_not_by_where_that_leads(site, web):
    site.redirects["/new"] = "/v2/a.md"
    site.pages["/v2/a.md"], site.types["/v2/a.md"] = b"# Tides\n\nWater.\n", "application/octet-stream"

    source = fetch(site.url("/new#part"), web)

    url = site.url("/new")
    assert (source.name, source.key, source.format) == (url, url, Format.MARKDOWN)
    assert source.metadata == Metadata(url=url)
    assert source.content_hash == hash_content(hashlib.sha256(source.data).hexdigest(), source.metadata)
    assert (parse(source).key, parse(source).title) == (url, "Tides")


def test_the_same_url_is_one_document_and_a_link_to_a_paper_at_arxiv_is_that_paper(site, web):
    specs = ["https://example.org/a", "https://example.org/a#b", "https://arxiv.org/abs/2601.05286v1"]

    names = [found.name for found in find_documents(specs, web=web) if not isinstance(found, SourceError)]

    assert names == ["https://example.org/a", "arxiv:2601.05286v1"]
    assert all(isinstance(found, SourceError) for found in find_documents(specs))
