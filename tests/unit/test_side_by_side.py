"""Comparisons by name: which names a question compares, and the sentence about each side."""

from dataclasses import replace

import pytest

from papergraph.server.answers.extractive import Evidence, Weighed
from papergraph.server.answers.sentences import sentences_of
from papergraph.server.answers.side_by_side import Comparison, Name, comparison_of, merged, of_all, side_of
from tests.support.records import make_hit

PAIR = ["MUSCLE", "PRANK"]


@pytest.mark.parametrize(
    ("question", "names", "rest"),
    [
        ("How do MUSCLE and PRANK differ?", PAIR, ""),
        ("How do MUSCLE and PRANK differ in speed?", PAIR, "in speed"),
        ("How does MUSCLE differ from PRANK in terms of speed?", PAIR, "in terms of speed"),
        ("In what ways is MUSCLE different from PRANK?", PAIR, ""),
        ("How do the error rates of MUSCLE and PRANK differ?", PAIR, "error rates"),
        ("How does MUSCLE compare to PRANK for proteins?", PAIR, "for proteins"),
        ("Do MUSCLE and PRANK agree on the tree?", PAIR, "on the tree"),
        ("What distinguishes MUSCLE from PRANK?", PAIR, ""),
        ("Compare MUSCLE with PRANK.", PAIR, ""),
        ("compare the accuracy of MUSCLE and PRANK on short reads", PAIR, "accuracy on short reads"),
        ("Compare MUSCLE, PRANK and MAFFT", [*PAIR, "MAFFT"], ""),
        ("What is the difference between MUSCLE and PRANK?", PAIR, ""),
        ("What are the main differences in speed between MUSCLE and PRANK?", PAIR, "in speed"),
        ("MUSCLE vs. PRANK", PAIR, ""),
        ("Which of MUSCLE, PRANK and MAFFT is the fastest?", [*PAIR, "MAFFT"], "is the fastest"),
        ("Which of MUSCLE or PRANK handles gaps?", PAIR, "handles gaps"),
        ("Which is faster, MUSCLE or PRANK?", PAIR, "is faster"),
        ("Which aligner is faster: MUSCLE or PRANK?", PAIR, "aligner is faster"),
        (
            'How do "Search and Rescue" and “Tabu, and Annealing” differ?',
            ["Search and Rescue", "Tabu, and Annealing"],
            "",
        ),
        ("Do Smith et al. (2019) and Jones (2020) agree?", ["Smith et al. (2019)", "Jones (2020)"], ""),
    ],
)
def test_the_names_that_a_question_compares_are_found(question, names, rest):
    compared = comparison_of(question)

    assert compared is not None
    assert [name.text for name in compared.names] == names
    assert compared.rest == rest


@pytest.mark.parametrize(
    "question",
    [
        "How do the two papers differ?",
        "Do they agree on the rate?",
        "How does it differ from PRANK?",
        "Which of the papers reports a threshold?",
        "Which studies compare masks?",
        "What is the comparison of costs?",
        "How many patients differed?",
        "Is MUSCLE faster than PRANK?",
        "Compare a, b, c, d and e",
        "",
    ],
)
def test_other_questions_compare_nothing_by_name(question):
    assert comparison_of(question) is None


def evidence(hits, scores):
    sentences = sentences_of([hit.text for hit in hits])
    weighed = [Weighed(one, 0.5, score, score) for one, score in zip(sentences, scores, strict=True)]
    return Evidence(tuple(sorted(weighed, key=lambda one: -one.score)), tuple(sentences), 0.5, 0.0)


TEXTS = [
    "MUSCLE was run before PRANK on all reads. PRANK places gaps by a tree.",
    "MUSCLE refines its trees in three steps. Gaps are placed late.",
]
HITS = [make_hit(text, rank=rank) for rank, text in enumerate(TEXTS, 1)]
BOTH = Comparison((Name("MUSCLE"), Name("PRANK")))


def test_a_sentence_about_one_side_alone_goes_before_one_about_both():
    found = evidence(HITS, [0.9, 0.6, 0.6, 0.1])

    sides = [side_of(BOTH, name, found, None, HITS) for name in BOTH.names]

    assert [side.best.sentence.text for side in sides] == [
        "MUSCLE refines its trees in three steps.",
        "PRANK places gaps by a tree.",
    ]
    assert of_all(BOTH.names, found).sentence.text == "MUSCLE was run before PRANK on all reads."


def test_a_much_worse_sentence_about_one_side_does_not():
    found = evidence(HITS, [0.9, 0.6, 0.2, 0.1])

    assert side_of(BOTH, BOTH.names[0], found, None, HITS).best.sentence.text.startswith("MUSCLE was run before")


def test_a_side_without_a_sentence_that_names_it_is_none():
    compared = Comparison((Name("MUSCLE"), Name("Clustal")))
    found = evidence(HITS, [0.9, 0.6, 0.6, 0.1])

    assert side_of(compared, compared.names[1], found, None, HITS) is None
    assert of_all(compared.names, found) is None


def test_a_paper_is_a_side_by_its_best_sentence_and_has_its_title():
    hits = [HITS[0], replace(HITS[1], paper=replace(HITS[1].paper, id="other", title="Three steps"))]

    side = side_of(BOTH, Name("the second paper"), evidence(hits, [0.9, 0.6, 0.2, 0.3]), frozenset({"other"}), hits)

    assert (side.name, side.best.sentence.text) == ("Three steps", "Gaps are placed late.")


def test_hits_of_several_searches_come_in_turn_and_once():
    one, two, three = (make_hit(text, rank=rank) for rank, text in enumerate("abc", 1))

    assert [(hit.text, hit.rank) for hit in merged([[one, two], [two, three]], k=10)] == [("a", 1), ("b", 2), ("c", 3)]
    assert len(merged([[one, two], [two, three]], k=2)) == 2
