"""What a reader writes, cut into claims with their marks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.server.answers.claims import Claim, ClaimReader, Mark

TEXT = (
    'Accuracy rose to 95 %. [1: "rose to 95 %"] The method of Smith et al. [2] uses BERT [3]. It ran on [1, 4] sets.\n'
    '- item one [2: "a [3] b c d"]\n- item two. [2–4]\n\nLast sentence'
)
CLAIMS = [
    Claim("Accuracy rose to 95 %.", (Mark(1, "rose to 95 %"),), ""),
    Claim("The method of Smith et al. uses BERT.", (Mark(2), Mark(3)), " "),
    Claim("It ran on sets.", (Mark(1), Mark(4)), " "),
    Claim("- item one", (Mark(2, "a [3] b c d"),), "\n"),
    Claim("- item two.", (Mark(2), Mark(3), Mark(4)), "\n"),
    Claim("Last sentence", (), "\n\n"),
]


def claims_of(*pieces: str) -> list[Claim]:
    reader = ClaimReader()
    found = [claim for piece in pieces for claim in reader.feed(piece)]
    return [*found, *reader.end()]


def test_claims_come_with_their_marks():
    assert claims_of(TEXT) == CLAIMS


@given(st.lists(st.integers(0, len(TEXT)), max_size=40))
def test_how_the_text_is_cut_on_its_way_changes_nothing(cuts: list[int]):
    places = [0, *sorted(cuts), len(TEXT)]

    assert claims_of(*(TEXT[a:b] for a, b in pairwise(places))) == CLAIMS


def test_a_claim_comes_as_soon_as_the_next_has_begun():
    reader = ClaimReader()

    assert list(reader.feed("It works well. [1")) == []
    assert list(reader.feed("] The ")) == [Claim("It works well.", (Mark(1),), "")]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("[1] says that it works.", (Mark(1),)),
        ("It works【1】.", (Mark(1),)),
        ("It works [1: “the words”].", (Mark(1, "the words"),)),
        ("It works [1][1].", (Mark(1),)),
        ("It works [12, 3; 4].", (Mark(12), Mark(3), Mark(4))),
        ("It works [see above].", ()),
        ("It works.", ()),
    ],
)
def test_marks_are_read_in_the_forms_that_models_use(text: str, marks: tuple[Mark, ...]):
    (claim,) = claims_of(text)

    assert claim.marks == marks


def test_a_sentence_that_never_ends_is_given_on():
    reader = ClaimReader()

    assert [len(claim.text) > 3000 for claim in reader.feed("word " * 1000)] == [True]


@pytest.mark.parametrize("piece", [" ", "[", " [", "[1 "])
def test_a_model_that_repeats_itself_without_end_does_not_stop_all_else(piece: str):
    first, last = claims_of("It works [1]. ", *[piece] * 1500, "It ends [2].")

    assert first == Claim("It works.", (Mark(1),), "")
    assert last.text.endswith("It ends.") and last.marks == (Mark(2),)


@pytest.mark.parametrize("before", ["", " ", "\t ", "   "])
def test_blanks_before_a_mark_belong_to_it(before: str):
    assert claims_of(f"It works{before}[1]. It ends{before}[2: ", '"of old"].') == [
        Claim("It works.", (Mark(1),), ""),
        Claim("It ends.", (Mark(2, "of old"),), " "),
    ]


@given(st.text(max_size=300))
def test_no_text_stops_the_reader(text: str):
    assert all(claim.text == claim.text.strip() for claim in claims_of(text))
