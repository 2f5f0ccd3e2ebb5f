"""Every list of the graph over GraphQL, on a small graph that has all of its labels and relationships."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.ids import sha256
from papergraph.schema.indexes import wait_until_built
from papergraph.schema.migrate import prepare
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.graph import lists as listings
from papergraph.server.graph import related as exploring
from papergraph.server.graph.lists import Listing
from papergraph.server.graph.related import RelatedBy
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.schema import schema
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.active_model import Searched
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe

pytestmark = pytest.mark.slow

KEEP = ["SchemaVersion", "EmbeddingModel"]
ALL = [value for value in vars(listings).values() if isinstance(value, Listing)]

WRITE = Statement(
    "test/write",
    """
CYPHER 25
UNWIND range(0, 3) AS i
CREATE (p:Paper {id: $paper[i], collection: 'main', key: 'file:' + i, keys: [], sources: [], title: 'Paper ' + (9 - i),
  abstract: '', categories: [], contentHash: toString(i), nSections: 1, nChunks: 3, ingestedAt: datetime(),
  embedding: [x IN range(1, $dimension) | CASE x WHEN 1 THEN 1.0 WHEN 2 + i THEN 0.5 ELSE 0.0 END]})
CREATE (a:Author {id: $author[i], collection: 'main', name: 'Author ' + i})-[:WROTE {position: 0, name: 'A'}]->(p)
CREATE (p)-[:HAS_SECTION]->(s:Section {id: $section[i], collection: 'main', paperId: p.id, title: 'Method', level: 1,
  ordinal: 0, kind: 'body'})
WITH i, p, s
UNWIND range(0, 2) AS j
CREATE (s)-[:HAS_CHUNK]->(:Chunk:__Node__ {id: $chunk[3 * i + j], collection: 'main', paperId: p.id, sectionId: s.id,
  ordinal: j, level: 0, kind: 'body', text: 'Text ' + i + j, nTokens: 2, startChar: 0, endChar: 7})
CREATE (p)-[:HAS_REFERENCE]->(:Reference {id: $reference[3 * i + j], collection: 'main', paperId: p.id, ordinal: j,
  label: '[' + j + ']', text: 'Somebody, 200' + j, citedAt: [j]})
CREATE (:Question {id: $question[3 * i + j], collection: 'main', paperId: p.id, text: 'Which ' + i + j + '?',
  generator: 'template'})
CREATE (:Entity:__Node__:__Entity__ {id: $entity[3 * i + j], collection: 'main', name: 'thing ' + i + j, type: 'method',
  aliases: ['T' + i + j]})
""",
)
RELATE = Statement(
    "test/relate",
    """
CYPHER 25
MATCH (chunk:Chunk) WITH collect(chunk) AS chunks
MATCH (entity:Entity) WITH chunks, collect(entity) AS entities
FOREACH (c IN chunks | FOREACH (e IN entities[..5] |
  CREATE (c)-[:MENTIONS {names: [e.name], aliases: [], type: 'method', extractor: 'terms', offsets: [0]}]->(e)))
WITH chunks, entities
FOREACH (e IN entities[1..] | FOREACH (first IN entities[..1] |
  CREATE (first)-[:RELATED_TO {type: 'uses', paperId: chunks[0].paperId, chunkIds: [chunks[0].id],
                               extractor: 'given'}]->(e)
  CREATE (e)-[:SAME_AS {score: 0.75, evidence: 'vector'}]->(first)))
FOREACH (c IN chunks[1..] | FOREACH (first IN chunks[..1] | CREATE (first)-[:SIMILAR {score: 0.875}]->(c)))
WITH chunks
MATCH (q:Question) WITH chunks, collect(q) AS questions
FOREACH (q IN questions | FOREACH (c IN [x IN chunks WHERE x.paperId = q.paperId] | CREATE (q)-[:ANSWERED_BY]->(c)))
WITH chunks
MATCH (r:Reference) WITH chunks, collect(r) AS references
FOREACH (r IN references |
  FOREACH (c IN [x IN chunks WHERE x.paperId = r.paperId] | CREATE (c)-[:CITES_REFERENCE]->(r)))
WITH chunks
MATCH (p:Paper) WITH chunks, p ORDER BY p.id
WITH chunks, collect(p) AS papers
FOREACH (p IN papers[1..] | FOREACH (first IN papers[..1] | CREATE (p)-[:CITES]->(first) CREATE (first)-[:CITES]->(p)))
CREATE (above:Cluster {id: $cluster[0], collection: 'main', kind: 'topic', name: 'all', level: 1, nMembers: 12,
  keywords: ['x']})
WITH chunks, papers, above
UNWIND range(1, 3) AS i
CREATE (above)-[:PARENT_OF]->(below:Cluster {id: $cluster[i], collection: 'main', kind: 'topic', name: 'topic ' + i,
  level: 0, nMembers: 4, keywords: []})
CREATE (value:Cluster {id: $cluster[3 + i], collection: 'main', kind: 'metadata', name: 'value ' + i, level: 0,
  nMembers: 4, keywords: [], field: 'task', value: 'v'})
FOREACH (c IN chunks | CREATE (c)-[:IN_CLUSTER]->(below))
FOREACH (p IN papers | CREATE (p)-[:IN_CLUSTER {by: 'terms'}]->(value))
""",
)
ELSEWHERE = ("elsewhere",)
FIELDS = {
    "references_of_papers": ("Paper", "references", "id"),
    "papers_cited": ("Paper", "cites", "id"),
    "papers_citing": ("Paper", "citedBy", "id"),
    "entities_of_papers": ("Paper", "entities", "entity { id } nChunks"),
    "questions_of_papers": ("Paper", "questions", "id paper { id }"),
    "clusters_of_members": ("Paper", "clusters", "id name"),
    "entities_of_chunks": ("Chunk", "entities", "entity { id } names offsets extractor"),
    "questions_of_chunks": ("Chunk", "questions", "id text generator"),
    "references_of_chunks": ("Chunk", "references", "id label paper { id }"),
    "similar_chunks": ("Chunk", "similar", "score chunk { id }"),
    "chunks_of_references": ("Reference", "chunks", "id"),
    "chunks_of_questions": ("Question", "chunks", "id"),
    "papers_of_entities": ("Entity", "papers", "id"),
    "chunks_of_entities": ("Entity", "mentions", "chunk { id } names"),
    "relations_of_entities": ("Entity", "relations", "type direction entity { id } paper { id } chunkIds"),
    "same_entities": ("Entity", "sameAs", "score evidence entity { id }"),
    "papers_of_clusters": ("Cluster", "papers", "id"),
    "chunks_of_clusters": ("Cluster", "chunks", "id"),
    "clusters_below": ("Cluster", "children", "id name"),
}
"""Where each list is to be had: type, field, and what is asked of its entries."""

NAMES = ("paper", "author", "section", "chunk", "reference", "question", "entity", "cluster")
IDS = {name: [sha256(name, str(number)) for number in range(12)] for name in NAMES}
BUSIEST = {
    "Paper": min(IDS["paper"][:4]),
    "Reference": IDS["reference"][0],
    "Question": IDS["question"][0],
}


@pytest_asyncio.fixture(scope="module")
async def store(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        await database.run_alone(WRITE, dimension=embedder.card.dimension, **IDS)
        await database.run_alone(RELATE, **IDS)
        await wait_until_built(database)
        yield database
        await wipe(database.driver, database=database.name, keep=KEEP)


class Asking:
    """GraphQL in this process."""

    def __init__(self, database: Database, embedder: Embedder, principal: Principal | None = None) -> None:
        self.database, self._service, self._grant = database, Service(database, embedder), principal or everything()

    async def __call__(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the data of an operation without errors."""
        result = await self._run(operation, variables)
        assert result.errors is None, result.errors
        data: dict[str, Any] = result.data
        return data

    async def error(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the code and field of an operation's one error."""
        (error,) = (await self._run(operation, variables)).errors
        return dict(error.extensions)

    async def _run(self, operation: str, variables: dict[str, Any]) -> Any:
        return await schema.execute(
            operation, variable_values=variables, context_value=Context(self._service, principal=self._grant)
        )


@pytest.fixture
def ask(store: Database, embedder: Embedder) -> Asking:
    return Asking(store, embedder)


@pytest.fixture
def stranger(store: Database, embedder: Embedder) -> Asking:
    """Somebody who reaches another collection only."""
    return Asking(store, embedder, Principal("stranger", frozenset(KeyScope), ELSEWHERE))


def list_query(kind: str, field: str, asked: str) -> str:
    return f"""
query ($id: ID!, $first: Int!, $after: String) {{
  node(id: $id) {{ ... on {kind} {{
    page: {field}(first: $first, after: $after) {{
      totalCount edges {{ cursor node {{ {asked} }} }} pageInfo {{ hasNextPage endCursor }}
    }}
  }} }}
}}"""


async def busiest(database: Database, kind: str, listing: Listing[Any]) -> str:
    """Return the id of the node that has most entries in a list."""
    ids = IDS[kind.lower()]
    counts = await listings.count_entries(database, ids, listing=listing)
    return ids[counts.index(max(counts))]


def test_every_list_has_its_field():
    assert set(FIELDS) == {listing.name for listing in ALL}


@pytest.mark.parametrize("listing", ALL, ids=lambda listing: listing.name)
async def test_a_list_read_page_by_page_is_the_whole_list(ask: Asking, listing: Listing[Any]):
    kind, field, asked = FIELDS[listing.name]
    operation, id = list_query(kind, field, asked), await busiest(ask.database, kind, listing)

    whole = (await ask(operation, id=id, first=100))["node"]["page"]
    edges: list[Any] = []
    after = None
    while True:
        page = (await ask(operation, id=id, first=2, after=after))["node"]["page"]
        edges += page["edges"]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break

    assert edges == whole["edges"]
    assert len(edges) == whole["totalCount"] >= 3
    assert len({edge["cursor"] for edge in edges}) == len(edges)


async def test_a_cursor_of_another_list_is_refused(ask: Asking):
    mine = list_query("Paper", "references", "id")
    other = list_query("Paper", "cites", "id")
    cursor = (await ask(mine, id=BUSIEST["Paper"], first=1))["node"]["page"]["pageInfo"]["endCursor"]

    error = await ask.error(other, id=BUSIEST["Paper"], first=1, after=cursor)

    assert (error["code"], error["field"]) == ("BAD_USER_INPUT", "after")


@pytest.mark.parametrize(
    "field, n",
    [
        ("entities", 12),
        ('entities(text: "THING 1")', 3),
        ('entities(text: "t1", types: ["method"])', 3),
        ('entities(types: ["dataset"])', 0),
        ("clusters", 7),
        ("clusters(kind: TOPIC, level: 1)", 1),
        ('clusters(field: "task")', 3),
        ("questions", 12),
        ("questions(review: NONE, generator: TEMPLATE)", 12),
        ("questions(review: ACCEPTED)", 0),
    ],
)
async def test_the_lists_of_a_collection_are_narrowed_counted_and_paged(ask: Asking, field: str, n: int):
    name, _, arguments = field.partition("(")
    narrowed = f"{name}({arguments[:-1] + ', ' if arguments else ''}first: 2, after: $after)"
    operation = (
        f"query ($after: String) {{ page: {narrowed} {{ totalCount nodes {{ id }} pageInfo {{ endCursor }} }} }}"
    )

    pages = [(await ask(operation))["page"]]
    while len(pages[-1]["nodes"]) == 2:
        pages.append((await ask(operation, after=pages[-1]["pageInfo"]["endCursor"]))["page"])

    ids = [node["id"] for page in pages for node in page["nodes"]]
    assert {page["totalCount"] for page in pages} == {n}
    assert len(ids) == len(set(ids)) == n


@pytest.mark.parametrize("field", ["entities", "clusters", "questions"])
async def test_a_list_of_no_collection_is_refused(ask: Asking, field: str):
    error = await ask.error(f'{{ {field}(collection: "elsewhere") {{ nodes {{ id }} }} }}')

    assert (error["code"], error["field"]) == ("NOT_FOUND", "collection")


@pytest.mark.parametrize("name, argument", [("clusters", "kind"), ("questions", "generator"), ("questions", "review")])
async def test_what_a_list_cannot_be_narrowed_to_is_refused(ask: Asking, name: str, argument: str):
    error = await ask.error(f"{{ {name}({argument}: PARROT) {{ nodes {{ id }} }} }}")

    assert error["code"] == "BAD_USER_INPUT"


async def test_nodes_of_every_kind_are_read_by_id_in_order_and_what_is_not_there_is_null(ask: Asking):
    ids = [IDS[name][0] for name in NAMES]

    found = (await ask("query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }", ids=[*ids, "0" * 64]))["nodes"]

    assert [node and node["__typename"].lower() for node in found] == [*NAMES, None]
    assert [node["id"] for node in found[:-1]] == ids


async def test_a_collection_tells_what_it_holds_in_two_queries(ask: Asking):
    before = ask.database.n_queries

    found = await ask(
        "{ collections { name nPapers nSections nChunks nAuthors nReferences nQuestions nEntities nClusters } }"
    )

    numbers = {"nPapers": 4, "nSections": 4, "nChunks": 12, "nAuthors": 4, "nReferences": 12}
    assert found["collections"] == [{"name": "main", **numbers, "nQuestions": 12, "nEntities": 12, "nClusters": 7}]
    assert ask.database.n_queries - before == 2


PATH = """
query ($from: ID!, $to: ID!, $most: Int! = 4) {
  path(fromId: $from, toId: $to, maxHops: $most) { nodes { __typename id } steps { type direction } }
}"""


async def test_a_way_leads_from_one_node_to_the_other(ask: Asking):
    author, section = IDS["author"][0], IDS["section"][0]

    way = (await ask(PATH, **{"from": author, "to": section}))["path"]

    assert [node["__typename"] for node in way["nodes"]] == ["Author", "Paper", "Section"]
    assert (way["nodes"][0]["id"], way["nodes"][-1]["id"]) == (author, section)
    assert way["steps"] == [
        {"type": "WROTE", "direction": "OUTGOING"},
        {"type": "HAS_SECTION", "direction": "OUTGOING"},
    ]
    back = (await ask(PATH, **{"from": section, "to": author}))["path"]
    assert [step["direction"] for step in back["steps"]] == ["INCOMING", "INCOMING"]
    assert (await ask(PATH, **{"from": author, "to": section, "most": 1}))["path"] is None
    assert (await ask(PATH, **{"from": author, "to": "0" * 64}))["path"] is None


@pytest.mark.parametrize(
    "change, field", [({"to": IDS["author"][0]}, "toId"), ({"most": 7}, "maxHops"), ({"from": "x"}, "fromId")]
)
async def test_a_way_that_cannot_be_asked_for_is_refused(ask: Asking, change: dict[str, Any], field: str):
    asked = {"from": IDS["author"][0], "to": IDS["section"][0], **change}

    error = await ask.error(PATH, **asked)

    assert (error["code"], error["field"]) == ("BAD_USER_INPUT", field)


@pytest.mark.parametrize(
    "by, shares", [("VECTORS", None), ("ENTITIES", "Entity"), ("CLUSTERS", "Cluster"), ("CITATIONS", "Paper")]
)
async def test_related_papers_come_best_first_with_what_is_shared(ask: Asking, by: str, shares: str | None):
    operation = """
query ($by: RelatedBy!) {
  papers { nodes { id related(by: $by, first: 2) { score paper { id } shared { nodeId label name } } } }
}"""
    before = ask.database.n_queries

    papers = (await ask(operation, by=by))["papers"]["nodes"]

    assert ask.database.n_queries - before == 2
    for paper in papers:
        scores = [one["score"] for one in paper["related"]]
        assert len(scores) == 2 and scores == sorted(scores, reverse=True)
        assert paper["id"] not in {one["paper"]["id"] for one in paper["related"]}
    labels = {node["label"] for paper in papers for one in paper["related"] for node in one["shared"]}
    assert labels == (set() if shares is None else {shares})


async def test_a_page_of_papers_with_all_that_they_have_takes_one_query_for_each_list(ask: Asking):
    operation = """{
  papers(first: 100) { nodes {
    authors { name } sections(first: 5) { nodes { title } } entities(first: 5) { nodes { entity { name } } }
    clusters(first: 5) { nodes { name } } references(first: 5) { nodes { text } }
  } }
}"""
    before = ask.database.n_queries

    papers = (await ask(operation))["papers"]["nodes"]

    assert ask.database.n_queries - before == 6
    assert [len(paper["entities"]["nodes"]) for paper in papers] == [5, 5, 5, 5]


# Who reaches another collection


@pytest.mark.parametrize("listing", ALL, ids=lambda listing: listing.name)
async def test_the_query_of_a_list_gives_nothing_of_other_collections(store: Database, listing: Listing[Any]):
    ids = IDS[FIELDS[listing.name][0].lower()]

    pages = await listings.entries_of(store, ids, listing=listing, limit=100, collections=ELSEWHERE)
    counts = await listings.count_entries(store, ids, listing=listing, collections=ELSEWHERE)

    assert not any(pages)
    assert not any(counts)


@pytest.mark.parametrize("by", RelatedBy)
async def test_nothing_of_other_collections_is_related(store: Database, embedder: Embedder, by: RelatedBy):
    found = await exploring.related_papers(
        store, IDS["paper"][:4], searched=Searched(embedder), by=by, collections=ELSEWHERE
    )

    assert not any(found)


async def test_a_stranger_finds_nothing_by_id_by_name_or_by_a_way(stranger: Asking):
    ids = [IDS[name][0] for name in NAMES]

    found = await stranger("query ($ids: [ID!]!) { nodes(ids: $ids) { id } collections { name } }", ids=ids)
    way = await stranger(PATH, **{"from": IDS["author"][0], "to": IDS["section"][0]})

    assert found == {"nodes": [None] * len(NAMES), "collections": []}
    assert way == {"path": None}
    for field in ("papers", "entities", "clusters", "questions"):
        error = await stranger.error(f'{{ {field}(collection: "main") {{ nodes {{ id }} }} }}')
        unknown = await stranger.error(f'{{ {field}(collection: "nothing") {{ nodes {{ id }} }} }}')
        assert (error["code"], error["field"]) == (unknown["code"], unknown["field"]) == ("NOT_FOUND", "collection")
    assert await stranger(f'{{ node(id: "{ids[0]}") {{ id }} }}') == {"node": None}
