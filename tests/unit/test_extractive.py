import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.server.answers.comparison import contrast
from papergraph.server.answers.extractive import (
    MOST_WORDS,
    N_EMBEDDED,
    Evidence,
    Weighed,
    asked_kind,
    asks_papers,
    by_words,
    extracts,
    of_papers,
    score_of,
)
from papergraph.server.answers.sentences import cells_of, is_fragment, list_after, sentences_of
from papergraph.server.answers.term_weights import (
    Weights,
    asked_words,
    rare_nouns,
    stem,
    terms_of,
    weigh,
    weights,
)

TEXTS = [
    "Masks were worn in both schools. These halved the rate of infection. Windows were opened twice a day.",
    "The rate of infection fell by half. Teachers were paid as before the winter.",
]


def evidence(texts, scores, *, words=None):
    """Evidence whose sentences have the given scores, in their order; None for one that was not embedded."""
    sentences = sentences_of(texts)
    weighed = [
        Weighed(sentence, 0.5, None if score is None else score, score or 0.0)
        for sentence, score in zip(sentences, scores, strict=True)
    ]
    best_first = sorted(weighed, key=lambda one: (one.cosine is None, -one.score))
    return Evidence(tuple(best_first), tuple(sentences), 0.5, 0.0)


def said(found):
    return [extract.sentence.text for extract in found]


# Words


def test_words_that_make_a_question_or_a_sentence_weigh_nothing():
    assert asked_words("What is the rate of infection in the US?") == ["rate", "infection", "us"]
    assert asked_words("What is it?") == []
    assert asked_words("What?") == ["what"]
    assert asked_words("?!") == []
    assert asked_words("病毒 virus") == ["病", "毒", "virus"]


@pytest.mark.parametrize(
    ("word", "other"),
    [("infections", "infection"), ("infected", "infecting"), ("vaccine", "vaccines"), ("rapidly", "rapid")],
)
def test_forms_of_a_word_are_one_term(word, other):
    assert stem(word) == stem(other)


def test_a_rare_word_weighs_more_and_one_that_is_nowhere_most():
    found = weights({"virus": 90, "zebra": 1, "unicorn": 0}, n_all=100)

    assert found.of[stem("virus")] < found.of[stem("zebra")] < found.of[stem("unicorn")]
    assert found.of[stem("zebra")] == pytest.approx(math.log(1 + 99.5 / 1.5))
    assert found.unknown == pytest.approx(found.of[stem("unicorn")] / sum(found.of.values()))


async def test_without_the_index_that_counts_words_all_weigh_the_same_and_none_is_rare(monkeypatch, caplog):
    async def read(self, statement, **parameters):
        raise IndexUnavailableError(statement.name, "there is no index chunk_text")

    monkeypatch.setattr(Database, "read", read)
    question = "Which masks halved the rate of infection?"

    found = await weigh(Database(None), question, collections=("main",))

    assert set(found.of.values()) == {1.0}
    assert found.of.keys() == {stem(word) for word in asked_words(question)}
    assert (found.unknown, rare_nouns(question, found)) == (0.0, [])
    assert "there is no index chunk_text" in caplog.text


def test_two_forms_of_a_word_are_as_common_as_the_commoner_one():
    assert weights({"masks": 3, "mask": 7}, n_all=100) == weights({"mask": 7}, n_all=100)


def test_coverage_is_the_share_of_weight_and_nothing_asked_is_covered_by_nothing():
    found = Weights({"mask": 3.0, "school": 1.0})

    assert found.coverage(terms_of("Masks were worn.")) == pytest.approx(0.75)
    assert Weights({}).coverage(terms_of("Masks were worn.")) == 0.0


@given(st.dictionaries(st.text("abcd", min_size=1, max_size=6), st.integers(0, 50), max_size=6), st.integers(0, 40))
def test_shares_lie_between_0_and_1_also_where_more_chunks_were_counted_than_there_are(counts, n_all):
    found = weights(counts, n_all=n_all)

    assert 0.0 <= found.unknown <= 1.0
    assert 0.0 <= found.coverage(frozenset(map(stem, list(counts)[:2]))) <= 1.0 + 1e-9


# Sentences by words


def ranked(asked, texts):
    passages = [asked.coverage(terms_of(text)) for text in texts]
    return by_words(asked, texts, passages, sentences_of(texts))


def test_the_sentence_with_the_words_comes_first_and_then_the_one_that_goes_on():
    found = ranked(Weights({"mask": 1.0, "rate": 0.2}), TEXTS)

    assert [one.sentence.text for one in found][:2] == [
        "Masks were worn in both schools.",
        "These halved the rate of infection.",
    ]


def test_of_passages_that_say_the_same_the_first_is_quoted():
    found = ranked(Weights({stem("infection"): 1.0}), [TEXTS[1], TEXTS[1]])

    assert {one.sentence.passage for one in found} == {0}


@given(st.floats(-1.0, 2.0), st.floats(-1.0, 1.0))
def test_a_score_lies_between_0_and_1(by_words, cosine):
    assert 0.0 <= score_of(by_words, cosine) <= 1.0


# Extracts


def test_neighbours_become_one_extract_and_the_best_passage_comes_first():
    found = extracts(evidence(TEXTS, [0.5, 0.6, 0.1, 0.9, 0.1]), TEXTS, n=3)

    assert said(found) == [
        "The rate of infection fell by half.",
        "Masks were worn in both schools. These halved the rate of infection.",
    ]
    assert [extract.score for extract in found] == [0.9, 0.6]


def test_a_sentence_that_points_back_has_the_one_before_it_with_it():
    found = extracts(evidence(TEXTS, [0.1, 0.9, 0.1, 0.1, 0.1]), TEXTS, n=1)

    assert said(found) == ["Masks were worn in both schools. These halved the rate of infection."]


def test_what_scores_less_than_half_of_the_best_is_not_told():
    found = extracts(evidence(TEXTS, [0.9, 0.44, 0.1, 0.46, 0.1]), TEXTS, n=3)

    assert said(found) == ["Masks were worn in both schools.", "The rate of infection fell by half."]


def test_what_was_not_embedded_is_no_extract():
    assert extracts(evidence(TEXTS, [None] * 5), TEXTS) == []
    assert said(extracts(evidence(TEXTS, [None, None, 0.1, None, None]), TEXTS)) == ["Windows were opened twice a day."]


def test_passages_without_a_sentence_have_no_extract():
    assert extracts(evidence(["12 13 14"], []), ["12 13 14"]) == []
    assert extracts(evidence([], []), []) == []


@pytest.mark.parametrize("n", [0, N_EMBEDDED + 1])
def test_a_number_of_extracts_that_cannot_be_is_refused(n):
    with pytest.raises(ValueError, match=f"1 to {N_EMBEDDED}, got {n}"):
        extracts(evidence(TEXTS, [0.5] * 5), TEXTS, n=n)


LONG = [" ".join(f"We counted {'many ' * words}cases there." for words in of) for of in ((30, 60, 70), (5, 50, 20))]


@given(st.lists(st.sampled_from([None, 0.3, 0.5, 0.8]), min_size=6, max_size=6), st.integers(1, 6))
def test_extracts_stand_in_their_passages_apart_from_each_other_and_stay_short(scores, n):
    found = extracts(evidence(LONG, scores), LONG, n=n)

    spans = sorted((one.sentence.passage, one.sentence.start, one.sentence.end) for one in found)
    for passage, start, end in spans:
        assert LONG[passage][start:end] in said(found)
    assert all(a[0] < b[0] or a[2] <= b[1] for a, b in pairwise(spans))
    assert sum(len(text.split()) for text in said(found)) <= MOST_WORDS
    assert bool(found) == any(score is not None for score in scores)


def test_an_answer_begins_with_its_best_sentence_also_where_others_stand_before_it():
    text = "Windows were opened twice a day. Masks were worn in both schools. The rate of infection fell by half."

    assert said(extracts(evidence([text], [0.6, 0.9, 0.7]), [text], n=3)) == [
        "Masks were worn in both schools. The rate of infection fell by half.",
        "Windows were opened twice a day.",
    ]


def test_what_the_best_sentence_points_on_to_comes_with_it():
    first = "The rate of infection fell for the reasons that are as follows. Masks were worn in all of both schools."
    text = f"{first} Windows of both schools were opened twice a day."

    assert said(extracts(evidence([text], [0.9, 0.1, 0.1]), [text], n=1)) == [first]


def test_a_sentence_about_all_of_them_has_the_one_before_with_it():
    text = "MASS, grid and colorspace are used. All are loaded with vcd."

    assert said(extracts(evidence([text], [0.2, 0.9]), [text], n=1)) == [text]


@pytest.mark.parametrize(
    ("question", "has", "lacks"),
    [
        (
            "How many physical qubits does a patch need?",
            "A patch of distance 7 uses 97 physical qubits.",
            "We estimate the number of physical qubits for distances 3, 5 and 7.",
        ),
        ("How many patients slept well?", "Twelve of the patients slept well.", "In 2012, patients slept on day 3."),
        ("How long did the training take?", "It took three hours on one GPU.", "In 2012 it took longer than before."),
        ("At which temperature does it grow?", "It grows at 15 degrees.", "It grows in cold water since 1998."),
        ("What is the maximum longevity?", "They live 19.8 years.", "They live longer than was thought."),
        ("In which city were the trials held?", "Both were held in Hamar.", "Both were held in spring."),
        ("Where were patients recruited?", "They came from two clinics in Oslo.", "They came in March, as in Table 2."),
        ("When was the virus isolated?", "The virus was isolated in 2012.", "The virus was isolated in 12 patients."),
    ],
)
def test_a_sentence_has_the_kind_of_thing_that_is_asked_for(question, has, lacks):
    assert asked_kind(question, has)
    assert not asked_kind(question, lacks)


@pytest.mark.parametrize(
    "text",
    [
        "terior that allows the method to be used.",
        "Parameters of models of sequences over time may be modelled in a Bayesian way as well as",
        "Sulfurimonas gotlandica (got.lan9di.ca.",
        "Cobb angles of the curve were | restored by screws.",
        "North Central Cancer Group 1994 USA Arm A Radiation Cessation of menses.",
    ],
)
def test_a_broken_sentence_is_chosen_after_a_whole_one(text):
    whole = "Masks halved the rate of infection."
    (broken,) = sentences_of([text])

    assert is_fragment(broken, text)
    assert said(extracts(evidence([text, whole], [0.6, 0.5]), [text, whole], n=1)) == [whole]


def test_an_item_of_a_list_is_not_broken():
    text = "There are two aims:\n- to count all bees of the meadow;\n- to name all wasps of the meadow."

    assert [is_fragment(one, text) for one in sentences_of([text])] == [False] * 3


def test_the_title_of_a_table_is_broken_and_whole_sentences_are_not():
    text = 'Table 2. Longevity of two kinds of sharks. Sharks live long. "The svm() call (see above) scales data."'

    assert [is_fragment(one, text) for one in sentences_of([text])] == [True, False]
    assert not is_fragment(sentences_of(["svm() scales the data by default."])[0], "svm() scales the data by default.")


def test_other_questions_ask_for_no_kind():
    assert not asked_kind("Why do 12 qubits decay?", "12 qubits decayed in 2012.")


# Tables, lists and several papers

STARS = (
    "| Star | Mass | Luminosity |\n| --- | --- | --- |\n|  | M | L |\n| Sun | 1.00 | 1.00 |\n| α Cen A | 1.10 | 1.52 |"
)
TIMES = "Table 2: Times of the filter.\n\n| Solver | Time (s) |\n| --- | --- |\n| RimpC | 21.1 |\n| R | 31.3 |"


@pytest.mark.parametrize(
    ("text", "caption", "asked", "cells"),
    [
        (STARS, "Table 3. Stars.", {"cen", "luminosity"}, ["α Cen A, Luminosity L: 1.52 (Table 3. Stars.)"]),
        (STARS, None, {"sun", "mass", "luminosity"}, ["Sun, Mass M: 1.00", "Sun, Luminosity L: 1.00"]),
        (TIMES, None, {"rimpc"}, ["RimpC, Time (s): 21.1 (Table 2: Times of the filter.)"]),
        ("| n | MRR |\n|--:|--:|\n| 5 | 0.69 |", None, {"5"}, ["n 5, MRR: 0.69"]),
        ("| R | 31.3 |\n| C | 21.1 |", None, {"r", "c"}, []),  # the head is in another passage
        ("| Model | F1 | F1 |\n|--|--|--|\n| CRF | 39 | 78 |", None, {"crf", "f1"}, []),  # which F1 is not known
        (STARS, None, {"luminosity"}, []),
    ],
)
def test_a_cell_is_told_by_its_row_and_column_and_quoted_by_its_row(text, caption, asked, cells):
    stems = {stem(word) for word in asked}
    found = cells_of([text], [caption], lambda name: not stems.isdisjoint(terms_of(name)))

    assert [one.cell for one in found] == cells
    assert all(text[one.start : one.end] == one.text and one.text.startswith("|") for one in found)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Reasons are: • It is old. • It is slow. Then", "• It is old. • It is slow. Then"),
        ("Steps are:\n- heat\n- cool\n\nLater.", "- heat\n- cool"),
        ("Steps are:\n\n1. heat\n\n2. cool\n\nLater.", "1. heat\n\n2. cool"),
        ("Steps are: heat and cool.", ""),
        ("Steps are:\n- " + "hot " * 200, ""),
    ],
)
def test_a_list_is_whole_up_to_its_most_words(text, kept):
    end = text.index(":") + 1

    assert text[end : list_after(text, end)].strip() == kept


def test_an_extract_that_announces_a_list_brings_it_once():
    text = "The three reasons for it are as follows:\n- The old code was slow.\n- The old code was wrong in places."
    found = extracts(evidence([text], [0.9, 0.8, 0.7]), [text], n=3)

    assert said(found) == [text]


def test_papers_are_told_once_each_and_only_by_sentences_that_are_good_enough():
    found = of_papers(evidence(TEXTS, [0.5, 0.6, 0.1, 0.9, 0.1]), ["a", "b", "a"], least=0.5)

    assert said(found) == ["The rate of infection fell by half.", "These halved the rate of infection."]


@pytest.mark.parametrize(
    ("question", "is_about_papers"),
    [
        ("Which papers report a threshold?", True),
        ("What studies used masks?", True),
        ("Do A and B agree on the rate?", True),
        ("How does the default differ from R?", True),
        ("What is a paper machine?", False),
        ("Which solver is the fastest?", False),
    ],
)
def test_questions_about_several_papers_are_recognised(question, is_about_papers):
    assert asks_papers(question) == is_about_papers


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (
            "A patch uses 97 physical qubits.",
            "It needs 49 physical qubits.",
            ("97 physical qubits", "49 physical qubits"),
        ),
        ("Errors increased with depth.", "The error rate decreased.", ("increased", "decreased")),
        ("Both took 3 hours.", "It took 3 hours and 5 hours.", None),
        ("It was published in 2019.", "It was published in 2021.", None),
        ("It has 3 layers.", "It has 12 heads.", None),
    ],
)
def test_the_words_in_which_two_papers_differ_are_named(one, other, differ):
    assert contrast(one, other) == differ


def test_an_item_of_a_list_is_quoted_without_its_marker_and_brings_the_list_that_it_begins():
    text = "The reasons are these:\n- The old code was slow.\n- The old code was wrong in places."

    assert [one.text for one in sentences_of([text])][1] == "The old code was slow."
    assert said(extracts(evidence([text], [0.1, 0.9, 0.2]), [text], n=1)) == [text]
