"""Documents of strangers in formats that are else parsed here: the same in a child process, which has limits."""

from dataclasses import replace

import pytest

from papergraph.embedding import ModelCard
from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.parsers.sandbox import SandboxLimits
from papergraph.ingest.parsers.sandboxed import parse_sandboxed
from papergraph.ingest.pipeline.prepare import JobSettings, Reader
from papergraph.ingest.sources import Format, Metadata, RawDocument

PAGE = b"""<!DOCTYPE html><html><head><title>Tides</title><meta name="citation_doi" content="10.1000/tides"></head>
<body><main><h1>Tides</h1><h2>Method</h2><p>The water was measured twice a day for a whole year, and it rose.</p>
<table><tr><th>Day</th><th>Height</th></tr><tr><td>1</td><td>4 m</td></tr></table></main></body></html>"""
JATS = b"""<article><front><article-meta><title-group><article-title>Waves</article-title></title-group></article-meta>
</front><body><sec><title>Work</title>
<p>The tides were told before <xref ref-type="bibr" rid="a">1</xref>.</p></sec></body>
<back><ref-list><ref id="a"><mixed-citation>Tides. doi:10.1000/tides</mixed-citation></ref></ref-list></back>
</article>"""


def file(data: bytes, format: Format) -> RawDocument:
    return RawDocument("upload:x/a", data, format, "0" * 64)


@pytest.mark.parametrize("given", [file(PAGE, Format.HTML), file(JATS, Format.XML)], ids=["html", "xml"])
def test_a_child_makes_the_same_document(given):
    assert parse_sandboxed(given) == parse(given)


def test_a_refusal_comes_back_with_its_reason():
    with pytest.raises(SourceError) as refused:
        parse_sandboxed(file(b"<other/>", Format.XML))

    assert refused.value.reason is Reason.UNSUPPORTED_TYPE


@pytest.mark.slow
def test_what_takes_too_long_or_too_much_memory_is_refused():
    long = b"<html><body>" + (b"<p>" + b"some words of a page " * 40 + b"</p>") * 29_000
    for limits, reason in [
        (replace(SandboxLimits(), seconds=0.2), Reason.OUT_OF_TIME),
        (replace(SandboxLimits(), memory_bytes=500 << 20), Reason.OUT_OF_MEMORY),
    ]:
        with pytest.raises(SourceError) as refused:
            parse_sandboxed(file(long, Format.HTML), limits)

        assert refused.value.reason is reason, refused.value.detail


def test_an_answer_that_is_too_long_is_refused():
    with pytest.raises(SourceError) as refused:
        parse_sandboxed(file(PAGE, Format.HTML), replace(SandboxLimits(), output_bytes=100))

    assert refused.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "metadata", "foreign"),
    [
        (f"upload:{'0' * 64}/a.html", None, True),
        ("https://example.org/a.html", None, True),
        ("arxiv:2401.00001v1", None, True),
        ("/fetched/a.html", Metadata(url="https://example.org/a.html"), True),
        ("/mine/a.html", None, False),
    ],
)
def test_what_came_over_the_network_is_parsed_in_a_child(name, metadata, foreign, monkeypatch):
    seen: list[str] = []
    monkeypatch.setattr(
        "papergraph.ingest.pipeline.prepare.parse_sandboxed", lambda source: seen.append("child") or parse(source)
    )
    card = ModelCard("any", "0" * 64, dimension=384, max_tokens=256)
    source = RawDocument(name, PAGE, Format.HTML, "0" * 64, metadata)

    Reader(card, JobSettings())._parse(source)

    assert seen == (["child"] if foreign else [])


def test_a_child_that_waits_for_a_processor_is_not_refused():
    waited = replace(SandboxLimits(), seconds=30.0, wall_seconds=0.01)
    with pytest.raises(SourceError) as refused:
        parse_sandboxed(file(PAGE, Format.HTML), waited)

    assert refused.value.reason is Reason.BUSY
    assert "busy" in refused.value.detail  # and not that the document should be split
