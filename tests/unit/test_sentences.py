import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.sentences import cases, says_end
from papergraph.text.sentences import sentence_starts, sentences


@pytest.mark.parametrize(
    "whole",
    [
        "Deep networks, e.g. CNNs, work.",
        "Other methods, i.e. The Fast One, do not.",
        "As in Fig. 3 and Eq. (2) and Refs. [4, 5] and Sec. IV and Tab. S1 we see it.",
        "Smith et al. (2019) and Jones et al. [12] and Wu et al. show this.",
        "Dr. J. R. Smith of the U.S. Government met Prof. Jones.",
        "It weighs 3.5 kg, costs $0.99 and is at example.org/a.b?c=d today.",
        "It is known from Phys. Rev. Lett. 12, 3 and from vol. 4 of it.",
        "So ... and so on... but no.",
        "It was seen vs. Bayesian methods, approx. Gaussian ones and E. coli.",
        "It came in Sept. 2019 as no. 5.",
    ],
)
def test_a_stop_within_a_sentence_does_not_end_it(whole):
    assert sentences(f"{whole} We go on.") == [f"{whole} ", "We go on."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("This is known [12]. ", "We go on."),
        ("This is known. [12, 13] ", "We go on."),
        ("This is known.12 ", "We go on."),
        ("This is known to Smith et al. ", "The rest is not."),
        ("He came from the U.S. ", "There he had been."),
        ("It is at 72°C. ", "Fluorescence was read."),
        ("It is rich in vitamin C. ", "The data show it."),
        ("(It is.) ", "Done."),
        ("“Is it?” ", "He asked."),
        ("The answer is no. ", "Others say yes."),
        ("It grew in such cells. ", "mRNA levels rose."),
        ("It works! ", "[It] does."),
        ("The drug helps anaemia.8 ", "Refractory patients were left out."),
        ("The drug helps anaemia.8,9 ", "Refractory patients were left out."),
        ("The drug helps anaemia.8–10 ", "Patients of Ghent were left out."),
        ("Is it so? ", "$x$ says yes."),
        ("So on... ", "But no."),
        ("Methods\n\n", "we did this"),
        ("# Methods\n", "we did this"),
        ("- one thing\n", "- another thing"),
        ("| a | b |\n", "| 1 | 2 |"),
        ("量子アニーリング。", "これは文です。"),
    ],
)
def test_a_sentence_ends_where_the_next_one_begins(first, second):
    assert sentences(first + second) == [first, second]


def test_a_list_keeps_its_numbers():
    assert sentences("1. One thing. It is.\n2. Another.") == ["1. One thing. ", "It is.\n", "2. Another."]


def test_no_text_has_no_sentence():
    assert (sentences(""), sentence_starts("")) == ([], [])


PIECES = st.one_of(
    st.sampled_from(["We do this", "e.g", "et al", "Fig", "U.S", "Dr", "J", "3", "[12]", "12", "the", "量", "µ", "ß"]),
    st.sampled_from([".", ". ", "...", "?", "! ", "。", "(", ")", "”", "\n", "\n\n", "\r\n", " ", "# ", "- ", "| "]),
    st.sampled_from(["\x1c", "\u2028", "\u00a0"]),
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=40).map("".join))


@settings(deadline=None, max_examples=150)
@given(text=TEXTS)
def test_sentences_of_any_text_join_to_it_and_none_is_empty(text):
    assert "".join(sentences(text)) == text
    assert all(sentences(text))


@pytest.mark.parametrize("piece", [".", ". ", "a. [1 ", "\n\t", "\n \n", "# ", ".)", "e.g. ", "! ", "1, "])
def test_a_text_made_to_be_slow_is_not(piece):
    n = 100_000 // len(piece)  # what is quadratic in this takes minutes, and the time limit of a test ends it

    assert "".join(sentences(piece * n)) == piece * n


def test_stops_in_real_papers_are_read_as_well_as_the_figures_say(data_folder):
    fresh = [
        says_end(sentence_starts(t), t, at) == ends for group, t, at, ends in cases(data_folder) if group == "fresh"
    ]

    assert len(fresh) == 120
    assert sum(fresh) >= 105
