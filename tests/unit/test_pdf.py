import io
import re
from dataclasses import replace

import pikepdf
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from papergraph.errors import Reason, SourceError
from papergraph.ingest.chunkers import ChunkSpan
from papergraph.ingest.graph.rows import body_coverage
from papergraph.ingest.parsers import Document, HeadingSource, parse
from papergraph.ingest.parsers.pdf import read_in_child
from papergraph.ingest.parsers.pdf.composition import Vocabulary, join
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Run, Segment, Style
from papergraph.ingest.parsers.pdf.layout import read
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits
from tests.support.pdf_documents import FRONT, LIMITS, PATH, document, source
from tests.support.typeset import UNMARKED, pdf, prose


def tree(parsed: Document) -> list[tuple[str, int, str]]:
    return [(section.title, section.level, section.kind) for section in parsed.sections]


def own_text(parsed: Document, title: str) -> str:
    section = next(section for section in parsed.sections if section.title == title)
    return parsed.text[section.start : section.end].strip()


def refusal(data: bytes, limits: SandboxLimits = LIMITS) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read_in_child(data, limits)
    return caught.value


# Headings


def test_the_outline_comes_first_and_what_it_leaves_out_is_found_by_its_name():
    markup = f"""{FRONT}
    #heading(bookmarked: false)[Abstract]
    {prose(30)}
    = Where the water goes
    {prose(60)}
    == A closer look
    {prose(60)}
    #heading(bookmarked: false)[References]
    [1] {prose(20)}
    """

    parsed = document(markup)

    assert parsed.heading_source is HeadingSource.OUTLINE
    assert tree(parsed)[1:] == [
        ("Abstract", 1, "abstract"),
        ("Where the water goes", 1, "body"),
        ("A closer look", 2, "body"),
        ("References", 1, "references"),
    ]


def test_without_an_outline_fonts_tell_and_numbers_give_the_levels():
    markup = f"""{UNMARKED}#set heading(numbering: "1.1")
    {FRONT}
    = Introduction
    {prose(60)}
    = The way of the water
    {prose(60)}
    == Through a narrow strait that is so long that its name takes more lines than one on a small page
    {prose(60)}
    """

    parsed = document(markup)

    assert parsed.heading_source is HeadingSource.FONTS
    assert [(title, level) for title, level, _ in tree(parsed)[1:]] == [
        ("Introduction", 1),
        ("The way of the water", 1),
        ("Through a narrow strait that is so long that its name takes more lines than one on a small page", 2),
    ]


def test_where_all_is_set_alike_the_names_of_sections_tell():
    blocks = "\n\n".join(
        f"#block(above: 2em, below: 2em)[{name}]\n\n{prose(40)}" for name in ("Introduction", "Methods", "References")
    )

    parsed = document(blocks)

    assert parsed.heading_source is HeadingSource.KEYWORDS
    assert [title for title, _, _ in tree(parsed)] == ["Introduction", "Methods", "References"]


def test_a_text_without_any_heading_is_one_section_and_says_so():
    parsed = document(prose(80))

    assert parsed.heading_source is HeadingSource.NONE
    assert [kind for _, _, kind in tree(parsed)] == ["front"]


def test_first_words_in_bold_captions_and_table_heads_are_no_headings():
    markup = f"""{UNMARKED}
    #show heading: set text(9pt)
    = Introduction
    {prose(50)}

    *Some first words.* {prose(50, first=50)}

    #table(columns: 3, [*Model*], [*Score*], [*Error*], [one], [2], [3])

    #block[*Figure 1: What is seen*]

    = Results
    {prose(50)}
    """

    assert [title for title, _, _ in tree(document(markup))] == ["Introduction", "Results"]


# The text


def test_the_left_column_is_read_before_the_right_one_and_a_wide_title_before_both():
    words = prose(900)

    parsed = document(
        f'#set page(columns: 2)\n#place(top, scope: "parent", float: true)[#text(16pt)[A wide title]]\n{words}'
    )

    assert parsed.title == "A wide title"
    assert " ".join(parsed.text.split()).endswith(words)


def test_what_repeats_at_the_edges_of_pages_is_left_out_and_the_paragraph_goes_on():
    words = prose(1200)
    head = "header: [Seas and Tides #h(1fr) _Lovelace et al._], footer: context [Journal 12, #counter(page).display()]"

    parsed = document(f"#set page({head})\n{words}")

    assert parsed.n_pages is not None and parsed.n_pages > 3
    assert " ".join(parsed.text.split()) == words


def test_letters_of_formulas_are_those_of_words():
    read = document(
        f"{FRONT}\n= Methods\n\nThe share $p < 0.05$ of $lambda_1$ and the step $h$ are those of the paper. {prose(60)}"
    )

    assert "The share p < 0.05 of λ1 and the step h are those" in read.text


def test_the_title_over_later_pages_is_left_out_though_it_stands_there_once():
    head = "#set page(header: context if counter(page).get().first() > 1 [On the Tides of Small Seas #h(1fr) Vol. 3])\n"
    read = document(f"{head}{FRONT}\n= Methods\n\n{prose(60)}\n#pagebreak()\n{prose(60)}")

    assert read.n_pages == 2
    assert read.text.count("On the Tides of Small Seas") == 1
    assert "Vol. 3" not in read.text


def test_a_numbered_heading_is_not_the_last_word_of_a_caption_before_it():
    caption = "#figure(rect(width: 4cm, height: 2cm), caption: [Rows of a table found by #linebreak() queries.])"
    read = document(
        f'#set heading(numbering: "1.1")\n{FRONT}\n= Methods\n\n{prose(40)}\n\n{caption}\n\n'
        f"== Queries\n\n{prose(40)}\n\n= Results\n\n{prose(40)}"
    )

    (queries,) = [one for one in read.sections if one.title == "Queries"]
    assert " ".join(read.text[queries.start : queries.end].split()) == prose(40)


def test_words_that_lines_broke_are_whole_again_and_real_hyphens_stay():
    text = " ".join(["extraordinary international characterisation of well-known self-attention systems"] * 40)

    parsed = document(f"#set par(justify: true)\n#set text(hyphenate: true)\n#set page(columns: 2)\n{text}.")

    assert set(re.findall(r"[\w-]+", parsed.text)) == set(re.findall(r"[\w-]+", text))


def test_a_note_at_the_foot_of_a_page_stands_after_the_paragraph_that_it_parts():
    words = prose(700)
    marked = "#set super(typographic: false)\n" + words.replace(" babanaba ", " babanaba#footnote[A note.] ", 1)

    parsed = document(marked)

    flowing = " ".join(parsed.text.split())
    assert words.replace("babanaba ", "babanaba 1 ", 1) in flowing
    assert flowing.endswith("A note.")


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_that_are_shown_turned_are_read_as_they_are_meant(turn):
    data = pdf(f"#set page(columns: 2)\n= Introduction\n{prose(300)}")
    with pikepdf.open(io.BytesIO(data)) as file:
        for page in file.pages:
            page.rotate(turn, relative=True)
        turned = io.BytesIO()
        file.save(turned)

    words = [word for word in read_pdf(turned.getvalue(), LIMITS).text.split() if not word.isdigit()]
    assert words == read_pdf(data, LIMITS).text.split()


def test_every_place_in_the_text_knows_its_page():
    parsed = document("Alpha one.\n#pagebreak()\n#pagebreak()\nGamma three.")

    assert (parsed.n_pages, parsed.n_pages_without_text) == (3, 1)
    assert parsed.page_marks == ((0, 1), (parsed.text.index("Gamma"), 3))


def test_every_character_of_the_pages_is_in_the_text_or_accounted_for():
    markup = f"""{UNMARKED}#set page(columns: 2)\n#set par(justify: true)\n#set text(hyphenate: true)
    {FRONT}
    = Introduction
    {"characterisation of international systems, " * 60} $ sum_(i=1)^n x_i^2 $ {prose(300)}
    #table(columns: 3, ..range(30).map(str))
    #figure(rect[inside], caption: [What is seen.])
    """

    parsed = document(markup)
    spans = [ChunkSpan(0, s.start, s.end, parsed.text[s.start : s.end], "", 0) for s in parsed.sections]

    assert body_coverage(parsed, spans) == 1.0
    assert body_coverage(parsed, spans[:1]) < 0.5


# Front matter


def test_the_first_page_gives_title_authors_and_abstract():
    parsed = document(f"{UNMARKED}{FRONT}\n= Abstract\nWe study tides.\n= Introduction\n{prose(60)}")

    assert parsed.title == "On the Tides of Small Seas"
    assert parsed.authors == ("Ada Lovelace", "Kurt Gödel", "Grace B. Hopper")
    assert parsed.abstract == "We study tides."
    assert (parsed.key, parsed.doi, parsed.arxiv_id) == (f"file:{PATH}", None, None)


def test_an_abstract_may_begin_on_the_line_of_its_name():
    parsed = document(f"{UNMARKED}{FRONT}\n*Abstract—*We study tides. {prose(40)}\n= Introduction\n{prose(60)}")

    assert parsed.abstract.startswith("We study tides. babababa")
    assert [title for title, _, _ in tree(parsed)[1:]] == ["Abstract", "Introduction"]


def test_the_files_own_title_is_believed_only_where_the_page_shows_it():
    shown = f'#set document(title: "On the Tides of Small Seas")\n{FRONT}\n{prose(60)}'
    template = f'#set document(title: "Microsoft Word - final_v3.doc")\n{FRONT}\n{prose(60)}'

    assert document(shown).title == document(template).title == "On the Tides of Small Seas"


def test_the_stamp_of_arxiv_gives_the_key_and_is_no_text():
    stamp = "#place(left + horizon, dx: -1.5cm, rotate(-90deg, reflow: true)[arXiv:2401.01234v2 [cs.DL] 2 Jan 2024])"

    parsed = document(f"{stamp}\n{FRONT}\n{prose(60)}")

    assert (parsed.key, parsed.arxiv_id) == ("arxiv:2401.01234", "2401.01234")
    assert "arXiv" not in parsed.text


def test_a_doi_on_the_first_page_is_the_key_if_it_is_the_only_one():
    one = f"{UNMARKED}{FRONT}\nhttps:\\//doi.org/10.1234/ABC.5\n= Introduction\n{prose(60)} See 10.9999/other."
    two = f"{UNMARKED}{FRONT}\n10.1234/abc.5 and 10.1234/abc.6\n= Introduction\n{prose(60)}"

    assert (document(one).key, document(one).doi) == ("doi:10.1234/abc.5", "10.1234/abc.5")
    assert document(two).doi is None


def test_references_are_a_section_of_their_own_kind():
    parsed = document(f"{UNMARKED}= Introduction\n{prose(60)}\n= References\n\n[1] A. Author. A book.\n\n[2] Another.")

    assert tree(parsed)[-1] == ("References", 1, "references")
    assert own_text(parsed, "References") == "[1] A. Author. A book.\n\n[2] Another."


# The child process


def test_the_child_process_gives_what_this_process_gives():
    data = pdf(f"{FRONT}\n= Introduction\n{prose(200)}")

    assert read_in_child(data, LIMITS) == read_pdf(data, LIMITS)


def test_a_refusal_crosses_to_the_parent_with_the_files_name():
    with pytest.raises(SourceError, match=r"/papers/a\.pdf: .*HTML page") as caught:
        parse(source(b"<!doctype html><html></html>"))

    assert caught.value.reason is Reason.DAMAGED


def test_a_file_that_takes_too_long_is_given_up():
    error = refusal(pdf(prose(100)), replace(LIMITS, seconds=0.01))

    assert error.reason is Reason.OUT_OF_TIME
    assert "0.01 s" in error.detail


@pytest.mark.parametrize(("limits", "words"), [({"pages": 1}, "2 pages"), ({"characters": 100}, "100 characters")])
def test_a_file_with_too_much_in_it_is_refused_with_the_bound(limits, words):
    error = refusal(pdf(f"{prose(50)}\n#pagebreak()\n{prose(5)}"), replace(LIMITS, **limits))

    assert error.reason is Reason.TOO_LARGE
    assert words in error.detail


# Broken words and columns, for any input

HALVES = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüé", min_size=2, max_size=12)


@given(words=st.lists(HALVES, min_size=1, max_size=20), hyphen=st.sampled_from("-\u00ad\u2010\x02"), data=st.data())
def test_any_text_that_is_broken_into_lines_is_joined_again(words, hyphen, data):
    lines, line = [], ""
    for word in words:
        cut = data.draw(st.integers(0, len(word) - 1))
        if cut and word[:cut] not in ("all", "cross", "ex", "half", "high", "low", "non", "quasi", "self", "well"):
            lines.append(line + word[:cut] + hyphen)
            line = word[cut:] + " "
        else:
            line += word + " "
            if data.draw(st.booleans()):
                lines.append(line.strip())
                line = ""
    lines.append(line.strip())
    vocabulary = Vocabulary([])
    text = ""

    for line in filter(None, lines):
        text = join(text, line, vocabulary)

    assert text == " ".join(words)


@given(left=HALVES, right=HALVES)
def test_a_hyphen_that_the_document_writes_within_a_line_stays_at_a_lines_end(left, right):
    assume(left + right not in (left, right))
    vocabulary = Vocabulary([f"some {left}-{right} word"])

    assert join(f"{left}-", right, vocabulary) == f"{left}-{right}"
    assert join(f"{left}-", right, Vocabulary([f"some {left}{right} word"])) == left + right


STYLE = Style("Serif", 10.0, False, False, False)


def segment(text: str, x0: float, x1: float, y: float) -> Segment:
    return Segment(text, x0, x1, y, {STYLE: len(text)}, [Run(0, STYLE, False)])


def page_of(segments: list[Segment]) -> PageGlyphs:
    return PageGlyphs(600, 800, segments, {}, sum(len(s.text) for s in segments), 0, True)


@settings(deadline=None)
@given(
    n_left=st.integers(4, 40),
    n_right=st.integers(4, 40),
    shift=st.floats(-6, 6),
    gutter=st.floats(8, 40),
    n_wide=st.integers(0, 3),
    order=st.randoms(use_true_random=False),
)
def test_two_columns_are_read_one_after_the_other_wherever_they_stand(n_left, n_right, shift, gutter, n_wide, order):
    wide = [segment(f"wide {n}", 60, 540, 60 + 14 * n) for n in range(n_wide)]
    top = 130
    left = [segment(f"left {n}", 60, 300 - gutter / 2, top + 12 * n) for n in range(n_left)]
    right = [segment(f"right {n}", 300 + gutter / 2, 540, top + shift + 12 * n) for n in range(n_right)]
    shuffled = [*wide, *left, *right]
    order.shuffle(shuffled)

    lines = [line.text for line in read([page_of(shuffled)]).lines]

    assert lines == [segment.text for segment in (*wide, *left, *right)]


def test_a_short_last_column_is_read_after_the_long_one_beside_it():
    full = [
        segment(f"{side} {n}", 60 + 250 * side, 290 + 250 * side, 100 + 12 * n) for side in (0, 1) for n in range(40)
    ]
    left = [segment(f"left {n}", 60, 290, 100 + 12 * n) for n in range(30)]
    below = [segment(f"below {n}", 60, 290, 500 + 12 * n) for n in range(3)]
    right = [segment(f"right {n}", 310, 540, 100 + 12 * n) for n in range(3)]

    lines = [line.text for line in read([page_of(full), page_of([*left, *below, *right])]).lines if line.page == 1]

    assert lines == [segment.text for segment in (*left, *below, *right)]


@settings(deadline=None)
@given(n=st.integers(1, 50), ragged=st.lists(st.floats(100, 540), min_size=50, max_size=50))
def test_one_column_is_read_from_top_to_bottom(n, ragged):
    segments = [segment(f"line {number}", 60, ragged[number], 100 + 13 * number) for number in range(n)]

    assert [line.text for line in read([page_of(segments[::-1])]).lines] == [segment.text for segment in segments]
