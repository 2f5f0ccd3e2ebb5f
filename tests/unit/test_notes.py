"""Notes on papers: what was lost or mended when a document was read, with numbers."""

from dataclasses import replace

import pytest

from papergraph.embedding import ModelCard
from papergraph.ingest.parsers import parse
from papergraph.ingest.parsers.document import Element, ElementKind, notes_on
from papergraph.ingest.parsers.latex import parse as parse_latex
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Segment, Style
from papergraph.ingest.parsers.pdf.reading import _lost, _notes
from papergraph.ingest.pipeline.prepare import JobSettings, Reader, notes_warning
from papergraph.ingest.sources import Format, RawDocument
from papergraph.ingest.sources.tex import whole_text
from tests.support.pdf_documents import FRONT, document
from tests.support.typeset import UNMARKED, prose

STYLE = Style("Serif", 10.0, False, False, False)


def page(n_characters, *, n_unreadable=0, has_marks=True, n_false_blanks=0):
    segment = Segment("x" * n_characters, 0.0, 100.0, 100.0, {STYLE: n_characters})
    return PageGlyphs(
        400, 600, [segment] if n_characters else [], {}, n_characters, n_unreadable, has_marks, n_false_blanks
    )


@pytest.mark.parametrize(
    ("pages", "note", "lost"),
    [
        ([page(900), page(0), page(0, has_marks=False)], "1 of 3 pages hold images without text", 1 / 3),
        ([page(900, n_unreadable=100)], "100 letters left out, for which the fonts name no character", 0.1),
        ([page(900, n_unreadable=1)], "1 letter left out, for which the fonts name no character", 1 / 901),
        (
            [page(900, n_false_blanks=30)],
            "30 letters left out, which the fonts name blanks, such as ligatures",
            30 / 930,
        ),
    ],
)
def test_what_is_lost_of_a_pdf_is_counted(pages, note, lost):
    with_text = {number for number, one in enumerate(pages) if one.segments}

    assert _notes(pages, with_text) == [note]
    assert _lost(pages, with_text) == pytest.approx(lost)


def test_a_whole_paper_has_no_notes():
    whole = document(f"{UNMARKED}{FRONT}\n= Introduction\n{prose(200)}")

    assert (whole.notes, whole.lost, whole.is_partial, notes_warning(whole)) == ((), 0.0, False, None)


@pytest.mark.parametrize(
    ("notes", "lost", "warning"),
    [
        (("3 letters left out, for which the fonts name no character",), 0.001, None),
        (("2 of 30 references without authors",), 0.0, None),
        (("mended: streams with a wrong length",), 0.0, "Mended: streams with a wrong length."),
        (("1 of 9 pages hold images without text",), 0.11, "1 of 9 pages hold images without text."),
        (("3 of 9 pages hold images without text",), 0.33, "PARTIAL: 3 of 9 pages hold images without text."),
    ],
)
def test_a_job_tells_what_matters_and_calls_a_paper_partial_above_a_fifth(notes, lost, warning):
    read = replace(document(f"{UNMARKED}{FRONT}\n= Introduction\n{prose(200)}"), notes=notes, lost=lost)

    assert notes_warning(replace(read, is_partial=lost > 0.2)) == warning


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_a_setting_decides_which_papers_are_partial(share, monkeypatch):
    read = replace(document(f"{UNMARKED}{FRONT}\n= Introduction\n{prose(200)}"), lost=0.3)
    reader = Reader(ModelCard("any", "0" * 64, dimension=384, max_tokens=256), JobSettings(partial_share=share))
    monkeypatch.setattr(reader, "_parse", lambda source: read)
    monkeypatch.setattr(reader, "_cut", lambda document, name: [])

    assert reader.read(RawDocument("/a.pdf", b"", Format.PDF, "0" * 64)).document.is_partial == (share < 0.3)


def test_tables_without_rows_and_figures_without_pictures_are_named():
    captions = [("Table 1", ()), ("Table 2", ()), ("Figure 1", (1.0, 0.1, 0.1, 0.9, 0.5)), ("Figure 2", ())]
    elements = [Element(ElementKind.CAPTION, n, n + 1, label, box) for n, (label, box) in enumerate(captions)]
    whole = document(f"{UNMARKED}{FRONT}\n= Introduction\n{prose(200)}")
    read = replace(whole, elements=(*elements, Element(ElementKind.TABLE, 5, 6, "Table 1")))

    assert notes_on(read) == ["1 of 2 tables without rows: Table 2", "1 of 2 figures without a picture: Figure 2"]
    assert notes_on(replace(read, format="latex", line_boxes="")) == ["1 of 2 tables without rows: Table 2"]
    nameless = replace(read, elements=(*read.elements, Element(ElementKind.TABLE, 7, 8)))
    assert notes_on(nameless) == ["1 of 2 figures without a picture: Figure 2"]


def test_references_without_authors_are_counted_in_any_format():
    text = "# Tides\n\nText [1].\n\n## References\n\n[1] A. Lovelace. Tides of seas. 1843.\n\n[2] Tide tables. 1901.\n"

    read = parse(RawDocument("/a.md", text.encode(), Format.MARKDOWN, "0" * 64))

    assert read.notes == ("1 of 2 references without authors",)


def test_parts_of_latex_that_are_not_there_are_named():
    main = (
        r"\documentclass{article}\input{macros}\begin{document}\section{One}Some text.\input{lost/part}"
        r"\include{two}\input{lost/part}\end{document}"
    )
    text = whole_text("main", main, {"two.tex": r"\section{Two}More."}.get, max_chars=10_000)

    read = parse_latex(RawDocument("/papers/main.tex", text.encode(), Format.LATEX, "0" * 64))

    assert read.notes == ("2 parts not found: macros, lost/part",)
    assert "papergraphmissing" not in read.text
    assert notes_warning(read) == "2 parts not found: macros, lost/part."
