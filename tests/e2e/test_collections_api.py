"""Collections created, described and deleted over REST and GraphQL, on a real Neo4j."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.ingestor import Ingestor
from papergraph.schema.checksum import graph_checksum
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations import collections as operations
from papergraph.server.operations.collections import delete_collection
from papergraph.server.operations.service import Service
from papergraph.statement import Statement
from tests.support.files import write

LEFT = Statement(
    "test/left",
    "MATCH (n) WHERE n.collection = $name OR (n:Collection AND n.id = $name) RETURN DISTINCT head(labels(n)) AS label",
)
FORGET = Statement("test/forget", "MATCH (n:ApiKey) DELETE n")
OPEN_JOB = Statement(
    "test/job",
    "CREATE (:IngestJob {id: 'deadbeef0000', kind: 'documents', collection: $name, specs: [], settings: '{}', "
    "configHash: 'x', state: 'queued', nDocuments: 1, nUnchanged: 0, createdAt: datetime()})",
)
JOB = Statement("test/state", "MATCH (j:IngestJob {id: 'deadbeef0000'}) RETURN j.state AS state")
FORGET_JOB = Statement("test/forget_job", "MATCH (j:IngestJob {id: 'deadbeef0000'}) DELETE j")


@pytest_asyncio.fixture(loop_scope="session")
async def client(library: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    application = create_app(Service(library, embedder))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        yield client


async def names(client: httpx.AsyncClient) -> dict[str, Any]:
    return {one["name"]: one for one in (await client.get("/v1/collections")).json()["data"]}


async def ingest(library: Database, embedder: Embedder, folder: Path, collection: str, n: int) -> None:
    for number in range(n):
        write(folder / f"{number}.md", f"# Ants {number} of {collection}\n\n## Start\n\nAnt number {number} walks.\n")
    report = await Ingestor(library, embedder).ingest([folder], collection=collection)
    assert not report.failed, report


@pytest.mark.slow
async def test_an_empty_collection_is_there_from_its_creation_to_its_deletion(client, library):
    before = await graph_checksum(library)

    made = await client.post("/v1/collections", json={"name": "ants", "title": "Of ants"})
    listed = (await names(client))["ants"]
    papers = await client.get("/v1/papers?collection=ants")
    found = await client.post("/v1/search", json={"query": "ants", "collection": "ants"})
    again = await client.post("/v1/collections", json={"name": "ants"})
    gone = await client.delete("/v1/collections/ants")
    after = await client.get("/v1/papers?collection=ants")

    assert (made.status_code, made.json()) == (201, listed)
    assert (listed["title"], listed["description"], listed["nPapers"], listed["nEntities"]) == ("Of ants", None, 0, 0)
    assert (papers.json()["data"], found.json()["hits"]) == ([], [])
    assert (again.status_code, again.json()["code"]) == (409, "CONFLICT")
    assert gone.json() == {"name": "ants", "nDeleted": 0, "nLeft": 0}
    assert after.status_code == 404 and "ants" not in await names(client)
    assert (await graph_checksum(library)).same_graph(before)


@pytest.mark.slow
async def test_a_title_changes_and_the_name_and_all_ids_stay(client, library):
    before = await graph_checksum(library)

    told = await client.patch("/v1/collections/many", json={"title": " Many  papers ", "description": "For tests"})
    partly = await client.patch("/v1/collections/many", json={"title": "Others"})
    back = await client.patch("/v1/collections/many", json={"title": "", "description": ""})
    unknown = await client.patch("/v1/collections/elsewhere", json={"title": "x"})
    long = await client.patch("/v1/collections/many", json={"title": "x" * 201})

    assert (told.json()["title"], told.json()["description"]) == ("Many papers", "For tests")
    assert (partly.json()["title"], partly.json()["description"]) == ("Others", "For tests")
    assert (back.json()["title"], back.json()["description"]) == ("many", None)
    assert told.json()["nPapers"] == 105
    assert (unknown.status_code, long.status_code) == (404, 400)
    assert (await graph_checksum(library)).same_graph(before)


async def test_graphql_says_the_same(client):
    async def ask(query: str) -> Any:
        answer = (await client.post("/graphql", json={"query": query})).json()
        assert "errors" not in answer, answer
        return answer["data"]

    made = await ask(
        'mutation { createCollection(name: "bees", title: "Of bees") { ... on CollectionInfo { title } } }'
    )
    taken = await ask('mutation { createCollection(name: "bees") { ... on UserError { code field } } }')
    wrong = await ask('mutation { createCollection(name: "no bees") { ... on UserError { code } } }')
    told = await ask(
        'mutation { describeCollection(name: "bees", description: "Buzz") '
        "{ ... on CollectionInfo { title description } } }"
    )
    listed = await ask("{ collections { name title nPapers } }")
    gone = await ask('mutation { deleteCollection(name: "bees") { ... on DeletedCollection { name nDeleted nLeft } } }')
    unknown = await ask('mutation { deleteCollection(name: "bees") { ... on UserError { code } } }')

    assert made["createCollection"] == {"title": "Of bees"}
    assert taken["createCollection"] == {"code": "CONFLICT", "field": "name"}
    assert wrong["createCollection"] == {"code": "BAD_USER_INPUT"}
    assert told["describeCollection"] == {"title": "Of bees", "description": "Buzz"}
    assert {"name": "bees", "title": "Of bees", "nPapers": 0} in listed["collections"]
    assert gone["deleteCollection"] == {"name": "bees", "nDeleted": 0, "nLeft": 0}
    assert unknown["deleteCollection"] == {"code": "NOT_FOUND"}


@pytest.mark.slow
async def test_a_collection_goes_with_all_that_it_has_and_nothing_of_others(client, library, embedder, tmp_path):
    before = await graph_checksum(library)
    await ingest(library, embedder, tmp_path, "wasps", 3)
    await client.patch("/v1/collections/wasps", json={"title": "Of wasps"})
    await library.run_alone(OPEN_JOB, name="wasps")

    gone = await client.delete("/v1/collections/wasps")
    (job,) = await library.read(JOB)
    left = {record["label"] for record in await library.read(LEFT, name="wasps")}
    await library.run_alone(FORGET_JOB)

    assert gone.json() == {"name": "wasps", "nDeleted": 3, "nLeft": 0}
    assert job["state"] == "cancelled"
    assert left <= {"IngestJob"}
    assert (await graph_checksum(library)).same_graph(before)


@pytest.mark.slow
async def test_what_does_not_fit_into_a_request_is_left_whole_for_the_next_one(
    library, embedder, tmp_path, monkeypatch
):
    before = await graph_checksum(library)
    await ingest(library, embedder, tmp_path, "flies", 3)
    ticks = iter([0.0, 0.0, 100.0])
    monkeypatch.setattr(operations, "monotonic", lambda: next(ticks))
    first = await delete_collection(library, "flies")
    monkeypatch.undo()

    second = await delete_collection(library, "flies")

    assert (first.n_deleted, first.n_left) == (1, 2)
    assert (second.n_deleted, second.n_left) == (2, 0)
    assert (await graph_checksum(library)).same_graph(before)


async def test_a_key_creates_and_deletes_only_collections_that_it_reaches(library, embedder):
    _, text = await create_key(library, name="moths", scopes=[KeyScope.INGEST, KeyScope.READ], collections=["moths"])
    application = create_app(Service(library, embedder), ServerLimits(keys_required=True))
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", headers={"X-API-Key": text}
    ) as client:
        own = await client.post("/v1/collections", json={"name": "moths"})
        other = await client.post("/v1/collections", json={"name": "newts"})
        existing = await client.post("/v1/collections", json={"name": "many"})
        described = await client.patch("/v1/collections/many", json={"title": "Mine"})
        deleted = await client.delete("/v1/collections/many")
        seen = list(await names(client))
        gone = await client.delete("/v1/collections/moths")
    await library.run_alone(FORGET)

    assert (own.status_code, seen, gone.status_code) == (201, ["moths"], 200)
    assert {answer.status_code for answer in (other, existing, described, deleted)} == {404}
    assert "newts" in other.json()["detail"]
