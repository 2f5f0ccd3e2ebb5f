"""Questions about the graph that are recognised without its names, and questions to passages."""

import time
from typing import Any, cast

import pytest

from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.server.answers.graph_question import GraphQuestion
from papergraph.server.answers.graph_recognition import route
from papergraph.server.answers.graph_words import tokens_of, years_of


class NoDatabase:
    """A database that nothing may be read from."""

    async def read(self, *arguments: Any, **parameters: Any) -> None:
        raise AssertionError(f"{arguments} was read")


class NoNames:
    """A database without papers."""

    async def read(self, statement: Any, **parameters: Any) -> list[dict[str, Any]]:
        return [{"n": 0, "papers": []}] if "venue" in parameters else []


class NoIndex:
    """A database whose full-text indexes are being built."""

    async def read(self, statement: Any, **parameters: Any) -> list[dict[str, Any]]:
        if "fulltext_query" in parameters:
            raise IndexUnavailableError(statement.name, "there is no such index")
        return []


NOWHERE, EMPTY = cast(Database, NoDatabase()), cast(Database, NoNames())


@pytest.mark.parametrize(
    "question",
    [
        "How does the logical error rate of a surface code depend on its distance?",
        "How many papers were in the collection that was searched by the annotators of the study?",
        "What do the papers say about noise?",
        "Which papers discuss the surface code?",
        "List the three models of extrapolation.",
        "What is the publication bias of retrieval studies?",
        "How do you write papers?",
        "What is the title of the paper?",
        "What papers do they cite?",
        "What is the reference class?",
        "What methods are available?",
        "Papers that are not from 2020",
        "Do the authors thank anyone?",
        "Did they collect the two datasets?",
        "How many papers were published in Nature?",
        "What is the architecture of the system?",
        "citation style in apa7",
    ],
)
async def test_a_question_to_passages_is_recognised_by_nothing(question):
    assert await route(EMPTY, question, "main") is None


@pytest.mark.parametrize(
    ("question", "query", "parameters"),
    [
        ("Sort the papers by how often they are cited and show the top ones.", "most_cited", {}),
        ("Please break down the number of publications by year", "papers_per_year", {}),
        ("Could you hand me a rundown of what your library deals with?", "overview", {}),
        ("whatever was printed in 2020, gimme", "papers", {"first_year": 2020, "last_year": 2020}),
    ],
)
async def test_a_question_with_words_outside_of_the_vocabulary_is_recognised_by_likeness(question, query, parameters):
    assert await route(EMPTY, question, "main") == GraphQuestion(query, **parameters)


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
    start = time.process_time()

    assert await route(NOWHERE, question[:4000], "main") is None
    assert time.process_time() - start < 5.0


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
        ("Which data sets are mentioned in the papers?", "named_entities", {"type": "dataset"}),
        ("what is this collection about", "overview", {}),
    ],
)
async def test_a_question_without_names_needs_no_database(question, query, parameters):
    found = await route(NOWHERE, question, "main")

    assert isinstance(found, GraphQuestion)
    assert found.name == query
    assert found.shown() == parameters


@pytest.mark.parametrize(
    ("question", "query", "parameters"),
    [
        ("I was wondering how many documents your library holds in total", "count_papers", {}),
        ("my supervisor wants to know which papers you have", "papers", {}),
        ("Give me please everything of 2019", "papers", {"first_year": 2019, "last_year": 2019}),
        ("publications from the 2010s", "papers", {"first_year": 2010, "last_year": 2019}),
        ("articles of 2015 or later", "papers", {"first_year": 2015}),
        ("Which of these papers is the oldest?", "papers", {"order": "oldest"}),
        ("Whose papers are in the collection?", "authors", {}),
        ("who published in 2015", "authors", {"first_year": 2015, "last_year": 2015}),
        ("Where were these papers published?", "venues", {}),
        ("distribution of publications over the years", "papers_per_year", {}),
        ("what's in this knowledge base", "overview", {}),
    ],
)
async def test_orders_fragments_and_indirect_speech_need_no_patterns_of_their_own(question, query, parameters):
    assert await route(NOWHERE, question, "main") == GraphQuestion(query, **parameters)


@pytest.mark.parametrize(
    ("words", "years"),
    [
        ("since 2010", (2010, None)),
        ("after 2010", (2011, None)),
        ("older than 2010", (None, 2009)),
        ("until 2010", (None, 2010)),
        ("2010 or earlier", (None, 2010)),
        ("2010-2012", (2010, 2012)),
        ("between 2012 and 2010", (2010, 2012)),
        ("of the 1990s", (1990, 1999)),
        ("of 1990, 1995 and 1999", (None, None)),
        ("of no year", (None, None)),
    ],
)
def test_years_are_read_with_the_words_beside_them(words, years):
    assert years_of(tokens_of(f"papers {words}")) == years


@pytest.mark.parametrize(
    ("question", "query", "parameters"),
    [
        ("How many papers are there per year?", "papers_per_year", {}),
        ("papers by year", "papers_per_year", {}),
        ("Number of articles in each year", "papers_per_year", {}),
        ("whats this colection about?", "overview", {}),
        ("most cited papers", "most_cited", {}),
        ("which authors are in the collection?", "authors", {}),
    ],
)
async def test_counts_per_year_and_misspelt_words_are_recognised(question, query, parameters):
    asked = await route(EMPTY, question, "main")

    assert asked == GraphQuestion(query, **parameters)


@pytest.mark.parametrize("question", ["Who wrote Surface Codes?", "papers by Smith", "Which papers cite “Tides”?"])
async def test_names_are_not_recognised_while_their_index_is_built(question):
    assert await route(cast(Database, NoIndex()), question, "main") is None
