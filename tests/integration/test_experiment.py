"""An experiment on a collection: questions of papers and of passages, arms as live searches, nothing is written."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.evaluation.experiment.grid import read_experiment
from papergraph.evaluation.experiment.questions import Asked, collection_task
from papergraph.evaluation.experiment.record import found_of, read_questions
from papergraph.evaluation.measures import Measure, parse_measure
from papergraph.evaluation.queries import Evidence
from papergraph.evaluation.retrieval.rankings import run_pipelines
from papergraph.schema.checksum import graph_checksum
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import rank
from tests.support.ingestion import ingest, paper

pytestmark = pytest.mark.slow

FILE = """
questions = "questions.jsonl"
measure = "MRR@10"
baseline = "fused"
[[arms]]
pipelines = ["fused"]
grid = { "fuse.by" = ["rrf", "interleave"], "search.k" = [5, 50] }
[[arms]]
pipelines = ["vector", "fulltext", "default"]
"""
SUBJECTS = ("tabu search", "quantum annealing", "surface codes", "graph colouring", "protein folding", "tidal energy")


def measure(name: str) -> Measure:
    found = parse_measure(name)
    assert found is not None
    return found


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


async def test_arms_rank_as_live_searches_and_nothing_is_written(resources: Resources, folder: Path):
    before = await graph_checksum(resources.database)
    plan = read_experiment(folder / "experiment.toml", shipped())

    task, corpus = await read_questions(resources, plan)
    runs = await run_pipelines(resources, task, corpus, plan.arms)
    found = found_of(plan, task, runs)

    assert len(found.figures) == len(plan.arms) == 8 and found.figures["fused"].mean() == 1.0
    for arm in plan.arms:
        for query in task.queries:
            live = await rank(resources, query.text, pipeline=arm, collection="main", k=20)
            papers = list(dict.fromkeys(one.paper_id for one in live))
            assert list(runs[arm.name][query.id].ids) == papers[: len(runs[arm.name][query.id].ids)], arm.name
    assert all(0 < times["p50"] <= times["p95"] for times in found.latency_ms.values())
    assert (await graph_checksum(resources.database)).same_graph(before)


async def test_evidence_and_answers_are_found_in_chunks(resources: Resources):
    asked = [
        Asked(id="1", question="Why?", evidence=["because of Tabu Search"]),
        Asked(id="2", question="What of protein folding?", answers=["protein folding"]),
        Asked(id="3", question="Which?", papers=["On tidal energy"], evidence=["We study tabu search."]),
    ]

    task, corpus = await collection_task(resources, asked, "main", measure("hit@3"))
    runs = await run_pipelines(resources, task, corpus, [shipped()["fast"]])

    assert [query.id for query in task.queries] == ["1", "2"]  # the third is not in the paper that is looked in
    spans = [query.gold.spans for query in task.queries if isinstance(query.gold, Evidence)]
    assert len(spans[0]) == 1 and len(spans[1]) >= 2
    assert any(runs["fast"]["2"].covered)
    with pytest.raises(InputError, match="On nothing"):
        await collection_task(resources, [Asked(id="1", question="?", papers=["On nothing"])], "main", measure("MRR@3"))
    with pytest.raises(InputError, match="1 have something right"):
        await collection_task(resources, asked[1:], "main", measure("MRR@3"))
