"""LlamaIndex's own retrievers over our graph: a collection of it, read only, with names from closed lists."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from llama_index.core import MockEmbedding, PropertyGraphIndex
from llama_index.core.bridge.pydantic import BaseModel
from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, ChunkNode, EntityNode, Relation
from llama_index.core.indices.property_graph import (
    CypherTemplateRetriever,
    ImplicitPathExtractor,
    LLMSynonymRetriever,
    PGRetriever,
    TextToCypherRetriever,
    VectorContextRetriever,
)
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from papergraph.database import Database
from papergraph.errors import DatabaseUnavailableError, InputError, NotFoundError, QueryError, UnsafeQueryError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.entities.gazetteer import Entry
from papergraph.ingest.enrichments.entities.training import load_given
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import entity_id
from papergraph.schema.migrate import prepare
from papergraph.server.integrations.llama_index import GraphEmbedding, GraphStore
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

GLOW = (
    "---\nyear: 2019\ncategories: [cs.CV]\n---\n# Glow\n\nGlowNet does image segmentation.\n\n"
    "## Data\n\nAll is of ImageNet.\n"
)
SHINE = "---\nyear: 2021\n---\n# Shine\n\nGlowNet is evaluated on ImageNet.\n"
SECRET = "# Secret\n\nGlowNet is what nobody else may read of, on ImageNet.\n"
PAPERS = {"main": {"glow": GLOW, "shine": SHINE}, "secret": {"secret": SECRET}}
ENRICHMENT = Entities(gazetteer=(Entry("GlowNet", "Method"), Entry("ImageNet", "Dataset")))
GIVEN = {"entities": [{"name": "GlowNet", "aliases": ["GN"]}], "triples": [["GlowNet", "trained on", "ImageNet"]]}
KEPT = ["SchemaVersion", "EmbeddingModel"]
KEY = Statement(
    "test/key",
    "MATCH (p:Paper {collection: $collection}) RETURN p.key AS key ORDER BY p.title LIMIT 1",
)
CHUNKS = Statement(
    "test/chunks",
    "MATCH (c:Chunk {collection: $collection}) RETURN c.id AS id, c.text AS text, c.embedding AS vector ORDER BY text",
)
INJECTIONS = ("text` = 'x' OR 1 = 1 //", "name\u0060}) DETACH DELETE e //", "id\n// ", "__Node__", "n`]-() DELETE n //")


class ScriptedModel(CustomLLM):
    """Gives the same answer to everything."""

    said: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.said)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


@pytest_asyncio.fixture(scope="module")
async def graph(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Database]:
    """Two papers about GlowNet in one collection, one in another, with entities and a relation, for all tests here."""
    resources = EnrichmentContext(HashEmbedder())
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, resources.embedder.card)
        await wipe(database.driver, database=database.name, keep=KEPT)
        for collection, papers in PAPERS.items():
            folder = tmp_path_factory.mktemp(collection)
            for name, text in papers.items():
                (folder / f"{name}.md").write_text(text)
            await ingest(database, resources.embedder, [folder], collection=collection)
            await enrich(database, [ENRICHMENT], resources, collection=collection)
            (key,) = {record["key"] for record in await database.read(KEY, collection=collection)}
            given = folder / "given.jsonl"
            given.write_text(json.dumps({"paper": key, **GIVEN}) + "\n")
            assert (await load_given(database, given, resources, collection=collection)).n_relations == 1
        await assert_healthy(database)
        yield database
        await wipe(database.driver, database=database.name, keep=KEPT)


@pytest_asyncio.fixture
async def store(graph: Database, neo4j_server: Neo4jServer) -> AsyncIterator[GraphStore]:
    """The collection main of it."""
    with await asyncio.to_thread(opened, neo4j_server) as store:
        yield store


def opened(server: Neo4jServer, collection: str = "main") -> GraphStore:
    return GraphStore(server.user, server.password, server.uri, server.database, collection=collection)


async def chunks(graph: Database, collection: str = "main") -> list[dict[str, Any]]:
    return [record.data() for record in await graph.read(CHUNKS, collection=collection)]


def query(vector: Sequence[float], *filters: MetadataFilter | MetadataFilters, k: int = 10) -> VectorStoreQuery:
    return VectorStoreQuery(
        query_embedding=list(vector),
        similarity_top_k=k,
        filters=MetadataFilters(filters=list(filters)) if filters else None,
    )


async def found(store: GraphStore, graph: Database, *filters: MetadataFilter | MetadataFilters) -> set[str]:
    vector = (await chunks(graph))[0]["vector"]
    return {node.text for node in (await store.avector_query(query(vector, *filters)))[0]}


# Nodes


async def test_chunks_and_entities_of_the_collection_come_back_and_no_others(store: GraphStore, graph: Database):
    nodes = await store.aget()

    texts = {node.text for node in nodes if isinstance(node, ChunkNode)}
    names = {node.name: node for node in nodes if isinstance(node, EntityNode)}
    assert texts == {chunk["text"] for chunk in await chunks(graph)}
    assert {"GlowNet", "ImageNet"} <= names.keys()
    assert names["GlowNet"].label == "Method"
    assert {node.properties["collection"] for node in nodes} == {"main"}
    first = next(node for node in nodes if isinstance(node, ChunkNode) and node.properties["ordinal"] == 0)
    assert first.properties["startChar"] > 0
    assert "embedding" not in first.properties


async def test_nodes_are_found_by_id_by_name_and_by_alias(store: GraphStore, graph: Database):
    (chunk, *_) = await chunks(graph)
    (secret,) = await chunks(graph, "secret")

    by_id = store.get(ids=[chunk["id"], secret["id"], entity_id("secret", "GlowNet")])
    by_name = store.get(ids=["glownet", "GN", "Glownet", "nothing of ours", "ImageNet is"])

    assert [node.id for node in by_id] == [chunk["id"]]
    assert [node.id for node in by_name] == ["GlowNet"]
    assert store.get(ids=[]) == []


async def test_nodes_are_found_by_properties_of_the_model_alone(store: GraphStore):
    assert {node.properties["paperId"] for node in store.get({"kind": "body", "year": 2019})}
    assert [node.id for node in store.get({"type": "Dataset"})] == ["ImageNet"]
    assert store.get({"name": INJECTIONS[0]}) == []
    for name in INJECTIONS:
        with pytest.raises(InputError, match="have no property"):
            store.get({name: "x"})
        with pytest.raises(InputError, match="have no property"):
            store.get_triplets(properties={name: "x"})
        assert store.get(ids=[name]) == []
    with pytest.raises(InputError, match="did you mean kind"):
        store.get({"kinds": "body"})
    with pytest.raises(InputError, match="cannot be a dict"):
        store.get({"kind": {"a": 1}})


# Triplets


async def test_triplets_are_relations_of_entities_with_the_chunk_that_says_so(store: GraphStore, graph: Database):
    ((source, relation, target),) = store.get_triplets(entity_names=["glownet"])

    assert (source.id, target.id) == ("GlowNet", "ImageNet")
    assert relation.label == store.get_triplets(relation_names=[relation.label])[0][1].label
    assert source.properties[TRIPLET_SOURCE_KEY] in {chunk["id"] for chunk in await chunks(graph)}
    mentions = store.get_triplets(entity_names=["ImageNet"], relation_names=["MENTIONS"])
    assert {type(source) for source, _, _ in mentions} == {ChunkNode}
    assert len(mentions) == 2
    assert len(store.get_triplets(ids=["ImageNet"], entity_names=["GN"])) == 0
    assert store.get_triplets(relation_names=list(INJECTIONS)) == []


async def test_around_chunks_stand_their_sections_and_entities_in_turns(store: GraphStore, graph: Database):
    nodes = store.get({"kind": "body"})
    few = store.get_rel_map(nodes, depth=1, limit=len(nodes))

    assert {relation.label for _, relation, _ in few} == {"HAS_CHUNK"}
    assert {target.id for _, _, target in few} == {node.id for node in nodes}
    assert all(source.properties[TRIPLET_SOURCE_KEY] == target.id for source, _, target in few)
    more = store.get_rel_map(nodes, depth=2, limit=100)
    ends = [(source.id, relation.label, target.id) for source, relation, target in more]
    assert len(ends) == len(set(ends))
    assert ("GlowNet", store.get_triplets()[0][1].label, "ImageNet") in ends
    only = store.get_rel_map(nodes, depth=2, limit=100, ignore_rels=["HAS_CHUNK", "MENTIONS", *INJECTIONS])
    assert only == []


async def test_depth_and_limit_have_bounds(store: GraphStore):
    for arguments in ({"depth": 0}, {"depth": 5}, {"limit": 0}, {"limit": 10**6}):
        with pytest.raises(InputError, match="must be 1 to"):
            store.get_rel_map([EntityNode(name="GlowNet")], **arguments)


# Vectors and filters


async def test_the_nearest_chunks_come_with_scores_and_only_from_the_collection(store: GraphStore, graph: Database):
    (secret,) = await chunks(graph, "secret")
    for chunk in await chunks(graph):
        nodes, scores = await store.avector_query(query(chunk["vector"], k=2))

        assert (nodes[0].id, nodes[0].text) == (chunk["id"], chunk["text"])
        assert scores[0] == pytest.approx(1.0, abs=1e-3)
        assert scores == sorted(scores, reverse=True)
    nodes, _ = store.vector_query(query(secret["vector"], k=100))
    assert {node.id for node in nodes} == {chunk["id"] for chunk in await chunks(graph)}


async def test_filters_are_those_of_our_language(store: GraphStore, graph: Database):
    every = {chunk["text"] for chunk in await chunks(graph)}
    glow = {"GlowNet does image segmentation.", "All is of ImageNet."}
    shine = every - glow

    def one(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
        return MetadataFilter(key=key, value=value, operator=operator)

    assert await found(store, graph, one("year", 2019)) == glow
    assert await found(store, graph, one("year", 2019, FilterOperator.GT)) == shine
    assert await found(store, graph, one("date", "2020-06-01", FilterOperator.LTE)) == glow
    assert await found(store, graph, one("category", ["cs.CV", "cs.LG"], FilterOperator.IN)) == glow
    assert await found(store, graph, one("categories", "cs.CV", FilterOperator.NE)) == shine
    assert await found(store, graph, one("entity", ["GlowNet", "ImageNet"], FilterOperator.ALL)) == shine
    either = MetadataFilters(
        filters=[one("entities", "nothing of ours"), one("years", [2019, 2021], FilterOperator.IN)],
        condition=FilterCondition.OR,
    )
    assert await found(store, graph, either) == every
    none = MetadataFilters(filters=[one("year", 2019), one("kind", "abstract")], condition=FilterCondition.NOT)
    assert await found(store, graph, none) == shine
    (paper,) = {node.properties["paperId"] for node in store.get({"year": 2021})}
    vector = (await chunks(graph))[0]["vector"]
    nodes, _ = store.vector_query(VectorStoreQuery(vector, similarity_top_k=5, doc_ids=[paper]))
    assert {node.text for node in nodes} == shine


async def test_what_is_no_filter_and_no_vector_of_ours_is_refused(store: GraphStore, graph: Database):
    vector = (await chunks(graph))[0]["vector"]
    for name in INJECTIONS:
        with pytest.raises(InputError, match="cannot be filtered by"):
            store.vector_query(query(vector, MetadataFilter(key=name, value="x")))
    with pytest.raises(InputError, match="did you mean author"):
        store.vector_query(query(vector, MetadataFilter(key="autor", value="x")))
    with pytest.raises(InputError, match="operator 'text_match'"):
        store.vector_query(query(vector, MetadataFilter(key="kind", value="x", operator=FilterOperator.TEXT_MATCH)))
    with pytest.raises(InputError, match="has no vector"):
        store.vector_query(VectorStoreQuery(query_str="what?"))
    with pytest.raises(InputError, match="8 numbers"):
        store.vector_query(VectorStoreQuery(MockEmbedding(8).get_query_embedding("what?")))
    with pytest.raises(InputError, match="the mode 'mmr'"):
        store.vector_query(VectorStoreQuery(vector, mode=VectorStoreQueryMode.MMR))


# The package's own retrievers


async def test_its_vector_retriever_gives_passages_with_what_stands_around_them(store: GraphStore, graph: Database):
    embedding = GraphEmbedding(HashEmbedder())
    index = PropertyGraphIndex.from_existing(
        store, embed_model=embedding, llm=ScriptedModel(said=""), kg_extractors=[ImplicitPathExtractor()]
    )
    retriever = index.as_retriever(
        sub_retrievers=[VectorContextRetriever(store, embed_model=embedding, similarity_top_k=2, path_depth=1)]
    )
    assert isinstance(retriever, PGRetriever)

    hits = await retriever.aretrieve("Which data?")

    best = store.vector_query(query(HashEmbedder().encode_query("Which data?"), k=2))
    for node, score in zip(*best, strict=True):
        assert isinstance(node, ChunkNode)
        (hit,) = [hit for hit in hits if hit.node.node_id == node.id]
        assert hit.score == pytest.approx(score)
        assert hit.text.endswith(node.text)
        assert f"-> HAS_CHUNK -> {node.id}" in hit.text
        assert f"{node.id} -> MENTIONS -> " in hit.text
        assert hit.metadata["paper"] in ("Glow", "Shine")
    assert len(hits) == 2


async def test_its_synonym_retriever_finds_entities_by_what_a_model_calls_them(store: GraphStore):
    retriever = LLMSynonymRetriever(store, llm=ScriptedModel(said="glownets^gn^segmentation nets"), path_depth=1)

    hits = retriever.retrieve("Which networks are there?")

    assert any("GlowNet -> " in hit.text and "-> ImageNet" in hit.text for hit in hits)
    assert {"Glow", "Shine"} == {hit.metadata["paper"] for hit in hits}
    assert all("nobody else" not in hit.text for hit in hits)


async def test_its_template_retriever_runs_cypher_with_the_collection_set(store: GraphStore):
    class Asked(BaseModel):
        name: str

    retriever = CypherTemplateRetriever(
        store,
        Asked,
        "MATCH (c:Chunk {collection: $collection})-[:MENTIONS]->(e:Entity) WHERE e.name = $name RETURN count(c) AS n",
        llm=ScriptedModel(said='{"name": "GlowNet"}'),
    )

    (hit,) = retriever.retrieve("What is said of GlowNet?")

    assert hit.text == "[{'n': 2}]"


async def test_cypher_of_a_model_may_read_and_do_nothing_else(store: GraphStore, graph: Database):
    def retrieve(cypher: str) -> str:
        return TextToCypherRetriever(store, llm=ScriptedModel(said=cypher)).retrieve("Which papers?")[0].text

    assert "'Glow'" in retrieve("MATCH (p:Paper {collection: $collection}) RETURN p.title AS title ORDER BY title")
    for text in (
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Paper)",
        "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
        "SHOW TRANSACTIONS",
        "SHOW SETTINGS",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "CALL dbms.listConfig()",
        "CALL db.clearQueryCaches()",
        "CALL tx.setMetaData({a: 1})",
        "UNWIND range(1, 20000) AS n RETURN n",
        "MATCH (a:Entity), (b:Entity) WHERE a.name < b.name RETURN count(*) AS n",
        "RETURN 1 // " + "x" * 20_000,
    ):
        with pytest.raises(UnsafeQueryError):
            retrieve(text)
    with pytest.raises(QueryError):
        retrieve("MATCH (n RETURN n")


async def test_reading_of_many_kinds_is_let_through(store: GraphStore):
    (glow,) = await store.astructured_query("MATCH (p:Paper {title: 'Glow'}) RETURN p.id AS id")
    for text in (
        "MATCH p = shortestPath((:Paper {id: $id})-[*..4]-(:Entity)) RETURN length(p) AS n LIMIT 1",
        "MATCH p = SHORTEST 1 (:Paper {id: $id})-[]-{1,4}(:Entity) RETURN length(p) AS n LIMIT 1",
        "MATCH (p:Paper)-[*1..3]-(e:Entity) RETURN DISTINCT e.name AS name ORDER BY name SKIP 1 LIMIT 5",
        "MATCH (p:Paper) WHERE NOT EXISTS { (p)-[:CITES]->() } OPTIONAL MATCH (p)<-[:WROTE]-(a) RETURN p, collect(a)",
        "MATCH (a:Entity)<-[:MENTIONS]-(c)-[:MENTIONS]->(b:Entity) WHERE a.name < b.name RETURN count(*) AS n",
        "MATCH (c:Chunk) RETURN c.kind AS kind, count(*) AS n UNION ALL MATCH (e:Entity) RETURN e.type AS kind, 1 AS n",
        "CALL db.index.fulltext.queryNodes('chunk_text', 'text:segmentation') YIELD node RETURN node.id AS id",
        "CALL db.labels() YIELD label RETURN label",
        "MATCH (c:Chunk) WITH c.embedding AS v LIMIT 1 MATCH (d:Chunk) "
        "SEARCH d IN (VECTOR INDEX chunk_embedding FOR v LIMIT 2) RETURN d.id AS id, d.embedding AS embedding",
    ):
        rows = await store.astructured_query(text, glow)

        assert rows
        assert all("embedding" not in row for row in rows)


# The schema


async def test_the_schema_is_that_of_the_model_and_asks_nothing(store: GraphStore, graph: Database):
    said = store.get_schema_str(refresh=True)

    assert "(:Chunk)-[:MENTIONS]->(:Entity)" in said
    assert "(:Paper)-[:HAS_SECTION]->(:Section)" in said
    assert "text: STRING" in said
    assert not any(word in said for word in ("embedding:", "IngestJob", "EmbeddingModel", "APOC"))
    assert store.get_schema_str(include_types=["Paper"]).count("{") == 1


# What only papergraph does


async def test_it_writes_nothing_and_says_what_does(store: GraphStore, graph: Database, neo4j_server: Neo4jServer):
    before = await graph_checksum(graph)
    node, relation = EntityNode(name="x"), Relation(label="KNOWS", source_id="x", target_id="y")

    for write in (
        lambda: store.upsert_nodes([node]),
        lambda: store.upsert_relations([relation]),
        lambda: store.upsert_llama_nodes([]),
        lambda: store.delete(ids=["x"]),
        lambda: store.delete_llama_nodes(node_ids=["x"]),
    ):
        with pytest.raises(InputError, match="papergraph ingest"):
            write()
    for begun in (
        store.aupsert_nodes([node]),
        store.aupsert_relations([relation]),
        store.adelete(entity_names=INJECTIONS),
        store.adelete_llama_nodes(ref_doc_ids=["x"]),
    ):
        with pytest.raises(InputError):
            await begun
    store.get_rel_map(store.get(), depth=3, limit=1000)
    with await asyncio.to_thread(opened, neo4j_server, "secret") as other:
        assert {node.properties["collection"] for node in other.get()} == {"secret"}

    assert (await graph_checksum(graph)).same_graph(before)


async def test_what_cannot_be_opened_is_told(graph: Database, neo4j_server: Neo4jServer):
    with pytest.raises(NotFoundError):
        await asyncio.to_thread(opened, neo4j_server, "nowhere")
    with pytest.raises(InputError, match="not a collection's name"):
        await asyncio.to_thread(opened, neo4j_server, "main'})")
    with pytest.raises(DatabaseUnavailableError, match="refuses user"):
        await asyncio.to_thread(GraphStore, neo4j_server.user, "wrong", neo4j_server.uri)


async def test_a_closed_store_says_so_and_closes_once_more(graph: Database, neo4j_server: Neo4jServer):
    store = await asyncio.to_thread(opened, neo4j_server)
    drivers = store.client, store._async_driver

    store.close()
    store.close()

    assert all(driver._closed for driver in drivers)
    with pytest.raises(RuntimeError, match="closed"):
        store.get()
