"""Researchers' Cypher through its faces: REST, GraphQL, MCP and the command line, on one store."""

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pyarrow
import pytest
import pytest_asyncio
from mcp import Client

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.statement import Statement
from tests.support.agents import call, keyed, refused
from tests.support.command import Papergraph
from tests.support.servers import served

TITLES = "MATCH (p:Paper {collection: $collection}) RETURN p.title AS title ORDER BY title"
ENDLESS = "UNWIND range(1, 1000000000) AS endless WITH endless WHERE endless < 0 RETURN endless"
SLOW = "UNWIND range(1, 1000000000) AS endless RETURN endless"
GRAPHQL = """
query ($input: CypherInput!) { cypher(input: $input) { columns rows graph nRows truncated ms asOf } }
"""
RUNNING = Statement(
    "running", "SHOW TRANSACTIONS YIELD currentQuery AS q WHERE q STARTS WITH 'UNWIND range(1, 1000000000)' RETURN q"
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def url(library: Database, embedder: Embedder) -> AsyncIterator[str]:
    """A server that asks for no keys, and lets agents query too."""
    async with served(library, embedder, cypher_timeout_s=5, cypher_mcp=True) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def client(url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as asking:
        yield asking


async def post(client: httpx.AsyncClient, query: str, **given: Any) -> httpx.Response:
    return await client.post("/v1/cypher", json={"query": query, **given})


async def test_rest_answers_with_rows(client: httpx.AsyncClient):
    answer = (await post(client, TITLES, parameters={"collection": "main"}, rows=3)).json()

    assert answer["columns"] == ["title"]
    assert answer["rows"] == sorted(answer["rows"])
    assert (len(answer["rows"]), answer["nRows"], answer["truncated"]) == (3, 3, "rows")
    assert (answer["asOf"], answer["problem"]) == (None, None)
    assert answer["ms"] > 0


async def test_rest_answers_with_csv_arrow_and_the_graph(client: httpx.AsyncClient):
    parameters = {"collection": "main"}
    rows = (await post(client, TITLES, parameters=parameters)).json()["rows"]
    as_csv = await post(client, TITLES, parameters=parameters, format="csv")
    as_arrow = await post(client, TITLES, parameters=parameters, format="arrow")
    drawn = "MATCH w = (p:Paper)<-[:WROTE]-(a:Author) WHERE p.collection = $collection RETURN w LIMIT 2"
    graph = (await post(client, drawn, parameters=parameters, format="graph")).json()

    assert as_csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert as_csv.headers["papergraph-rows"] == str(len(rows))
    assert list(csv.reader(io.StringIO(as_csv.text)))[1:] == rows
    assert pyarrow.ipc.open_stream(as_arrow.content).read_all().column("title").to_pylist() == [row[0] for row in rows]
    assert {label for node in graph["nodes"] for label in node["labels"]} == {"Paper", "Author"}
    assert {step["type"] for step in graph["relationships"]} == {"WROTE"}
    assert {step["start"] for step in graph["relationships"]} <= {node["id"] for node in graph["nodes"]}


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"query": "MATCH (p:Paper) SET p.title = 'x'"}, 400, "Only read queries"),
        ({"query": "CALL dbms.listConfig()"}, 400, "dbms.listConfig"),
        ({"query": "MATCH (p:Paper"}, 400, "Invalid input"),
        ({"query": "RETURN 1 / 0"}, 400, "by zero"),
        ({"query": "RETURN $x"}, 400, "x"),
        ({"query": ENDLESS, "deadlineMs": 300}, 504, "0.3 s"),
        ({"query": "RETURN 1", "rows": 0}, 400, "rows"),
        ({"query": "RETURN 1", "format": "xml"}, 400, "format"),
        ({"query": ""}, 400, "query"),
    ],
)
async def test_rest_refuses_with_a_problem(client: httpx.AsyncClient, body: dict[str, Any], status: int, told: str):
    answer = await client.post("/v1/cypher", json=body)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.text


async def test_rows_that_fail_on_their_way_are_told_at_the_end(client: httpx.AsyncClient):
    answer = (await post(client, "UNWIND range(1, 1000) AS n RETURN 1 / (500 - n) AS x")).json()

    assert answer["nRows"] == len(answer["rows"]) == 400
    assert "by zero" in answer["problem"]["detail"]


async def test_a_client_that_leaves_ends_its_query(client: httpx.AsyncClient, library: Database):
    with pytest.raises(httpx.ReadTimeout):
        await client.post("/v1/cypher", json={"query": ENDLESS}, timeout=0.5)
    async with client.stream("POST", "/v1/cypher", json={"query": SLOW, "rows": 10_000}) as answer:
        await anext(answer.aiter_bytes())

    for _ in range(100):
        if not await library.read(RUNNING):
            break
        await asyncio.sleep(0.1)
    assert not await library.read(RUNNING)


async def test_graphql_answers_the_same(client: httpx.AsyncClient):
    asked = {"query": TITLES, "parameters": {"collection": "main"}, "rows": 2}
    answer = await client.post("/graphql", json={"query": GRAPHQL, "variables": {"input": asked}})
    rest = (await post(client, TITLES, parameters={"collection": "main"}, rows=2)).json()

    found = answer.json()["data"]["cypher"]
    assert found | {"ms": 0} == {
        "columns": rest["columns"], "rows": rest["rows"], "graph": {"nodes": [], "relationships": []},
        "nRows": 2, "truncated": rest["truncated"].upper(), "ms": 0, "asOf": None,
    }  # fmt: skip


async def test_graphql_refuses_with_a_code(client: httpx.AsyncClient):
    answer = await client.post("/graphql", json={"query": GRAPHQL, "variables": {"input": {"query": "SHOW USERS"}}})

    (error,) = answer.json()["errors"]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert error["extensions"]["field"] == "query"


def named(library: Database) -> dict[str, str]:
    """Return settings by which all Cypher runs on a store, as on a replica elsewhere."""
    login = library.login
    assert login is not None
    return {"cypher_uri": login.uri.replace("://", f"://{login.user}@"), "cypher_password": login.password}


async def test_agents_query_a_replica_where_the_operator_lets_them(url: str, library: Database, embedder):
    async with served(library, embedder, cypher_mcp=True, **named(library)) as there, Client(f"{there}/mcp") as agent:
        found = await call(agent, "cypher", query=TITLES, parameters={"collection": "main"}, rows=2)
        told = await refused(agent, "cypher", query="MATCH (n) DETACH DELETE n")
    async with Client(f"{url}/mcp") as agent:
        without = await refused(agent, "cypher", query=TITLES, parameters={"collection": "main"})
    async with served(library, embedder) as elsewhere, Client(f"{elsewhere}/mcp") as agent:
        tools = [tool.name for tool in (await agent.list_tools()).tools]

    assert (len(found["rows"]), found["truncated"]) == (2, "rows")
    assert told.startswith("BAD_USER_INPUT")
    assert without.startswith("FORBIDDEN") and "papergraph db replica" in without
    assert "cypher" not in tools


async def test_a_key_for_cypher_is_refused_where_there_are_several_collections(library: Database, embedder):
    _, researcher = await create_key(library, name="researcher", scopes=[KeyScope.CYPHER])
    _, admin = await create_key(library, name="admin", scopes=[KeyScope.ADMIN])
    settings = {"server_require_api_key": True, "cypher_mcp": True, **named(library)}
    async with (
        served(library, embedder, **settings) as address,
        httpx.AsyncClient(base_url=address, timeout=60) as client,
    ):
        answers = [
            await client.post("/v1/cypher", json={"query": "RETURN 1 AS n"}, headers={"X-API-Key": key})
            for key in (researcher, admin)
        ]
        async with keyed(f"{address}/mcp", researcher) as agent:
            told = await refused(agent, "cypher", query="RETURN 1")

    assert [answer.status_code for answer in answers] == [403, 200]
    assert "papergraph db replica --collection" in answers[0].json()["detail"]
    assert told.startswith("FORBIDDEN")


def test_the_command_writes_a_table_and_json_and_files(papergraph: Papergraph, library: Database, tmp_path):
    given = ("--param", "collection=main", "--rows", "2")
    table = papergraph("cypher", TITLES, *given, "--quiet")
    as_json = papergraph("cypher", "-", *given, "--json", stdin=TITLES)
    arrow = papergraph("cypher", TITLES, *given, "--format", "arrow", "--output", tmp_path / "titles.arrow", "--quiet")
    nothing = papergraph("cypher", TITLES, "--param", "collection=nowhere", "--format", "csv", "--quiet")
    refusal = papergraph("cypher", "MATCH (n:Paper) DELETE n", "--quiet")

    titles = [row[0] for row in json.loads(as_json.stdout)["rows"]]
    assert (table.returncode, as_json.returncode, arrow.returncode) == (0, 0, 0), table.stderr
    assert [line.strip() for line in table.stdout.splitlines()[1:]] == titles
    assert "More rows exist" in table.stderr
    found = pyarrow.ipc.open_stream((tmp_path / "titles.arrow").read_bytes()).read_all()
    assert found.column("title").to_pylist() == titles
    assert (nothing.returncode, nothing.stdout) == (3, "title\n")
    assert (refusal.returncode, refusal.stdout) == (2, "")
    assert "Only read queries" in refusal.stderr
