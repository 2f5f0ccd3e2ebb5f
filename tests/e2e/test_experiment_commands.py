"""``papergraph experiment`` as somebody types it, on a data folder with a Neo4j that it starts for itself."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.support.command import Papergraph

pytestmark = pytest.mark.slow

TEXTS = {
    "1": ("Surface codes", "A patch of distance 7 uses 97 physical qubits."),
    "2": ("Tabu search", "A list of forbidden moves keeps the search from going back."),
    "3": ("Tidal energy", "Turbines in a strait turn with the tide."),
}
QUESTIONS = {"q1": ("how many physical qubits", "1"), "q2": ("forbidden moves of a search", "2"), "q3": ("tides", "3")}
FILE = """
data = "small"
measure = "MRR@3"
baseline = "vector"
[[arms]]
pipelines = ["fulltext"]
[[search]]
pipelines = ["fast"]
points = 4
space = { "fuse.weights.vector" = { from = 0.0, to = 1.0 } }
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """A data folder in BEIR's layout, and an experiment on it."""
    folder = tmp_path / "small"
    folder.mkdir()
    records = [{"_id": id, "title": title, "text": text} for id, (title, text) in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    asked = [{"_id": id, "text": text} for id, (text, _) in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in asked))
    lines = [f"{id}\t{doc}\t1\n" for id, (_, doc) in QUESTIONS.items()]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    (tmp_path / "mine.toml").write_text(FILE)
    return tmp_path / "mine.toml"


def test_an_experiment_is_run_repeated_guarded_adopted_and_pooled(
    papergraph: Papergraph, experiment: Path, cache: Path, tmp_path: Path
):
    def typed(*words: str | Path) -> str:
        done = papergraph.process("experiment", *words, PAPERGRAPH_CACHE=str(cache))
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    found = json.loads(typed("run", experiment, "--output", tmp_path / "records", "--json"))
    record = Path(found["record"])
    assert len(found["means"]) == 6 and found["n_searched"] == 4
    assert any("3 questions are few" in warning for warning in found["warnings"])
    assert set(found["pareto"]) <= set(found["costs"]) and len(found["costs"]) >= 3
    assert "Questions that got worse" in (record / "report.html").read_text()

    assert "the same figures" in typed("repeat", record, "--output", tmp_path / "records", "--quiet")
    guarded = ("guard", experiment, "--against", record, "--output", tmp_path / "guarded", "--quiet")
    assert "has not become worse" in typed(*guarded)
    assert tomllib.loads(typed("adopt", record, "--name", "mine"))["pipelines"]["mine"]["steps"]
    assert "3 questions" in typed("compare", record, record)
    pooled = json.loads(typed("pool", record, tmp_path / "pool.jsonl", "--json"))
    shown = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    assert len(shown) == pooled["n"] > 0 and not any("fast" in json.dumps(one) for one in shown)
    assert {one["sources"][0]["title"] for one in shown} <= {title for title, _ in TEXTS.values()}
