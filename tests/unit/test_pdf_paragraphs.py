"""Paragraphs of PDFs: justified lines, formulas, notes in margins, figures between halves, and text that is clipped."""

import io

import pikepdf
import pytest

from papergraph.ingest.parsers.pdf.composition import compose
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Run, Segment, Style
from papergraph.ingest.parsers.pdf.headings import Lines
from papergraph.ingest.parsers.pdf.layout import Line, read
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.pdf.tables import find_captions
from papergraph.ingest.parsers.pdf.title_page import find_year
from papergraph.ingest.parsers.sandbox import SandboxLimits
from tests.support.typeset import pdf, prose

BODY = Style("Serif", 10.0, False, False, False)
SMALL = Style("Serif", 7.0, False, False, False)
WORDS = "words that fill a line of running text up to the right"


def segment(text, x0, x1, y, styles=None):
    styles = styles or {BODY: len(text)}
    return Segment(text, x0, x1, y, styles, [Run(0, next(iter(styles)), False)])


def line(y, *parts, page=0):
    """Return a line of (text, left edge, right edge) and perhaps styles, in a column from 50 to 300."""
    return Line(page, [segment(text, x0, x1, y, *styles) for text, x0, x1, *styles in parts], 50.0, 300.0)


def full(y, text=WORDS, page=0):
    return line(y, (text, 50, 300), page=page)


def paragraphs(*lines):
    found = Lines(lines)
    return [one.text for one in compose(found, [], range(0), find_captions(found, set())).paragraphs]


@pytest.mark.parametrize("gap", [10, 12, 15])
def test_lines_with_wide_gaps_between_words_are_one_paragraph(gap):
    parted = [("wide gaps between", 50, 150), ("words of a line that is", 150 + gap, 300)]
    shifted = [("wide gaps", 50, 95), ("between words of a line that goes on", 95 + gap, 300)]
    (found,) = paragraphs(full(100), line(112, *parted), line(124, *shifted), full(136))
    assert found.endswith(f"that goes on {WORDS}")


@pytest.mark.parametrize(("first", "second"), [(40, 40), (12, 12)])
def test_rows_with_wide_gaps_or_equal_edges_stay_apart(first, second):
    rows = [[("Sea", 50, 70), ("20", 70 + first, 120)], [("Bay", 50, 70), ("30", 70 + second, 120)]]
    assert paragraphs(full(68), full(80), *(line(120 + 12 * n, *row) for n, row in enumerate(rows)))[1:] == [
        "Sea 20",
        "Bay 30",
    ]


def test_a_line_of_a_formula_in_small_letters_parts_no_paragraph():
    formula = ("where the set of all t_min, t_max and t_mean is part of it, so it represents", 50, 300)
    (found,) = paragraphs(full(100), line(112, (*formula, {SMALL: 46, BODY: 30})), full(124))
    assert found == f"{WORDS} {formula[0]} {WORDS}"


def test_a_note_in_small_letters_is_a_paragraph_of_its_own():
    note = (WORDS, 50, 300, {SMALL: len(WORDS)})
    assert len(paragraphs(full(100), full(112, "and ends here."), line(140, note), line(149, note))) == 2


@pytest.mark.parametrize(("page", "n"), [(1, 1), (3, 1), (6, 2)])
def test_a_paragraph_goes_on_after_pages_of_figures(page, n):
    opened = [full(700), full(712), full(724, "this paragraph is open at the foot of its column and has an un-")]
    captions = [line(300, ("Figure 2. Growth of leaves.", 50, 200), page=number) for number in range(1, page)]
    found = paragraphs(*opened, *captions, full(100, "finished word in its last line, which is here.", page))
    assert len([text for text in found if "open at" in text or "finished" in text]) == n
    assert ("an unfinished word" in found[0]) == (n == 1)


def page_of(*segments):
    return PageGlyphs(600, 800, list(segments), {}, sum(len(one.text) for one in segments), 0, True)


def texts(*pages):
    return [one.text for one in read(pages).lines]


LINE = "a line of running text number"
SMALLER = Style("Serif", 8.0, False, False, False)


@pytest.mark.parametrize("x0", [10, 520])
def test_notes_in_a_margin_stand_below_the_text_beside_them(x0):
    text = [segment(f"{LINE} {n}", 130, 510, 100 + 12 * n) for n in range(20)]
    said = ["Edited by", "N. Nobody", "Received", "04 May 2019"]
    notes = [segment(one, x0, x0 + 60, 99 + 11.5 * n, {SMALLER: len(one)}) for n, one in enumerate(said)]
    assert texts(page_of(*text, *notes)) == [one.text for one in (*text, *notes)]


@pytest.mark.parametrize("first", ["Published", "Received"])
def test_a_date_below_its_label_in_a_margin_is_that_of_the_label(first):
    dates = {"Published": "21 May 2019", "Received": "01 November 2018"}
    said = [text for label in sorted(dates, key=first.__ne__) for text in (label, dates[label])]
    notes = [line(100 + 12 * n, (text, 10, 60, {SMALL: len(text)})) for n, text in enumerate(said)]
    assert find_year(Lines([full(80), full(92), *notes]), range(1), 6, []) == 2019


def test_labels_of_a_list_and_three_small_notes_stay_with_their_lines():
    text = [segment(f"{LINE} {n}", 130, 510, 100 + 12 * n) for n in range(20)]
    labels = [segment(f"{n}.", 110, 118, 100 + 12 * n) for n in range(6)]
    assert texts(page_of(*text, *labels))[:2] == [f"0. {LINE} 0", f"1. {LINE} 1"]


def columns(top, n, left=50, middle=300, right=550, gutter=16):
    return [
        [segment(f"{side} {LINE} {number}", x0, x1, top + 12 * number) for number in range(n)]
        for side, x0, x1 in (("left", left, middle - gutter / 2), ("right", middle + gutter / 2, right))
    ]


def test_columns_below_an_abstract_beside_its_keywords_are_read_one_after_the_other():
    keywords = [segment(f"keyword number {n}", 50, 150, 200 + 9 * n, {SMALLER: 16}) for n in range(10)]
    abstract = [segment(f"abstract that is {LINE} {n}", 210, 550, 200 + 9 * n) for n in range(20)]
    left, right = columns(460, 9)
    later = [one for column in columns(100, 40) for one in column]
    found = texts(page_of(*keywords, *abstract, *left, *right), page_of(*later), page_of(*later))
    assert found[:48] == [one.text for one in (*keywords, *abstract, *left, *right)]


def test_lines_near_the_text_at_the_top_of_each_page_are_no_running_heads():
    pages = [
        page_of(*(segment(f"{number}{n} {LINE if n > 1 else 'a beginning of all pages'}", 50, 300, 70 + 12 * n)
                  for n in range(30)))
        for number in range(1, 5)
    ]  # fmt: skip
    assert len(texts(*pages)) == 4 * 30


@pytest.mark.parametrize(("dates", "n"), [(["5/29/13"] * 4, 0), (["5/29/13", "1.5", "7.5", "12-14"], 4)])
def test_a_date_that_all_pages_print_is_a_running_head(dates, n):
    pages = [
        page_of(segment(date, 26, 60, 22), *(segment(f"{LINE} {n}", 50, 300, 70 + 12 * n) for n in range(9)))
        for date in dates
    ]
    assert len(texts(*pages)) == 4 * 9 + n


def with_page_as_figure(box):
    """Return a PDF whose first page holds another one as a figure, cut to a box of shares of its width and height."""
    paper = pikepdf.open(io.BytesIO(pdf(f"{prose(60)}\n#v(1fr)\nFigure 1. Leaves.")))
    other = pikepdf.open(io.BytesIO(pdf(f"Label of a leaf\n#v(1fr)\n{prose(90, first=500)}")))
    page = paper.pages[0]
    form = paper.copy_foreign(other.pages[0].as_form_xobject())
    width, height = (float(edge) for edge in page.mediabox[2:])
    form.BBox = [box[0] * width, box[1] * height, box[2] * width, box[3] * height]
    page.contents_add(b"q 1 0 0 1 0 -60 cm /Cut Do Q")
    page.Resources.XObject = pikepdf.Dictionary(Cut=form)
    saved = io.BytesIO()
    paper.save(saved)
    return saved.getvalue()


@pytest.mark.parametrize(("box", "label", "words"), [((0, 0.8, 1, 1), True, False), ((0, 0, 1, 1), True, True)])
def test_text_outside_the_visible_part_of_a_figure_is_left_out(box, label, words):
    text = read_pdf(with_page_as_figure(box), SandboxLimits()).text
    assert prose(5)[:-1] in text
    assert ("Label of a leaf" in text) == label
    assert (prose(5, first=520)[:-1] in " ".join(text.split())) == words
