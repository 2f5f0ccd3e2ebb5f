"""Questions in a real graph: written with their paper, related where they repeat others, reviewed for good."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest import doctor
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.questions.review import (
    Decision,
    StoredQuestion,
    find_question,
    list_questions,
    redundancy,
    review,
)
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.language_model import LanguageModel
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import paper_id
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM, Request
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

SEA = "The sea was measured every day with a rod of steel that stood in the harbour for two years, whatever the wind."
SKY = "The sky was watched every night with a small telescope that stood on the roof of the school for two years."
PAPERS = {"sea.md": f"# The Sea\n\n{SEA}\n", "sky.md": f"# The Sky\n\n{SKY}\n"}
BOTH, OF_SEA, OF_SKY = "For how long was it measured?", "What was the sea measured with?", "What watched the sky?"


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path):
    def answer(request: Request) -> str:
        return json.dumps({"questions": [BOTH, OF_SEA if SEA in request.prompt else OF_SKY]})

    fake_llm.otherwise(answer)
    settings = Settings(llm={"url": fake_llm.url, "model": "scripted", "api_key": "k"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(settings) as model:
        yield model


@pytest.fixture
def resources(quick: QuickEmbedder, model: LanguageModel) -> EnrichmentContext:
    return EnrichmentContext(quick, model)


@pytest.fixture
def enrichment(model: LanguageModel) -> Questions:
    return Questions.of(model, per_chunk=2, pairs=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    for name, text in PAPERS.items():
        (tmp_path / "papers" / name).write_text(text)
    return tmp_path / "papers"


@pytest.fixture
async def graph(
    database: Database, quick: QuickEmbedder, folder: Path, enrichment: Questions, resources: EnrichmentContext
) -> Database:
    """Both papers with their questions."""
    await ingest(database, quick, [folder])
    await enrich(database, [enrichment], resources, collection="main")
    return database


async def by_text(database: Database) -> dict[tuple[str, str], StoredQuestion]:
    return {(one.paper, one.text): one for one in await list_questions(database, "main", limit=100)}


async def test_one_question_stands_for_those_of_other_papers_that_repeat_it(graph: Database):
    found = await by_text(graph)
    report = await redundancy(graph, "main", model=await _model(graph))

    assert found.keys() == {("The Sea", BOTH), ("The Sea", OF_SEA), ("The Sky", BOTH), ("The Sky", OF_SKY)}
    first, second = sorted((found["The Sea", BOTH], found["The Sky", BOTH]), key=lambda one: one.id)
    assert (first.duplicate_of, second.duplicate_of) == (None, first.id)
    assert all(len(one.chunk_ids) == 1 and not one.spans_paper for one in found.values())
    assert {(one.generator, one.model, one.review) for one in found.values()} == {("model", "scripted", None)}
    assert (report.n_questions, report.n_duplicates, report.share) == (4, 1, 0.25)
    assert [(pair.question, pair.other, pair.score) for pair in report.nearest] == [(BOTH, BOTH, 1.0)]
    assert report.log_determinant < -1.0  # two of the four are one
    assert await list_questions(graph, "main", paper_id=first.paper_id, limit=1) == [
        min((one for one in found.values() if one.paper_id == first.paper_id), key=lambda one: one.id)
    ]


async def _model(database: Database) -> str:
    (record,) = await database.read(Statement("test/model", "MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256"))
    return str(record[0])


async def test_the_graph_does_not_depend_on_the_order_or_on_papers_that_came_and_went(
    database: Database, quick: QuickEmbedder, folder: Path, enrichment: Questions, resources: EnrichmentContext
):
    together = [enrichment]

    async def bring(*names: str) -> None:
        await ingest(database, quick, [folder / name for name in names])
        await enrich(database, together, resources, collection="main")

    await bring("sea.md")
    alone = await graph_checksum(database)
    await bring("sky.md")
    both = await graph_checksum(database)
    await delete(database, [str(folder / "sea.md")])
    await enrich(database, together, resources, collection="main")
    await bring("sea.md")
    again = await graph_checksum(database)
    await delete(database, [str(folder / "sky.md")])
    await enrich(database, together, resources, collection="main")
    left = await graph_checksum(database)

    assert again.same_graph(both)
    assert left.same_graph(alone)
    assert (alone.n_nodes, both.n_nodes) != (both.n_nodes, left.n_nodes)


async def test_decisions_hold_when_questions_are_made_again(
    graph: Database, resources: EnrichmentContext, enrichment: Questions, folder: Path, quick: QuickEmbedder
):
    found = await by_text(graph)
    new = "How long did the measurements last?"

    rejected = await review(graph, resources, "main", found["The Sea", OF_SEA].id, Decision.REJECTED)
    accepted = await review(graph, resources, "main", found["The Sky", OF_SKY].id, Decision.ACCEPTED)
    edited = await review(graph, resources, "main", found["The Sea", BOTH].id, Decision.EDITED, f"  {new}\n")
    await enrich(graph, [enrichment], resources, collection="main")
    checksum = await graph_checksum(graph)

    assert (len(rejected.ids), len(accepted.ids), len(edited.ids)) == (1, 1, 2)
    after = await by_text(graph)
    assert {key: (one.review, one.original) for key, one in after.items()} == {
        ("The Sky", OF_SKY): ("accepted", None),
        ("The Sea", new): ("edited", BOTH),
        ("The Sky", new): ("edited", BOTH),
    }
    assert [one.duplicate_of is None for one in after.values()].count(False) == 1

    await delete(graph, [str(folder)])
    await ingest(graph, quick, [folder])
    await enrich(graph, [enrichment], resources, collection="main")
    assert (await graph_checksum(graph)).same_graph(checksum)

    await review(
        graph, resources, "main", after["The Sea", new].id, Decision.ACCEPTED
    )  # an edited one is accepted already
    assert (await find_question(graph, "main", after["The Sea", new].id)).review == "edited"
    await review(graph, resources, "main", after["The Sea", new].id, Decision.REJECTED)
    await enrich(graph, [replace(enrichment, keep=5)], resources, collection="main")
    assert {one.text for one in (await by_text(graph)).values()} == {OF_SKY}


async def test_what_cannot_be_decided_is_refused(graph: Database, resources: EnrichmentContext):
    question = (await by_text(graph))["The Sea", BOTH]

    for text in (None, " ", BOTH.upper(), "x" * 500, OF_SEA):
        with pytest.raises(InputError):
            await review(graph, resources, "main", question.id, Decision.EDITED, text)
    with pytest.raises(NotFoundError):
        await review(graph, resources, "main", paper_id("main", "none"), Decision.REJECTED)
    with pytest.raises(InputError, match="limit"):
        await list_questions(graph, "main", limit=0)
    assert await find_question(graph, "main", question.id) == question


@pytest.mark.writes_by_hand
@pytest.mark.parametrize(
    ("sabotage", "seen", "healed"),
    [
        (
            "MATCH (q:Question) WHERE q.text = $text CREATE (:Review {id: 'by hand', kind: 'question', "
            "decision: 'rejected', collection: 'main', about: [toUpper(q.text)]})",
            "question_rejected",
            True,
        ),
        ("MATCH (q:Question {text: $text}) REMOVE q.generator", "question_incomplete", False),
        (
            "MATCH (q:Question {text: $text})-[:ANSWERED_BY]->()<-[:ANSWERED_BY]-(o:Question) "
            "WITH q, o LIMIT 1 CREATE (q)-[:DUPLICATE_OF {score: 0.9}]->(o)",
            "duplicate_astray",
            True,
        ),
    ],
)
async def test_the_doctor_sees_what_is_wrong_with_questions_and_mends_it(
    graph: Database,
    enrichment: Questions,
    resources: EnrichmentContext,
    sabotage: str,
    seen: str,
    healed: bool,
    monkeypatch,
):
    monkeypatch.setattr(doctor, "SECOND_LOOK_S", 0.0)
    await graph.run_alone(Statement("test/sabotage", sabotage), text=OF_SEA)

    found = await examine(graph)
    mended = await repair(graph)
    after = await enrich(graph, [enrichment], resources, collection="main")
    left = await examine(graph)

    assert [finding.check for finding in found.findings] == [seen]
    assert mended.healthy == healed
    assert after.failed == ()
    assert left.healthy


async def test_two_that_enrich_at_once_make_the_same_graph(
    database: Database, quick: QuickEmbedder, folder: Path, enrichment: Questions, resources: EnrichmentContext
):
    await ingest(database, quick, [folder])

    await asyncio.gather(*(enrich(database, [enrichment], resources, collection="main") for _ in range(2)))
    await enrich(database, [enrichment], resources, collection="main")

    assert len(await by_text(database)) == 4
