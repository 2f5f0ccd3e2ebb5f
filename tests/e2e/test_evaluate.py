"""``papergraph eval retrieval`` as somebody types it, with a Neo4j that it starts for itself."""

import json
from pathlib import Path

import pytest

from papergraph.embedding import DEFAULT_NAME
from tests.support.command import Papergraph
from tests.support.embedders import save_projected_model

ADJECTIVES = ("ancient", "digital", "frozen", "hidden", "medical", "tropical")
NOUNS = ("bridges", "dialects", "enzymes", "forests", "markets", "planets")
MEASURES = ("nDCG@10", "MRR@10")
DOCUMENTS = {
    "a/1": ("Surface codes", "A patch of distance 7 uses 97 physical qubits."),
    "a/2": ("Tabu search", "A list of forbidden moves keeps the search from going back."),
}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A data folder in BEIR's own layout."""
    folder = tmp_path / "small"
    folder.mkdir()
    records = [{"_id": id, "title": title, "text": text, "metadata": {}} for id, (title, text) in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "how many physical qubits"}\n')
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta/1\t1\n")
    return folder


@pytest.mark.slow
@pytest.mark.release
def test_a_folder_is_evaluated_and_its_corpus_is_kept_for_the_next_time(papergraph: Papergraph, beir, cache, tmp_path):
    figures, run, swept, page = (tmp_path / name for name in ("figures.json", "run.txt", "swept.json", "page.html"))
    answered, given = tmp_path / "answered.json", tmp_path / "given.jsonl"

    first = papergraph.process("eval", "retrieval", beir, "--output", figures, PAPERGRAPH_CACHE=str(cache))
    fused = ("--pipeline", "fused", "--trec-run", run, "--quiet")
    second = papergraph.process("eval", "retrieval", beir, *fused, PAPERGRAPH_CACHE=str(cache))
    sweep = (
        "--sweep",
        "diverse",
        "--pipeline",
        "fused",
        "--alpha",
        "0.5,1",
        "-k",
        "1",
        "--pool",
        "2",
        "--html",
        page,
        "--output",
        swept,
        "--quiet",
    )
    third = papergraph.process("eval", "selection", beir, *sweep, PAPERGRAPH_CACHE=str(cache))
    html = tmp_path / "answers.html"
    answers = ("--readers", "extractive", "--output", answered, "--save-answers", given, "--html", html)
    fourth = papergraph.process("eval", "answers", beir, *answers, "--quiet", PAPERGRAPH_CACHE=str(cache))

    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("small test: 1 queries\n2 documents in 2 chunks, loaded in ")
    report = json.loads(figures.read_text())
    assert (report["dataset"], report["split"]) == ("small", "test")
    assert set(report["pipelines"]) == set(report["latencyMs"]) == {"vector", "fulltext", "fused", "default"}
    for measures in report["pipelines"].values():
        assert set(measures) == {"nDCG@10", "recall@100", "MRR@10"}
        assert all(figure["low"] == figure["mean"] == figure["high"] == 1.0 for figure in measures.values())
    assert (report["ingest"]["documents"], report["ingest"]["reused"]) == (2, False)
    assert (second.returncode, second.stderr) == (0, "")
    assert "2 documents in 2 chunks, loaded before" in second.stdout
    assert run.read_text().splitlines()[0] == "q Q0 a/1 1 1 fused"
    assert (third.returncode, third.stderr) == (0, "")
    ways = ["top_k of 2", "exact 0.5 of 2", "exact 1 of 2", "mmr 0.5 of 2", "mmr 1 of 2", "pipeline fused"]
    assert [row["name"] for row in json.loads(swept.read_text())["rows"]] == ways
    assert all(way in third.stdout and way in page.read_text() for way in ways)
    assert fourth.returncode == 0, fourth.stderr
    assert json.loads(answered.read_text())["readers"]["extractive"]["n_answered"] == 1
    assert "extractive" in html.read_text()
    (line,) = given.read_text().splitlines()
    assert "97 physical qubits" in json.loads(line)["answer"]
    assert not any(f"--home-dir={cache}" in " ".join(p.info["cmdline"]) for p in papergraph.neo4j_processes())


@pytest.mark.slow
@pytest.mark.release
def test_two_models_are_compared_by_quality_time_size_and_price(papergraph: Papergraph, cache, tmp_path):
    folder, figures = tmp_path / "subjects", tmp_path / "figures.json"
    folder.mkdir()
    subjects = [f"{adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS]
    lines = [json.dumps({"_id": str(n), "title": one, "text": f"A study of {one}."}) for n, one in enumerate(subjects)]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    asked = [json.dumps({"_id": str(n), "text": f"what is known of {one}"}) for n, one in enumerate(subjects)]
    (folder / "queries.jsonl").write_text("\n".join(asked))
    (folder / "qrels").mkdir()
    right = "".join(f"{n}\t{n}\t1\n" for n in range(len(subjects)))
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{right}")
    narrow = save_projected_model(tmp_path / "narrow", dimension=3)
    models = ("--models", f"{DEFAULT_NAME},{narrow}", "--measures", "nDCG@10,MRR@10")

    done = papergraph.process("eval", "retrieval", folder, *models, "--output", figures, PAPERGRAPH_CACHE=str(cache))

    assert done.returncode == 0, done.stderr
    found = json.loads(figures.read_text())
    assert set(found["models"]) == set(found["costs"]) == set(found["latencyMs"]) == {DEFAULT_NAME, str(narrow)}
    best, worse = found["models"][DEFAULT_NAME]["nDCG@10"], found["models"][str(narrow)]["nDCG@10"]
    assert best["mean"] > 0.9 > worse["mean"] > 0.0
    assert worse["difference"]["high"] < 0
    of_narrow = found["costs"][str(narrow)]
    assert (of_narrow["dimension"], of_narrow["price"]) == (3, 0.0)
    assert of_narrow["size_mb"] > 80 and of_narrow["texts_per_s"] > 0
    assert found["pValues"]["nDCG@10"][str(narrow)] < 0.05
    assert all(f"{measure}: {narrow} is significantly worse than {DEFAULT_NAME}" in done.stdout for measure in MEASURES)
    assert not any(f"--home-dir={cache}" in " ".join(p.info["cmdline"]) for p in papergraph.neo4j_processes())


def test_what_measures_answers_is_skipped_with_the_reason_and_nothing_is_started(papergraph, beir, tmp_path):
    task = {
        "name": "answers",
        "corpus": "corpus.jsonl",
        "splits": {"test": {"queries": "queries.jsonl", "qrels": "qrels/test.tsv"}},
        "default_split": "test",
        "answer": "answer",
        "measures": ["ROUGE-L", "F1"],
    }
    (beir / "task.json").write_text(json.dumps(task))

    result = papergraph("eval", "retrieval", beir, "--output", tmp_path / "figures.json")

    assert (result.returncode, result.stderr) == (0, "")
    assert "ROUGE-L is skipped: it measures answers, which papergraph eval answers computes" in result.stdout
    assert json.loads((tmp_path / "figures.json").read_text())["pipelines"] == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["retrieval", "--pipeline", "fused,magic"], "There is no pipeline 'magic'"),
        (["retrieval", "--pipeline", "fused,fused"], "a pipeline is named twice"),
        (["retrieval", "--split", "dev"], "there is no split 'dev', only test"),
        (["retrieval", "--corpus", "large"], "there is no alternative corpus 'large'"),
        (["selection", "--sweep", "magic"], "There is no pipeline 'magic'"),
        (["selection", "--alpha", "0.5,2"], "alpha must be in [0, 1], got 2"),
        (["selection", "-k", "some"], "k takes whole numbers with commas between"),
        (["selection", "--backend", "exact,magic"], "there is no back end 'magic'"),
        (["selection", "--tune", "c*"], "no query matches 'c*'"),
        (
            ["answers", "--readers", "magic"],
            "Reader 'magic' does not exist. Choose from extractive, model, passages, questions, pages, topic",
        ),
        (["answers", "--readers", "extractive", "--pipeline", "fused,vector"], "the passages of one pipeline"),
        (["retrieval", "--output", "gone/figures.json"], "cannot write gone/figures.json: there is no folder gone"),
        (["compare", "-o", "out", "--chunkers", "magic"], "Chunker 'magic' does not exist. Choose from own, default"),
        (["compare", "-o", "out", "--pipeline", "m2"], "none of the pipelines can run: m2: no reranker is configured"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_started(papergraph, beir, arguments, message):
    result = papergraph("eval", arguments[0], beir, *arguments[1:])

    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    "arguments",
    [["selection", "--trec-run", "run.txt"], ["retrieval", "--judge"], ["compare", "--html", "page.html"]],
    ids=" ".join,
)
def test_an_option_of_another_evaluation_is_refused(papergraph, beir, arguments):
    result = papergraph("eval", arguments[0], beir, *arguments[1:])

    assert (result.returncode, result.stdout) == (2, "")
    assert f"No such option: {arguments[1]}" in result.stderr
