"""Summaries of groups of papers: by a scripted model and without one, kept until a paper or a question changes."""

import asyncio
import json
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import AnswerFault, InputError, ModelAnswerError, NotFoundError
from papergraph.ingest.enrichments import summaries
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from papergraph.ingest.enrichments.metadata.enrichment import PaperValue
from papergraph.ingest.enrichments.summaries import summarize
from papergraph.language_model import LanguageModel
from papergraph.language_model.client import Retries
from papergraph.schema.ids import metadata_cluster_id
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM, Reply, rate_limited
from tests.support.ingestion import ingest
from tests.support.metadata import papers_of, write

pytestmark = pytest.mark.writes_by_hand

ASK = Statement(
    "test/ask",
    "MATCH (paper:Paper {id: $paper}) CREATE (:Question {id: $id, paperId: $paper, text: $text, answer: 'So.'})"
    "-[:ANSWERED_BY]->(paper)",
)
SUMMARIES = Statement(
    "test/summaries",
    "MATCH (summary:Summary) RETURN summary.text AS text, summary.generator AS generator, summary.nPapers AS n, "
    "COLLECT { MATCH (summary)-[:SUMMARIZES]->(cluster) RETURN cluster.name ORDER BY cluster.name } AS clusters "
    "ORDER BY text",
)
PHYSICS = metadata_cluster_id("main", "area", "physics")


def said(text: str, *keywords: str) -> str:
    return json.dumps({"summary": text, "keywords": keywords})


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(QuickEmbedder(embedder))


@pytest_asyncio.fixture
async def papers(database: Database, resources: EnrichmentContext, tmp_path: Path) -> list[StoredPaper]:
    """Papers on tides, waves and winds: all of physics, the first two rank, the last one clusters."""
    for name in ("Tides", "Waves", "Winds"):
        text = f"We measure {name} with many gauges. They rise and fall each day. Nobody knows why this is so."
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    await ingest(database, resources.embedder, [tmp_path])
    stored = await papers_of(database)
    for paper, task in zip(stored, ("ranking", "ranking", "clustering"), strict=True):
        await write(database, resources, paper, PaperValue("area", "physics", "t"), PaperValue("task", task, "t"))
    return stored


@pytest_asyncio.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path):
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen, retries=Retries(3, 5.0, first_pause_s=0.01)) as model:
        yield model


async def test_without_a_model_it_is_keywords_and_central_sentences_and_kept(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    first = await summarize(database, resources, collection="main", where={"task": ["ranking"]})
    again = await summarize(database, resources, collection="main", where={"task": ["ranking"]})
    of_cluster = await summarize(database, resources, collection="main", cluster=PHYSICS[:12])

    assert (first.generator, first.model, first.n_papers, first.was_stored) == ("extractive", None, 2, False)
    assert "We measure Tides with many gauges." in first.text.splitlines()
    assert "tides" in " ".join(first.keywords)
    assert (again.was_stored, again.text, again.keywords) == (True, first.text, first.keywords)
    assert (of_cluster.n_papers, of_cluster.about) == (3, "area: physics")
    stand = {(record["n"], *record["clusters"]) for record in await database.read(SUMMARIES)}
    assert stand == {(2, "ranking"), (3, "physics")}


async def test_values_of_a_field_are_alternatives_and_all_fields_are_needed(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    async def n(**where: list[str]) -> int:
        return (await summarize(database, resources, collection="main", where=where)).n_papers

    assert await n(task=["ranking", "clustering"]) == 3
    assert await n(task=["clustering"], area=["physics"]) == 1
    for where in ({"task": ["sailing"]}, {"area": ["physics"], "task": ["ranking", "sailing"]}):
        with pytest.raises(NotFoundError, match="sailing"):
            await n(**where)


async def test_what_is_asked_for_is_checked(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper]
):
    for wrong in ({}, {"cluster": PHYSICS, "where": {"task": ["ranking"]}}, {"cluster": "abc"}):
        with pytest.raises(InputError):
            await summarize(database, resources, collection="main", **wrong)
    with pytest.raises(NotFoundError):
        await summarize(database, resources, collection="main", cluster="f" * 64)
    with pytest.raises(NotFoundError):
        await summarize(database, resources, collection="other", cluster=PHYSICS)


async def test_a_model_reads_questions_and_what_papers_without_any_say(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper], fake_llm: FakeLLM, model: LanguageModel
):
    await database.run_alone(ASK, paper=papers[0].id, id="q", text="How high are tides?")
    fake_llm.script(said("On water.", "tides"))

    made = await summarize(
        database, EnrichmentContext(resources.embedder, model), collection="main", where={"task": ["ranking"]}
    )

    (request,) = fake_llm.requests
    assert "Q: How high are tides?\nA: So." in request.prompt
    assert "We measure Tides" not in request.prompt
    assert "Paper: Waves\nWe measure Waves" in request.prompt
    assert (made.text, made.keywords, made.model, made.n_questions) == ("On water.", ("tides",), "scripted", 1)


async def test_it_is_made_anew_when_a_question_or_a_member_changes(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper], fake_llm: FakeLLM, model: LanguageModel
):
    async def ask() -> tuple[str, bool]:
        found = await summarize(
            database, EnrichmentContext(resources.embedder, model), collection="main", where={"task": ["ranking"]}
        )
        return found.text, found.was_stored

    fake_llm.script(said("First."), said("Second."), said("Third."))

    assert [await ask(), await ask()] == [("First.", False), ("First.", True)]
    await database.run_alone(ASK, paper=papers[0].id, id="q", text="How high are tides?")
    assert [await ask(), await ask()] == [("Second.", False), ("Second.", True)]
    await write(database, resources, papers[2], PaperValue("task", "ranking", "t"))
    assert await database.read(SUMMARIES) == []
    assert [await ask(), await ask()] == [("Third.", False), ("Third.", True)]


async def test_a_large_group_is_read_in_parts_and_made_one_of(
    database: Database,
    resources: EnrichmentContext,
    papers: list[StoredPaper],
    fake_llm: FakeLLM,
    model: LanguageModel,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(summaries, "CHARS_PER_CALL", 150)
    fake_llm.otherwise(said("Of a part."))  # which papers stand together is a matter of their ids
    fake_llm.when("PARTS\n", said("Of all."))

    made = await summarize(database, EnrichmentContext(resources.embedder, model), collection="main", cluster=PHYSICS)

    assert made.text == "Of all."
    *of_parts, last = [request.prompt for request in fake_llm.requests]
    assert len(of_parts) == 2
    assert all(sum(f"We measure {name}" in prompt for prompt in of_parts) == 1 for name in ("Tides", "Waves", "Winds"))
    assert last.count("Of a part.") == 2


def test_a_part_has_twenty_clusters_at_most():
    entries = [(f"cluster {number // 2}", f"paper {number}") for number in range(2 * 41)]

    assert [text.count("[cluster") for text in summaries.parts(entries)] == [20, 20, 1]


async def test_two_who_ask_for_the_same_at_once_get_one(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper], fake_llm: FakeLLM, model: LanguageModel
):
    fake_llm.script(Reply(said("One."), delay_s=0.3))
    with_model = EnrichmentContext(resources.embedder, model)

    one, other = await asyncio.gather(
        *(summarize(database, with_model, collection="main", cluster=PHYSICS) for _ in range(2))
    )

    assert (one.text, other.text, {one.was_stored, other.was_stored}) == ("One.", "One.", {True, False})


async def test_a_model_that_fails_leaves_what_was_kept(
    database: Database, resources: EnrichmentContext, papers: list[StoredPaper], fake_llm: FakeLLM, model: LanguageModel
):
    with_model = EnrichmentContext(resources.embedder, model)

    for bad, fault in (
        ([Reply(refusal="No.")], AnswerFault.REFUSED),
        (["no JSON"] * 2, AnswerFault.NOT_JSON),
        ([said("")] * 2, AnswerFault.WRONG_SCHEMA),
    ):
        fake_llm.script(*bad)
        with pytest.raises(ModelAnswerError) as refused:
            await summarize(database, with_model, collection="main", cluster=PHYSICS)
        assert refused.value.fault is fault
        assert await database.read(SUMMARIES) == []

    fake_llm.script(rate_limited(), "no JSON", said("At last."))
    assert (await summarize(database, with_model, collection="main", cluster=PHYSICS)).text == "At last."
