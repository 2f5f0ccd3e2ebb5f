import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parsers.line_boxes import PROPERTY, LineBox, pack, regions, unpack
from ingest.parsers.pdf import document_of
from ingest.parsers.pdf.reading import read_pdf
from ingest.parsers.sandbox.limits import SandboxLimits
from ingest.sources import Format, RawDocument
from tests.support.typeset import pdf, prose

TENTH = st.integers(0, 10_000).map(lambda value: value / 10)


@st.composite
def boxes(draw):
    found, end = [], 0
    for _ in range(draw(st.integers(0, 20))):
        start = end + draw(st.integers(0, 5))
        end = start + draw(st.integers(1, 90))
        x0, width, baseline, size = (draw(TENTH) for _ in range(4))
        found.append(LineBox(start, end, draw(st.integers(1, 900)), x0, round(x0 + width, 1), baseline, size))
    return tuple(found)


@given(boxes())
def test_boxes_come_back_as_they_were_packed(found):
    assert unpack(pack(found)) == found


def test_what_is_no_packed_string_is_an_error():
    with pytest.raises(ValueError):
        unpack("not a packed string")


def test_a_stretch_of_text_has_a_rectangle_on_each_line_that_it_touches():
    paper = {
        PROPERTY: pack([LineBox(0, 10, 1, 100.0, 200.0, 50.0, 10.0), LineBox(11, 21, 2, 100.0, 200.0, 60.0, 10.0)])
    }

    first, second = regions(paper, 5, 12)

    assert (first.page, first.x0, first.x1, first.start, first.end) == (1, 150.0, 200.0, 5, 10)
    assert (second.page, second.x0, second.x1, second.start, second.end) == (2, 100.0, 110.0, 11, 12)
    assert first.y0 < 50 < first.y1
    assert regions({}, 0, 5) == []


def test_every_word_of_a_parsed_pdf_lies_on_the_page_that_the_text_says():
    data = pdf(f"#set page(columns: 2)\n= Introduction\n{prose(900)}")
    document = document_of(RawDocument("/papers/a.pdf", data, Format.PDF, "0" * 64), read_pdf(data, SandboxLimits()))
    paper = {PROPERTY: document.line_boxes}

    covered = sum(box.end - box.start for box in unpack(document.line_boxes))
    last = document.text.rindex("baba")
    (region,) = regions(paper, last, last + 4)

    assert covered > 0.97 * len(document.text.strip())
    assert region.page == document.page_marks[-1][1]
