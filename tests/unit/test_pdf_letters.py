"""Letters of PDFs: accents, blanks that PDFium puts between them, soft hyphens, and signs."""

import pytest

from papergraph.ingest.parsers.pdf import glyphs as glyphs_module
from papergraph.ingest.parsers.pdf.glyphs import GENERATED, NOTHING, Font, Glyph

STYLE = NOTHING.style.__class__("Serif", 10.0, False, False, False)
WIDTH = 5.0


def line(text, *, narrow=1.0, wide=3.0):
    """Glyphs of a line; ``_`` is a generated blank, ``~`` a narrower one, `` `` one of the file."""
    x, found = 0.0, []
    for character in text:
        if character in "_~ ":
            found.append(None if character == " " else GENERATED)
            x += narrow if character == "~" else wide
            continue
        if character in "´¨˛":  # stands over the letter after it
            found.append(Glyph(character, x + 1, x + 2, 100.0, 0, STYLE))
            continue
        found.append(Glyph(character, x, x + WIDTH, 100.0, 0, STYLE))
        x += WIDTH
    return found


def read(found):
    steps = (glyphs_module._without_soft_hyphens, glyphs_module._composed, glyphs_module._without_made_up)
    for step in steps:
        found = step(found)
    return " ".join(segment.text for segment in glyphs_module._segments(found))


WORDS = "one_more_line_of_words_that_are_set_with_blanks_of_the_usual_width_so_that_these_are_known_to_all_of_us_"


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("G~uodong_Zhou", "Guodong Zhou"),
        ("U~sing_cross", "Using cross"),
        ("A_seal", "A seal"),
        ("Thomas_N~.", "Thomas N."),
    ],
)
def test_a_blank_far_narrower_than_others_parts_no_capital_from_its_word(printed, text):
    assert read(line(WORDS + printed)).endswith(text)


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("Krysci´nski", "Krysciński"),
        ("Cot´e", "Coté"),
        ("M´exico", "México"),
        ("J˛edrzej", "Jędrzej"),
        ("G¨ongyi", "Göngyi"),
    ],
)
@pytest.mark.parametrize("has_blank", [False, True])
def test_a_letter_with_an_accent_stays_in_its_word(printed, text, has_blank):
    found = line(printed)
    at = next(number for number, glyph in enumerate(found) if glyph.character in "´¨˛")
    if has_blank:
        found.insert(at, GENERATED)
    assert read(found) == text


def test_two_accents_over_one_another_are_read():
    found = [Glyph(sign, 1.0, 2.0, 100.0, 0, STYLE) for sign in "¨´"]
    assert glyphs_module._composed(found)


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("well-known com\u00adpared", "well-known compared"),
        ("COVID-\u00ad19", "COVID-19"),
        ("state\u00adof\u00adart", "state\u00adof\u00adart"),
    ],
)
def test_a_soft_hyphen_within_a_line_shows_nowhere_if_the_page_has_other_hyphens(printed, text):
    assert read(line(printed)) == text


def test_a_font_of_arrows_names_no_letters():
    font = Font("Symbols", is_named=True)
    for code in [0x2192] * 30 + [0x2190] * 10:
        glyphs_module._note(font, code, is_mapped=True, width=1.0)
    assert not font.names_letters_as_dingbats
    for code in map(ord, "❁❂❃❄❅❆❇❈"):
        glyphs_module._note(font, code, is_mapped=True, width=1.0)
    assert glyphs_module.undo_dingbat("→") is None
