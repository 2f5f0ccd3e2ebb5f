from datetime import UTC, datetime

from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Format, Metadata, RawDocument
from papergraph.ingest.sources.source import hash_content

TEXT = (
    b"---\ntitle: Found in the text\nauthors: [A. Text]\nyear: 1999\nlicense: MIT\n---\n\n"
    b"Words before.\n\n# Method\n\nWe.\n"
)


def source(metadata: Metadata | None) -> RawDocument:
    return RawDocument("arxiv:2401.01234", TEXT, Format.MARKDOWN, "0" * 64, metadata)


def test_what_the_source_says_goes_before_what_the_text_says_and_the_rest_stays():
    told = Metadata(
        title="Told beforehand", authors=("B. Told",), arxiv_id="2401.01234", doi="10.1000/182", abstract="In short."
    )

    document = parse(source(told))

    assert (document.key, document.doi, document.arxiv_id) == ("arxiv:2401.01234", "10.1000/182", "2401.01234")
    assert (document.title, document.authors, document.abstract) == ("Told beforehand", ("B. Told",), "In short.")
    assert (document.year, document.license) == (1999, "MIT")
    assert [section.title for section in document.sections] == ["Told beforehand", "Method"]


def test_without_metadata_the_key_is_the_name_unless_that_is_a_path():
    assert parse(source(None)).key == "arxiv:2401.01234"
    assert RawDocument("/papers/a.bib#knuth", b"", Format.TEXT, "0" * 64).key == "file:/papers/a.bib#knuth"
    assert RawDocument("https://example.org/a", b"", Format.TEXT, "0" * 64).key == "https://example.org/a"


def test_other_metadata_beside_the_same_bytes_is_other_content():
    told = Metadata(title="One", updated=datetime(2026, 1, 1, tzinfo=UTC))
    hashes = {
        hash_content("ab" * 32, metadata)
        for metadata in (None, told, Metadata(title="Two"), Metadata(title="One"), Metadata(comment="One"))
    }

    assert len(hashes) == 5
    assert hash_content("ab" * 32) == "ab" * 32
    assert hash_content("ab" * 32, told) == hash_content("ab" * 32, told)


def test_metadata_that_are_too_long_are_shortened_with_a_note():
    document = parse(source(Metadata(title="x" * 501, authors=("A. Told", "x" * 201), remarks=("doi is left out",))))

    assert (len(document.title), document.authors) == (500, ("A. Told",))
    assert [note.split()[0] for note in document.notes] == ["doi", "title", "authors"]
