"""Captions, tables and entries of lists of references by the place of lines on pages."""

import json
from dataclasses import asdict

import pytest

from papergraph.ingest.parsers.pdf.bibliography import find_entries, split_label
from papergraph.ingest.parsers.pdf.composition import breaks_link, compose
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Run, Segment, Style
from papergraph.ingest.parsers.pdf.headings import FoundHeading, Lines
from papergraph.ingest.parsers.pdf.layout import BlockKind, Line
from papergraph.ingest.parsers.pdf.reading import PdfReading, read_pdf
from papergraph.ingest.parsers.pdf.tables import (
    Rule,
    caption_label,
    find_captions,
    find_tables,
    markdown,
    with_continued,
    with_tables,
)
from papergraph.ingest.parsers.sandbox import SandboxLimits
from tests.support.typeset import pdf, prose

BODY = Style("Times", 10.0, False, False, False)


def segment(text, x0, y, x1=None, style=BODY):
    return Segment(text, x0, x1 or x0 + 5 * len(text), y, {style: len(text)}, [Run(0, style, False)])


def line(text, x0, y, page=0, x1=None):
    return Line(page, [segment(text, x0, y, x1)], 50.0, 300.0)


def entries(found):
    return [(block.first, block.last) for block in found if block.kind is BlockKind.ENTRY]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Figure 3: The results", "Figure 3"),
        ("Fig. 3. The results", "Fig. 3"),
        ("Table 2", "Table 2"),
        ("TABLE IV", "TABLE IV"),
        ("Table 1 Overview of the phases", "Table 1"),
        ("Figure 3 shows the results", None),
        ("Table 2 and Figure 1", None),
        ("Figures are shown", None),
        ("figure 3 below", None),
    ],
)
def test_a_caption_is_told_from_a_sentence(text, label):
    found = caption_label(text)
    assert (found and found.text) == label


def test_a_caption_ends_where_its_paragraph_does_and_a_line_within_one_is_none():
    lines = Lines(
        [
            line("The results of all runs that we made are shown in", 50, 100, x1=300),
            line("Figure 3. They are good and are discussed below.", 50, 112, x1=300),
            line("Figure 3: A caption that goes on in the next line,", 50, 300, x1=300),
            line("which ends here.", 50, 312),
            line("Running text begins here again and goes on and on.", 50, 350, x1=300),
        ]
    )
    (caption,) = find_captions(lines, set())
    assert (caption.first, caption.last, caption.label) == (2, 3, "Figure 3")


def test_entries_are_split_by_hanging_indents_over_pages():
    lines = Lines(
        [
            line("References", 50, 80),
            line("Agresti A (2002). Categorical Data Analysis. John Wiley", 50, 100, x1=300),
            line("and Sons, Hoboken.", 60, 112),
            line("Gama J (2004). Functional Trees. Machine Learning, 55,", 50, 124, x1=300),
            line("219-250. A note that goes on.", 60, 60, page=1),
            line("Vapnik V (1998). Statistical Learning Theory. Wiley.", 50, 72, page=1, x1=300),
        ]
    )
    found = find_entries(lines, [FoundHeading(0, 0, "References", 1)], set())
    assert entries(found) == [(1, 2), (3, 4), (5, 5)]


def test_entries_are_split_by_labels_that_count_on():
    lines = Lines(
        [
            line("References", 50, 80),
            line("[1] A. Agresti. Categorical Data Analysis. Wiley, in the", 50, 100, x1=300),
            line("year of 2002.", 50, 112),
            line("[2] J. Gama. Functional Trees. 2004.", 50, 124),
            line("Some text of a figure that says nothing of works at all.", 50, 400),
        ]
    )
    found = find_entries(lines, [FoundHeading(0, 0, "References", 1)], set())
    assert entries(found) == [(1, 2), (3, 3)]
    assert split_label("[2] J. Gama. Functional Trees. 2004.", found[1].label) == (
        "2",
        "J. Gama. Functional Trees. 2004.",
    )


def test_prose_below_a_heading_called_references_is_no_list():
    lines = Lines(
        [
            line("References", 50, 80),
            line("There are three options for citing the works of others:", 50, 100, x1=300),
            line("numbers, labels, and the system of authors and years.", 50, 112, x1=300),
        ]
    )
    assert find_entries(lines, [FoundHeading(0, 0, "References", 1)], set()) == []


def table_page(*extra):
    rows = [("Model", "P", "R"), ("Grobid CRF", "40.6", "38.3"), ("RoBERTa", "75.9", "80.0")]
    cells = [
        segment(text, x, 140 + 14 * number)
        for number, row in enumerate(rows)
        for text, x in zip(row, (60, 160, 220), strict=True)
    ]
    caption = segment("Table 1: Scores of models", 60, 120)
    return PageGlyphs(600, 800, [caption, *cells, *extra], {}, 100, 0, True)


@pytest.mark.parametrize("rules", [[], [Rule(55, 260, 128), Rule(55, 260, 172)]])
def test_a_table_next_to_its_caption_is_read_by_rows_with_and_without_rules(rules):
    text = segment("Running text that follows the table after a gap and fills the line.", 50, 230)
    (found,) = find_tables(table_page(text), rules)
    assert found.rows == [["Model", "P", "R"], ["Grobid CRF", "40.6", "38.3"], ["RoBERTa", "75.9", "80.0"]]
    assert markdown(found.rows).splitlines()[:2] == ["| Model | P | R |", "| --- | --- | --- |"]
    assert text not in found.segments


SEAS = ["Sea", "Kind", "Place", "North", "cold", "far", "South", "warm", "near", "East", "deep", "between"]
HEIGHTS = ["Sea", "Height", "Depth", "North", "1.5", "20", "South", "2.5", "30", "East", "3.5", "40"]


@pytest.mark.parametrize("cells", [SEAS, HEIGHTS])
@pytest.mark.parametrize("turn", [0, 90, -90])
def test_a_table_without_rules_of_words_or_sideways_has_its_rows(cells, turn):
    table = f"#table(columns: 3, stroke: none, {', '.join(f'[{cell}]' for cell in cells)})"
    turned = f"#rotate({turn}deg, reflow: true)[#figure({table[1:]}, caption: [The seas.], kind: table)]"
    reading = read_pdf(pdf(f"= Tides\n{prose(60)}\n#pagebreak()\n{turned}\n#pagebreak()\n{prose(60)}"), SandboxLimits())

    (found,) = [block for block in reading.blocks if block.kind is BlockKind.TABLE]
    rows = reading.text[found.start : found.end].splitlines()
    assert [row.strip("| ").split(" | ") for row in (rows[0], *rows[2:])] == [cells[n : n + 3] for n in range(0, 12, 3)]
    assert reading.text.count("South") == 1


def test_a_table_takes_no_lines_of_the_column_beside_it():
    texts = [segment(f"line {n} of a text that fills its column", 50, 100 + 12 * n, x1=290) for n in range(20)]
    more = [segment(f"line {n} of the other column of text", 310, 196 + 12 * n, x1=550) for n in range(12)]
    caption = segment("Table 1: Shares by year", 340, 100)
    rows = [[segment(text, x, 124 + 12 * n) for text, x in (("a", 340), (".5", 420), (".7", 480))] for n in range(4)]
    segments = [*texts, *more, caption, *(cell for row in rows for cell in row)]

    (table,) = find_tables(PageGlyphs(600, 800, segments, {}, 0, 0, True), [])

    assert table.rows == [["a", ".5", ".7"]] * 4


@pytest.mark.parametrize(
    "rows",
    [
        [["a word", "b"], ["c", "d"], ["e", "f"]],
        [["a", "b", "c"], ["d", "e", "f"]],
        [["a", "b", "c"], ["d", "e"], ["f", "g", "h"]],
        [["a", "b", "c" * 60], ["d", "e", "f"], ["g", "h", "i"]],
    ],
)
def test_words_beside_each_other_are_no_table(rows):
    segments = [segment("Table 1: Words", 50, 100)]
    segments += [segment(cell, 50 + 80 * x, 120 + 12 * y) for y, row in enumerate(rows) for x, cell in enumerate(row)]

    assert find_tables(PageGlyphs(600, 800, segments, {}, 90, 0, True), []) == []


def test_each_row_of_a_table_has_its_place_in_the_text_and_on_the_page():
    (found,) = find_tables(table_page(), [])
    lines = Lines(with_tables([Line(0, [found.caption], 50.0, 300.0)], [(0, found)]))
    composed = compose(lines, [], range(0), find_captions(lines, set()))
    caption, *rows = composed.line_boxes
    assert [composed.text[box.start : box.end].splitlines()[0] for box in rows] == [
        "| Model | P | R |",
        "| Grobid CRF | 40.6 | 38.3 |",
        "| RoBERTa | 75.9 | 80.0 |",
    ]
    assert [box.baseline for box in rows] == [140, 154, 168]
    assert caption.baseline == 120
    assert [block.kind for block in composed.blocks] == [BlockKind.CAPTION, BlockKind.TABLE]
    assert composed.n_joined == 0


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        ("URL http://www.example.org/", "papers.html.", True),
        ("doi:10.1016/", "j.csda.2008.11.033.", True),
        ("see https://example.org.", "The next", False),
        ("a hyphen-", "ated word", False),
    ],
)
def test_links_that_lines_break_are_put_together(before, after, broken):
    assert breaks_link(before, after) is broken


FIGURED = f"""= Tides

{prose(60)}

#figure(rect(width: 60mm, height: 30mm, fill: red), caption: [Tides of a red harbour at noon.])

{prose(60, first=100)}

#figure(caption: figure.caption(position: top)[Heights of tides.], table(columns: 2, [a], [b]))

#pagebreak()
#set figure.caption(position: top)
#figure(circle(radius: 20mm, fill: blue), caption: [Tides of a blue harbour at night.])

{prose(60, first=200)}

Figure 9: A caption that has lost its picture.
"""


def test_a_figure_is_the_picture_nearest_to_its_caption_above_or_below_it():
    reading = read_pdf(pdf(FIGURED), SandboxLimits())
    figures = {block.label: block.figure for block in reading.blocks if block.kind is BlockKind.CAPTION}

    wide, high = 419.5, 595.3  # A5, in points
    sizes = {
        label: (place[0], round((place[3] - place[1]) * wide), round((place[4] - place[2]) * high))
        for label, place in figures.items()
        if place
    }
    assert sorted(sizes) == ["Figure 1", "Figure 2"]
    for label, expected in {"Figure 1": (1, 170, 85), "Figure 2": (2, 113, 113)}.items():
        page, *size = sizes[label]
        assert page == expected[0]
        assert size == pytest.approx(expected[1:], abs=16)
    assert figures["Table 1"] == figures["Figure 9"] == ()
    assert PdfReading.of(json.loads(json.dumps(asdict(reading)))) == reading


STEP = 14


def rows_at(rows, y, edges=(60, 160, 220), right=False):
    """Return segments of rows, a row each 14 points, their cells at these left edges, or right ones."""
    return [
        segment(text, x - 5 * len(text) if right else x, y + STEP * number, x if right else None)
        for number, row in enumerate(rows)
        for text, x in zip(row, edges, strict=True)
    ]


def filled(*segments):
    return PageGlyphs(600, 800, list(segments), {}, 100, 0, True)


HEAD = ("Model", "P", "R")
FIRST = [HEAD, *((f"Kind {letter}", f"4{n}.6", f"3{n}.3") for n, letter in enumerate("abcdef"))]
SECOND = [(f"Sort {letter}", f"5{n}.6", f"6{n}.3") for n, letter in enumerate("abcd")]
CAPTION = segment("Table 1: Scores of models", 60, 600)
BELOW = segment("Running text below a table that fills its line from left to right.", 50, 690)
TEXT = [
    segment("Running text that follows the table after a gap and fills the line.", 50, 300 + 12 * n) for n in range(3)
]
NUMBER = segment("12", 290, 770)


def continued(first, *others):
    pages = [filled(CAPTION, *first, NUMBER), *(filled(*one) for one in others)]
    tables = [(0, table) for table in find_tables(pages[0], [])]
    return with_continued(pages, tables, frozenset())


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("head", [[], [HEAD]])
def test_rows_at_the_top_of_the_next_page_go_on_a_table_without_its_repeated_head(head, right):
    edges = (110, 190, 250) if right else (60, 160, 220)
    ((_, table),), notes = continued(
        rows_at(FIRST, 620, edges, right), [*rows_at([*head, *SECOND], 60, edges, right), *TEXT]
    )
    assert table.rows == [list(row) for row in (*FIRST, *SECOND)]
    assert table.row_pages == [0] * 7 + [1] * 4
    assert not notes


def test_a_table_goes_on_over_three_pages():
    third = [(f"Type {letter}", "1", "2") for letter in "abc"]
    ((_, table),), _ = continued(rows_at(FIRST, 620), rows_at(SECOND * 12, 60), [*rows_at(third, 60), *TEXT])
    assert len(table.rows) == 7 + 48 + 3
    assert table.row_pages[-4:] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([*rows_at(FIRST, 500), BELOW], [*rows_at(SECOND, 60), *TEXT]),  # text ends the table
        (rows_at(FIRST, 620), TEXT),
        (rows_at(FIRST, 620), [*TEXT, *rows_at(SECOND, 400)]),  # text stands above the other rows
        (rows_at(FIRST, 620), [*rows_at(SECOND[:1], 60), *TEXT]),
    ],
)
def test_rows_of_another_table_do_not_go_on_one(first, second):
    ((_, table),), notes = continued(first, second)
    assert (len(table.rows), notes) == (7, [])


def test_a_table_above_another_one_does_not_go_on():
    other = [segment("Table 2: Scores of kinds", 60, 620), *rows_at(FIRST[:3], 635)]
    pages = [filled(CAPTION, *rows_at(FIRST, 500), *other), filled(*rows_at(SECOND, 60), *TEXT)]
    tables = [(0, table) for table in find_tables(pages[0], [])]
    found, _ = with_continued(pages, tables, frozenset())
    assert [len(table.rows) for _, table in found] == [7, 3 + 4]


def test_rows_in_other_columns_are_told_in_a_note():
    ((_, table),), notes = continued(rows_at(FIRST, 620), [*rows_at(SECOND, 60, (100, 250, 400)), *TEXT])
    assert len(table.rows) == 7
    assert notes == ["the table on page 1 may go on on page 2"]


def test_columns_of_running_text_do_not_go_on_a_table_of_two_columns():
    first = [(f"Kind {letter}", f"{n}.6") for n, letter in enumerate("abcdef")]
    text = [
        segment(f"{side} column of running text {n}", x, 60 + 12 * n, x + 180)
        for n in range(9) for side, x in (("left", 60), ("right", 250))
    ]  # fmt: skip
    pages = [filled(CAPTION, *rows_at(first, 640, (60, 250))), filled(*text)]
    tables = [(0, table) for table in find_tables(pages[0], [])]
    ((_, table),), _ = with_continued(pages, tables, frozenset())
    assert len(table.rows) == 6


@pytest.mark.parametrize("lines", ["none", "0.5pt"])
def test_a_table_of_two_pages_is_one_in_the_text_with_its_places(lines):
    cells = ", ".join(f"[Bay {n}], [{n}.5], [{n * 7}]" for n in range(70))
    head = "table.header([Place], [Height], [Depth])"
    table = f"#figure(table(columns: (4cm, 2cm, 2cm), stroke: {lines}, {head}, {cells}), caption: [The bays.])"
    broken = "#show figure: set block(breakable: true)\n#show figure: set figure.caption(position: top)\n"
    read = read_pdf(pdf(f"{broken}{prose(60)}\n\n{table}\n\n{prose(60, first=300)}"), SandboxLimits())
    (block,) = [one for one in read.blocks if one.kind is BlockKind.TABLE]
    text = read.text[block.start : block.end]
    assert text.count("\n") == 71
    assert text.count("Place") == 1
    row = read.text.index("| Bay 60 |")
    assert max(page for offset, page in read.page_marks if offset <= row) > 1
