"""Venues and affiliations follow from what papers' sources say, in any order."""

import json
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.schema import schema
from papergraph.server.operations.service import Service
from papergraph.statement import Statement
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest, paper

pytestmark = pytest.mark.slow

PLACES = Statement(
    "test/places",
    "MATCH (p:Paper)-[at:PUBLISHED_IN|AFFILIATED_WITH]->(n) "
    "RETURN p.title AS title, head(labels(n)) AS label, n.name AS name, n.key AS key, n.aliases AS aliases "
    "ORDER BY title, label, at.position",
)
BIB = """@article{tides,
  title = {Tides of the northern sea and their moons},
  author = {Lovelace, Ada},
  year = {1843},
  journal = {Journal of Tides},
  issn = {1548-7660},
  volume = {3},
  affiliation = {Department of Seas, University of Oxford; Observatory of Brest},
}
"""
JSONL = [
    {
        "title": "Storms over the southern sea and their ships",
        "key": "storms",
        "authors": [{"name": "Kurt Weather", "affiliations": ["Univ. of Oxford"]}],
        "journal_ref": "J. Tides 4, 5",
        "issn": ["1548-7660"],
    },
    {
        "title": "Winds of the east and their causes",
        "key": "winds",
        "authors": ["E. N."],
        "journal_ref": "Winds 3 (1900)",
    },
]


def change(text: str) -> Statement:
    return Statement("test/change", text)


def sources(folder: Path) -> list[Path]:
    text = paper("Tides of the northern sea and their moons", authors="Ada Lovelace")
    records = "\n".join(json.dumps(record) for record in JSONL)
    return [
        write(folder / "a.md", text),
        write(folder / "b.bib", BIB),
        write(folder / "c.jsonl", records),
    ]


async def told(database: Database) -> list[tuple[str, ...]]:
    return [(*record.values("title", "label", "name", "key"),) for record in await database.read(PLACES)]


async def test_places_are_those_of_the_sources_in_any_order_and_go_with_them(database: Database, tmp_path: Path):
    files = sources(tmp_path)
    checksums = set()
    for order in (files, files[::-1], [files[1], files[0], files[2]]):
        if checksums:
            await delete(database, [str(file) for file in files])
            assert await told(database) == []
        for file in order:
            await ingest(database, HashEmbedder(), [file])
        checksums.add((await graph_checksum(database)).sha256)
    assert len(checksums) == 1
    tides, storms = JSONL[0]["title"], "Tides of the northern sea and their moons"
    assert await told(database) == [
        (tides, "Affiliation", "Univ. of Oxford", "universityofoxford"),
        (tides, "Venue", "J. Tides", "issn:1548-7660"),
        (storms, "Affiliation", "Univ. of Oxford", "universityofoxford"),
        (storms, "Affiliation", "Observatory of Brest", "observatoryofbrest"),
        (storms, "Venue", "J. Tides", "issn:1548-7660"),
        ("Winds of the east and their causes", "Venue", "Winds", "winds"),
    ]
    await assert_healthy(database)
    await delete(database, [str(files[2])])
    assert [(name, key) for _, _, name, key in await told(database)] == [
        ("University of Oxford", "universityofoxford"),
        ("Observatory of Brest", "observatoryofbrest"),
        ("Journal of Tides", "issn:1548-7660"),
    ]
    await assert_healthy(database)


PAGES = """{
  venues(text: "TIDES") { totalCount nodes { name key aliases papers { totalCount nodes { title venue { name } } } } }
  affiliations(first: 1) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { name papers(first: 1) { totalCount pageInfo { hasNextPage } nodes { title authors { name } } } }
  }
  papers { nodes { title affiliations { totalCount nodes { name } } authors { affiliations { nodes { name } } } } }
}"""


async def test_graphql_lists_venues_affiliations_and_their_papers(database: Database, tmp_path: Path):
    embedder = HashEmbedder()
    await ingest(database, embedder, sources(tmp_path))
    service = Service(database, embedder)

    async def ask(operation: str, principal: Principal | None = None) -> dict[str, Any]:
        context = Context(service, principal=principal or everything())
        result: Any = await schema.execute(operation, context_value=context)
        assert result.errors is None, result.errors
        return dict(result.data)

    found = await ask(PAGES)

    (venue,) = found["venues"]["nodes"]
    assert (venue["name"], venue["key"], venue["aliases"]) == ("J. Tides", "issn:1548-7660", ["Journal of Tides"])
    assert [paper["venue"]["name"] for paper in venue["papers"]["nodes"]] == ["J. Tides", "J. Tides"]
    assert (found["venues"]["totalCount"], venue["papers"]["totalCount"]) == (1, 2)
    (first,) = found["affiliations"]["nodes"]
    assert (found["affiliations"]["totalCount"], first["name"]) == (2, "Observatory of Brest")
    after = found["affiliations"]["pageInfo"]["endCursor"]
    second = await ask(f'{{ affiliations(after: "{after}") {{ nodes {{ name }} pageInfo {{ hasNextPage }} }} }}')
    assert second["affiliations"] == {"nodes": [{"name": "Univ. of Oxford"}], "pageInfo": {"hasNextPage": False}}
    tides = next(paper for paper in found["papers"]["nodes"] if paper["title"].startswith("Tides"))
    names = [{"name": "Univ. of Oxford"}, {"name": "Observatory of Brest"}]
    assert tides["affiliations"] == {"totalCount": 2, "nodes": names}
    assert tides["authors"] == [{"affiliations": {"nodes": names[::-1]}}]
    stranger = Principal("stranger", frozenset(KeyScope), ("elsewhere",))
    hidden: Any = await schema.execute(
        '{ venues(collection: "main") { totalCount } }', context_value=Context(service, principal=stranger)
    )
    assert hidden.errors[0].extensions["code"] == "NOT_FOUND"
