from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.server.answers.sentences import can_be_quoted, sentences_of

PASSAGE = """## Results

Masks halved the rate of infection [12]. Schools
stayed open throughout the winter.

| group | n | infected |
| masks | 412 | 31 |

Limitations of this study

0.31 0.42 0.55 0.61 p 0.7 q 0.81 ab 0.9 0.95 cd ef gh
[14] Smith, J. A., Jones, B.: Masks in schools. Lancet 12(3), 45-50 (2009).
It works."""


def test_sentences_that_say_something_are_left_of_a_passage():
    said = [sentence.text for sentence in sentences_of([PASSAGE])]

    assert said == [
        "Masks halved the rate of infection [12].",
        "Schools\nstayed open throughout the winter.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "The virus was first isolated in 2012 in Jeddah.",
        "Smith et al. (2009) isolated the virus in 12 of 40 patients.",
        "It was sold for 3 (4) times 12 dollars.",
        "The p-value was p > 0.05 in 3 of 4 groups of the trial.",
        "We set a = 3 and b = 4 in all of the experiments.",
        "Ribozymes, as Smith showed in 1982, are RNA molecules that cut themselves",
        "新型冠状病毒感染的肺炎患者人数增加。",
        "Table 3 shows that masks halved the rate.",
        "Keywords were chosen by two of the authors.",
    ],
)
def test_a_sentence_of_the_text_can_be_quoted(said):
    assert can_be_quoted(said)


@pytest.mark.parametrize(
    "said",
    [
        "See Fig. 3.",
        "Table 3: Rates of infection in both schools.",
        "Keywords: masks, schools, infection, winter.",
        "# What was found in all of the patients",
        "Smith J, Jones B. Masks in schools of two cities. Lancet 2009; 12: 45-50.",
        "A. Zeileis, F. Leisch, K. Hornik, and C. Kleiber. A package for testing for structural change.",
        "Masks in schools, doi: 10.1000/182, accessed in May 2009.",
        "12 14 19 (3.4) 0.5 0.6 ab 12.9 cd 13 ef 14 gh",
        "43 12 0 0 0 > # parametric survival > fit3 <- survreg(Surv(time, status) ~ x)",
        "R> library(party) loads the package now.",
        "> summary(model) prints the table of the fit.",
        "Then c − d τa = (1) c + d + tx + ty + txy is the measure of this.",
        " ".join(["many words"] * 51),
    ],
)
def test_what_is_no_sentence_of_the_text_cannot_be_quoted(said):
    assert not can_be_quoted(said)


def test_a_short_line_without_a_stop_is_a_heading_only_where_the_line_ends():
    assert not can_be_quoted("Statistical analysis of the data", ends_block=True)
    assert can_be_quoted("Statistical analysis of the data", ends_block=False)


texts = st.lists(
    st.text(st.sampled_from("ab cD.?!\n\t 1(§é|#。")).map(
        lambda text: f"We saw it here {text} and They saw it there. X"
    ),
    max_size=4,
)


@given(texts)
def test_every_sentence_stands_in_its_passage_to_the_letter_and_they_do_not_overlap(texts):
    found = sentences_of(texts)

    for sentence in found:
        assert texts[sentence.passage][sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        assert sentence.text
    places = [(sentence.passage, sentence.start, sentence.end) for sentence in found]
    assert places == sorted(places)
    assert all(a[0] < b[0] or a[2] <= b[1] for a, b in pairwise(places))
