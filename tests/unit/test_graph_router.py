"""Questions that no rule of the graph recognises: they are told without the database."""

import time
from typing import Any, cast

import pytest

from papergraph.database import Database
from server.answers.graph_router import GraphQuestion, route


class NoDatabase:
    """A database that nothing may be read from."""

    async def read(self, *arguments: Any, **parameters: Any) -> None:
        raise AssertionError(f"{arguments} was read")


NOWHERE = cast(Database, NoDatabase())


@pytest.mark.parametrize(
    "question",
    [
        "How does the logical error rate of a surface code depend on its distance?",
        "How many papers were in the collection that was searched by the annotators of the study?",
        "What do the papers say about noise?",
        "Which papers discuss the surface code?",
        "List the three models of extrapolation.",
        "What is the publication bias of retrieval studies?",
    ],
)
async def test_a_question_to_passages_matches_no_rule(question):
    assert await route(NOWHERE, question, "main") is None


@pytest.mark.parametrize(
    "question",
    [
        "which papers " * 300,
        "please " * 600,
        "how many papers are there by " + "a " * 1900,
        "who wrote " * 400,
        "x" * 4000,
    ],
    ids=["papers", "please", "by", "wrote", "one word"],
)
async def test_the_longest_questions_take_no_time(question):
    start = time.perf_counter()

    assert await route(NOWHERE, question[:4000], "main") is None
    assert time.perf_counter() - start < 2.0


@pytest.mark.parametrize(
    ("question", "query", "parameters"),
    [
        (
            "Please, how many papers appeared between 2023 and 2021?",
            "count_papers",
            {"firstYear": 2021, "lastYear": 2023},
        ),
        ("How many papers are there from before 1990?", "count_papers", {"lastYear": 1989}),
        ("Which papers came out after 2019?", "papers", {"firstYear": 2020}),
        ("Can you list the data sets?", "named_entities", {"type": "dataset"}),
        ("what is this collection about", "overview", {}),
    ],
)
async def test_a_question_without_names_needs_no_database(question, query, parameters):
    found = await route(NOWHERE, question, "main")

    assert isinstance(found, GraphQuestion)
    assert found.name == query
    assert found.shown() == parameters
