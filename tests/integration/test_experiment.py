"""An experiment on a collection: replayed arms rank as live searches do, and its record says what was found."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from evaluation.answers.answer_ratings import RatingFile, Shown, read_ratings
from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.gather import gather
from evaluation.experiment.inspect import labels, latencies, lost
from evaluation.experiment.judging import judge
from evaluation.experiment.plan import Unit
from evaluation.experiment.plan_file import read_experiment
from evaluation.experiment.questions import Asked, questions_of, read_asked
from evaluation.experiment.run import decide
from evaluation.experiment.stores import Opened
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.language_model import LanguageModel
from papergraph.settings import Settings
from schema.digest import graph_digest
from server.retrieval.pipelines import shipped
from server.retrieval.resources import Resources
from server.retrieval.search import rank
from tests.support.fake_llm import FakeLLM
from tests.support.flat_settings import settings_of
from tests.support.ingestion import ingest, paper

FILE = """
questions = "questions.jsonl"
measure = "MRR@10"
baseline = "fused"
[[arms]]
pipelines = ["fused", "fast"]
grid = { "fuse.by" = ["rrf", "maximum", "min-max", "z-score", "interleave"], "search.k" = [5, 50] }
[[arms]]
pipelines = ["vector", "fulltext", "default"]
[[arms]]
pipelines = ["diverse"]
grid = { "select.alpha" = [0.3, 0.9], "select.max_per_paper" = [1, 2] }
[[arms]]
pipelines = ["vector"]
models = ["bge-small-en-v1.5"]
[[ensembles]]
retrievers = ["vector", "fulltext"]
"""
NEAR = 1e-3
"""How far the scores of two chunks may differ whose order two back ends of a model see differently."""
SUBJECTS = ("tabu search", "quantum annealing", "surface codes", "graph colouring", "protein folding", "tidal energy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "experiment.toml").write_text(FILE)
    lines = [{"question": f"What is said of {one}?", "papers": [f"On {one}"]} for one in SUBJECTS]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


@pytest_asyncio.fixture(loop_scope="session")
async def resources(database: Database, embedder: Embedder, folder: Path) -> AsyncIterator[Resources]:
    for one in SUBJECTS:
        (folder / f"{one}.md").write_text(paper(f"On {one}", body=f"We study {one}.\n\n## Why\n\nBecause of {one}."))
    await ingest(database, embedder, [folder / f"{one}.md" for one in SUBJECTS])
    yield Resources.of(database, embedder)


@pytest.mark.slow
async def test_replayed_arms_rank_as_live_searches_and_nothing_is_written(resources: Resources, folder: Path):
    before = await graph_digest(resources.database)
    plan = read_experiment(folder / "experiment.toml", shipped())
    asked = read_asked(folder / "questions.jsonl")
    questions = await questions_of(resources, asked, "main", Unit.PAPER)
    settings = Settings(cache=folder / "cache")

    place = await gather(settings, Opened(resources, "main", 2.0), plan, "", questions)
    evaluator = Evaluator(plan, {"": place})
    decision = decide(evaluator)

    assert decision.means["fused"] == 1.0
    assert any("6 questions are few" in warning for warning in decision.warnings)
    assert any("1 arm could not be replayed" in warning for warning in decision.warnings)  # default follows links
    for arm in decision.arms:
        for number, question in enumerate(questions):
            live = await rank(resources, question.text, pipeline=arm.pipeline, collection="main", k=20)
            papers = list(dict.fromkeys(one.paper_id for one in live))[:10]
            replayed = evaluator.ranking(arm, number)
            if arm.place.model:  # embedded once more, perhaps by another back end
                best = {one.paper_id: one.score for one in reversed(live)}
                assert set(replayed) == set(papers), arm.name
                assert all(best[one] > best[after] - NEAR for one, after in pairwise(replayed)), arm.name
            else:
                assert replayed == papers, arm.name

    times = await latencies(resources, place, decision.arms[:2])
    assert set(times) == {arm.name for arm in decision.arms[:2]}
    assert all(0 < one.p50 <= one.p95 <= one.high for one in times.values())
    stage, steps = await lost(resources, place, plan.arms[0], questions[0], Unit.PAPER, depth=10)
    assert stage in ("ranked lower", "not cited") and [one.step for one in steps] == ["search", "fuse"]
    assert steps[-1].place == 1
    elsewhere = replace(questions[0], gains={"nowhere": 1.0})
    assert (await lost(resources, place, plan.arms[0], elsewhere, Unit.PAPER, depth=10))[0] == "not retrieved"
    (id,) = questions[0].gains
    assert await labels(resources, [id], Unit.PAPER) == {id: "On tabu search"}
    assert (await graph_digest(resources.database)).same_graph(before)


async def test_evidence_and_answers_are_found_in_chunks(resources: Resources):
    asked = [
        Asked(id="1", question="Why?", evidence=["because of Tabu Search"]),
        Asked(id="2", question="What?", answers=["protein folding"]),
        Asked(id="3", question="Which?", papers=["On tidal energy"], evidence=["We study tabu search."]),
    ]

    papers = await questions_of(resources, asked, "main", Unit.PAPER)
    chunks = await questions_of(resources, asked, "main", Unit.CHUNK)

    assert [one.id for one in papers] == ["1", "2"]  # the third is not in the paper that is looked in
    assert all(len(one.gains) == 1 for one in papers)
    assert len(chunks[1].gains) >= 2 and not set(chunks[1].gains) & set(papers[1].gains)
    with pytest.raises(InputError, match="chunks are ranked"):
        await questions_of(resources, [Asked(id="1", question="?", papers=["On tidal energy"])], "main", Unit.CHUNK)
    with pytest.raises(InputError, match="On nothing"):
        await questions_of(resources, [Asked(id="1", question="?", papers=["On nothing"])], "main", Unit.PAPER)


async def test_a_model_judges_each_text_once_and_does_not_learn_who_found_it(tmp_path: Path, fake_llm: FakeLLM):
    shown = [
        Shown(id=str(n), reader=f"p{n}", question="Why?", sources=[{"title": "T", "text": f"text {n}"}]) for n in (1, 2)
    ]
    fake_llm.when("text 1", '{"reason": "it says so", "rating": 9}')
    fake_llm.when("text 2", '{"reason": "it does not", "rating": 2}')
    file = RatingFile(tmp_path / "judgements.jsonl")
    chosen = {"llm_url": fake_llm.url, "llm_model": "scripted", "cache": tmp_path / "cache"}

    async with LanguageModel.from_settings(settings_of(chosen)) as model:
        assert await judge(model, shown, file) == 2
        assert await judge(model, shown, file) == 0

    rated = {one.reader: (one.rater, one.rating) for one in read_ratings(tmp_path / "judgements.jsonl")}
    assert rated == {"p1": ("scripted", 9), "p2": ("scripted", 2)}
    assert not any("p1" in request.prompt for request in fake_llm.requests)
