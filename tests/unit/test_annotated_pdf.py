"""Notes and highlights written into a PDF."""

import io

import pikepdf
import pytest

from papergraph.errors import Reason
from papergraph.ingest.parsers.pdf.annotated import PdfMark, annotate, annotate_in_child
from papergraph.ingest.parsers.pdf.page_image import frames
from papergraph.ingest.parsers.sandbox import RefusedError
from tests.support.typeset import pdf, prose

AT = "2026-11-29T12:00:00+01:00"
BOXES = ((1, 0.2, 0.1, 0.8, 0.12), (1, 0.2, 0.13, 0.5, 0.15), (2, 0.2, 0.1, 0.4, 0.12))
HIGHLIGHT = PdfMark("a1", "Is this so?", "Ada", AT, (1.0, 0.85, 0.3), BOXES)
NOTE = PdfMark("b2", "Read again: “tides”", "", AT, (1.0, 0.85, 0.3))


def turned(data: bytes, degrees: int) -> bytes:
    written = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as document:
        for page in document.pages:
            page.rotate(degrees, relative=False)
        document.save(written)
    return written.getvalue()


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_highlight_is_where_its_boxes_are_seen_and_a_note_on_the_first_page(degrees):
    whole = turned(pdf(prose(1200)), degrees)

    written = annotate(whole, [HIGHLIGHT, NOTE])

    seen = []
    with pikepdf.open(io.BytesIO(written)) as document:
        for number, (page, frame) in enumerate(zip(document.pages, frames(written), strict=True), 1):
            for one in page.get("/Annots", []):
                if one.Subtype != pikepdf.Name.Highlight:
                    continue
                assert (str(one.T), str(one.Contents), str(one.M)) == ("Ada", "Is this so?", "D:20261129110000Z")
                numbers = [float(value) for value in one.QuadPoints]
                for start in range(0, len(numbers), 8):
                    quad = numbers[start : start + 8]
                    left, upper = frame.seen(*quad[0:2])
                    right, lower = frame.seen(*quad[6:8])
                    seen.append((number, *(round(edge, 3) for edge in (left, upper, right, lower))))
        notes = [str(one.Contents) for one in document.pages[0].Annots if one.Subtype == pikepdf.Name.Text]
    assert seen == list(BOXES)
    assert notes == ["Read again: “tides”"]


def test_annotations_of_the_file_stay_and_pages_that_it_lacks_are_left_out():
    once = annotate(pdf(prose(50)), [HIGHLIGHT])
    twice = annotate_in_child(once, [NOTE])

    with pikepdf.open(io.BytesIO(twice)) as document:
        assert len(document.pages) == 1
        assert [str(one.Subtype) for one in document.pages[0].Annots] == ["/Highlight", "/Text"]


def test_a_damaged_file_is_refused():
    with pytest.raises(RefusedError) as refused:
        annotate_in_child(b"%PDF-1.7 nothing", [NOTE])

    assert refused.value.reason is Reason.DAMAGED
