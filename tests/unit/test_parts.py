"""The questions within one query, told without a model."""

import asyncio
from typing import Any, cast

import pytest

from papergraph.database import Database
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.steps.expand import parts
from tests.support.embedders import ToyModel

SHELLS = "what is the effect of initial imperfections on the buckling of cylindrical shells"
NOISE = "how can the noise of a supersonic jet be lowered near the ground"


def parts_of(query: str, most: int = 4) -> list[str]:
    """Parts as told with vectors of hashes, by which no two texts are alike."""
    return asyncio.run(parts(Resources.of(cast(Database, None), cast(Any, ToyModel("toy", dimension=64))), query, most))


@pytest.mark.parametrize("between", [". ", "? ", " . ", " ; ", " ", " and ", ", and "])
def test_two_questions_are_two_whatever_stands_between_them(between: str):
    assert [part.rstrip(" .?;") for part in parts_of(SHELLS + between + NOISE)] == [SHELLS, NOISE]


@pytest.mark.parametrize(
    "query",
    [
        SHELLS,
        "pressure distribution and heat transfer over blunt bodies of revolution at high speeds",
        "where was the person who founded the company that made the first transistor radio born",
        "how can the effect of the boundary layer on wing pressure be calculated and what is its magnitude",
        "GATA3 and OCT4 have a significant impact on the stability of a genome",
        "in practice, how close to reality are the assumptions of a hypersonic shock tube",
        "given complete freedom in the design of an airplane, what procedure minimizes sonic boom intensity",
        "As of 5 March 2020 at noon, what are the confirmed cases in the WHO European region?",
        "is there any information on how the addition of a boat-tail affects the normal force",
        "How many new tuberculosis cases in children are there each year in the whole world?",
        "can static deflection shapes predict flutter . if so, can we give a justification by an example .",
        "Is influenza vaccination during pregnancy safe? How long does it protect the child?",
        "The shell shows buckling under pressure. Has anyone found for which ranges these stresses are large?",
        "Compare simulated annealing with tabu search. Which one needs fewer evaluations?",
        "Explain quantum error correction, then tell me how the surface codes are decoded",
        "what are the details of the kinetic theory of gases . (chapman-enskog theory) .",
        "Why? How?",
        "",
    ],
)
def test_a_single_question_stays_whole(query: str):
    assert parts_of(query) == []


@pytest.mark.parametrize("second", [f"Is it possible that {NOISE}", f"It is not likely to be known {NOISE}"])
def test_it_that_points_at_nothing_begins_a_question_all_the_same(second: str):
    assert parts_of(f"{SHELLS}. {second}") == [f"{SHELLS}.", second]


def test_what_leads_up_to_a_question_is_searched_with_it():
    led_up = f"given complete freedom in the design of wings, {SHELLS}"

    assert parts_of(f"{led_up}? {NOISE}?") == [f"{led_up}?", f"{NOISE}?"]
    assert parts_of(f"{led_up} and {NOISE}") == [led_up, NOISE]


def test_more_sentences_than_parts_are_a_text_and_no_questions():
    four = ". ".join(question.capitalize() for question in (SHELLS, NOISE, SHELLS, NOISE))

    assert len(parts_of(four)) == 4
    assert parts_of(four, most=3) == []
    assert parts_of(f"{SHELLS}. {NOISE} {'or elsewhere ' * 30}") == []


@pytest.mark.parametrize("fill", ["-" * 4000, "'" * 4000, " " * 4000, "-'" * 2000])
def test_a_run_of_signs_or_blanks_is_read_in_no_time(fill: str):
    """Found in a review: a pattern that could match such a run in many ways took for ever."""
    assert len(parts_of(f"{SHELLS} {fill} what {fill} {fill} is x it")) <= 4
