"""Highlights of other programs are placed by their words and by their rectangles on the pages."""

import io
import json

import pikepdf
import pypdfium2 as pdfium
import pytest

from papergraph.ingest.fetch.zotero_marks import Mark, colour_of, marks_of, position_of, text_of_note
from papergraph.ingest.parsers import Document
from papergraph.ingest.parsers.line_boxes import LineBoxes, unpack
from papergraph.ingest.parsers.pdf import document_of
from papergraph.ingest.parsers.pdf.page_image import PageFrame, frames
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.server.operations.zotero_objects import WantedHighlight, is_same_place
from papergraph.server.papers.highlight_places import HighlightPlace, place_of
from papergraph.server.papers.regions import regions_of
from papergraph.text.alignment import Piece, PiecedText, squeezed
from tests.support.pdf_documents import LIMITS, source
from tests.support.typeset import pdf

SENTENCE = "The sea rises twice a day near the old harbour."
MARKUP = f"""= Tides of the north
{SENTENCE} We measured it at noon with a long pole of oak.
#pagebreak()
= Tides of the south
In winter the wind is strong, as all sailors know. {SENTENCE} Nobody knows why.
"""


def turned(data: bytes, rotation: int) -> bytes:
    """Return a PDF whose pages are turned and cut at the left and at the bottom."""
    with pikepdf.open(io.BytesIO(data)) as document:
        for page in document.pages:
            left, bottom, right, top = map(float, page.mediabox)
            page.cropbox = [left + 20, bottom + 30, right, top]
            page.rotate(rotation, relative=False)
        written = io.BytesIO()
        document.save(written)
        return written.getvalue()


def highlight(data: bytes, page: int, words: str) -> Mark:
    """Return the highlight of words as another program draws it, in the page's own points."""
    sheet = pdfium.PdfDocument(data)[page - 1].get_textpage()
    at, n = sheet.search(words).get_next()
    rects = tuple(tuple(sheet.get_rect(one)) for one in range(sheet.count_rects(at, n)))
    return Mark("H1", "highlight", "A", "", "F1", words, "yellow", page, rects)


def placed(document: Document, data: bytes, mark: Mark) -> HighlightPlace:
    text = PiecedText([Piece(document.text[one.start : one.end], one.start, one.end) for one in document.sections])
    titles = [squeezed(one.title) for one in document.sections]
    return place_of(mark, text, titles, unpack(document.line_boxes), frames(data))


def read(data: bytes) -> Document:
    return document_of(source(data), read_pdf(data, LIMITS))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_point_is_seen_where_the_page_shows_it(rotation: int):
    frame = PageFrame(20, 30, 400, 600, rotation)

    corner = {0: (0.0, 1.0), 90: (0.0, 0.0), 180: (1.0, 0.0), 270: (1.0, 1.0)}[rotation]
    assert frame.seen(20, 30) == corner
    shares = {0: (0.25, 0.9), 90: (0.1, 0.25), 180: (0.75, 0.1), 270: (0.9, 0.75)}[rotation]
    assert frame.seen(120, 90) == pytest.approx(shares)
    assert frame.points(*frame.seen(120, 90)) == pytest.approx((120, 90))


def test_a_quote_is_drawn_where_another_program_finds_its_words():
    data = turned(pdf(MARKUP), 0)
    document, sheet = read(data), pdfium.PdfDocument(data)
    start = document.text.index("the wind is strong")
    boxes = tuple(map(tuple, regions_of(document.line_boxes, start, start + 18)))
    wanted = WantedHighlight("highlight a", "p", "F1", "the wind is strong", "", "blue", boxes, 42)

    drawn = wanted.data(frames(data))

    assert drawn["annotationSortIndex"].startswith("00001|000042|") and drawn["annotationColor"] == "#2ea8e5"
    page, rects = position_of(drawn["annotationPosition"])
    words = "".join(sheet[page - 1].get_textpage().get_text_bounded(*rect) for rect in rects)
    assert words.strip() == "the wind is strong"
    assert is_same_place(drawn | {"annotationText": "the wind  is strong"}, drawn)
    assert not is_same_place(drawn | {"annotationPosition": '{"pageIndex": 1, "rects": [[1, 2, 3, 4]]}'}, drawn)


def test_a_quote_over_two_pages_is_one_highlight():
    boxes = ((1.0, 0.1, 0.9, 0.8, 0.95), (2.0, 0.1, 0.05, 0.5, 0.1))
    wanted = WantedHighlight("highlight a", "p", "F1", "words", "", "yellow", boxes, 0)

    position = json.loads(wanted.data([PageFrame(0, 0, 100, 200, 0)] * 2)["annotationPosition"])

    assert position == {"pageIndex": 0, "rects": [[10, 10, 80, 20]], "nextPageRects": [[10, 180, 50, 190]]}


def test_of_equal_words_those_in_the_rectangles_are_marked():
    data = turned(pdf(MARKUP), 0)
    document = read(data)

    for page in (1, 2):
        place = placed(document, data, highlight(data, page, SENTENCE))
        assert place.chars is not None and place.is_exact
        assert document.text[slice(*place.chars)] == SENTENCE
        regions = regions_of(document.line_boxes, *place.chars)
        assert {one.page for one in regions} == {page}
        assert place.boxes == pytest.approx([edge for one in regions for edge in one], abs=0.02)


def test_equal_words_without_known_lines_have_no_place():
    data = turned(pdf(MARKUP), 180)  # upside down
    document = read(data)

    assert placed(document, data, highlight(data, 2, SENTENCE)).chars is None
    once = placed(document, data, highlight(data, 2, "the wind is strong")).chars
    assert once and document.text[slice(*once)] == "the wind is strong"


def test_words_that_differ_are_placed_by_rectangles_and_words_elsewhere_are_not():
    data = pdf(MARKUP)
    document = read(data)
    mark = highlight(data, 2, "the wind is strong, as all sailors know")
    heading = highlight(data, 1, "Tides of the north")

    def place(quote: str, of: Mark = mark) -> HighlightPlace:
        return placed(document, data, Mark(**{**of.data(), "quote": quote}))

    garbled = place("the vvind is str\ufffdng, as all sail0rs know")
    assert garbled.chars and not garbled.is_exact
    assert document.text[slice(*garbled.chars)] == "the wind is strong, as all sailors know."
    assert place(SENTENCE).chars is None and place(SENTENCE).boxes[0] == 2
    assert place("The moon is full").chars is None
    north = placed(document, data, heading).chars
    assert north and document.text[slice(*north)] == "Tides of the north"
    empty = Mark(**{**mark.data(), "quote": SENTENCE, "rects": ((1.0, 1.0, 5.0, 5.0),)})
    assert placed(document, data, empty).chars is None


def test_without_pages_the_words_alone_count():
    mark = Mark("H1", "highlight", "A", "", quote="sea  rises", colour="yellow")
    text = PiecedText([Piece("The sea rises.", 10, 24)])

    assert place_of(mark, text, [], LineBoxes((), ()), ()) == HighlightPlace((14, 23), (), is_exact=True)


def test_annotations_of_zotero_are_read_as_they_may_be_malformed():
    items = [
        {"key": "F", "itemType": "attachment", "parentItem": "A"},
        {"key": "A", "itemType": "book", "tags": ["?", {"tag": "a, b"}, {"tag": "papergraph"}], "collections": ["X"]},
        {"key": "N", "itemType": "note", "parentItem": "A", "note": "<p> </p>"},
        {"key": "O", "itemType": "note", "note": "<p>alone</p>"},
        {"key": "I", "itemType": "annotation", "parentItem": "F", "annotationType": "ink"},
        {"key": "L", "itemType": "annotation", "parentItem": "gone", "annotationType": "highlight"},
    ]
    base = {"itemType": "annotation", "parentItem": "F", "annotationType": "underline", "annotationText": "sea"}
    positions = ["{", "[]", '{"pageIndex": 0, "rects": [[1, 2, 3]]}', {"pageIndex": 1, "rects": [[1, 2, 3, 4]]}, None]
    items += [base | {"key": f"P{n}", "annotationPosition": one} for n, one in enumerate(positions)]
    loop = [{"key": "X", "name": "x", "parentCollection": "Y"}, {"key": "Y", "name": "y", "parentCollection": "X"}]

    found = marks_of(items, loop)

    assert [(one.key, one.text) for one in found if one.kind != "highlight"] == [("A a b", "a b"), ("A y/x", "y/x")]
    assert [one.page for one in found if one.kind == "highlight"] == [0, 0, 1, 2, 0]
    assert [len(one.rects) for one in found if one.kind == "highlight"] == [0, 0, 0, 1, 0]


def test_notes_and_colours_are_translated():
    assert text_of_note("plain") == "plain"
    assert text_of_note("<div><h1>A</h1>b <i>c</i><br>d<ul><li>e</li></ul>f</div>") == "A\nb c\nd\n- e\nf"
    written = ["#ff6666", "#5FB236", "#2ea8e5", "#a28ae5", "", "red", "#f19837"]
    assert [colour_of(one) for one in written] == ["pink", "green", "blue", "purple", "yellow", "yellow", "yellow"]
