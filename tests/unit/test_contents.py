"""What files are by their content: what is taken, beside the refusals of tests/e2e/test_uploads.py."""

import gzip
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.sources import Format
from papergraph.ingest.sources.file_types import check_content
from papergraph.ingest.sources.uploads import find_upload, is_upload

ID = "ab" * 32
PAGE = "<!DOCTYPE html><html><body><p>Hello</p></body></html>"


def packed(*parts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in parts:
            archive.writestr(name, "<document/>")
    return out.getvalue()


@pytest.mark.parametrize(
    "name, data, media_type, format",
    [
        ("a.pdf", b"%PDF-1.7\n\xe2\xe3\n", "application/pdf", Format.PDF),
        ("A.PDF", b"%PDF-1.7\n", "", Format.PDF),
        ("a.md", b"# Title\n\nThe header of a PDF is %PDF-1.7.", "text/markdown", Format.MARKDOWN),
        ("a.md", b"<p>Markdown may begin so.</p>", "", Format.MARKDOWN),
        ("a.txt", "Löwe".encode("latin-1"), "text/plain", Format.TEXT),
        ("a.html", PAGE.encode(), "text/html", Format.HTML),
        ("a.html", b"\xef\xbb\xbf" + PAGE.encode(), "", Format.HTML),
        ("a.htm", b"\xff\xfe" + PAGE.encode("utf-16-le"), "", Format.HTML),
        ("a.xml", b"\n<?xml version='1.0'?><article/>", "application/xml", Format.XML),
        ("a.nxml", b"<!-- JATS --><article/>", "", Format.XML),
        ("a.tex", rb"\documentclass{article}", "application/x-tex", Format.LATEX),
        ("a.tar.gz", gzip.compress(b"x", mtime=0), "application/gzip", Format.LATEX),
        ("a.docx", packed("[Content_Types].xml", "word/document.xml"), "", Format.DOCX),
        ("a.odt", packed("content.xml", "META-INF/manifest.xml"), "", Format.ODT),
        ("a.epub", packed("META-INF/container.xml"), "application/epub+zip", Format.EPUB),
        ("a.pptx", packed("[Content_Types].xml", "ppt/presentation.xml"), "", Format.PPTX),
        ("a.rtf", rb"{\rtf1 Tides}", "text/rtf", Format.RTF),
    ],
)
def test_what_agrees_is_taken(tmp_path: Path, name: str, data: bytes, media_type: str, format: Format):
    (tmp_path / "file").write_bytes(data)

    assert check_content(tmp_path / "file", name, media_type) is format


def test_a_byte_that_no_text_has_is_found_wherever_it_stands(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"a" * 3_000_000 + b"\0")

    with pytest.raises(InputError) as refused:
        check_content(tmp_path / "file", "a.md")

    assert refused.value.reason is Reason.NOT_TEXT


@pytest.mark.parametrize("name", [f"upload:{ID}/a.md", f"upload:{ID}/my paper, final (2).PDF"])
def test_an_upload_is_found_by_its_id_alone(tmp_path: Path, name: str):
    place = tmp_path / ID[:32] / ID[32:]
    place.parent.mkdir()
    place.write_bytes(b"some text")

    found = find_upload(name, tmp_path)

    assert is_upload(name)
    assert not isinstance(found, SourceError)
    assert (found.name, found.read(max_bytes=1).data) == (name, b"some text")


@pytest.mark.parametrize(
    "name",
    [
        "upload:../../etc/passwd",
        f"upload:{ID}",
        f"upload:{ID}/",
        f"upload:{ID}/../../a.md",
        f"upload:{ID}/a\\b.md",
        f"upload:{ID[:-1]}/a.md",
        f"upload:{ID.upper()}/a.md",
        "upload:/etc/passwd.md",
    ],
)
def test_what_has_not_the_form_of_an_upload_is_none(name: str):
    assert not is_upload(name)


def test_an_upload_is_hashed_without_being_parsed(tmp_path, monkeypatch):
    def parsed(*_, **__):
        raise AssertionError("a server parses nothing")

    place = tmp_path / ("ab" * 16) / ("ab" * 16)
    place.parent.mkdir()
    place.write_bytes(b"A % comment\ntext")
    uploads = {name: find_upload(f"upload:{ID}/{name}", tmp_path) for name in ("a.tex", "a.md", "a.gz")}
    read = {name: upload.read(max_bytes=1000).content_hash for name, upload in uploads.items()}
    monkeypatch.setattr("papergraph.ingest.sources.uploads.whole_text", parsed)
    monkeypatch.setattr("papergraph.ingest.sources.uploads.decoded", parsed)

    hashes = {name: upload.content_hash(max_bytes=1000) for name, upload in uploads.items()}

    assert hashes == read | {"a.tex": None}
    assert read["a.md"] == read["a.gz"] == hashlib.sha256(place.read_bytes()).hexdigest() != read["a.tex"]
