"""A key for one of two collections: nothing of the other one is found, counted, named or read, by whatever way."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.ids import ID
from papergraph.schema.migrate import prepare
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graph import nodes as reading
from papergraph.server.graph.nodes import TitlePosition
from papergraph.server.graphql.options import Rules
from papergraph.server.operations.service import Service
from papergraph.server.rest.parts import FOLDERS, PARTS
from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.retrieval.pipelines import shipped
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.ingestion import ingest
from tests.support.library import KEEP
from tests.support.servers import NOWHERE, connect

pytestmark = pytest.mark.slow
SAMPLES = Path("ingest/samples")
SHARED = [SAMPLES / "surface-code-logical-error-rates.md", SAMPLES / "leiden-topic-maps.md"]
TIDES = """---
doi: 10.1000/tides
authors: [Ada Zephyrander]
categories: [ocean]
year: 1931
---
# Tides of the Xylophage Coast

## Method

The water of the Xylophage Coast rises twice a day, and Ada Zephyrander measured how high.

## Results

It rose by four metres in spring, said the zephyrmeter. The tide gauge of Ada Zephyrander showed it.
"""
WAVES = """<article><front><article-meta><title-group><article-title>Waves of the Zephyr</article-title></title-group>
<abstract><p>Zephyr waves follow the water of the coast.</p></abstract></article-meta></front>
<body><sec><title>Work</title><p>The tides were told before <xref ref-type="bibr" rid="a">1</xref>. Waves of the water
are higher in a zephyr.</p></sec></body>
<back><ref-list><ref id="a"><mixed-citation>Tides. doi:10.1000/tides</mixed-citation></ref></ref-list></back>
</article>"""

OPEN, SECRET, ABSENT = "open", "secret", "absent"
QUERY = "How high does the water rise at the Xylophage Coast, as Tides of the Xylophage Coast tells?"
IDS = Statement("test/ids", "MATCH (n {collection: $collection}) WHERE n.id IS NOT NULL RETURN n.id AS id ORDER BY id")
IDS_OF = Statement(
    "test/ids_of", "MATCH (n {collection: $collection}) WHERE $label IN labels(n) RETURN n.id AS id ORDER BY id"
)
ACROSS = Statement(
    "test/across",
    "MATCH (one:Author {collection: 'open'}) WITH one ORDER BY one.id LIMIT 1 "
    "MATCH (paper:Paper {collection: 'secret'}) MERGE (one)-[:WROTE {position: 9, name: one.name}]->(paper) "
    "RETURN DISTINCT one.id AS id",
)
APART = Statement(
    "test/apart", "MATCH (:Author {collection: 'open'})-[w:WROTE]->(:Paper {collection: 'secret'}) DELETE w"
)

SEARCH = """query ($input: SearchInput!) {
  search(input: $input) {
    hits {
      rank score sectionPath passage outsideFilter
      chunk { id text collection } previous { id text } next { id text } section { id title } paper { id title key }
      retrievers { retriever rank score query via { label nodeId name } }
      explanation { whyNotHigher mergedChunkIds rankHistory { step rank } via { label nodeId name } }
    }
    queries { text origin } draft run
    filter { filter matchSummary unknown }
    selection { objective }
    trace { step options candidatesIn candidatesOut notes cypher { file parameters records } }
  }
}"""
LISTING = """query ($collection: String!) {
  papers(collection: $collection, first: 100) { totalCount pageInfo { hasNextPage endCursor } nodes { id ...all } }
}
fragment all on Paper {
  key title collection sources keys
  authors { id name collection papers(first: 100) { totalCount nodes { id title authors { id name } } } }
  sections(first: 100) { totalCount nodes { id title paper { id } parent { id } chunks { totalCount nodes { id } } } }
  chunks(first: 100) { totalCount nodes { id text paper { id title } section { id title } } }
}"""
NODE = """query ($id: ID!) {
  node(id: $id) {
    id
    ... on Paper { title authors { name } sections { totalCount } chunks { totalCount } }
    ... on Section { title paper { title } chunks { totalCount nodes { text } } }
    ... on Chunk { text paper { title } section { title } }
    ... on Author { name papers { totalCount nodes { title } } }
  }
}"""


@dataclass(frozen=True)
class Library:
    """Two collections with all enrichments, both with the shared samples and the secret one with papers of its own."""

    database: Database
    client: httpx.AsyncClient
    keys: Mapping[str, str]
    secret_ids: tuple[str, ...]

    async def ask(self, key: str, query: str, **variables: Any) -> dict[str, Any]:
        """Return the answer to an operation with the key of one collection, or of all."""
        headers = {"X-API-Key": self.keys[key]}
        response = await self.client.post("/graphql", json={"query": query, "variables": variables}, headers=headers)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def get(self, principal: str, path: str, /, **query: Any) -> dict[str, Any]:
        """Return what REST answers, be it a refusal."""
        headers = {"X-API-Key": self.keys[principal], "X-Request-ID": "one"}
        answer: dict[str, Any] = (await self.client.get(f"/v1{path}", params=query, headers=headers)).json()
        return answer

    async def search(self, key: str, collection: str, **options: Any) -> dict[str, Any]:
        return await self.ask(key, SEARCH, input={"query": QUERY, "collection": collection} | options)

    def assert_tight(self, answer: Mapping[str, Any]) -> None:
        """Assert that an answer holds no id, text or name of the secret collection, which no query here says."""
        text = json.dumps(answer)
        assert [id for id in self.secret_ids if id in text] == []
        assert "zephyr" not in text.lower()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(
    neo4j_server: Neo4jServer, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Library]:
    folder = tmp_path_factory.mktemp("secret")
    (folder / "tides.md").write_text(TIDES)
    (folder / "waves.xml").write_text(WAVES)
    async with await connect(neo4j_server) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        choice = EnrichmentOptions.choose(
            questions=QuestionOptions(generator="both"), clusters=ClusterOptions(least=0.0)
        )
        keys = {"all": (await create_key(database, name="all", scopes=[KeyScope.READ]))[1]}
        for collection, sources in ((OPEN, SHARED), (SECRET, [*SHARED, folder])):
            assert not (await ingest(database, embedder, sources, collection=collection)).failed
            assert not (
                await enrich(database, choice.enrichments(None), EnrichmentContext(embedder), collection=collection)
            ).failed
            _, keys[collection] = await create_key(
                database, name=collection, scopes=[KeyScope.READ], collections=[collection]
            )
        ids = tuple(record["id"] for record in await database.read(IDS, collection=SECRET))
        application = create_app(Service(database, embedder), ServerLimits(keys_required=True), Rules(max_cost=10**9))
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            yield Library(database, client, keys, ids)
        await wipe(database.driver, database=database.name, keep=KEEP)


def by_retriever(retriever: RetrieverName) -> dict[str, Any]:
    return {"pipeline": "vector", "overrides": [{"option": "search.retrievers", "value": [retriever.value]}]}


PIPELINES = [name for name, one in shipped().items() if not one.asks_model and not one.rerankers]
WAYS: dict[str, dict[str, Any]] = {
    **{f"retriever {retriever.value}": by_retriever(retriever) for retriever in RetrieverName},
    **{f"pipeline {name}": {"pipeline": name} for name in PIPELINES},
    "filter": {"filter": {"kinds": ["body", "abstract"]}, "backfill": True},
    "selection": {"pipeline": "fused", "selection": {"k": 3}},
}

each_way = pytest.mark.parametrize("way", WAYS)


def comparable(answer: Mapping[str, Any], collection: str) -> str:
    """Return an answer without what differs between any two: the request's id, and the name that was asked for."""
    text = json.dumps(answer, sort_keys=True).replace(f'"{collection}"', '"…"').replace(f"'{collection}'", "'…'")
    return re.sub(r'"requestId": "\w+"', "", text).replace(f"--collection {collection}", "--collection …")


@each_way
async def test_a_search_finds_nothing_of_another_collection(library: Library, way: str):
    answer = await library.search(OPEN, OPEN, **WAYS[way])
    found = (await library.search(SECRET, SECRET, **WAYS[way]))["data"]["search"]["hits"]

    assert "errors" not in answer, answer
    library.assert_tight(answer)
    assert any(hit["chunk"]["id"] in library.secret_ids for hit in found)  # there is something to find that way


@each_way
async def test_a_collection_out_of_reach_answers_like_one_that_does_not_exist(library: Library, way: str):
    out_of_reach = await library.search(OPEN, SECRET, **WAYS[way])
    absent = await library.search(OPEN, ABSENT, **WAYS[way])
    default = await library.search(OPEN, "main", **WAYS[way])

    (error,) = out_of_reach["errors"]
    assert error["extensions"]["code"] == "NOT_FOUND"
    assert comparable(out_of_reach, SECRET) == comparable(absent, ABSENT) == comparable(default, "main")
    library.assert_tight(json.loads(json.dumps(out_of_reach).replace(SECRET, "")))


@pytest.mark.parametrize("name", PIPELINES)
async def test_a_key_for_all_sees_what_is_there_and_what_is_not(library: Library, name: str):
    found = await library.search("all", SECRET, pipeline=name)
    absent = await library.search("all", ABSENT, pipeline=name)

    assert found["data"]["search"]["hits"]
    assert absent["errors"][0]["extensions"]["code"] == "NOT_FOUND"


async def test_what_a_filter_names_of_another_collection_names_nothing(library: Library):
    async def first(label: str, collection: str) -> str:
        return str((await library.database.read(IDS_OF, collection=collection, label=label))[0]["id"])

    ids = {label: await first(label, SECRET) for label in ("Paper", "Author", "Entity", "Cluster")}
    filters: list[dict[str, Any]] = [
        *({"papers": [name]} for name in (ids["Paper"], "10.1000/tides", "doi:10.1000/tides")),
        *({"authors": [name]} for name in (ids["Author"], "Ada Zephyrander")),
        *({"entities": [name]} for name in (ids["Entity"], "Xylophage Coast")),
        {"clusters": [{"id": ids["Cluster"]}]},
        {"categories": ["ocean"]},
        {"years": {"from": 1931, "to": 1931}},
    ]
    for one in filters:
        answer = await library.search(OPEN, OPEN, filter=one)
        there = await library.search(SECRET, SECRET, filter=one)

        assert answer["data"]["search"]["hits"] == [], one
        assert there["data"]["search"]["hits"], one
        for told in (answer["data"]["search"]["filter"], answer["data"]["search"]["run"]):
            assert SECRET not in json.dumps(told)


async def test_listings_counts_and_keys_show_nothing_of_another_collection(library: Library):
    own = await library.ask(OPEN, LISTING, collection=OPEN)
    other = await library.ask(OPEN, LISTING, collection=SECRET)
    absent = await library.ask(OPEN, LISTING, collection=ABSENT)
    count = "query ($collection: String!) { papers(collection: $collection) { totalCount } }"
    by_key = 'query ($collection: String!) { paper(key: "10.1000/tides", collection: $collection) { title } }'

    assert own["data"]["papers"]["totalCount"] == len(SHARED)
    assert (await library.ask(SECRET, LISTING, collection=SECRET))["data"]["papers"]["totalCount"] == len(SHARED) + 2
    library.assert_tight(own)
    assert comparable(other, SECRET) == comparable(absent, ABSENT)
    for query in (count, by_key):
        out_of_reach = await library.ask(OPEN, query, collection=SECRET)
        nowhere = await library.ask(OPEN, query, collection=ABSENT)
        assert comparable(out_of_reach, SECRET) == comparable(nowhere, ABSENT)
        assert "errors" not in await library.ask(SECRET, query, collection=SECRET)


async def test_no_node_of_another_collection_is_read_by_its_id(library: Library):
    missing = await library.ask(OPEN, NODE, id=NOWHERE)
    for label in (
        "Paper",
        "Author",
        "Section",
        "Chunk",
        "Question",
        "Entity",
        "Cluster",
        "Name",
        "Prototype",
        "EnrichmentState",
    ):
        for record in (await library.database.read(IDS_OF, collection=SECRET, label=label))[:5]:
            answer = await library.ask(OPEN, NODE, id=record["id"])

            assert comparable(answer, "").replace(record["id"], NOWHERE) == comparable(missing, ""), label
            if label in ("Paper", "Author", "Section", "Chunk"):
                assert (await library.ask(SECRET, NODE, id=record["id"]))["data"]["node"]["id"] == record["id"]


async def test_every_query_by_id_looks_into_the_collections_alone_that_it_is_given(library: Library):
    database = library.database

    async def ids(label: str) -> list[str]:
        return [record["id"] for record in await database.read(IDS_OF, collection=SECRET, label=label)]

    papers, sections, authors = await ids("Paper"), await ids("Section"), await ids("Author")
    everything = [*papers, *sections, *authors, *await ids("Chunk")]

    async def read(reach: list[str] | None) -> list[Any]:
        return [
            await reading.nodes_by_id(database, everything, collections=reach),
            await reading.authors_of(database, papers, collections=reach),
            await reading.sections_of(database, papers, after=-1, limit=9, collections=reach),
            await reading.chunks_of_papers(database, papers, after=-1, limit=9, collections=reach),
            await reading.chunks_of_sections(database, sections, after=-1, limit=9, collections=reach),
            await reading.papers_of_authors(database, authors, after=TitlePosition(), limit=9, collections=reach),
            await reading.count_parts(database, [*sections, *authors], collections=reach),
        ]

    assert all(not any(found) for found in await read([OPEN]))
    assert all(not any(found) for found in await read([]))
    assert all(any(found) for found in await read([SECRET]))
    assert await read([OPEN, SECRET]) == await read([SECRET]) == await read(None)


async def test_not_even_a_damaged_graph_leads_from_one_collection_into_another(library: Library):
    (record,) = await library.database.run_alone(ACROSS)
    try:
        seen = await library.ask("all", NODE, id=record["id"])
        answer = await library.ask(OPEN, NODE, id=record["id"])
        listed = await library.ask(OPEN, LISTING, collection=OPEN)
    finally:
        await library.database.run_alone(APART)

    assert seen["data"]["node"]["papers"]["totalCount"] > answer["data"]["node"]["papers"]["totalCount"] > 0
    library.assert_tight(answer)
    library.assert_tight(listed)


async def test_what_one_key_was_given_another_is_not(library: Library):
    """The same operation in turn: neither loaders nor what is kept of filters and keys reach from one to the other."""
    asked = {"filter": {"papers": ["10.1000/tides"]}}
    for _ in range(2):
        own = await library.search(SECRET, SECRET, **asked)
        other = await library.search(OPEN, SECRET, **asked)

        assert own["data"]["search"]["hits"]
        library.assert_tight(json.loads(json.dumps(other).replace(SECRET, "")))
        assert other["errors"]


async def test_rest_shows_nothing_of_another_collection_by_any_id(library: Library):
    related = [f"/papers/{{id}}/related?by={by}" for by in ("vectors", "entities", "clusters", "citations")]
    for kind, folder in FOLDERS.items():
        paths = [f"/{folder}/{{id}}", "/nodes/{id}", *(part.path for part in PARTS if part.of is kind)]
        paths += related if folder == "papers" else []
        (record, *_) = await library.database.read(IDS_OF, collection=SECRET, label=kind.__name__)
        for path in paths:
            answer = await library.get(OPEN, path.format(id=record["id"]))
            missing = await library.get(OPEN, path.format(id=NOWHERE))

            assert answer["code"] == "NOT_FOUND", path
            assert json.dumps(answer).replace(record["id"], NOWHERE) == json.dumps(missing)
            assert "code" not in await library.get(SECRET, path.format(id=record["id"])), path


async def test_rest_lists_nothing_of_another_collection(library: Library):
    for path, query in [
        *((f"/{folder}", {"first": 100, "count": True}) for folder in ("papers", "entities", "clusters", "questions")),
        ("/papers/by-key", {"key": "10.1000/tides"}),
    ]:
        out_of_reach = await library.get(OPEN, path, collection=SECRET, **query)
        absent = await library.get(OPEN, path, collection=ABSENT, **query)
        own = await library.get(OPEN, path, collection=OPEN, **query)

        assert out_of_reach["code"] == "NOT_FOUND"
        assert comparable(out_of_reach, SECRET) == comparable(absent, ABSENT)
        library.assert_tight({name: value for name, value in own.items() if name != "detail"})
        assert "code" not in await library.get(SECRET, path, collection=SECRET, **query)
    collections = await library.get(OPEN, "/collections")
    ids = [id for id in library.secret_ids if ID.fullmatch(id)]  # jobs have others
    nodes = await library.get(OPEN, "/nodes", id=ids[:50])

    assert [one["name"] for one in collections["data"]] == [OPEN]
    assert nodes["data"] == [None] * 50


@pytest.mark.parametrize("way", ["retriever vector", "pipeline default", "filter"])
async def test_a_search_over_rest_finds_nothing_of_another_collection(library: Library, way: str):
    asked: dict[str, Any] = {"query": QUERY, "include": ["explanation", "neighbours", "trace", "run"]} | WAYS[way]
    asked["overrides"] = {one["option"]: one["value"] for one in asked.get("overrides", [])}

    async def search(key: str, collection: str) -> dict[str, Any]:
        headers = {"X-API-Key": library.keys[key]}
        response = await library.client.post("/v1/search", json=asked | {"collection": collection}, headers=headers)
        answer: dict[str, Any] = response.json()
        return answer

    answer = await search(OPEN, OPEN)
    there = await search(SECRET, SECRET)

    assert answer["hits"], answer
    library.assert_tight({name: value for name, value in answer.items() if name not in ("run", "queries", "trace")})
    assert any(hit["chunk"]["id"] in library.secret_ids for hit in there["hits"])
    assert (await search(OPEN, SECRET))["code"] == (await search(OPEN, ABSENT))["code"] == "NOT_FOUND"
