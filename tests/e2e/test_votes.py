"""Votes for pipelines: kept for each reader and for what was compared, and read by ``papergraph ratings``."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from evaluation.answers.ratings import read_ratings, summarised
from papergraph.database import Database
from papergraph.errors import ConflictError, UnknownCollectionError
from papergraph.statement import Statement
from server.papers import judgements
from server.papers.judgements import judged_questions
from server.papers.pipeline_votes import Ballot, pipeline_votes, vote_for_pipelines
from server.retrieval.pipelines import shipped
from tests.support.servers import RunningServer

FORGET = Statement("test/forget", "MATCH (n:Judgement) DELETE n")
VOTE = """mutation ($question: String!, $pipelines: [String!]!, $best: [String!]!) {
  voteForPipelines(question: $question, pipelines: $pipelines, best: $best, collection: "many") {
    ... on PipelineVotes { collection question pipelines { pipeline nBest } nReaders mine }
    ... on UserError { code field }
  }
}"""
LIST = '{ pipelineVotes(collection: "many") { question pipelines { pipeline nBest } nReaders mine } }'
QUESTION = "What did the measurements give?"


@pytest_asyncio.fixture(loop_scope="session")
async def store(library: Database) -> AsyncIterator[Database]:
    """The library without judgements, before and afterwards."""
    await library.run_alone(FORGET)
    yield library
    await library.run_alone(FORGET)


async def voted(
    store: Database, rater: str, best: list[str], *, compared: tuple[str, ...] = ("default", "fast")
) -> None:
    await vote_for_pipelines(store, Ballot("many", QUESTION, compared, best), known=shipped(), rater=rater)


async def asked(app: httpx.AsyncClient, operation: str, **variables: object) -> dict:
    answer = (await app.post("/graphql", json={"query": operation, "variables": variables})).json()
    assert "errors" not in answer, answer
    (found,) = answer["data"].values()
    return found


async def test_a_vote_is_kept_changed_and_taken_back_on_both_interfaces(app: httpx.AsyncClient, store: Database):
    given = {"question": f" {QUESTION} ", "pipelines": ["fast", "default"]}
    first = await asked(app, VOTE, **given, best=["fast"])
    body = {"collection": "many", "question": QUESTION, "pipelines": ["default", "fast"]}
    draw = await app.put("/v1/votes", json={**body, "best": ["default", "fast"]})
    (listed,) = (await app.get("/v1/votes", params={"collection": "many", "question": QUESTION})).json()["data"]
    (same,) = await asked(app, LIST)
    nothing = await app.put("/v1/votes", json={**body, "best": []})

    assert first == {
        "collection": "many",
        "question": QUESTION,
        "pipelines": [{"pipeline": "default", "nBest": 0}, {"pipeline": "fast", "nBest": 1}],
        "nReaders": 1,
        "mine": ["fast"],
    }
    assert draw.json()["mine"] == ["default", "fast"] and draw.json()["nReaders"] == 1
    assert listed == draw.json() and listed == {"collection": "many", **same}
    assert (nothing.json()["nReaders"], nothing.json()["mine"]) == (0, [])
    assert await asked(app, LIST) == []


@pytest.mark.parametrize(
    ("pipelines", "best", "field"),
    [
        (["default"], ["default"], "pipelines"),
        (["default", "default"], ["default"], "pipelines"),
        (["default", "fast"], ["exact"], "best"),
        (["default", "nothing"], ["default"], "pipeline"),
    ],
)
async def test_what_was_not_compared_gets_no_vote(
    app: httpx.AsyncClient, store: Database, pipelines: list[str], best: list[str], field: str
):
    refused = await asked(app, VOTE, question=QUESTION, pipelines=pipelines, best=best)
    assert refused == {"code": "BAD_USER_INPUT", "field": field}


async def test_votes_stay_within_collections_and_beside_judgements(store: Database, monkeypatch: pytest.MonkeyPatch):
    await voted(store, "ada", ["fast"])

    assert [one.mine for one in await pipeline_votes(store, "many", rater="bob")] == [()]
    assert await judged_questions(store, "many") == []
    with pytest.raises(UnknownCollectionError):
        await pipeline_votes(store, "many", collections=["main"])
    monkeypatch.setattr(judgements, "MOST_JUDGED", 1)
    await voted(store, "ada", ["default"])
    with pytest.raises(ConflictError):
        await voted(store, "ada", ["fast"], compared=("fast", "default", "diverse"))


async def test_exported_votes_tell_which_pipeline_readers_prefer(
    store: Database, server: RunningServer, tmp_path: Path
):
    await voted(store, "ada", ["fast"])
    await voted(store, "bob", ["fast", "default"])
    await voted(store, "ada", ["default"], compared=("fast", "default", "diverse"))

    file = tmp_path / "votes.jsonl"
    done = server.papergraph("ratings", "pipelines", str(file), "--collection", "many")
    report = summarised(read_ratings(file))

    assert "3 votes on 2 questions" in done.stdout, done.stderr
    assert report.n_compared == 3
    assert report.preferred == {"default": pytest.approx(0.5), "fast": pytest.approx(0.5833333), "diverse": 0.25}
