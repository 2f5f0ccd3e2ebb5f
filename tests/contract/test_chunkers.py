"""Every chunker of the registry keeps the contract of chunkers, and one file adds another."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer

import papergraph.ingest.chunkers.methods
from papergraph.embedding import DEFAULT_NAME, load_tokenizer
from papergraph.errors import InputError
from papergraph.ingest.chunkers import Chunker, ChunkOptions, ChunkSpan, chunkers
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.sources import Format, RawDocument
from tests.support.registries import add_part

SAMPLES = sorted(Path("ingest/samples").glob("*.md"))
TOY = """
from papergraph.ingest.chunkers.options import Method, Unit


class Stanzas:
    def chunk_indices(self, text):
        start, found = 0, []
        for stanza in text.split("\\n\\n"):
            found.append((start, stanza))
            start += len(stanza) + 2
        return found


CHUNKER = Method(
    "stanzas", Unit.BLOCK, "a test", max_tokens=512, overlap_tokens=0, splitter=lambda tokenizer, options: Stanzas()
)
"""


@cache
def tokenizer() -> Tokenizer:
    return load_tokenizer(DEFAULT_NAME)


def document_of(path: Path) -> Document:
    return parse(RawDocument(str(path), path.read_bytes(), Format.MARKDOWN, "0" * 64))


def cut(document: Document, options: ChunkOptions) -> list[ChunkSpan]:
    return list(Chunker(tokenizer(), options, longest_read=256).chunks(document))


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[None]:
    with add_part(papergraph.ingest.chunkers.methods, "stanzas", TOY, tmp_path, chunkers):
        yield


@pytest.mark.parametrize("name", chunkers())
@pytest.mark.parametrize("path", SAMPLES[:3], ids=lambda path: path.stem)
def test_spans_are_in_order_within_sections_and_limits_and_the_same_again(name: str, path: Path):
    document, options = document_of(path), ChunkOptions.choose(name)

    spans = cut(document, options)

    chunks = [span for span in spans if span.level == 0]
    assert chunks
    for chunk in chunks:
        section = document.sections[chunk.section]
        assert section.start <= chunk.start < section.end
        assert chunk.start < chunk.end
        assert chunk.end <= section.end or options.across_headings
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert options.max_tokens is None or chunk.n_tokens <= options.max_tokens
        assert options.max_chars is None or len(chunk.text) <= options.max_chars
    assert all(one.start < other.start and one.section <= other.section for one, other in pairwise(chunks))
    assert cut(document, options) == spans


@pytest.mark.parametrize("name", chunkers())
def test_a_chunker_counts_in_tokens_or_characters(name: str):
    method = chunkers()[name]

    assert (method.max_tokens is None) != (method.max_chars is None)
    assert method.source
    assert method.version


@pytest.mark.usefixtures("toy")
def test_one_file_adds_a_chunker():
    text = "# Tides\n\nThe moon rises.\n\nThe sea follows\nthe moon.\n"
    document = parse(RawDocument("/papers/tides.md", text.encode(), Format.MARKDOWN, "0" * 64))

    spans = cut(document, ChunkOptions.choose("stanzas"))

    assert [span.text for span in spans] == ["The moon rises.", "The sea follows\nthe moon."]


def test_a_chunker_that_no_file_adds_is_refused():
    with pytest.raises(InputError, match="Chunker 'stanzas' does not exist"):
        ChunkOptions.choose("stanzas")
