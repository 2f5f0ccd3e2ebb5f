"""An experiment on a collection: replayed arms rank as live searches do, and its record says what was found."""

import json
from pathlib import Path

import pytest

from evaluation.experiment.evaluate import regression
from evaluation.experiment.plan import read_experiment
from evaluation.experiment.questions import questions_of_file
from evaluation.experiment.record import FIGURES, PAGE, read_record, write_record
from evaluation.experiment.run import run_experiment
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from schema.digest import graph_digest
from server.retrieval.pipelines import shipped
from server.retrieval.resources import Resources
from server.retrieval.search import rank
from tests.support.ingestion import ingest, paper

FILE = """
questions = "questions.jsonl"
measure = "MRR@10"
baseline = "fused"
[[arms]]
pipelines = ["fused", "fast"]
grid = { "fuse.by" = ["rrf", "maximum", "min-max", "z-score"], "search.k" = [5, 50] }
[[arms]]
pipelines = ["vector", "fulltext", "default"]
"""
SUBJECTS = ("tabu search", "quantum annealing", "surface codes", "graph colouring", "protein folding", "tidal energy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "experiment.toml").write_text(FILE)
    lines = [{"question": f"What is said of {one}?", "papers": [f"On {one}"]} for one in SUBJECTS]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


async def test_replayed_arms_rank_as_live_searches_and_nothing_is_written(
    database: Database, embedder: Embedder, folder: Path
):
    for one in SUBJECTS:
        (folder / f"{one}.md").write_text(paper(f"On {one}", body=f"We study {one}.\n\n## Why\n\nBecause of {one}."))
    await ingest(database, embedder, [folder / f"{one}.md" for one in SUBJECTS])
    before = await graph_digest(database)
    plan = read_experiment(folder / "experiment.toml", shipped())
    questions = await questions_of_file(database, folder / "questions.jsonl", "main")
    resources = Resources.of(database, embedder)

    found = await run_experiment(resources, plan, questions, collection="main", chunks_per_paper=2.0)

    assert (await graph_digest(database)).same_graph(before)
    assert len(found.outcome.replayed) == len(plan.arms) - 1  # default follows links
    for arm in plan.arms:
        for question in questions:
            live = await rank(resources, question.text, pipeline=arm.pipeline, collection="main", k=20)
            papers = list(dict.fromkeys(one.paper_id for one in live))[:10]
            assert list(found.ranked[arm.name][question.id]) == papers, arm.name
    assert found.outcome.means["fused"] == 1.0
    assert any("6 questions are few" in warning for warning in found.outcome.warnings)

    place = write_record(folder / "records", plan, questions, found)
    again = write_record(folder / "records", plan, questions, found)
    read = read_record(place)
    assert place == again
    assert read["outcome"]["chosen"] == found.outcome.chosen
    assert len(json.loads((place / FIGURES).read_text())["figures"]) == len(plan.arms)
    assert found.outcome.verdict in (place / PAGE).read_text()
    assert regression(read, read, bound=0.0) is None
    worse = json.loads(json.dumps(read))
    worse["outcome"]["means"]["fused"] = 0.5
    assert "worse by more than 0.1" in str(regression(worse, read, bound=0.1))
    with pytest.raises(NotFoundError):
        read_record(folder)


async def test_papers_that_are_not_there_are_named(database: Database, embedder: Embedder, folder: Path):
    with pytest.raises(InputError, match="On graph colouring"):
        await questions_of_file(database, folder / "questions.jsonl", "main")
    (folder / "questions.jsonl").write_text('{"question": "?"}\n')
    with pytest.raises(InputError, match="line 1"):
        await questions_of_file(database, folder / "questions.jsonl", "main")
