"""Thousands of requests of all sorts: none finds a fault of ours, changes what it may not, or is told what it must not.

2,000 by default; PAPERGRAPH_TEST_FUZZ=10000 asks for more, PAPERGRAPH_TEST_FUZZ_SEED for others.
"""

import json
import logging
import os
import re
from collections import Counter

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.checksum import graph_checksum
from papergraph.server.app import create_app
from papergraph.server.graph import named_queries as library
from papergraph.server.graphql.schema import schema
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.service import Service
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.fuzzing import Asked, Fuzz
from tests.support.ingestion import ingest
from tests.support.library import SAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.release]

N_REQUESTS = int(os.environ.get("PAPERGRAPH_TEST_FUZZ", "2000"))
SEED = int(os.environ.get("PAPERGRAPH_TEST_FUZZ_SEED", "0"))
LEAKS = re.compile(
    r"Traceback|site-packages|\.py\b|Neo\.(Client|Database|Transient)|neo4j\.exceptions|CYPHER 25|bolt://"
    r"|SyntaxError|Exception\b|graphql_core|strawberry\.",
)
IDS = Statement(
    "test/ids", "CYPHER 25 MATCH (node) WHERE node.id IS NOT NULL RETURN node.id AS id ORDER BY id LIMIT 400"
)
MOST_STATUS = 499
TOLD_ON_PURPOSE = [json.dumps(library.find(name).cypher)[1:-1] for name in library.names()]
"""Cypher that an answer may hold: the query library, as JSON has it."""


def is_writing(asked: Asked) -> bool:
    return asked.method != "GET" and not asked.path.startswith(("/graphql", "/v1/search", "/v1/path"))


def complaint(asked: Asked, answer: httpx.Response, *, password: str) -> str | None:
    """Return what is wrong with an answer, or None."""
    said = answer.text
    for text in TOLD_ON_PURPOSE:
        said = said.replace(text, "")
    if answer.status_code > MOST_STATUS:
        return f"status {answer.status_code}: {said[:300]}"
    if (found := LEAKS.search(said)) and found[0] not in asked.content.decode("utf-8", "replace") + asked.path:
        return f"{found[0]!r} in {said[max(found.start() - 200, 0) : found.end() + 200]}"
    if password in said:
        return "the password"
    if answer.headers.get("content-type", "").startswith(("application/json", "application/graphql-response")):
        for error in (json.loads(said) or {}).get("errors", ()) if said.startswith("{") else ():
            if error["extensions"]["code"] == "INTERNAL":
                return f"INTERNAL: {error}"
    return None


@pytest.mark.parametrize("writing", [False, True], ids=["reading", "writing"])
async def test_requests_of_all_sorts_find_no_fault_of_ours(
    database: Database,
    embedder: Embedder,
    neo4j_server: Neo4jServer,
    caplog: pytest.LogCaptureFixture,
    writing: bool,
) -> None:
    await ingest(database, embedder, [SAMPLES])
    before = await graph_checksum(database)
    application = create_app(Service(database, embedder, intake=IngestService.of(Settings())))
    core = schema._schema
    assert core.query_type and core.mutation_type
    fields = {"query": [*core.query_type.fields]} | ({"mutation": [*core.mutation_type.fields]} if writing else {})
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
        answer = await client.get("/openapi.json")
        document = answer.json() if answer.status_code == 200 else None
        ids = [record["id"] for record in await database.read(IDS)]
        fuzz = Fuzz(SEED + writing, core, document=document, ids=ids, fields=fields)
        complaints, statuses = [], Counter()  # type: ignore[var-annotated]
        caplog.set_level(logging.ERROR)
        while statuses.total() < (N_REQUESTS // 5 if writing else N_REQUESTS):
            asked = fuzz.request()
            if is_writing(asked) and not writing:
                continue
            try:
                answer = await client.request(asked.method, asked.path, headers=asked.headers, content=asked.content)
            except (httpx.InvalidURL, UnicodeEncodeError):
                continue
            statuses[answer.status_code] += 1
            if problem := complaint(asked, answer, password=neo4j_server.password):
                complaints.append(f"{asked.method} {asked.path[:200]} {asked.content[:600]!r}\n  -> {problem}")

    print(f"{statuses.total()} requests answered: {dict(statuses)}")
    assert not complaints, f"{len(complaints)} of {statuses}\n" + "\n".join(complaints[:12])
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert statuses[200] > N_REQUESTS / (40 if writing else 8), statuses
    if not writing:
        assert (await graph_checksum(database)).same_graph(before)
