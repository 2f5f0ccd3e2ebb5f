"""The query library on papers with all enrichments: over Neo4j's Query API with its lines, and by our one function."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
import pytest_asyncio
from nbclient import NotebookClient
from neo4j import AsyncDriver, AsyncGraphDatabase

from papergraph import cypher
from papergraph import cypher_guard as guard
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.training import load_given
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import Ingestor
from papergraph.schema.checksum import STORE_LABELS
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.schema.migrate import prepare
from papergraph.server.graph import named_queries as library
from papergraph.server.graph.values import to_json, told
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.graphs import assert_healthy

pytestmark = pytest.mark.slow

FOLDER = Path("docs/explore")
KEPT = ["SchemaVersion", "EmbeddingModel"]
SCANS_OF_ALL = re.compile(r"AllNodesScan|(?:Un)?[Dd]irectedAllRelationshipsScan|PartitionedAll\w+")
PLAN_OF_ITS_OWN = re.compile(r"NestedPlan")
LOOK_UPS = re.compile(r"NodeUniqueIndexSeek|NodeByElementIdSeek|Argument")

PROJECTIONS = Statement("test/projections", "CALL gds.graph.list() YIELD graphName RETURN count(*) AS n")

LAST = Statement("test/last", "MATCH (p:Paper {title: 'Diverse Evidence for Long Answers'}) RETURN p.id AS id")

each_query = pytest.mark.parametrize("name", library.names())


@pytest_asyncio.fixture(scope="module")
async def store(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """The papers of the page, with all enrichments; of fewer, topics are few, and on some processors no tree."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEPT)
        await Ingestor(database, embedder).ingest([Path("ingest/samples"), FOLDER / "papers"])
        context = EnrichmentContext(embedder)
        await load_given(database, FOLDER / "relations.jsonl", context, collection=DEFAULT_COLLECTION)
        enrichments = EnrichmentOptions.read(FOLDER / "enrichments.toml").enrichments(None)
        await enrich(database, enrichments, context, collection=DEFAULT_COLLECTION)
        await assert_healthy(database)
        yield database
        await wipe(database.driver, database=database.name, keep=KEPT)


@pytest_asyncio.fixture(scope="module")
async def driver(neo4j_server: Neo4jServer) -> AsyncIterator[AsyncDriver]:
    auth = (neo4j_server.user, neo4j_server.password)
    async with AsyncGraphDatabase.driver(neo4j_server.uri, auth=auth) as driver:
        yield driver


@pytest.fixture(scope="module")
def http(neo4j_server: Neo4jServer) -> Iterator[httpx.Client]:
    auth = (neo4j_server.user, neo4j_server.password)
    with httpx.Client(base_url=neo4j_server.http_url, auth=auth, timeout=30) as client:
        yield client


def asked(http: httpx.Client, statement: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the Query API of the database answers, in read access mode."""
    body = {"statement": statement, "parameters": dict(parameters), "accessMode": "READ"}
    answer = http.post("/db/neo4j/query/v2", json=body).json()
    assert "errors" not in answer, answer["errors"]
    data: dict[str, Any] = answer["data"]
    return data


def as_browser_sets_them(http: httpx.Client, name: str) -> dict[str, Any]:
    """Return the parameters of a file's lines, each evaluated by itself, as Neo4j Browser does."""
    parameters: dict[str, Any] = {}
    for line in library.find(name).tries:
        key, arrow, expression = line.removeprefix(":param ").partition(" => ")
        value = asked(http, f"RETURN {expression if arrow else key} AS value", {})["values"][0][0]
        parameters |= {key: value} if arrow else value
    return parameters


def operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], list[str]]]:
    """Yield each operator's name with its arguments and the operators below it."""
    below = plan.get("children", [])
    names = [child["operatorType"].partition("@")[0] for child in below]
    yield plan["operatorType"].partition("@")[0], plan.get("args", {}), names
    for child in below:
        yield from operators(child)


@each_query
async def test_over_the_query_api_it_finds_something_with_its_own_lines(store: Database, http: httpx.Client, name: str):
    parameters = as_browser_sets_them(http, name)

    data = asked(http, library.find(name).cypher, parameters)

    assert tuple(data["fields"]) == library.find(name).columns
    assert 1 <= len(data["values"]) <= 40


@each_query
async def test_our_own_function_sets_the_same_parameters_and_finds_the_same(
    store: Database, http: httpx.Client, name: str
):
    found = await library.run(store, name)

    assert found.parameters == as_browser_sets_them(http, name)
    assert found.columns == library.find(name).columns
    assert len(found.rows) == len(asked(http, library.find(name).cypher, found.parameters)["values"])
    assert json.loads(json.dumps(found.plain())) == found.plain()


@each_query
async def test_it_finds_the_same_rows_in_the_same_order_again(store: Database, name: str):
    assert (await library.run(store, name)).plain() == (await library.run(store, name)).plain()


@each_query
async def test_its_plan_reads_little_and_nothing_of_the_store_itself(store: Database, driver: AsyncDriver, name: str):
    query = library.find(name)
    found = await library.run(store, name)

    result = await driver.execute_query(f"EXPLAIN {query.cypher}", dict(found.parameters))

    assert result.summary.query_type == "r"
    for operator, arguments, below in operators(result.summary.plan or {}):
        details = str(arguments.get("Details", ""))
        assert not SCANS_OF_ALL.search(operator), details
        assert not PLAN_OF_ITS_OWN.search(operator + details), details
        if operator == "CartesianProduct":
            assert any(LOOK_UPS.fullmatch(one) for one in below), below
    assert not set(re.findall(r":(\w+)", cypher.body(cypher.load(f"explore/{name}")))) & STORE_LABELS


@each_query
async def test_the_guard_of_other_peoples_queries_lets_it_through(store: Database, name: str):
    found = await library.run(store, name)

    again = await guard.ask(store, library.find(name).cypher, found.parameters, name=name)

    assert len(again) == len(found.rows)


async def test_of_given_parameters_the_others_keep_their_values(store: Database):
    found = await library.run(store, "who_works_on", {"entity": "Reciprocal rank fusion", "limit": 1})

    ((author, n_papers, _, together, papers),) = found.rows
    assert found.parameters == {"collection": "main", "entity": "Reciprocal rank fusion", "limit": 1}
    assert author in {"Priya Sandhollow", "Oda Vesterhal", "Sanae Fiskvold", "Lukas Brindlemoor"}
    assert len(papers) == n_papers >= 2
    assert author not in together


async def test_a_chain_of_citations_is_read_from_its_beginning(store: Database):
    (last,) = await store.read(LAST)
    found = await library.run(store, "reading_list", {"paper": last["id"]})

    titles = [row[1] for row in found.rows]
    assert titles == [
        "Lexical Baselines for Open Questions",
        "Dense Retrieval for Open Questions",
        "Fusion of Lexical and Dense Rankings",
        "Questions with Several Hops",
    ]
    assert [row[3] for row in found.rows] == [2, 2, 1, 1]


async def test_works_that_several_papers_list_and_none_is_are_missing(store: Database):
    found = await library.run(store, "missing_works")

    assert [(row[0], row[3]) for row in found.rows] == [
        ("doi:10.5555/ohlsen.2001", 2),
        ("doi:10.5555/ravnkilde.2016", 2),
    ]


async def test_relations_are_told_with_the_passage_that_says_so(store: Database):
    found = await library.run(store, "said_of_entity", {"entity": "Iterated retrieval"})

    said = [(row["subject"], row["relation"], row["object"]) for row in found.plain()]
    assert said == [
        ("Iterated retrieval", "compared with", "Reciprocal rank fusion"),
        ("Iterated retrieval", "evaluated on", "HotpotQA"),
    ]
    assert all("HotpotQA" in row["passage"] for row in found.plain())
    assert told(found.rows[1][0]) == "(Entity Iterated retrieval)-[evaluated on]->(Entity HotpotQA)"


async def test_an_author_is_shown_to_nobody_who_wrote_with_them(store: Database):
    together = {frozenset(row[:2]) for row in (await library.run(store, "coauthors", {"limit": 100})).rows}

    found = await library.run(store, "possible_collaborators", {"author": "Lukas Brindlemoor"})

    assert found.rows
    assert not {frozenset(("Lukas Brindlemoor", row[0])) for row in found.rows} & together


@pytest.mark.parametrize(
    ("given", "message"),
    [({"limits": 3}, "Query who_works_on has no parameter 'limits'. Parameters: collection, entity, limit.")],
)
async def test_a_parameter_that_there_is_not_is_refused(store: Database, given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        await library.run(store, "who_works_on", given)


async def test_a_query_that_there_is_not_is_refused(store: Database):
    with pytest.raises(NotFoundError, match="There is no named query 'who'"):
        await library.run(store, "who")


async def test_graph_values_are_told_as_json_without_vectors(store: Database):
    found = await library.run(store, "topic_tree")

    way = to_json(found.rows[0][0])
    assert [sorted(node["labels"]) for node in way["nodes"]] == [["Cluster"], ["Cluster"]]
    assert not {"embedding", "collectionTerm"} & way["nodes"][0]["properties"].keys()
    assert way["relationships"][0]["type"] == "PARENT_OF"


async def test_the_notebook_runs_from_its_first_cell_to_its_last(
    store: Database, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PAPERGRAPH_NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("PAPERGRAPH_NEO4J_USER", neo4j_server.user)
    monkeypatch.setenv("PAPERGRAPH_NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.setenv("PAPERGRAPH_NEO4J_DATABASE", neo4j_server.database)
    notebook = nbformat.read("docs/notebooks/explore.ipynb", as_version=4)

    client = NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": "."}})
    await client.async_execute()

    drawn = [kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert drawn.count("image/png") == 1
    assert drawn.count("text/html") == 5  # data frames
    left = await store.read(PROJECTIONS)
    assert [record["n"] for record in left] == [0]


def test_for_the_second_place_of_vectors_the_text_names_the_other_index():
    first, second = (library.find("who_else_says_it", slot).cypher for slot in VectorSlot)

    assert "VECTOR INDEX chunk_embedding" in first
    assert "VECTOR INDEX second_chunk_embedding" in second
