from collections import Counter

import pytest

from papergraph.ingest.parsers.pdf.authors import names_in
from papergraph.ingest.parsers.pdf.check import count_words
from papergraph.ingest.parsers.pdf.encodings import CODE_OF_DINGBAT, Encoding, decode
from papergraph.ingest.parsers.pdf.glyphs import Font
from papergraph.ingest.parsers.pdf.title_page import is_masthead
from tests.support.pdf_documents import FRONT, document
from tests.support.typeset import UNMARKED, prose


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lovelace\x1f, Kurt Gödel\x1f and Grace B. Hopper", ["Ada Lovelace", "Kurt Gödel", "Grace B. Hopper"]),
        ("BEN TROVATO\x1f and G.K.M. TOBIN, Institute for Clarity, USA", ["Ben Trovato", "G.K.M. Tobin"]),
        ("Jan de Leeuw <jan@example.org>", ["Jan de Leeuw"]),
        ("[0.5cm] Lauro César Araujo", ["Lauro César Araujo"]),
        ("Jane Doe, PhD, John Smith, Jr.", ["Jane Doe", "John Smith Jr"]),
        ("Department of Statistics, University of Somewhere", []),
        ("None", []),
        ("Ming Luo, MMed, Ning Li, MD", ["Ming Luo", "Ning Li"]),
        ("Patrick Egan, Member SPIE and A. N. Other, Fellow, OSA", ["Patrick Egan", "A. N. Other"]),
    ],
)
def test_names_are_told_from_places_degrees_and_options(line, names):
    assert list(names_in(line)) == names


def test_a_font_without_a_name_tells_its_encoding_by_its_codes():
    latin = Font("namelessa", is_named=False, codes=Counter({0x1C: 3, ord("e"): 60, ord("t"): 40}), n_pairs=90)
    old = Font("namelessb", is_named=False, codes=Counter({0x0C: 3, ord("e"): 60, ord("t"): 40}), n_pairs=90)
    cyrillic = Font("namelessc", is_named=False, codes=Counter({0xE0: 50, 0xEE: 50}), n_pairs=90)

    assert [font.encoding() for font in (latin, old, cyrillic)] == [Encoding.T1, Encoding.OT1, Encoding.T2A]
    assert [latin.decoder()(0x1C), old.decoder()(0x0C), cyrillic.decoder()(0xE0)] == ["fi", "fi", "а"]


def test_big_brackets_are_brackets_and_pieces_of_larger_signs_are_nothing():
    assert (decode(0x12, Encoding.OMX), decode(0x50, Encoding.OMX), decode(0x30, Encoding.OMX)) == ("(", "∑", "")


def test_dingbats_that_stand_for_letters_are_letters_again():
    garbled = "P❡♥❛❧✐③❡❞"

    assert "".join(chr(CODE_OF_DINGBAT.get(sign, ord(sign))) for sign in garbled) == "Penalized"


def test_words_that_nobody_can_pronounce_are_no_language():
    assert count_words(["the quick brown foxes were jumping over lazy dogs again " * 20]).is_language
    assert not count_words(["wkhzq jxlfn eurzq irxhv zhuhk mxpslqj ryhuk odcb grjvk djdlqk " * 20]).is_language
    assert not count_words(["P❡♥❛❧✐③❡❞ ❧❡❛st sq✉❛r❡s " * 60]).is_language


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("March 14, 2019", 2019),
        ("Journal of Small Seas, Volume 12, 2017, pages 3–9", 2017),
        ("Received 3 May 2009; accepted 4 June 2010; published 1 July 2010", 2010),
        ("Since 1987 we have measured tides (Smith 2003) in many seas and this line is a sentence of them", None),
    ],
)
def test_the_year_is_that_of_a_date_or_a_venue_and_never_of_a_citation(line, year):
    parsed = document(f"{UNMARKED}{FRONT}\n{line}\n\n= Introduction\n{prose(60)}")

    assert parsed.year == year


def test_a_summary_that_closes_the_paper_is_no_abstract():
    parsed = document(f"{UNMARKED}{FRONT}\n= Introduction\n{prose(80)}\n= Summary\n{prose(40)}\n= References\n[1] A.")

    assert parsed.abstract == ""
    assert "abstract" not in {section.kind for section in parsed.sections}


def test_the_abstract_ends_where_its_keywords_begin():
    parsed = document(
        f"{UNMARKED}{FRONT}\n= Abstract\n{prose(40)}\n\nKeywords: tides, small seas\n= Introduction\n{prose(60)}"
    )

    assert parsed.abstract.strip() == prose(40).strip()
    assert parsed.keywords == ("tides", "small seas")


def test_lines_above_the_abstract_of_a_thesis_are_passed_over():
    parsed = document(
        f"{UNMARKED}{FRONT}\n= Abstract\n\nAda Lovelace, Chair of the Committee:\n\n{prose(40)}\n"
        f"= Introduction\n{prose(60)}"
    )

    assert parsed.abstract.strip() == prose(40).strip()


def test_an_entry_of_the_contents_is_no_abstract():
    parsed = document(f"{UNMARKED}{FRONT}\n= Abstract\n\n2 Usage 3\n= Introduction\n{prose(60)}")

    assert parsed.abstract == ""


def test_a_template_s_placeholder_is_no_doi():
    parsed = document(f"{UNMARKED}{FRONT}\nhttps:\\//doi.org/10.18637/jss.v000.i00\n= Introduction\n{prose(60)}")

    assert parsed.doi is None


@pytest.mark.parametrize(
    "line",
    [
        *("Draft version May 29, 2019", "Draft – do not cite", "Preprint. Under review.", "29 May 2019", "2019-05-29"),
        *("Under review as a conference paper at ICLR 2021", "This version: 3rd March 2020", "In press"),
        *("Last updated on Monday, 5 May 2014", "To appear in Annals of Tides", "Manuscript submitted to ACM"),
        *("Received 3 May 2009; accepted 4 June 2010", "Working paper, March 2019", "Preliminary draft"),
        *("arXiv:2401.00001v2 [cs.CL] 3 Jan 2024", "arXiv preprint", "DOI: 10.1000/tides.1", "ISSN 1234-5678"),
        *("Copyright © 2020 by the authors", "Copyright held by the owner", "Copyright of this paper is ours"),
    ],
)
def test_a_line_about_the_draft_or_its_date_is_no_title(line):
    parsed = document(f'{UNMARKED}#text(18pt, weight: "bold")[{line}]\n\n{FRONT}\n= Introduction\n{prose(60)}')

    assert parsed.title == "On the Tides of Small Seas"


@pytest.mark.parametrize(
    "title",
    [
        *("Draft genome sequence of a tide", "Preprint servers and peer review", "In pressurised vessels"),
        *("Compiled languages for statistics", "The May 1968 events in France", "Version control for papers"),
        *("Report of the tidal survey of May 2019", "Accepted wisdom on tides"),
        *("ArXiv papers as training data", "Copyright law and text mining", "Copyright of mined texts"),
        *("DOIs for research software", "DOI resolution at scale", "ISBN prefixes in citation data"),
    ],
)
def test_a_title_that_begins_as_such_a_line_is_one(title):
    assert not is_masthead(title)


@pytest.mark.parametrize("heading", ["1 Introduction", "1. Introduction", "I. Background", "2 Related Work"])
def test_a_numbered_heading_is_no_title(heading):
    large = f'#text(18pt, weight: "bold")[arXiv preprint]\n\n#text(14pt, weight: "bold")[\\{heading}]\n\n'

    assert document(f"{UNMARKED}{large}{prose(60)}").title != heading


def test_a_title_in_the_size_of_the_text_is_found_in_the_middle_of_the_page_below_the_date_of_its_draft():
    front = (
        "#text(7pt)[#smallcaps[Draft version May 29, 2019]\\ Typeset using LATEX twocolumn style in AASTeX62]\n\n"
        "#align(center)[Tides in the Domain of Time\n\n#text(8pt)[Ada Lovelace]]\n"
    )
    wide = f'#set page(columns: 2)\n#place(top, scope: "parent", float: true)[{front}]\n{prose(400)}'

    assert document(wide).title == "Tides in the Domain of Time"


def test_a_hyphen_at_the_end_of_a_line_of_the_title_stays_in_its_word():
    front = "#align(center)[#text(16pt)[Effects of omeprazole on non-\\ inflammatory lesions]\n\nAda Lovelace]\n"
    assert document(f"{front}\n{prose(300)}").title == "Effects of omeprazole on non-inflammatory lesions"


def test_a_paper_without_a_title_is_named_by_its_text_and_not_by_the_date_of_its_draft():
    assert document(f"#text(7pt)[Draft of 3 May 2020]\n#v(2em)\n{prose(60)}").title.startswith(prose(5).rstrip("."))
