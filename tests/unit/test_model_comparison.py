"""Embedding models compared by their runs: which differences are significant, and what models cost."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from papergraph.embedding import DEFAULT_NAME
from papergraph.errors import EmbeddingError, InputError
from papergraph.evaluation.measures import parse_measure
from papergraph.evaluation.queries import Judged, Query
from papergraph.evaluation.retrieval.model_comparison import ModelCosts, compare, measure_costs, parse_models
from papergraph.evaluation.retrieval.rankings import Ranking
from papergraph.evaluation.retrieval.retrieval_evaluation import write_trec_runs
from papergraph.evaluation.task import CorpusDocument, Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.settings import Settings
from tests.support.embedders import save_projected_model
from tests.support.fake_model_server import FakeModelServer

N = 30
COSTS = ModelCosts(384, 90.9, 100.0, 0.0)


def run(*rankings: str) -> dict[str, Ranking]:
    return {str(number): Ranking(tuple(one), (), 10.0) for number, one in enumerate(rankings)}


def questions() -> Task:
    gold = Judged({"a": Decimal(1)}, frozenset("a"))
    return Task(
        name="small",
        split="test",
        corpus=None,
        sources=(Path("/data/corpus.jsonl"),),
        documents=(CorpusDocument("a", "", "text"),),
        queries=tuple(Query(str(number), "one", gold) for number in range(N)),
        unit="document",
        measures=tuple(filter(None, [parse_measure("MRR@2")])),
        skipped={},
        notes=(),
    )


def test_only_differences_that_chance_would_seldom_make_are_called_significant():
    runs = {
        "first": run(*["ba"] * N),
        "maker/better": run(*["ab"] * N),
        "lucky": run("ab", *["ba"] * (N - 1)),
        "worse": run(*["b"] * N),
    }

    found = compare(questions(), runs, dict.fromkeys(runs, COSTS), chunking=ChunkOptions())
    report = found.as_json()

    assert report["verdicts"] == [
        "MRR@2: maker/better is significantly better than first (p = 0.000)",
        "MRR@2: lucky does not differ significantly from first (p = 1.000)",
        "MRR@2: worse is significantly worse than first (p = 0.000)",
    ]
    assert report["models"]["maker/better"]["MRR@2"]["difference"]["mean"] == 0.5
    assert report["costs"]["first"]["dimension"] == 384
    assert all(verdict in found.report().as_text() for verdict in report["verdicts"])


def test_runs_of_models_go_to_files_whose_names_have_no_slash(tmp_path: Path):
    written = write_trec_runs({"maker/one": run("ab"), "two": run("ba")}, tmp_path / "run.txt")

    assert [path.name for path in written] == ["run.maker_one.txt", "run.two.txt"]


@pytest.mark.slow
def test_a_local_model_costs_room_and_time_and_a_served_one_money(tmp_path: Path):
    folder = save_projected_model(tmp_path / "small", dimension=16)
    documents = tuple(CorpusDocument(str(n), "", f"text {n} about tabu search") for n in range(200))
    asked = replace(questions(), documents=documents)
    with FakeModelServer(dimension=24) as server:
        settings = Settings(embedding={"url": server.url, "price": 1000.0})
        served = measure_costs(settings, "some/model", asked)
    local = measure_costs(Settings(), str(folder), asked)

    assert (local.dimension, local.price, served.dimension, served.size_mb) == (16, 0.0, 24, None)
    assert local.size_mb == pytest.approx(90.9, abs=1)
    assert min(local.texts_per_s, served.texts_per_s) > 0
    assert served.price == pytest.approx(200 * 7 * 1000 / 1e6, rel=0.3)


def test_a_model_that_is_not_here_is_told_before_anything_is_loaded():
    with pytest.raises(EmbeddingError, match="papergraph models get nobody/no-such-model"):
        measure_costs(Settings(), "nobody/no-such-model", questions())


@pytest.mark.parametrize("names", ["", "a", "a,a", f"{DEFAULT_NAME},"])
def test_fewer_than_two_models_are_no_comparison(names):
    with pytest.raises(InputError, match="two or more different models"):
        parse_models(names)
