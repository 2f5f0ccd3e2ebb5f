"""``papergraph experiment`` as somebody types it, on a data folder with a Neo4j that it starts for itself."""

import json
import tomllib
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.statement import Statement
from tests.support.command import Papergraph
from tests.support.servers import RunningServer

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
[[arms]]
pipelines = ["fast"]
grid = { "fuse.weights.vector" = [0.1, 0.4, 0.7, 0.9] }
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


def test_an_experiment_is_run_shown_and_adopted(papergraph: Papergraph, experiment: Path, cache: Path, tmp_path: Path):
    def typed(*words: str | Path) -> str:
        done = papergraph.process("experiment", *words, PAPERGRAPH_CACHE=str(cache))
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    found = json.loads(typed("run", experiment, "--output", tmp_path / "records", "--json"))
    record = Path(found["record"])
    assert len(found["means"]) == 6 and set(found["latencyMs"]) == set(found["means"])
    assert any("3 questions are few" in warning for warning in found["warnings"])
    assert found["verdict"] in (record / "report.html").read_text()

    shown = typed("show", record)
    assert found["verdict"] in shown and all(name in shown for name in found["means"])
    assert tomllib.loads(typed("adopt", record, "--name", "mine"))["pipelines"]["mine"]["steps"]


TITLES = Statement(
    "test/titles", "MATCH (p:Paper {collection: 'main'}) RETURN p.title AS title, p.id AS id ORDER BY p.id LIMIT 2"
)


async def test_questions_of_a_file_are_asked_of_a_collection(library: Database, server: RunningServer, tmp_path: Path):
    records = await library.read(TITLES)
    lines = [{"question": record["title"], "papers": [record["id"]]} for record in records]
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    file = tmp_path / "mine.toml"
    file.write_text('questions = "questions.jsonl"\nbaseline = "fused"\n[[arms]]\npipelines = ["vector"]\n')

    done = server.papergraph("experiment", "run", str(file), "--output", str(tmp_path / "records"), "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert set(found["means"]) == {"fused", "vector"} and len(found["questions"]) == 2
    assert min(found["means"].values()) > 0
