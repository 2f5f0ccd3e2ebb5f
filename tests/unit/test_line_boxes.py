import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parsers.line_boxes import LineBox, PageSize, pack, unpack
from ingest.parsers.pdf import document_of
from ingest.parsers.pdf.reading import read_pdf
from ingest.parsers.sandbox.limits import SandboxLimits
from ingest.sources import Format, RawDocument
from server.papers.regions import Region, regions_of
from tests.support.typeset import pdf, prose

TENTH = st.integers(0, 10_000).map(lambda value: value / 10)
PAGES = st.lists(st.builds(PageSize, TENTH, TENTH), min_size=1, max_size=5).map(tuple)


@st.composite
def boxes(draw):
    found, end = [], 0
    for _ in range(draw(st.integers(1, 20))):
        start = end + draw(st.integers(0, 5))
        end = start + draw(st.integers(1, 90))
        x0, width, baseline, size = (draw(TENTH) for _ in range(4))
        found.append(LineBox(start, end, draw(st.integers(1, 900)), x0, round(x0 + width, 1), baseline, size))
    return tuple(found)


@given(PAGES, boxes())
def test_boxes_come_back_as_they_were_packed(pages, found):
    assert unpack(pack(pages, found)) == (pages, found)


def test_without_lines_there_is_nothing_to_pack():
    assert pack([PageSize(600.0, 800.0)], []) == ""
    assert unpack("") == ((), ())


@pytest.mark.parametrize("packed", ["not a packed string", pack([PageSize(1, 1)], [LineBox(0, 1, 1, 0, 1, 1, 1)])[:-5]])
def test_what_is_no_packed_string_is_an_error(packed):
    with pytest.raises(ValueError):
        unpack(packed)


def test_a_stretch_of_text_has_a_rectangle_on_each_line_that_it_touches():
    packed = pack(
        [PageSize(400.0, 100.0), PageSize(1000.0, 200.0)],
        [LineBox(0, 10, 1, 100.0, 200.0, 50.0, 10.0), LineBox(11, 21, 2, 100.0, 200.0, 60.0, 10.0)],
    )

    first, second = regions_of(packed, 5, 12)

    assert first == Region(1, 0.375, 0.422, 0.5, 0.524)
    assert second == Region(2, 0.1, 0.261, 0.11, 0.312)
    assert regions_of(packed, 10, 11) == []
    assert regions_of("", 0, 5) == []


def test_every_word_of_a_parsed_pdf_lies_on_the_page_that_the_text_says():
    data = pdf(f"#set page(columns: 2)\n= Introduction\n{prose(900)}")
    document = document_of(RawDocument("/papers/a.pdf", data, Format.PDF, "0" * 64), read_pdf(data, SandboxLimits()))

    pages, lines = unpack(document.line_boxes)
    covered = sum(box.end - box.start for box in lines)
    last = document.text.rindex("baba")
    (region,) = regions_of(document.line_boxes, last, last + 4)

    assert len(pages) == document.n_pages
    assert covered > 0.97 * len(document.text.strip())
    assert region.page == document.page_marks[-1][1]
    assert 0 < region.x0 < region.x1 < 1
    assert 0 < region.y0 < region.y1 < 1
