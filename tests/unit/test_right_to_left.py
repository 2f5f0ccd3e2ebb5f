"""Hebrew and Arabic of PDFs: letters in the order in which they are read, whole words, columns from the right."""

from itertools import pairwise

import pytest

from papergraph.ingest.parsers.pdf.bidi import is_backwards, logical_order, plain, runs_from_right, with_brackets
from tests.support.pdf_documents import document

HEBREW = "אצירת הפחמן בעשב הים תלויה בטמפרטורת המים ובעומק האתר שנמדד בשנת 2014 על ידי צוות"
ARABIC = "يعتمد تخزين الكربون في الأعشاب البحرية على درجة حرارة المياه وعلى عمق الموقع"


def visual(text, *, from_right=True):
    """Characters as a program draws them from left to right."""
    words = text.split(" ")
    drawn = [word if word.isascii() else word[::-1] for word in words]
    return " ".join(reversed(drawn) if from_right else drawn)


@pytest.mark.parametrize(
    "text",
    [HEBREW, ARABIC, "מספר 3.5 בלבד", "בעומק CO2 הפחמן", "שנת 2014 ועוד 12:30 שעות", "من Python و R في اللغة", "שלום"],
)
def test_letters_that_are_drawn_from_left_to_right_are_read_from_the_right(text):
    drawn = visual(text)
    assert "".join(drawn[place] for place in logical_order(drawn)) == text


@pytest.mark.parametrize("text", ["the word שלום is", "Figure 3 of שלום and 2014", "a b c"])
def test_words_in_a_line_from_left_to_right_are_turned_in_their_place(text):
    drawn = visual(text, from_right=False)
    assert "".join(drawn[place] for place in logical_order(drawn)) == text
    assert not runs_from_right(drawn)


def test_presentation_forms_are_letters():
    assert [plain(form) for form in ("\ufefb", "\ufb2a", "\ufe8d", "a", "ﬁ")] == ["لا", "ש\u05c1", "ا", "a", "ﬁ"]


def test_brackets_open_before_they_close():
    assert [with_brackets(text) for text in ("א )ב( ג", "א (ב) ג", "אב")] == ["א (ב) ג", "א (ב) ג", "אב"]


def test_words_that_begin_with_letters_of_their_ends_are_backwards():
    assert is_backwards([HEBREW[::-1]])
    assert not is_backwards([HEBREW])
    assert not is_backwards(["no such letters"])


@pytest.mark.parametrize("columns", [1, 2])
def test_a_page_of_hebrew_is_read_word_by_word_and_from_the_right_column(columns):
    words = [HEBREW.split()[number % 10] for number in range(300)]
    numbered = " ".join(f"{word} {number}" for number, word in enumerate(words))
    parsed = document(
        f'#set page(columns: {columns})\n#set text(font: "New Computer Modern", lang: "he", dir: rtl)\n{numbered}'
    )

    found = parsed.text.split()
    kept = [word for word in found if word.isdigit()]
    in_order = sum(int(after) == int(before) + 1 for before, after in pairwise(kept))
    assert in_order > 0.9 * 299
    assert sum(word in HEBREW for word in found if not word.isdigit()) > 0.95 * 300
