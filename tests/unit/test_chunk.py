import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from papergraph.errors import InputError
from papergraph.ingest.chunkers import Chunker, ChunkOptions, ChunkSpan, context_of
from papergraph.ingest.chunkers.chunker import LONGEST_CUT
from papergraph.ingest.parsers import Document, HeadingSource, ParsedSection, parse
from papergraph.ingest.parsers.document import Element, ElementKind
from papergraph.ingest.sources import Format, RawDocument
from tests.support.chunking import TEXTS, n_tokens, tokenizer


@cache
def chunker(max_tokens: int, overlap_tokens: int) -> Chunker:
    return Chunker(tokenizer(), ChunkOptions(max_tokens, overlap_tokens))


def cut(
    text: str, *, max_tokens: int = 192, overlap_tokens: int = 0, markdown: bool = True
) -> tuple[Document, list[ChunkSpan]]:
    form = Format.MARKDOWN if markdown else Format.TEXT
    document = parse(RawDocument("/papers/a.md", text.encode(), form, "0" * 64))
    return document, list(chunker(max_tokens, overlap_tokens).chunks(document))


def document_of(*sections: tuple[str, int | None], title: str = "Paper") -> Document:
    parsed = tuple(ParsedSection(heading, 1, "body", parent, 0, 0) for heading, parent in sections)
    return Document(
        key="file:/a",
        title=title,
        abstract="",
        authors=(),
        year=None,
        doi=None,
        arxiv_id=None,
        categories=(),
        license=None,
        text="",
        format=Format.TEXT,
        sections=parsed,
        heading_source=HeadingSource.NONE,
        n_body_chars=0,
    )


def test_a_chunk_is_the_source_to_the_letter_with_its_place_and_length():
    text = "# Paper\n\nFront text.\n\n## Method\n\nWe  do *this*.\r\nAnd that.\n"

    _, (front, method) = cut(text)

    assert (front.section, front.text, front.context) == (0, "Front text.", "Paper")
    assert (method.section, method.text, method.context) == (1, "We  do *this*.\r\nAnd that.", "Paper > Method")
    assert text[method.start : method.end] == method.text
    assert method.n_tokens == 9  # we do * this * . and that .


def test_what_is_embedded_is_the_context_and_the_text():
    _, (chunk,) = cut("# Paper\n\n## Method\n\nWords.\n")

    assert chunk.embedded_text == "Paper > Method\nWords."


def test_a_title_made_of_the_first_words_is_no_context():
    text = "No line of this text is a title, and so " + "there are words. " * 9 + "\n\n## Method\n\nWe do this.\n"

    document, (front, method) = cut(text)

    assert document.title.startswith("No line of this text") and document.title.endswith(" …")
    assert (front.context, front.embedded_text) == ("", front.text)
    assert method.context == "Method"


def test_a_section_without_text_gives_no_chunk():
    document, chunks = cut("# Paper\n\n## A\n\n### B\n\nText.\n\n## C\n\n...\n")

    assert [section.title for section in document.sections] == ["A", "B", "C"]
    assert [chunk.section for chunk in chunks] == [1]


@pytest.mark.parametrize("markdown", [True, False])
def test_a_long_section_is_cut_between_paragraphs_where_they_fit(markdown):
    paragraphs = ["One two three four. Five.", "Six seven eight. Nine.", "Ten eleven twelve. Thirteen."]
    text = "# Paper\n\n## A\n\n" if markdown else "Paper\n\n"

    _, chunks = cut(text + "\n\n".join(paragraphs), max_tokens=8, markdown=markdown)  # one has 6 or 7 tokens

    assert paragraphs == [chunk.text for chunk in chunks]


def test_a_paragraph_that_is_too_long_is_cut_between_sentences():
    _, chunks = cut("One two three four. Five six seven eight. Nine ten eleven.", max_tokens=8)

    assert [chunk.text for chunk in chunks] == ["One two three four.", "Five six seven eight.", "Nine ten eleven."]


def test_with_overlap_a_chunk_begins_with_the_end_of_the_one_before():
    text = " ".join(f"Number {number}." for number in range(10, 30))

    _, chunks = cut(text, max_tokens=12, overlap_tokens=6)

    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert before.start < after.start < before.end < after.end
        assert n_tokens(text[after.start : before.end]) <= 6


def test_without_overlap_chunks_are_disjoint():
    text = " ".join(f"Number {number}." for number in range(10, 30))

    _, chunks = cut(text, max_tokens=12)

    assert all(before.end <= after.start for before, after in pairwise(chunks))


def test_chunks_do_not_cross_sections_even_with_overlap():
    text = "# Paper\n\n## A\n\nOne two three.\n\n## B\n\nFour five six.\n"

    _, chunks = cut(text, overlap_tokens=32)

    assert [(chunk.section, chunk.text) for chunk in chunks] == [(0, "One two three."), (1, "Four five six.")]


TABLE = "| method | recall |\n|---|---|\n| one | 0.25 |\n| two | 0.50 |"


def with_elements(text: str, *elements: tuple[ElementKind, str], max_tokens: int = 192) -> list[ChunkSpan]:
    document, _ = cut(text, markdown=False)
    placed = [Element(kind, text.index(part), text.index(part) + len(part)) for kind, part in elements]
    return list(chunker(max_tokens, 4).chunks(replace(document, elements=tuple(placed))))


def test_tables_equations_and_captions_are_chunks_of_their_own_and_not_part_of_running_text():
    text = f"Paper\n\nWe see\n\n.5 + x = y\n\nin this:\n\nTable 1. Recall.\n\n{TABLE}\n\nEnd of it.\n"

    chunks = with_elements(
        text,
        (ElementKind.EQUATION, ".5 + x = y"),
        (ElementKind.CAPTION, "Table 1. Recall."),
        (ElementKind.TABLE, TABLE),
    )

    assert [(chunk.element, chunk.text) for chunk in chunks] == [
        (None, "We see"),
        (ElementKind.EQUATION, ".5 + x = y"),
        (None, "in this:"),
        (ElementKind.CAPTION, "Table 1. Recall."),
        (ElementKind.TABLE, TABLE),
        (None, "End of it."),
    ]
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_a_table_that_is_too_long_is_cut_between_rows_without_overlap():
    rows = [f"| method {number} | 0.{number} |" for number in range(10, 40)]
    text = "Paper\n\nBefore.\n\n" + "\n".join(rows) + "\n\nAfter.\n"

    chunks = with_elements(text, (ElementKind.TABLE, "\n".join(rows)), max_tokens=40)

    pieces = [chunk for chunk in chunks if chunk.element is ElementKind.TABLE]
    assert len(pieces) > 5
    assert [row for piece in pieces for row in piece.text.split("\n")] == rows
    assert all(piece.n_tokens <= 40 and text[piece.start : piece.end] == piece.text for piece in pieces)


def test_the_context_is_the_title_and_the_headings_outermost_first_each_once():
    document = document_of(("Method", None), ("Paper", 0), ("Detail", 1))

    assert context_of(document, document.sections[2]) == "Paper > Method > Detail"


def test_a_long_context_is_cut_at_a_word():
    document = document_of(("Method", None), title="word " * 39 + "word")  # 199 characters, then ' > Method'

    context = context_of(document, document.sections[0])

    assert len(context) <= 200
    assert context.startswith("word word")
    assert context.split(" ")[-1] in ("word", ">")


def test_a_context_without_a_space_is_cut_at_200_characters():
    document = document_of(("量" * 300, None), title="量" * 300)

    assert context_of(document, document.sections[0]) == "量" * 200


@pytest.mark.parametrize(("max_tokens", "overlap_tokens"), [(7, 0), (0, 0), (-1, 0), (64, 64), (64, 65), (64, -1)])
def test_options_that_cannot_be_met_are_refused_with_their_values(max_tokens, overlap_tokens):
    with pytest.raises(InputError, match=f"max_tokens={max_tokens}, overlap_tokens={overlap_tokens}"):
        ChunkOptions(max_tokens, overlap_tokens)


def test_the_smallest_options_are_accepted():
    assert ChunkOptions(8, 7).overlap_tokens == 7


SIZES = st.sampled_from([(8, 0), (16, 4), (64, 16), (192, 32)])


@settings(deadline=None)
@given(text=TEXTS, sizes=SIZES, markdown=st.booleans())
def test_any_text_is_cut_into_chunks_that_are_the_source_and_fit_the_model(text, sizes, markdown):
    document, chunks = cut(text, max_tokens=sizes[0], overlap_tokens=sizes[1], markdown=markdown)

    for chunk in chunks:
        section = document.sections[chunk.section]
        assert section.start <= chunk.start < chunk.end <= section.end
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip() == chunk.text
        assert not re.match(r"\.(?!\w)", chunk.text)
        assert chunk.n_tokens == n_tokens(chunk.text) <= sizes[0]
    assert [(chunk.section, chunk.start) for chunk in chunks] == sorted((c.section, c.start) for c in chunks)


@settings(deadline=None)
@given(text=TEXTS, sizes=SIZES, markdown=st.booleans())
def test_every_character_of_any_section_stands_in_a_chunk_but_space_and_stops_at_a_beginning(text, sizes, markdown):
    document, chunks = cut(text, max_tokens=sizes[0], overlap_tokens=sizes[1], markdown=markdown)

    for number, section in enumerate(document.sections):
        covered = {place for c in chunks if c.section == number for place in range(c.start, c.end)}
        left_out = {document.text[place] for place in range(section.start, section.end) if place not in covered}
        assert all(character.isspace() or character == "." for character in left_out)


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        ("word. ", ". "),
        ("word ", " "),
        ("line\n", "\n"),
        ("A paragraph of words. " * 20 + "\n\n", "\n\n"),
        ("one. Two\nand three. " * 9 + "\n\n", "\n\n"),
        ("[", ""),
        ("ab", ""),
        ("x" * 40_000 + " ", " "),
        ("\u00e9.", ""),
        ("> ", " "),
    ],
)
@pytest.mark.parametrize("markdown", [True, False])
def test_a_splitter_gets_long_texts_in_parts(unit: str, end: str, markdown: bool):
    class Recorder:
        def chunk_indices(self, text: str) -> list[tuple[int, str]]:
            parts.append(text)
            return [(0, text)]

    parts: list[str] = []
    text = (unit * (4 * LONGEST_CUT // len(unit) + 1)).strip()
    document = document_of(("", None))
    section = replace(document.sections[0], start=0, end=len(text))
    form = Format.MARKDOWN if markdown else Format.TEXT
    document = replace(document, text=text, sections=(section,), format=form)
    made = Chunker(tokenizer(), ChunkOptions())
    made.__dict__.update(_markdown=Recorder(), _running=Recorder())
    list(made.chunks(document))

    assert "".join(parts) == text
    assert len(parts) >= 4
    assert all(LONGEST_CUT // 2 <= len(part) <= LONGEST_CUT and part.endswith(end) for part in parts[:-1])
