"""docling, marker and GROBID, each played by a scripted double on a real socket: their answers and their faults."""

import json
import pickle
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from papergraph.errors import BlockedUrlError, InputError, Reason, SourceError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.parsers import Document, HeadingSource, parse
from papergraph.ingest.parsers.cache import ParsedDocuments
from papergraph.ingest.pipeline.prepare import JobSettings, fetch
from papergraph.ingest.sources import DocumentRef, Format, PdfService, RawDocument, chosen_service, find_documents
from papergraph.ingest.sources.source import NAMES
from papergraph.outbound import Outside
from papergraph.settings import Settings
from tests.support.article_xml import TEI, citations, elements, tree
from tests.support.fake_pdf_service import DOCLING, Double, refs, success, text

PDF = b"%PDF-1.7 what it is, only the service knows"
HEAD = "<tr><th>Sea</th><th>Height</th></tr>"
MARKER = {
    "block_type": "Document",
    "children": [
        {
            "block_type": "Page",
            "children": [
                {"block_type": "PageHeader", "html": "<p>arXiv:2401.01234v2 [physics]</p>", "children": None},
                {"block_type": "SectionHeader", "html": "<h1>On tides</h1>", "children": None},
                {"block_type": "SectionHeader", "html": "<h2>1 Method</h2>", "children": None},
                {"block_type": "Text", "html": "<p>Of <math>x^2</math> and <b>more</b>.</p>", "children": None},
                {
                    "block_type": "ListGroup",
                    "html": "<content-ref></content-ref>",
                    "children": [{"block_type": "ListItem", "html": "<li>one</li>", "children": None}],
                },
            ],
        },
        {
            "block_type": "Page",
            "children": [
                {"block_type": "Equation", "html": '<p><math display="block">E = mc^2</math></p>', "children": None},
                {
                    "block_type": "TableGroup",
                    "html": "",
                    "children": [
                        {
                            "block_type": "Table",
                            "html": f"<table>{HEAD}<tr><td>North</td><td>1</td></tr></table>",
                            "children": None,
                        },
                        {"block_type": "Caption", "html": "<p>Table 1. Heights.</p>", "children": None},
                    ],
                },
                {
                    "block_type": "FigureGroup",
                    "html": "",
                    "children": [
                        {"block_type": "Figure", "html": "<p>axis 0 1 2</p>", "children": None},
                        {"block_type": "Caption", "html": "<p>Fig. 2: A wave.</p>", "children": None},
                    ],
                },
            ],
        },
    ],
}


@pytest.fixture
def double() -> Iterator[Double]:
    with Double() as service:
        yield service


def read(double: Double, name: str, **limits: Any) -> Document:
    service = PdfService(name, double.url, **limits)
    return parse(RawDocument("/papers/secret name.pdf", PDF, Format.PDF, "0" * 64, read_by=service))


def refusal(double: Double, name: str = "docling", **limits: Any) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read(double, name, **limits)
    return caught.value


def test_docling_s_document_keeps_its_sections_elements_and_pages(double):
    double.answer(success(DOCLING))

    document = read(double, "docling")

    assert (document.title, document.abstract, document.format) == ("On tides", "We study tides.", Format.PDF)
    assert (document.key, document.doi) == ("doi:10.1000/seas.7", "10.1000/seas.7")
    assert (document.heading_source, document.n_pages) == (HeadingSource.DOCLING, 2)
    assert tree(document)[1] == (
        1,
        "body",
        "1 Method",
        "one\n\nbelow one\n\nE = mc^2\n\nOf $x^2$\n\nTable 1. Heights.\n\n"
        "| Sea |  |\n| --- | --- |\n| North | 1\\|2 |\n\nIn metres.\n\nFig. 2: A wave.",
    )
    assert [(kind, label) for kind, label, _ in elements(document)] == [
        ("equation", ""),
        ("caption", "Table 1"),
        ("table", "Table 1"),
        ("caption", "Table 1"),
        ("caption", "Fig. 2"),
    ]
    ((first, one), (second, two)) = document.page_marks
    assert (first, one, document.text[second:][:8], two) == (0, 1, "E = mc^2", 2)


def test_docling_s_first_header_is_the_title_and_numbers_tell_how_deep_a_section_is(double):
    texts = [
        text(0, "section_header", "On tides", level=1),
        text(1, "text", "https://doi.org/10.1000/tides"),
        text(2, "section_header", "1 Method", level=1),
        text(3, "text", "We follow doi:10.1000/moon."),
        text(4, "section_header", "1.1 Seas", level=1),
        text(5, "text", "Both."),
    ]
    double.answer(success({"body": {"children": refs(*(f"texts/{n}" for n in range(6)))}, "texts": texts}))

    document = read(double, "docling")

    assert (document.title, document.doi) == ("On tides", "10.1000/tides")
    assert [(section.level, section.title) for section in document.sections if section.kind == "body"] == [
        (1, "1 Method"),
        (2, "1.1 Seas"),
    ]


def test_marker_s_blocks_keep_their_sections_elements_and_pages(double):
    double.answer({"success": True, "format": "json", "output": json.dumps(MARKER), "images": {}, "metadata": {}})

    document = read(double, "marker")

    assert (document.title, document.heading_source, document.n_pages) == ("On tides", HeadingSource.MARKER, 2)
    assert (document.key, document.arxiv_id) == ("arxiv:2401.01234", "2401.01234")
    assert tree(document) == [
        (
            1,
            "body",
            "1 Method",
            "Of $x^2$ and more.\n\none\n\nE = mc^2\n\nTable 1. Heights.\n\n"
            "| Sea | Height |\n| --- | --- |\n| North | 1 |\n\nFig. 2: A wave.",
        )
    ]
    assert [kind for kind, _, _ in elements(document)] == ["equation", "caption", "table", "caption"]
    assert [document.text[offset:][:8] for offset, page in document.page_marks if page == 2] == ["E = mc^2"]


def test_grobid_s_tei_is_read_with_its_citations(double):
    double.answer(TEI.encode())

    document = read(double, "grobid")

    assert (document.title, document.doi, document.format) == ("Tides", "10.1000/abc", Format.PDF)
    assert document.heading_source is HeadingSource.GROBID
    assert citations(document) == [("Gödel (1931)", 0)]


def test_each_service_is_asked_in_its_own_way_and_not_told_the_file_s_name(double):
    double.answer({})
    for name in NAMES:
        refusal(double, name)
        assert "paper.pdf" in double.fields().values()
        assert "secret" not in str(double.forms[-1])

    assert double.paths == ["/v1/convert/file", "/marker/upload", "/api/processFulltextDocument"]


def test_a_service_that_is_busy_is_asked_again(double, monkeypatch):
    monkeypatch.setattr("papergraph.outbound.operator_service.PAUSE_S", 0.01)
    double.answer(b"busy", 503)
    double.answer(b"busy", 503)
    double.answer(success(DOCLING))

    assert read(double, "docling").title == "On tides"
    assert len(double.paths) == 3


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (500, b"no memory", Reason.SERVICE_FAILED),
        (404, b"", Reason.SERVICE_FAILED),
        (302, b"", Reason.SERVICE_FAILED),
        (200, b"<html>", Reason.SERVICE_FAILED),
        (200, b"[" * 100_000, Reason.SERVICE_FAILED),
        (200, b"[]", Reason.SERVICE_FAILED),
        (200, {"status": "failure", "errors": [{"error_message": "bad"}]}, Reason.SERVICE_FAILED),
        (200, {"status": "partial_success", "errors": []}, Reason.PARTIAL),
        (200, success({}), Reason.SERVICE_FAILED),
        (200, success({"body": {"children": refs("texts/9")}, "texts": []}), Reason.SERVICE_FAILED),
        (200, success({"body": {"children": []}}), Reason.EMPTY),
    ],
)
def test_an_answer_that_cannot_be_used_refuses_the_file(double, status, body, reason):
    double.answer(body, status)

    refused = refusal(double)

    assert refused.reason is reason
    assert reason is not Reason.SERVICE_FAILED or "--parser own" in refused.detail


def test_groups_that_hold_each_other_end(double):
    groups = [{"self_ref": f"#/groups/{n}", "label": "list", "children": refs(f"groups/{1 - n}")} for n in (0, 1)]
    double.answer(success({"body": {"children": refs("groups/0")}, "groups": groups}))

    assert refusal(double).reason is Reason.EMPTY


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("marker", {"success": False, "error": "no memory"}),
        ("marker", {"success": True, "output": "no JSON"}),
        ("marker", {"success": True, "output": json.dumps({"children": [{"children": [{"html": "x"}]}]})}),
        ("grobid", b""),
        ("grobid", b"<TEI"),
        (
            "grobid",
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><TEI xmlns="http://www.tei-c.org/ns/1.0">&x;</TEI>',
        ),
    ],
)
def test_marker_and_grobid_are_not_trusted_either(double, name, body):
    double.answer(body)

    assert refusal(double, name).reason is Reason.SERVICE_FAILED


def test_a_slow_or_endless_answer_ends(double):
    double.answer(success(DOCLING))
    double.drop_s = 0.05

    start = time.monotonic()
    assert refusal(double, timeout_s=0.5).reason is Reason.OUT_OF_TIME
    assert time.monotonic() - start < 30
    double.drop_s, double.never_begins = 0, True
    assert refusal(double, timeout_s=0.5).reason is Reason.OUT_OF_TIME
    assert time.monotonic() - start < 30
    double.never_begins = False
    assert refusal(double, max_bytes=1000).reason is Reason.TOO_LARGE


def test_a_service_that_is_not_there_is_named_with_its_setting():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        service = PdfService("marker", f"http://127.0.0.1:{taken.getsockname()[1]}", timeout_s=2)
        with pytest.raises(SourceError) as caught:
            parse(RawDocument("/a.pdf", PDF, Format.PDF, "0" * 64, read_by=service))

    assert caught.value.reason is Reason.SERVICE_FAILED
    assert "PAPERGRAPH_PARSER_URL" in caught.value.detail


def test_only_pdfs_are_read_by_a_service(double, tmp_path):
    (tmp_path / "a.md").write_text("# Told\n\nWords.")
    (tmp_path / "b.pdf").write_bytes(PDF)
    (tmp_path / "c.jsonl").write_text('{"key": "d.pdf", "title": "Told", "abstract": "Words."}\n')
    settings = JobSettings(ChunkOptions(), pdf_by=PdfService("docling", double.url))
    double.answer(success(DOCLING))

    documents = [found for found in find_documents([tmp_path]) if isinstance(found, DocumentRef)]
    files = [fetch(found, settings) for found in documents]

    assert [found.known_format == Format.PDF for found in documents] == [False, True, False]
    assert [isinstance(file, RawDocument) and file.read_by for file in files] == [None, settings.pdf_by, None]
    assert [parse(file).title for file in files if isinstance(file, RawDocument)] == ["Told", "On tides", "Told"]
    assert pickle.loads(pickle.dumps(files)) == files  # noqa: S301 our own, as it goes to another process
    assert len(double.paths) == 1


def test_what_another_parser_made_of_a_pdf_is_not_taken_for_this_one_s(double, tmp_path):
    kept = ParsedDocuments(tmp_path, 1_000_000)
    file = RawDocument("/a.pdf", PDF, Format.PDF, "0" * 64, read_by=PdfService("docling", double.url))
    double.answer(success(DOCLING))
    document = parse(file)

    kept.put(file, document)

    assert kept.get(replace(file, read_by=PdfService("docling", "http://10.0.0.7"))) == document
    assert kept.get(replace(file, read_by=PdfService("marker", double.url))) is None
    assert kept.get(replace(file, read_by=None)) is None


def test_a_service_s_address_is_open_to_pdfs_alone(double):
    outside = Outside(hosts=["*"], allow_http=True)
    double.answer(success(DOCLING))

    assert read(double, "docling").title == "On tides"
    with pytest.raises(BlockedUrlError):
        outside.get(double.url)
    assert len(double.paths) == 1


def test_a_parser_is_chosen_by_name_or_setting_and_needs_an_address():
    settings = Settings(parser={"engine": "grobid", "url": "http://10.0.0.7:8070/", "timeout_s": 5})

    assert chosen_service(settings) == PdfService("grobid", "http://10.0.0.7:8070/", 5)
    assert chosen_service(settings, "builtin") is None
    assert chosen_service(Settings()) is None
    with pytest.raises(InputError, match=r"docling has no address\. Set PAPERGRAPH_PARSER_URL"):
        chosen_service(Settings(), "docling")
    with pytest.raises(InputError, match="PAPERGRAPH_PARSER_URL is the address of grobid"):
        chosen_service(settings, "docling")
    with pytest.raises(InputError, match="builtin, docling, marker or grobid"):
        chosen_service(settings, "tika")
    for address in ("localhost:8070", "ftp://localhost", "http://", "http://[1", "http://a:99999"):
        with pytest.raises(InputError, match="PAPERGRAPH_PARSER_URL: grobid needs an address"):
            PdfService("grobid", address)
    with pytest.raises(InputError, match="without a login") as caught:
        PdfService("grobid", "http://me:secret@localhost:8070")
    assert "secret" not in str(caught.value)
