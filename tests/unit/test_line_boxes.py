import re
import unicodedata
from itertools import pairwise

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.ingest.parsers.line_boxes import LineBox, PageSize, Word, pack, unpack
from papergraph.ingest.parsers.pdf import document_of
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import SandboxLimits
from papergraph.ingest.sources import Format, RawDocument
from papergraph.server.papers.regions import Region, regions_of
from tests.support.typeset import pdf, prose

TENTH = st.integers(0, 10_000).map(lambda value: value / 10)
PAGES = st.lists(st.builds(PageSize, TENTH, TENTH), min_size=1, max_size=5).map(tuple)


HALF = st.integers(0, 2_000).map(lambda value: value / 2)


@st.composite
def words(draw, start, end):
    cuts = sorted(draw(st.sets(st.integers(start, end), max_size=8)))
    return tuple(Word(a, b, draw(HALF), draw(HALF)) for a, b in zip(cuts[::2], cuts[1::2], strict=False))


@st.composite
def boxes(draw):
    found, end = [], 0
    for _ in range(draw(st.integers(1, 20))):
        start = end + draw(st.integers(0, 5))
        end = start + draw(st.integers(1, 90))
        x0, width, baseline, size = (draw(TENTH) for _ in range(4))
        place = (x0, round(x0 + width, 1), baseline, size)
        found.append(LineBox(start, end, draw(st.integers(1, 900)), *place, draw(words(start, end))))
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


EARLIER_FORM = "c-mt+V0VF^L4@f7{{{XR>?arjEKCJ#"


def test_a_string_of_the_earlier_form_has_lines_without_words():
    pages, (line,) = unpack(EARLIER_FORM)

    assert pages == (PageSize(400.0, 100.0),)
    assert line == LineBox(0, 10, 1, 100.0, 200.0, 50.0, 10.0)


def test_a_rectangle_begins_and_ends_with_its_words():
    words = (Word(0, 4, 100.0, 150.0), Word(5, 10, 152.0, 200.0))
    packed = pack([PageSize(400.0, 100.0)], [LineBox(0, 10, 1, 100.0, 200.0, 50.0, 10.0, words)])

    found = [regions_of(packed, *part)[0] for part in ((0, 4), (5, 10), (2, 5))]
    edges = [(region.x0, region.x1) for region in found]

    assert edges == [(0.25, 0.375), (0.38, 0.5), (0.3125, 0.375)]
    assert regions_of(packed, 4, 5) == []


MIXED = f"""#set par(justify: true)
#set page(columns: 2)
= Introduction
{prose(160)} #strong[Wide letters] WWWW are #text(6pt)[small] or iiiiiiii narrow.
The office affords a difference in efficient flows; waffles suffice for cafés.
We write x#sub[1] + y within a line. Notes#super[12] follow words. #emph[Slanted words] end it.
A table of tides has rows.

= Results
{prose(400, first=200)}"""


def test_every_sentence_of_a_parsed_pdf_is_read_back_from_its_rectangles():
    data = pdf(MIXED)
    document = document_of(RawDocument("/papers/a.pdf", data, Format.PDF, "0" * 64), read_pdf(data, SandboxLimits()))
    file = pypdfium2.PdfDocument(data)
    pages = [glyphs_of(file[number]) for number in range(len(file))]
    starts = [match.start() for match in re.finditer(r"(?<=\. )\w", document.text)]
    stretches = list(pairwise(starts))

    read = [held_by(pages, regions_of(document.line_boxes, start, end)) for start, end in stretches]

    assert len(stretches) > 50
    assert any(len({region.page for region in regions_of(document.line_boxes, *both)}) > 1 for both in stretches)
    assert read == [letters(document.text[start:end]) for start, end in stretches]


def glyphs_of(page):
    """Return the characters of a page with their middles, in shares of the page."""
    text, (width, height) = page.get_textpage(), page.get_size()
    found = []
    for index in range(text.count_chars()):
        left, bottom, right, top = text.get_charbox(index, loose=True)
        found.append((text.get_text_range(index, 1), (left + right) / 2 / width, 1 - (bottom + top) / 2 / height))
    return found


def held_by(pages, regions):
    """Return the letters whose middle is in a rectangle, from rectangle to rectangle, each from left to right."""
    held = []
    for region in regions:
        inside = [
            (x, character)
            for character, x, y in pages[region.page - 1]
            if region.x0 <= x <= region.x1 and region.y0 <= y <= region.y1
        ]
        held += [character for _, character in sorted(inside)]
    return letters("".join(held))


def letters(text):
    return "".join(re.findall(r"[a-z0-9]", unicodedata.normalize("NFKD", text).casefold()))


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
