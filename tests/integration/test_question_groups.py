"""Questions across papers that share metadata: asked, answered at each paper, found by PR3, and gone with a paper."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.doctor import examine
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.metadata.enrichment import MetadataEnrichment
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.questions.review import Decision, StoredQuestion, list_questions, review
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.language_model import LanguageModel
from papergraph.schema.ids import text_hash
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer
from papergraph.server.answers.request import AskRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM, Request
from tests.support.ingestion import ingest
from tests.support.metadata import FIELDS

pytestmark = pytest.mark.slow

TIDES = "Tides rise twice each day at the coast. Gauges measure how high the tides rise at each of the harbours."
WAVES = "Waves carry energy over the sea to the coast. Buoys measure how high the waves are far outside harbours."
RANKING = "Ranking passages orders them by a learned score. A cross encoder reads both texts and gives the score."
PAPERS = {"Tides": TIDES, "Waves": WAVES, "Ranking": RANKING}
VECTORS = Statement(
    "test/hashes", "MATCH (q:Question {groupId: $group}) RETURN q.embeddingHash AS hash, q.embedding AS vector"
)
ACROSS = "How do gauges and buoys differ in what they measure at the coast?"
BOTH = "Gauges measure tides at harbours, buoys measure waves outside."


def told(request: Request) -> str:
    """Answer as a model does that finds one question across papers on the sea, and none in a paper."""
    prompt = request.prompt
    if "You catalogue research papers" in prompt:
        return json.dumps({"area": ["computing" if "Title: Ranking" in prompt else "physics"], "task": []})
    if "more than one of these papers" in prompt:
        pair = {"question": ACROSS, "answer": BOTH, "passages": [1, 2]}
        return json.dumps({"pairs": [pair]})
    if "in two roles" in prompt:
        return json.dumps({"pairs": []})
    if "You check" in prompt:
        return json.dumps({"answerable": True, "supported": True})
    if "You brief a researcher" in prompt:
        return json.dumps({"summary": "Tides and waves are measured.", "keywords": ["tides"]})
    if "You plan a search" in prompt:
        return json.dumps({"queries": ["what gauges measure", "what buoys measure"]})
    return 'Gauges and buoys differ [1: "measure how high"].'


@pytest_asyncio.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path) -> AsyncIterator[LanguageModel]:
    fake_llm.otherwise(told)
    settings = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(settings) as model:
        yield model


@pytest.fixture
def resources(embedder: Embedder, model: LanguageModel) -> EnrichmentContext:
    return EnrichmentContext(QuickEmbedder(embedder), model)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    for name, text in PAPERS.items():
        (tmp_path / "papers" / f"{name}.md").write_text(f"# {name}\n\n## Results\n\n{text}\n")
    return tmp_path / "papers"


def enrichments(model: LanguageModel | None) -> list[MetadataEnrichment | Questions]:
    return [
        MetadataEnrichment.choose(FIELDS, model),
        Questions.of(model, generator="auto" if model else "template", per_chunk=0, pairs=1, across=1),
    ]


async def across(database: Database) -> dict[str, StoredQuestion]:
    """Return the questions across papers by the titles of these."""
    found = await list_questions(database, "main", limit=100)
    return {one.paper: one for one in found if one.group_id is not None}


async def test_each_paper_answers_a_question_across_them_by_its_own_passages(
    database: Database, resources: EnrichmentContext, model: LanguageModel, folder: Path, fake_llm: FakeLLM
):
    await ingest(database, resources.embedder, [folder])

    report = await enrich(database, enrichments(model), resources, collection="main")
    n_asked = len(fake_llm.requests)
    again = await enrich(database, enrichments(model), resources, collection="main")

    found = await across(database)
    assert found.keys() == {"Tides", "Waves"}
    tides, waves = found["Tides"], found["Waves"]
    assert (tides.text, tides.answer, tides.metadata) == (ACROSS, BOTH, ("area: physics",))
    assert tides.group_id == waves.group_id
    assert len(tides.chunk_ids) == len(waves.chunk_ids) == 1 and tides.chunk_ids != waves.chunk_ids
    assert {tides.duplicate_of, waves.duplicate_of} == {None, min(tides.id, waves.id)}
    assert report.counts["questions"]["n_groups"] == report.counts["questions"]["n_groups_asked"] == 1
    of_papers = [request.prompt for request in fake_llm.requests if "in two roles" in request.prompt]
    assert sorted("Metadata: area: physics" in prompt for prompt in of_papers) == [False, True, True]
    assert (again.n_due, len(fake_llm.requests)) == (0, n_asked)
    assert (await examine(database)).healthy


async def test_only_the_question_is_embedded(
    database: Database, resources: EnrichmentContext, model: LanguageModel, folder: Path
):
    await ingest(database, resources.embedder, [folder])
    await enrich(database, enrichments(model), resources, collection="main")

    (first, second) = await database.read(VECTORS, group=(await across(database))["Tides"].group_id)

    assert first["hash"] == second["hash"] == text_hash(resources.embedder.card.sha256, ACROSS)
    expected = resources.embedder.encode_documents([ACROSS])[0]
    assert [float(np.dot(one["vector"], expected)) for one in (first, second)] == pytest.approx([1, 1], abs=0.01)


async def test_other_metadata_ask_again_and_other_papers_do_not(
    database: Database, resources: EnrichmentContext, model: LanguageModel, folder: Path, fake_llm: FakeLLM
):
    await ingest(database, resources.embedder, [folder / "Tides.md", folder / "Waves.md"])
    both = enrichments(model)
    await enrich(database, both, resources, collection="main")
    first = await across(database)
    n_asked = len(fake_llm.requests)

    await ingest(database, resources.embedder, [folder / "Ranking.md"])
    await enrich(database, both, resources, collection="main")
    of_new = [request.prompt for request in fake_llm.requests[n_asked:]]
    assert await across(database) == first
    assert all("Title: Ranking" in prompt for prompt in of_new) and len(of_new) == 2

    def moved(request: Request) -> str:
        is_metadata = "You catalogue research papers" in request.prompt
        return json.dumps({"area": ["computing"], "task": []}) if is_metadata else told(request)

    fake_llm.when("Title: Waves", moved)
    first_field, *others = FIELDS
    metadata = MetadataEnrichment.choose((replace(first_field, asks="Another question."), *others), model)
    await enrich(database, [metadata], resources, collection="main")
    n_asked = len(fake_llm.requests)
    due = await enrich(database, [metadata, both[1]], resources, collection="main")

    prompts = [request.prompt for request in fake_llm.requests[n_asked:]]
    assert due.n_due == 1
    assert sum("in two roles" in prompt for prompt in prompts) == 1
    assert any("Title: Waves" in prompt and "Metadata: area: computing" in prompt for prompt in prompts)
    assert (await across(database)).keys() == {"Ranking", "Waves"}


async def test_questions_across_papers_go_with_one_of_these(
    database: Database, resources: EnrichmentContext, model: LanguageModel, folder: Path
):
    await ingest(database, resources.embedder, [folder])
    await enrich(database, enrichments(model), resources, collection="main")

    await delete(database, [str(folder / "Tides.md")])

    assert await across(database) == {}
    assert (await examine(database)).healthy
    report = await enrich(database, enrichments(model), resources, collection="main")
    assert report.counts["questions"]["n_groups"] == 0


async def test_a_rejected_question_across_papers_is_not_made_again(
    database: Database, resources: EnrichmentContext, model: LanguageModel, folder: Path
):
    await ingest(database, resources.embedder, [folder])
    await enrich(database, enrichments(model), resources, collection="main")

    done = await review(database, resources, "main", (await across(database))["Tides"].id, Decision.REJECTED)
    await enrich(database, enrichments(model), resources, collection="main")

    assert len(done.ids) == 2
    assert await across(database) == {}


async def test_templates_ask_across_papers_without_a_model(database: Database, embedder: Embedder, folder: Path):
    for name in ("Tides", "Waves"):
        text = (folder / f"{name}.md").read_text()
        (folder / f"{name}.md").write_text(f"{text}\nA language model answers it.\n")
    resources = EnrichmentContext(QuickEmbedder(embedder))
    await ingest(database, resources.embedder, [folder])

    await enrich(database, enrichments(None), resources, collection="main")

    found = await across(database)
    assert {one.text for one in found.values()} == {"What do “Tides” and “Waves” say about computing?"} or {
        one.text for one in found.values()
    } == {"What do “Waves” and “Tides” say about computing?"}
    assert all(one.spans_paper and one.generator == "template" for one in found.values())
    own = {one.text for one in await list_questions(database, "main", limit=100) if one.group_id is None}
    assert "What does “Tides” say about computing?" in own


async def test_pr3_finds_a_question_across_papers_and_reads_passages_of_each(
    database: Database, embedder: Embedder, model: LanguageModel, folder: Path, fake_llm: FakeLLM
):
    resources = EnrichmentContext(embedder, model)
    await ingest(database, embedder, [folder])
    await enrich(database, enrichments(model), resources, collection="main")
    resources = replace(Resources.of(database, embedder), language_model=model)
    overrides = {"expand.metadata": {"area": ["physics"]}}

    found = await answer(resources, AskRequest(ACROSS, pipeline="pr3", overrides=overrides, min_answerability=0.0))

    prompt = fake_llm.requests[-1].prompt
    records = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"source"')]
    assert {record["title"] for record in records} == {"Tides", "Waves"}
    assert {(record["question"], record["answer"]) for record in records} == {(ACROSS, BOTH)}
    assert {"Gauges measure" in record["passage"] for record in records} == {True, False}
    assert isinstance(found, Answer)
