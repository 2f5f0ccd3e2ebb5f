"""Every parser of the registry keeps the contract of parsers, and one file adds another."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import papergraph.ingest.parsers
from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.parsers import Document, parse, parsers
from papergraph.ingest.parsers.sandboxed import parse_sandboxed
from papergraph.ingest.sources import RawDocument, find_documents, supported
from papergraph.ingest.sources.file_types import check_content
from papergraph.ingest.sources.parser import endings, media_types
from tests.support.registries import add_part
from tests.support.typeset import pdf

ARTICLE = """<article><front><article-meta><title-group><article-title>Tides</article-title></title-group>
</article-meta></front><body><sec><title>Method</title><p>We measure the tides.</p></sec></body></article>"""
PAGE = "<html><head><title>Tides</title></head><body><main><h2>Method</h2><p>We measure the tides.</p></main></body>"
LATEX = r"\documentclass{article}\title{Tides}\begin{document}\section{Method}We measure the tides.\end{document}"
SAMPLES = {
    "markdown": b"# Tides\n\n## Method\n\nWe measure the tides.\n",
    "text": b"Tides and the moon\n\n1 Method\n\nWe measure the tides.\n\n2 Result\n\nThey rise.\n",
    "xml": ARTICLE.encode(),
    "html": PAGE.encode(),
    "latex": LATEX.encode(),
}
"""A small document of each format that is text."""

TOY = '''
from papergraph.ingest.parsers.document import Document, HeadingSource, ParsedSection
from papergraph.ingest.sources import Parser, RawDocument
from papergraph.errors import Reason, SourceError


def parse(file: RawDocument) -> Document:
    """Parse a title, a line of stars and a text."""
    title, stars, text = file.data.decode().partition("\\n***\\n")
    if not stars:
        raise SourceError(file.name, Reason.DAMAGED, "has no line of stars")
    whole = f"{title}\\n***\\n{text}"
    section = ParsedSection(title, 1, "body", None, len(whole) - len(text), len(whole))
    return Document(
        key=file.key, title=title, abstract="", authors=(), year=None, doi=None, arxiv_id=None, categories=(),
        license=None, text=whole, format=file.format, sections=(section,), heading_source=HeadingSource.MARKUP,
        n_body_chars=len("".join(text.split())),
    )


PARSER = Parser("stars", (".stars",), {"text/x-stars": ".stars"}, {".stars": b"STARS"}, False, "1", parse)
'''


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[None]:
    with add_part(papergraph.ingest.parsers, "stars", TOY, tmp_path, parsers, endings, media_types):
        yield


def source(format: str, data: bytes) -> RawDocument:
    return RawDocument(f"/papers/tides{parsers()[format].endings[0]}", data, format, "0" * 64)


def check(document: Document, format: str) -> None:
    """Check that offsets slice back to the text, in order, and that headings are not in what they head."""
    assert document.text
    assert document.format in ({"jats", "tei"} if format == "xml" else {format})
    after = 0
    for number, section in enumerate(document.sections):
        assert after <= section.start <= section.end <= len(document.text)
        assert section.parent is None or section.parent < number
        after = section.end
    for element in document.elements:
        assert 0 <= element.start < element.end <= len(document.text)
        assert any(s.start <= element.start and element.end <= s.end for s in document.sections)
    for cited in document.cited_at:
        assert 0 <= cited.start < cited.end <= len(document.text)
        assert 0 <= cited.reference < len(document.references)


def test_endings_and_media_types_belong_to_one_parser_each():
    all_endings = [ending for one in parsers().values() for ending in one.endings]
    all_types = [(type, ending) for one in parsers().values() for type, ending in one.media_types.items()]

    assert len(all_endings) == len(set(all_endings)) == len(endings())
    assert len(all_types) == len({type for type, _ in all_types})
    for one in parsers().values():
        assert {*one.magic, *one.media_types.values()} <= set(one.endings), one.name
        assert one.version


@pytest.mark.parametrize("format", parsers())
def test_offsets_slice_back_to_the_text(format: str):
    if format == "latex" and shutil.which("pandoc") is None:
        pytest.skip("pandoc is not installed")
    if format == "pdf":
        document = parse(source(format, pdf("= Tides\n\n== Method\n\nWe measure the tides.")))
    elif format in SAMPLES:
        document = parse(source(format, SAMPLES[format]))
    else:
        pytest.skip("made by other programs: tested in test_latex_and_docx.py and test_records.py")

    check(document, format)
    if format in SAMPLES:
        (method,) = (section for section in document.sections if section.title.endswith("Method"))
        assert document.text[method.start : method.end].strip() == "We measure the tides."


@pytest.mark.parametrize("format", [name for name in parsers() if name != "record"])
def test_damage_gives_a_reason(format: str):
    data = next(iter(parsers()[format].magic.values()), b"\x00\xff\xfe\x00") + b" no document"

    with pytest.raises(SourceError) as refused:
        parse(source(format, data))

    assert isinstance(refused.value.reason, Reason)
    assert refused.value.detail


@pytest.mark.parametrize("format", [name for name, one in parsers().items() if one.sandboxed])
def test_a_document_is_the_same_from_the_sandbox(format: str):
    if format not in SAMPLES:
        pytest.skip("made by other programs: tested in test_latex_and_docx.py")
    file = source(format, SAMPLES[format])

    assert parse_sandboxed(file) == parse(file)


@pytest.mark.usefixtures("toy")
def test_one_file_adds_a_format(tmp_path: Path):
    path = tmp_path / "tides.stars"
    path.write_text("STARS AND TIDES\n***\nThe moon moves the sea.")
    (found,) = find_documents([path])
    assert not isinstance(found, SourceError)

    document = parse(found.read(max_bytes=1000))

    check(document, "stars")
    assert (found.known_format, document.title) == ("stars", "STARS AND TIDES")
    assert ".stars" in supported()
    assert check_content(path, "tides.stars", "text/x-stars") == "stars"
    with pytest.raises(InputError, match="Its name says markdown, but its content is stars"):
        check_content(path, "tides.md")
    with pytest.raises(SourceError, match="has no line of stars"):
        parse(replace(found.read(max_bytes=1000), data=b"torn"))


def test_what_a_file_added_is_gone_with_it():
    assert "stars" not in parsers()
