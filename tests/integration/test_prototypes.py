"""Prototypes in a real graph: each question and chunk has the nearest one, and searches go by them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest import doctor
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.prototypes.enrichment import Prototypes
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.questions.review import Decision, list_questions, review
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.progress import silent
from papergraph.schema.checksum import graph_checksum
from papergraph.server.retrieval.retrievers.prototype import chunks_by_prototypes, questions_by_prototypes
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

FIRST = Path("ingest/samples/leiden-topic-maps.md")
SECOND = Path("ingest/samples/zero-noise-extrapolation.md")
ASSIGNED = Statement(
    "test/assigned",
    "MATCH (p:Prototype)-[:STANDS_FOR]->(n) WHERE n.collection = 'main' RETURN p.kind AS kind, p.ordinal AS ordinal, "
    "p.centroid AS centroid, n.id AS id, n.embedding AS embedding, labels(n) AS labels",
)
ITEMS = Statement("test/items", "MATCH (n:Question|Chunk) WHERE n.embedding IS NOT NULL RETURN n.id AS id")
TEXT_OF = Statement("test/text", "MATCH (q:Question) RETURN q.id AS id, q.text AS text, q.embedding AS v ORDER BY id")


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(QuickEmbedder(embedder))


@pytest.fixture
async def graph(database: Database, resources: EnrichmentContext) -> Database:
    """A paper with questions and prototypes."""
    await ingest(database, resources.embedder, [FIRST])
    await enrich(database, [Questions.of(None, generator="both"), Prototypes()], resources, collection="main")
    return database


async def assert_each_has_the_nearest(database: Database) -> None:
    records = await database.read(ASSIGNED)
    assert sorted(record["id"] for record in records) == sorted(r["id"] for r in await database.read(ITEMS))
    centroids = {(record["kind"], record["ordinal"]): record["centroid"] for record in records}
    for record in records:
        assert record["kind"].capitalize() in record["labels"]
        own = np.dot(record["centroid"], record["embedding"])
        assert all(
            own >= np.dot(centroid, record["embedding"]) - 1e-5
            for (kind, _), centroid in centroids.items()
            if kind == record["kind"]
        )


async def test_each_question_and_chunk_has_the_nearest_prototype_and_they_are_no_content(
    graph: Database, resources: EnrichmentContext
):
    checksum = await graph_checksum(graph)

    await assert_each_has_the_nearest(graph)
    nothing = await Prototypes().finish(graph, "main", resources, progress=silent)
    other = await Prototypes(factor=4.0).finish(graph, "main", resources, progress=silent)

    assert (nothing["question_assigned"], nothing["chunk_assigned"], nothing["chunk_trained"]) == (0, 0, 0)
    assert (other["question_trained"], other["chunk_trained"]) == (1, 1)
    assert other["chunk_prototypes"] > nothing["chunk_prototypes"]
    await assert_each_has_the_nearest(graph)
    assert (await graph_checksum(graph)).same_graph(checksum)


async def test_what_comes_is_put_to_the_nearest_until_there_is_too_much_of_it(
    graph: Database, resources: EnrichmentContext
):
    patient = Prototypes(most_change=1000.0)
    await patient.finish(graph, "main", resources, progress=silent)
    enrichments = [Questions.of(None, generator="both"), patient]
    await ingest(graph, resources.embedder, [SECOND])

    grown = await enrich(graph, enrichments, resources, collection="main")
    await assert_each_has_the_nearest(graph)
    anew = await enrich(graph, [replace(patient, most_change=0.1)], resources, collection="main")
    await assert_each_has_the_nearest(graph)
    await delete(graph, [str(FIRST), str(SECOND)])
    left = await enrich(graph, enrichments, resources, collection="main")

    assert (grown.counts["prototypes"]["chunk_trained"], anew.counts["prototypes"]["chunk_trained"]) == (0, 1)
    assert grown.counts["prototypes"]["chunk_assigned"] > 0
    assert left.counts["prototypes"]["chunk_prototypes"] == 0
    assert await graph.read(ASSIGNED) == []


async def test_an_edited_question_goes_to_the_prototype_of_its_new_text(graph: Database, resources: EnrichmentContext):
    (question, *_) = await list_questions(graph, "main")

    await review(graph, resources, "main", question.id, Decision.EDITED, "Which maps of topics does Leiden find?")
    report = await enrich(graph, [Questions.of(None, generator="both"), Prototypes()], resources, collection="main")

    assert report.counts["prototypes"]["question_assigned"] == 1
    await assert_each_has_the_nearest(graph)


async def test_a_search_by_all_prototypes_is_exact_and_by_one_finds_what_that_one_stands_for(
    graph: Database, resources: EnrichmentContext
):
    records = await graph.read(TEXT_OF)
    query = "What is known about maps?"
    vector = resources.embedder.encode_query(query)
    best = sorted(records, key=lambda record: (-float(np.dot(record["v"], vector)), record["id"]))

    all_of_them = await questions_by_prototypes(
        graph, resources.embedder, query, collections=("main",), k=5, nprobe=1000
    )
    behind_one = await questions_by_prototypes(graph, resources.embedder, query, collections=("main",), k=5, nprobe=1)
    own = await questions_by_prototypes(
        graph, resources.embedder, records[0]["text"], collections=("main",), k=1, nprobe=1
    )
    chunks = await chunks_by_prototypes(graph, resources.embedder, query, collections=("main",), k=3, nprobe=1000)

    assert [hit.question_id for hit in all_of_them] == [record["id"] for record in best[:5]]
    assert {hit.question_id for hit in behind_one} <= {record["id"] for record in records}
    assert (own[0].question_id, own[0].score) == (records[0]["id"], pytest.approx(1.0, abs=1e-4))
    assert own[0].chunk_ids or own[0].spans_paper
    assert [chunk.score for chunk in chunks] == sorted((chunk.score for chunk in chunks), reverse=True)
    for wrong in ({"k": 0}, {"nprobe": 0}, {"nprobe": 1001}):
        with pytest.raises(InputError):
            await questions_by_prototypes(graph, resources.embedder, query, collections=("main",), **wrong)
    with pytest.raises(InputError):
        await chunks_by_prototypes(graph, resources.embedder, " ", collections=("main",))


@pytest.mark.writes_by_hand
async def test_the_doctor_sees_two_prototypes_for_one_and_mends_it(
    graph: Database, resources: EnrichmentContext, monkeypatch
):
    monkeypatch.setattr(doctor, "SECOND_LOOK_S", 0.0)
    await graph.run_alone(
        Statement(
            "test/twice",
            "MATCH (p:Prototype {kind: 'chunk'})-[:STANDS_FOR]->(c) WITH c, p ORDER BY c.id LIMIT 1 "
            "MATCH (o:Prototype {kind: 'chunk'}) WHERE o.ordinal <> p.ordinal WITH c, o LIMIT 1 "
            "CREATE (o)-[:STANDS_FOR]->(c)",
        )
    )

    seen = await examine(graph)
    mended = await repair(graph)
    await enrich(graph, [Questions.of(None, generator="both"), Prototypes()], resources, collection="main")

    assert [(finding.check, finding.n) for finding in seen.findings] == [("prototype_twice", 1)]
    assert mended.healthy
    await assert_each_has_the_nearest(graph)
