"""Texts that look like something else: queries of Lucene, parts of Cypher. Wherever they stand, they are text.

1,500 queries by default; PAPERGRAPH_TEST_FUZZ=5000 asks for more.
"""

import asyncio
import os
import random

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from tests.support.files import write
from tests.support.ingestion import ingest, papers_of
from tests.support.library import SAMPLES

pytestmark = pytest.mark.slow

N_QUERIES = int(os.environ.get("PAPERGRAPH_TEST_FUZZ", "1500"))
PIECES = [
    *"+-!(){}[]^\"~*?:\\/<>=&|,.;'`$#@%",
    *("&&", "||", " AND ", " OR ", " NOT ", " TO ", "text:", "_exists_:", "\\u0041", "*:*", "/.*/", "[* TO *]", "~0.5"),
    *("graph", "nearest neighbour", "é", "量子", "\x00", "\u202e", " ", "\n", "^1e99", "a" * 300),
]
PAYLOADS = (
    "`}) DETACH DELETE x //",
    "' OR 1=1 //",
    '") RETURN 1 UNION MATCH (n) DETACH DELETE n //',
    "\\u0060) SET n.a = 1 //",
    "$collection {{dimension}} ${x}",
    "*/ CALL dbms.shutdown() /*",
    "LOAD CSV FROM 'file:///etc/passwd' AS x",
)


async def test_thousands_of_odd_queries_are_answered(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    drawn, resources = random.Random(0), Resources.of(database, embedder)  # noqa: S311 the same queries each time
    texts = ["".join(drawn.choices(PIECES, k=drawn.randrange(1, 9))) for _ in range(N_QUERIES)]
    waiting = iter(text for text in texts if text.strip())
    n_found = 0

    async def client() -> None:
        nonlocal n_found
        for text in waiting:
            found = await search(
                resources, SearchRequest(text, pipeline="fulltext", k=1)
            )  # before the count is read: eight write it
            n_found += bool(found.hits)

    await asyncio.gather(*(client() for _ in range(8)))

    assert n_found > N_QUERIES / 10


async def test_what_looks_like_cypher_stands_in_the_graph_as_it_was_written_and_goes_as_it_came(
    database: Database, embedder: Embedder, tmp_path
):
    await ingest(database, embedder, [SAMPLES])
    before = await graph_checksum(database)
    for number, payload in enumerate(PAYLOADS):
        quoted = payload.replace("'", "''")
        head = f"---\ntitle: '{quoted}'\nauthors: ['{quoted}']\ncategories: ['{quoted}']\n---\n"
        write(tmp_path / f"{number}.md", f"{head}\n# Section {payload}\n\nWords before {payload} and after.\n")

    report = await ingest(database, embedder, [tmp_path])
    titles = {paper.title for paper in await papers_of(database, limit=100)}
    found = await search(Resources.of(database, embedder), SearchRequest(PAYLOADS[0], pipeline="fulltext", k=5))
    await delete(database, [str(tmp_path / f"{number}.md") for number in range(len(PAYLOADS))], collection="main")

    assert not report.failed
    assert {*PAYLOADS} <= titles
    assert any(PAYLOADS[0] in hit.chunk.text for hit in found.hits)
    assert (await graph_checksum(database)).same_graph(before)
