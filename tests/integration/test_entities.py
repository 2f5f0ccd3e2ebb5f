"""Entities in a real graph: they follow what mentions them, whatever came and went, with and without a model."""

import json

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import NotFoundError
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.entities.gazetteer import Entry
from papergraph.ingest.enrichments.entities.llm_extraction import Extractor, read_schema
from papergraph.ingest.enrichments.entities.resolution import review
from papergraph.ingest.enrichments.entities.stored_entities import list_entities, show_entity
from papergraph.ingest.enrichments.entities.training import load_given
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.language_model import Budget, LanguageModel
from papergraph.language_model.client import Retries
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import entity_id
from papergraph.server.retrieval.entity_linking import How, link
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.support.fake_llm import rate_limited
from tests.support.ingestion import ingest

ONE = "# Glow\n\nA convolutional neural network (CNN) does image segmentation. We call it GlowNet.\n"
OTHER = "# Shine\n\nGLOWNET is a CNN. GLOWNET is evaluated on ImageNet. GlowNets are convolutional neural networks.\n"
ENTITIES = Statement(
    "test/entities",
    "MATCH (e:Entity:__Entity__:__Node__) RETURN e.name AS name, e.type AS type, e.aliases AS aliases, "
    "e.embeddingHash AS hash, count { ()-[:MENTIONS]->(e) } AS n ORDER BY name",
)
STARTS = Statement(
    "test/starts",
    "MATCH (c:Chunk)-[m:MENTIONS]->(e) UNWIND m.offsets AS start "
    "RETURN any(name IN m.names WHERE substring(c.text, start, size(name)) = name) AS is_there",
)
SAME = Statement(
    "test/same",
    "MATCH (a:Entity)-[s:SAME_AS]->(b) RETURN a.name AS one, b.name AS other, s.evidence AS why, a.id < b.id AS up",
)
RELATED = Statement(
    "test/related",
    "MATCH (a)-[r:RELATED_TO]->(b) "
    "RETURN a.name AS one, r.type AS type, b.name AS other, r.extractor AS by, size(r.chunkIds) AS n ORDER BY one",
)


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(embedder)


@pytest.fixture
def papers(tmp_path):
    paths = [tmp_path / "one.md", tmp_path / "other.md"]
    for path, text in zip(paths, (ONE, OTHER), strict=True):
        path.write_text(text)
    return paths


async def names(database):
    return {record["name"]: record for record in await database.read(ENTITIES)}


async def test_entities_are_what_all_papers_say_and_stand_where_they_say(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    await ingest(database, embedder, papers)

    report = await enrich(database, [Entities()], resources, collection="main")
    found = await names(database)

    assert (report.n_made, report.failed) == (2, ())
    assert found["GLOWNET"]["aliases"] == ["GlowNet", "GlowNets"]  # a chunk each: the first by alphabet
    assert (found["GLOWNET"]["n"], found["ImageNet"]["type"], found["image segmentation"]["type"]) == (
        2,
        "Dataset",
        "Task",
    )
    assert found["CNN"]["aliases"] == ["convolutional neural network"]
    assert len({record["hash"] for record in found.values()}) == len(found)
    assert all(record["is_there"] for record in await database.read(STARTS))
    pairs = {frozenset((record["one"], record["other"])): record["why"] for record in await database.read(SAME)}
    assert pairs[frozenset(("CNN", "convolutional neural network"))] == "abbreviation"
    assert "GlowNets" not in found  # a plural is its singular
    assert all(record["up"] for record in await database.read(SAME))


@pytest.mark.slow
async def test_order_repetition_and_what_came_and_went_leave_no_trace(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    enrichment = Entities()
    await ingest(database, embedder, papers[:1])
    await enrich(database, [enrichment], resources, collection="main")
    alone = await graph_checksum(database)

    await ingest(database, embedder, papers)
    await enrich(database, [enrichment], resources, collection="main")
    both = await graph_checksum(database)
    await delete(database, [str(papers[1])])
    await enrich(database, [enrichment], resources, collection="main")
    assert (await graph_checksum(database)).same_graph(alone)

    await delete(database, [str(papers[0])])
    assert await names(database) == {}
    for path in reversed(papers):
        await ingest(database, embedder, [path])
        await enrich(database, [enrichment], resources, collection="main")
    assert (await graph_checksum(database)).same_graph(both)
    await enrich(database, [Entities(gazetteer=(Entry("street", "Place"),))], resources, collection="main")
    await enrich(database, [enrichment], resources, collection="main")
    assert (await graph_checksum(database)).same_graph(both)


async def test_what_a_person_decided_holds_when_entities_are_made_again(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    await ingest(database, embedder, papers)
    enrichment = Entities()
    await enrich(database, [enrichment], resources, collection="main")

    cnn, long, glow = (
        entity_id("main", name) for name in ("CNN", "convolutional neural network", "image segmentation")
    )
    await review(database, "main", cnn, long, "different")
    await review(database, "main", cnn, glow, "same")
    await delete(database, [str(papers[1])])
    await enrich(database, [enrichment], resources, collection="main")

    pairs = {frozenset((record["one"], record["other"])): record["why"] for record in await database.read(SAME)}
    assert pairs == {frozenset(("CNN", "image segmentation")): "review"}


# What must not be

SABOTAGES = {
    "entity_said": "MATCH (e:Entity {name: 'CNN'}) SET e.name = 'Channel', e.aliases = []",
    "mention_place": "MATCH (:Chunk)-[m:MENTIONS]->(:Entity {name: 'CNN'}) SET m.offsets = [9999]",
    "relation_astray": "MATCH (a:Entity {name: 'CNN'}), (b:Entity {name: 'ImageNet'}) "
    "CREATE (a)-[:RELATED_TO {type: 'knows', paperId: 'gone', chunkIds: ['gone'], by: 'given'}]->(b)",
    "same_astray": "MATCH (a:Entity {name: 'CNN'}), (b:Entity {name: 'ImageNet'}) WITH a, b, a.id < b.id AS up "
    "WITH CASE WHEN up THEN b ELSE a END AS one, CASE WHEN up THEN a ELSE b END AS other "
    "CREATE (one)-[:SAME_AS {score: 1.0, evidence: 'name'}]->(other)",
    "relationship_twice": "MATCH (a:Entity)-[s:SAME_AS]->(b:Entity) WITH a, s, b LIMIT 1 "
    "CREATE (a)-[t:SAME_AS]->(b) SET t = properties(s)",
}


@pytest.mark.slow
async def test_what_is_wrong_with_entities_is_seen_by_its_check_alone_and_mended(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    await ingest(database, embedder, papers)
    await enrich(database, [Entities()], resources, collection="main")
    clean = await graph_checksum(database)

    for check, sabotage in SABOTAGES.items():
        await database.run_alone(Statement("test/sabotage", sabotage))
        found = await examine(database)
        await repair(database)
        if check == "mention_place":
            await ingest(database, embedder, papers)
            await enrich(database, [Entities()], resources, collection="main")

        assert {finding.check for finding in found.findings} == {check}
        assert (await graph_checksum(database)).same_graph(clean), check


# Given elsewhere


@pytest.mark.slow
async def test_given_entities_and_triples_go_before_what_is_found_whichever_comes_first(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers, tmp_path
):
    await ingest(database, embedder, papers)
    key = (await database.read(Statement("test/key", "MATCH (p:Paper {title: 'Glow'}) RETURN p.key AS key")))[0]["key"]
    lines = [
        {
            "paper": key,
            "entities": [{"name": "cnn", "type": "Network", "aliases": ["convnet"]}, "Nowhere Named", ""],
            "triples": [["CNN", "does", "image segmentation"], ["CNN", "is", "cnn"], ["GlowNet", " ", "CNN"]],
        },
        {"_id": "of no paper", "entities": ["CNN"]},
    ]
    file = tmp_path / "given.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    await enrich(database, [Entities()], resources, collection="main")
    loaded = await load_given(database, file, resources, collection="main")
    await enrich(database, [Entities()], resources, collection="main")
    after = await graph_checksum(database)
    found = await names(database)

    assert (loaded.n_lines, loaded.n_papers, loaded.n_relations, loaded.missing) == (2, 1, 1, ("of no paper",))
    assert found["CNN"]["aliases"] == ["convnet"]
    assert found["Nowhere Named"]["n"] == 1
    assert [record.values() for record in await database.read(RELATED)] == [
        ["CNN", "does", "image segmentation", "given", 1]
    ]
    await delete(database, [str(papers[0])])
    await ingest(database, embedder, papers)
    await load_given(database, file, resources, collection="main")
    await enrich(database, [Entities()], resources, collection="main")
    await load_given(database, file, resources, collection="main")
    assert (await graph_checksum(database)).same_graph(after)

    file.write_text(json.dumps({"paper": key}) + "\n")
    await load_given(database, file, resources, collection="main")
    await enrich(database, [Entities()], resources, collection="main")

    assert "Nowhere Named" not in await names(database)
    assert await database.read(RELATED) == []


# Linking


async def test_the_names_of_a_query_are_linked_by_name_alias_and_vector(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    await ingest(database, embedder, papers)
    await enrich(database, [Entities()], resources, collection="main")

    query = "Does glownet beat a Convolutional Neural Network on Imagenet Dataset?"
    links = await link(database, "main", query, embedder=embedder)

    assert {query[one.start : one.end]: one.name for one in links} == {
        "glownet": "GLOWNET",
        "Convolutional Neural Network": "convolutional neural network",
        "Imagenet": "ImageNet",
    }
    (near,) = await link(database, "main", "What are Segmentation Images?", embedder=embedder, least_cosine=0.6)
    assert (near.name, near.how) == ("image segmentation", How.VECTOR)
    assert await link(database, "main", "And why not, (then)?") == []
    assert await link(database, "main", "") == []
    assert await link(database, "other", query, embedder=embedder) == []


async def test_entities_are_listed_and_shown(
    database: Database, embedder: Embedder, resources: EnrichmentContext, papers
):
    await ingest(database, embedder, papers)
    await enrich(database, [Entities()], resources, collection="main")

    listed = await list_entities(database, "main", words="glow")
    shown = await show_entity(database, "main", "glownet")

    assert (listed[0].name, listed[0].n_chunks, listed[0].n_papers) == ("GLOWNET", 2, 2)
    assert {one.name for one in await list_entities(database, "main", type="Dataset")} == {"ImageNet"}
    assert [paper["title"] for paper in shown.papers] == ["Glow", "Shine"]
    assert (shown.aliases, shown.same) == (("GlowNet", "GlowNets"), ())
    with pytest.raises(NotFoundError):
        await show_entity(database, "main", "Nobody")


# With a model


def triple(subject, type, relation, object, other):
    return {
        "subject": {"type": type, "name": subject},
        "relation": {"type": relation},
        "object": {"type": other, "name": object},
    }


def said(*triples):
    return json.dumps({"triplets": list(triples)})


GOOD = triple("GlowNet", "Method", "used for", "image segmentation", "Task")
BACKWARDS = triple("image segmentation", "Task", "used for", "GlowNet", "Method")
UNKNOWN = triple("GlowNet", "Gadget", "likes", "image segmentation", "Task")


@pytest.fixture
async def model(fake_llm, tmp_path):
    settings = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(settings, retries=Retries(attempts=3, first_pause_s=0.01)) as model:
        yield model


async def test_a_model_says_how_entities_are_related_within_the_schema(
    database: Database, embedder: Embedder, papers, model, fake_llm
):
    await ingest(database, embedder, papers[:1])
    enrichment = Entities(extractor=Extractor.of(model, read_schema()))
    fake_llm.script(rate_limited(after_s=0), "{broken", said(GOOD, BACKWARDS, UNKNOWN))

    report = await enrich(database, [enrichment], EnrichmentContext(embedder, model), collection="main")

    assert report.failed == ()
    assert [record.values() for record in await database.read(RELATED)] == [
        ["GlowNet", "used for", "image segmentation", "scripted", 1]
    ]
    request = fake_llm.requests[0]
    assert "GlowNet" in request.messages[-1]["content"]
    assert "used for" in request.prompt
    before = await graph_checksum(database)

    fake_llm.when("GLOWNET", said())
    await ingest(database, embedder, papers)
    await enrich(database, [enrichment], EnrichmentContext(embedder, model), collection="main")
    await delete(database, [str(papers[1])])
    await enrich(database, [enrichment], EnrichmentContext(embedder, model), collection="main")

    assert (await graph_checksum(database)).same_graph(before)


async def test_a_paper_of_which_the_model_says_nothing_usable_is_told_and_a_spent_budget_stops(
    database: Database, embedder: Embedder, papers, model, fake_llm
):
    await ingest(database, embedder, papers[:1])
    enrichment = Entities(extractor=Extractor.of(model, read_schema()))
    fake_llm.script("no", "never")

    refused = await enrich(database, [enrichment], EnrichmentContext(embedder, model), collection="main")
    stopped = await enrich(
        database, [enrichment], EnrichmentContext(embedder, model, Budget(requests=0)), collection="main"
    )

    assert [failure.enrichment for failure in refused.failed] == ["entities"]
    assert "JSON" in refused.failed[0].detail
    assert (stopped.n_made, stopped.stopped) == (0, "paused")
    assert await names(database) == {}
