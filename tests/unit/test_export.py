"""A paper written back as Markdown reads as the paper did: same sections, same words, same references."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from papergraph.embedding import find_model
from papergraph.errors import InputError
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.document import ElementKind
from papergraph.ingest.sources import Format, LocalFile, RawDocument
from papergraph.schema.records import Paper
from papergraph.server.graph.export import Entry, Part, Piece, WholePaper, own_pieces, to_markdown
from papergraph.server.papers.bibliographies import check_format
from tests.support.article_xml import ARTICLE
from tests.support.exported_paper import PAPER

SAMPLES = Path("ingest/samples")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    found.no_truncation()
    return found


@pytest.fixture(scope="module")
def chunker(tokenizer: Tokenizer) -> Chunker:
    return Chunker(tokenizer, ChunkOptions.choose(max_tokens=24, overlap=6))


def read(text: str, form: Format = Format.MARKDOWN) -> Document:
    return parse(RawDocument("/papers/a.md", text.encode(), form, "0" * 64))


def stored(document: Document, chunker: Chunker) -> WholePaper:
    """Return what the graph holds of a document."""
    pieces = []
    for span in chunker.chunks(document):
        kind = span.element.value if span.element else document.sections[span.section].kind
        pieces.append(Piece(kind, span.text, span.start, span.end))
    return WholePaper(
        Paper(
            id="a1",
            key=document.key,
            collection="main",
            title=document.title,
            abstract=document.abstract,
            keys=(document.key,),
            sources=("/papers/a.md",),
            categories=document.categories,
            content_hash="0" * 64,
            n_sections=len(document.sections),
            n_chunks=len(pieces),
            ingested_at=datetime(2026, 11, 21, tzinfo=UTC),
            year=document.year,
            doi=document.doi,
            arxiv_id=document.arxiv_id,
            license=document.license,
            format=document.format.value,
            cleaning=chunker.options.cleaning,
        ),
        document.authors,
        tuple(
            Part(one.title, one.level, one.kind, own_pieces(pieces, one.start, one.end)) for one in document.sections
        ),
        tuple(Entry(entry.label, entry.text, entry.doi, entry.arxiv_id) for entry in document.references),
    )


def again(document: Document, chunker: Chunker) -> Document:
    return read(to_markdown(stored(document, chunker)))


def tree(document: Document) -> list[tuple[str, int, str]]:
    return [(section.title, section.level, section.kind) for section in document.sections]


def words(document: Document) -> list[list[str]]:
    return [document.text[section.start : section.end].split() for section in document.sections]


def elements(document: Document) -> list[tuple[ElementKind, str]]:
    return [(e.kind, "".join(document.text[e.start : e.end].split()).strip("$")) for e in document.elements]


def said(document: Document) -> tuple[object, ...]:
    return (
        *(document.title, document.authors, document.year, document.doi, document.arxiv_id, document.categories),
        *(document.license, " ".join(document.abstract.split())),
    )


def test_a_markdown_paper_comes_back_with_all_that_it_says(chunker):
    document = read(PAPER)

    back = again(document, chunker)

    assert said(back) == said(document)
    assert tree(back) == tree(document)
    assert words(back) == words(document)
    assert elements(back) == elements(document)
    assert back.references == document.references
    assert len(back.cited_at) == len(document.cited_at) == 1


def test_an_article_in_jats_comes_back_with_its_list_of_references_added(chunker):
    document = parse(RawDocument("/papers/a.xml", ARTICLE.encode(), Format.XML, "0" * 64))

    back = again(document, chunker)

    assert said(back) == said(document)
    assert tree(back) == [*tree(document), ("References", 1, "references")]
    assert [element for element in elements(back) if element[0] is not ElementKind.CAPTION] == [
        element for element in elements(document) if element[0] is not ElementKind.CAPTION
    ]
    assert [(entry.label, entry.doi, entry.arxiv_id) for entry in back.references] == [
        (entry.label, entry.doi, entry.arxiv_id) for entry in document.references
    ]


def test_a_dropped_list_of_references_is_written_from_its_entries(tokenizer):
    document = read(PAPER)
    chunker = Chunker(tokenizer, ChunkOptions(drop_back_matter=True))

    back = again(document, chunker)

    assert tree(back) == tree(document)
    assert back.references == document.references


@pytest.mark.parametrize(
    "text",
    [
        "# no heading", "One.\n\n# no heading", "====", "A line\n----", "```", "~~~ no code", "<!-- no comment",
        "<pre> no code", "<5 mm", "$5 and $6",
    ],
)  # fmt: skip
def test_text_that_looks_like_a_block_of_markdown_makes_no_section_and_hides_none(text):
    pieces = (Piece("body", text, 10, 10 + len(text)),)
    whole = replace(
        stored(read("Title\n\nText.", Format.TEXT), Chunker(Tokenizer.from_str(WORDS), ChunkOptions())),
        parts=(Part("A", 1, "body", pieces), Part("B", 1, "body", ()), Part("B1", 2, "body", pieces)),
    )

    back = read(to_markdown(whole))

    assert tree(back) == [("A", 1, "body"), ("B", 1, "body"), ("B1", 2, "body")]


WORDS = json.dumps(
    {
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
        "pre_tokenizer": {"type": "Whitespace"},
    }
)


def markdown_of(*pieces: Piece, form: str = "jats") -> str:
    whole = stored(read("Title\n\nText.", Format.TEXT), Chunker(Tokenizer.from_str(WORDS), ChunkOptions()))
    whole = replace(whole, paper=replace(whole.paper, format=form), parts=(Part("A", 1, "body", pieces),))
    return to_markdown(whole).partition("## A\n\n")[2]


def test_overlaps_are_written_once_and_gaps_as_what_they_were():
    text = "One two three. Four five.\n\nSix seven."
    cuts = [(0, 14), (8, 20), (10, 19), (15, 25), (27, 37)]

    told = markdown_of(*(Piece("body", text[start:end], start, end) for start, end in cuts))

    assert told == text + "\n"


def test_a_table_that_was_cut_is_one_again_and_two_tables_are_two():
    first, second = "| A |\n| --- |\n| 1 |\n| 2 |", "| B |\n| --- |"
    pieces = [Piece("table", first[:19], 0, 19), Piece("table", first[20:], 20, 25), Piece("table", second, 27, 40)]

    assert markdown_of(*pieces) == f"{first}\n\n{second}\n"


def test_an_equation_stands_between_dollars_unless_it_has_delimiters():
    assert markdown_of(Piece("equation", "a\n\n=b", 0, 5), Piece("body", "Text.", 7, 12)) == "$$\na\n=b\n$$\n\nText.\n"
    cut = [Piece("equation", "$$\na", 0, 4), Piece("equation", "= b$$", 7, 12), Piece("equation", "\\[ c \\]", 14, 21)]
    assert markdown_of(*cut, form="markdown") == "$$\na\n= b$$\n\n\\[ c \\]\n"


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(InputError, match="Choose md"):
        check_format("docx")


def without_added(back: Document, document: Document) -> list[tuple[str, int, str]]:
    sections = tree(back)
    added = document.references and not any(section.kind == "references" for section in document.sections)
    return sections[:-1] if added else sections


def of_six_levels(sections: Sequence[tuple[str, int, str]]) -> bool:
    return all(level < 6 for _, level, _ in sections)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.*")), ids=lambda path: path.stem)
def test_the_samples_come_back_word_for_word(path, chunker):
    document = parse(LocalFile(str(path.absolute())).read(max_bytes=10**6))

    back = again(document, chunker)

    assert (said(back), tree(back), words(back)) == (said(document), tree(document), words(document))


@pytest.mark.slow
def test_real_papers_come_back_with_their_sections(data_folder, tokenizer):
    chunker = Chunker(tokenizer, ChunkOptions())
    files = [path for path in sorted((data_folder / "parsing").rglob("*")) if path.suffix in (".md", ".nxml", ".xml")]
    papers = 0
    for path in files:
        if not path.name.endswith((".md", ".nxml", ".tei.xml")) or path.name == "SOURCE.md":
            continue
        document = parse(LocalFile(str(path)).read(max_bytes=10**7))
        back = again(document, chunker)
        if of_six_levels(tree(document)):
            assert without_added(back, document) == tree(document), path
            papers += 1
        assert {entry.doi for entry in back.references} >= {entry.doi for entry in document.references}, path
    assert papers >= 10


def test_a_heading_that_the_cut_has_made_is_escaped_whatever_stands_in_its_line():
    pieces = (Piece("body", "one\n   # two\x0cthree", 20, 41), Piece("body", "four\x0c\n---", 43, 52))
    paper = stored(read("# Paper\n\nText.\n"), Chunker(Tokenizer.from_str(WORDS), ChunkOptions())).paper
    whole = WholePaper(paper, (), (Part("Method", 1, "body", pieces),), ())

    back = read(to_markdown(whole))

    assert [title for title, _, _ in tree(back)] == ["Method"]


LINES = (
    *(
        "# A",
        "## B",
        "### B",
        "Text.",
        "- item",
        "  more",
        "1. one",
        "> quote",
        "```",
        "    # code",
        "---",
        "===",
        "$$",
    ),
    *("a = b", "| a | b |", "|---|---|", "<!-- x", "-->", "[1] One (2001).", "## References", "![x](y)", "", "", ""),
)


@settings(max_examples=150, deadline=None)
@example(["---", "|---|---|", "![x](y)", "> quote", "  more", "---"])  # cut out of its quotation, over a rule
@example(["```", *["# A"] * 14, "```", "```", "```", "", "Text."])  # a cut after code, before a capital
@given(st.lists(st.sampled_from(LINES), max_size=25))
def test_sections_come_back_whatever_stands_in_them(lines):
    document = read("# Paper\n\n" + "\n".join(lines) + "\n\n## End\n\nText.\n")
    whole = stored(document, Chunker(Tokenizer.from_str(WORDS), ChunkOptions(max_tokens=8, overlap_tokens=0)))

    back = read(to_markdown(whole))

    assert tree(back) == tree(document)
