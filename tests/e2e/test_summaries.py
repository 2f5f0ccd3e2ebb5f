"""Summaries of groups of papers say the same over GraphQL, REST and MCP, within the budget of a key."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from mcp import Client

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.metadata.enrichment import PaperValue
from papergraph.schema.ids import metadata_cluster_id
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from tests.support.agents import call, keyed, refused
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM
from tests.support.ingestion import ingest
from tests.support.metadata import papers_of, write
from tests.support.servers import served

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow]

PHYSICS = metadata_cluster_id("main", "area", "physics")
SUMMARY = """query ($cluster: ID, $metadata: [MetadataInput!], $collection: String) {
  summary(cluster: $cluster, metadata: $metadata, collection: $collection) {
    id about text keywords generator model clusterIds nPapers wasStored
  }
}"""
RANKING = [{"field": "task", "value": "ranking"}]


@pytest_asyncio.fixture
async def papers(database: Database, embedder: Embedder, tmp_path: Path) -> Embedder:
    """Papers on tides, waves and winds: all of physics, the first two rank. Return the embedding model."""
    quick = QuickEmbedder(embedder)
    for name in ("Tides", "Waves", "Winds"):
        text = f"We measure {name} with many gauges. They rise and fall each day. Nobody knows why this is so."
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    await ingest(database, quick, [tmp_path])
    for paper, task in zip(await papers_of(database), ("ranking", "ranking", "clustering"), strict=True):
        values = (PaperValue("area", "physics", "t"), PaperValue("task", task, "t"))
        await write(database, EnrichmentContext(quick), paper, *values)
    return quick


@pytest_asyncio.fixture
async def url(database: Database, papers: Embedder) -> AsyncIterator[str]:
    async with served(database, papers) as url:
        yield url


async def graphql(client: httpx.AsyncClient, **variables: object) -> dict:
    response = await client.post("/graphql", json={"query": SUMMARY, "variables": variables})
    return response.json()


async def test_all_interfaces_say_the_same_and_it_is_made_once(url: str):
    async with httpx.AsyncClient(base_url=url) as client:
        made = (await graphql(client, metadata=RANKING))["data"]["summary"]
        over_rest = (await client.post("/v1/summaries", json={"metadata": RANKING})).raise_for_status().json()
    async with Client(f"{url}/mcp") as agent:
        by_tool = (await call(agent, "summary", metadata={"task": ["ranking"]}))["summary"]

    assert (made["about"], made["nPapers"], made["generator"], made["model"]) == (
        "task: ranking",
        2,
        "EXTRACTIVE",
        None,
    )
    assert "We measure Tides with many gauges." in made["text"].splitlines()
    assert made["clusterIds"] == [metadata_cluster_id("main", "task", "ranking")]
    assert [made["wasStored"], over_rest["wasStored"], by_tool["wasStored"]] == [False, True, True]
    said = {name: value for name, value in over_rest.items() if name in made and name not in ("wasStored", "generator")}
    assert said == {name: made[name] for name in said} and len(said) == 7
    assert over_rest == by_tool


async def test_a_cluster_is_summarized_by_its_id(url: str):
    async with httpx.AsyncClient(base_url=url) as client:
        found = (await graphql(client, cluster=PHYSICS))["data"]["summary"]

    assert (found["about"], found["nPapers"], found["clusterIds"]) == ("area: physics", 3, [PHYSICS])


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({}, "BAD_USER_INPUT"),
        ({"cluster": PHYSICS, "metadata": RANKING}, "BAD_USER_INPUT"),
        ({"cluster": "0" * 64}, "NOT_FOUND"),
        ({"metadata": [{"field": "task", "value": "none"}]}, "NOT_FOUND"),
        ({"metadata": RANKING * 60}, "BAD_USER_INPUT"),
        ({"metadata": RANKING, "collection": "elsewhere"}, "NOT_FOUND"),
    ],
    ids=["nothing", "both", "no cluster", "no value", "too many", "elsewhere"],
)
async def test_what_cannot_be_summarized_is_told_on_each_interface(url: str, asked: dict, code: str):
    async with httpx.AsyncClient(base_url=url) as client:
        answer = await graphql(client, **asked)
        over_rest = await client.post("/v1/summaries", json=asked)

    assert answer["data"] == {"summary": None}
    assert answer["errors"][0]["extensions"]["code"] == code
    assert over_rest.json()["code"] == code


async def test_a_model_writes_it_within_the_budget_of_a_key_that_may_ask(
    database: Database, papers: Embedder, fake_llm: FakeLLM, tmp_path: Path
):
    fake_llm.script(json.dumps({"summary": "Two papers rank.", "keywords": ["ranking"]}))
    _, asking = await create_key(database, name="a", scopes=[KeyScope.ASK], expires=timedelta(days=1))
    _, reading = await create_key(database, name="r", scopes=[KeyScope.READ], expires=timedelta(days=1))
    model = {"llm_url": fake_llm.url, "llm_model": "scripted", "server_require_api_key": True, "cache": tmp_path / "c"}
    headers = {"Authorization": f"Bearer {asking}"}
    async with served(database, papers, **model) as url:
        async with httpx.AsyncClient(base_url=url, headers=headers) as client:
            written = (await client.post("/v1/summaries", json={"metadata": RANKING})).raise_for_status().json()
        async with keyed(f"{url}/mcp", reading) as agent:
            denied = await refused(agent, "summary", metadata={"task": ["ranking"]})
    async with (
        served(database, papers, **model, llm_tokens_per_day=10) as url,
        httpx.AsyncClient(base_url=url, headers=headers) as client,
    ):
        spent = await client.post("/v1/summaries", json={"cluster": PHYSICS})

    assert (written["text"], written["generator"], written["model"]) == ("Two papers rank.", "model", "scripted")
    assert (spent.status_code, spent.json()["code"]) == (503, "UNAVAILABLE")
    assert denied.startswith("FORBIDDEN")
