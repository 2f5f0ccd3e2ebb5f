"""Judgements of papers for questions: kept for each reader, within collections, and read by experiments."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from evaluation.experiment.questions import asked_of_votes, read_asked
from papergraph.database import Database
from papergraph.errors import ConflictError, NotFoundError, UnknownCollectionError
from papergraph.statement import Statement
from server.papers import judgements
from server.papers.judgements import judge_paper, judged_questions
from tests.support.servers import NOWHERE, RunningServer

FORGET = Statement("test/forget", "MATCH (n:Judgement) DELETE n")
TWO = Statement("test/two", "MATCH (p:Paper {collection: 'many'}) RETURN p.id AS id ORDER BY p.id LIMIT 2")
JUDGE = """mutation ($id: ID!, $question: String!, $relevant: Boolean) {
  judgePaper(id: $id, question: $question, relevant: $relevant) {
    ... on JudgedQuestion { collection question papers { paperId nRelevant nIrrelevant mine } }
    ... on UserError { code field }
  }
}"""
LIST = "query ($in: String) { judgements(collection: $in) { question papers { paperId nRelevant mine } } }"
QUESTION = "What did the measurements give?"


@pytest_asyncio.fixture(loop_scope="session")
async def two(library: Database) -> AsyncIterator[tuple[str, str]]:
    """Ids of two papers; nothing is judged before and afterwards."""
    await library.run_alone(FORGET)
    one, other = [record["id"] for record in await library.read(TWO)]
    yield one, other
    await library.run_alone(FORGET)


async def asked(app: httpx.AsyncClient, operation: str, **variables: object) -> dict:
    answer = (await app.post("/graphql", json={"query": operation, "variables": variables})).json()
    assert "errors" not in answer, answer
    (found,) = answer["data"].values()
    return found


async def test_a_judgement_is_kept_changed_and_taken_back_on_both_interfaces(app: httpx.AsyncClient, two):
    first = await asked(app, JUDGE, id=two[0], question=f" {QUESTION} ", relevant=True)
    changed = await app.put(f"/v1/papers/{two[0]}/judgement", json={"question": QUESTION, "relevant": False})
    other = await asked(app, JUDGE, id=two[1], question=QUESTION, relevant=True)
    (listed,) = (await app.get("/v1/judgements", params={"collection": "many"})).json()["data"]
    nothing = await app.get("/v1/judgements", params={"collection": "many", "question": "another"})
    left = await asked(app, JUDGE, id=two[0], question=QUESTION)

    assert first == {
        "collection": "many",
        "question": QUESTION,
        "papers": [{"paperId": two[0], "nRelevant": 1, "nIrrelevant": 0, "mine": True}],
    }
    assert changed.json()["papers"] == [{"paperId": two[0], "nRelevant": 0, "nIrrelevant": 1, "mine": False}]
    assert listed == other and [one["mine"] for one in listed["papers"]] == [False, True]
    assert nothing.json()["data"] == []
    assert [one["paperId"] for one in left["papers"]] == [two[1]]
    assert await asked(app, LIST, **{"in": "many"}) == [
        {"question": QUESTION, "papers": [{"paperId": two[1], "nRelevant": 1, "mine": True}]}
    ]


@pytest.mark.parametrize(
    ("id", "question", "code"), [(NOWHERE, "why", "NOT_FOUND"), ("x", "why", "BAD_USER_INPUT"), ("", " ", "")]
)
async def test_what_cannot_be_judged_is_refused(app: httpx.AsyncClient, two, id: str, question: str, code: str):
    refused = await asked(app, JUDGE, id=id or two[0], question=question, relevant=True)
    assert refused["code"] == (code or "BAD_USER_INPUT")


async def test_a_reader_of_other_collections_neither_judges_nor_sees_judgements(library: Database, two):
    await judge_paper(library, two[0], QUESTION, True, rater="ada")

    assert (await judge_paper(library, two[0], QUESTION, None, rater="bob")).papers[0].mine is None
    with pytest.raises(NotFoundError):
        await judge_paper(library, two[0], QUESTION, True, rater="bob", collections=["main"])
    with pytest.raises(UnknownCollectionError):
        await judged_questions(library, "many", collections=["main"])


async def test_a_reader_cannot_fill_the_store(library: Database, two, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(judgements, "MOST_JUDGED", 1)
    await judge_paper(library, two[0], QUESTION, True, rater="ada")
    await judge_paper(library, two[0], QUESTION, False, rater="ada")
    with pytest.raises(ConflictError):
        await judge_paper(library, two[1], QUESTION, True, rater="ada")


@pytest.mark.slow
async def test_experiments_read_what_most_readers_find_relevant(
    library: Database, two, server: RunningServer, tmp_path: Path
):
    for rater, verdicts in {"ada": (True, True), "bob": (True, False), "eve": (True, False)}.items():
        for id, relevant in zip(two, verdicts, strict=True):
            await judge_paper(library, id, QUESTION, relevant, rater=rater)
    await judge_paper(library, two[1], "Is paper 1 about it?", True, rater="ada")
    await judge_paper(library, two[1], "Is nothing about it?", False, rater="ada")

    found = await asked_of_votes(library, "many")
    file = tmp_path / "questions.jsonl"
    done = server.papergraph("ratings", "papers", str(file), "--collection", "many")

    assert [(one.question, dict(one.graded)) for one in found] == [
        ("Is paper 1 about it?", {two[1]: 1.0}),
        (QUESTION, {two[0]: 1.0}),
    ]
    assert "2 questions" in done.stdout, done.stderr
    assert [json.loads(line)["question"] for line in file.read_text().splitlines()] == [one.question for one in found]
    assert [one.graded for one in read_asked(file)] == [one.graded for one in found]
