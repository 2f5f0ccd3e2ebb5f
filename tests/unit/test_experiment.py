"""Experiments without a store: replayed fusion is fusion, figures are those of ir-measures, chance wins nothing."""

import json
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from evaluation.experiment.figures import figure
from evaluation.experiment.plan import read_experiment
from evaluation.experiment.questions import Question, drawn
from evaluation.experiment.record import page
from evaluation.experiment.replay import Table, is_replayable, papers_in_order
from evaluation.experiment.statistics import difference, halves, holm, not_worse, p_value
from evaluation.measures import figures, parse_measure
from evaluation.queries import Judged, Query
from papergraph.errors import InputError
from server.retrieval.candidates import Candidate, Ranking, RetrieverName
from server.retrieval.pipelines import shipped
from server.retrieval.steps.fuse import Across, Fuse, FuseBy, fuse

ANY = random.Random(7)  # noqa: S311 nothing secret


def ranking(retriever: RetrieverName, *, query: int = 0) -> Ranking:
    """Return a ranking with few scores, so that many are equal."""
    ids = ANY.sample(range(60), ANY.randrange(0, 40))
    scores = sorted((ANY.randrange(1, 8) / 8 for _ in ids), reverse=True)
    found = (Candidate(f"c{id:02}", f"p{id % 9}", score) for id, score in zip(ids, scores, strict=True))
    return Ranking(query, retriever, tuple(found))


@pytest.mark.parametrize("by", list(FuseBy))
def test_a_replayed_fusion_has_the_order_of_a_search(by: FuseBy):
    for _ in range(60):
        rankings = [ranking(name) for name in (RetrieverName.VECTOR, RetrieverName.FULLTEXT, RetrieverName.NAME)]
        table = Table(rankings)
        for _ in range(5):
            weights = {name: ANY.randrange(0, 5) / 4 for name in (RetrieverName.VECTOR, RetrieverName.FULLTEXT)}
            step = Fuse(by=by, weights=weights, k=ANY.choice((None, 5, 30)), constant=ANY.choice((1, 60)))

            assert table.order(step) == [one.chunk_id for one in fuse(rankings, step)]


@pytest.mark.parametrize("across", list(Across))
def test_questions_that_were_cut_are_fused_as_a_search_does(across: Across):
    rankings = [
        ranking(name, query=query) for query in (1, 2) for name in (RetrieverName.VECTOR, RetrieverName.FULLTEXT)
    ]
    step = Fuse(across=across, k=20)

    assert Table(rankings).order(step) == [one.chunk_id for one in fuse(rankings, step)]


def test_which_pipelines_can_be_replayed():
    names = {name for name, pipeline in shipped().items() if is_replayable(pipeline)}

    assert {"fast", "fused", "vector", "fulltext", "sv"} <= names
    assert not {"default", "diverse", "am", "kv", "sv*"} & names


def test_papers_stand_at_the_place_of_their_best_chunk():
    papers = {"a": "p", "b": "q", "c": "p", "d": "r"}

    assert papers_in_order(["b", "a", "c", "d"], papers, depth=2) == ["q", "p"]


@pytest.mark.parametrize("name", ["nDCG@10", "nDCG@3", "recall@5", "MRR@10", "hit@3"])
def test_figures_are_those_of_ir_measures(name: str):
    measure = parse_measure(name)
    assert measure is not None
    for _ in range(40):
        papers = [f"p{number}" for number in range(30)]
        gains = {paper: ANY.randrange(1, 4) for paper in ANY.sample(papers, ANY.randrange(1, 9))}
        ranked = ANY.sample(papers, ANY.randrange(0, 20))
        gold = Judged({paper: Decimal(gain) for paper, gain in gains.items()}, frozenset(gains))

        expected = figures(measure, [Query("1", "?", gold)], {"1": ranked})["1"]

        assert figure(measure, Question("1", "?", gains), ranked) == pytest.approx(expected, abs=1e-6)


def test_of_equal_arms_one_is_seldom_called_better():
    generator = np.random.default_rng(3)
    called = 0
    for seed in range(200):
        arms = np.clip(generator.normal(0.5, 0.2, size=(20, 60)), 0, 1)
        first, second = halves(60, seed=seed)
        best = int(np.argmax(arms[:, first].mean(axis=1)))
        deltas = arms[best, second] - arms[0, second]
        called += best != 0 and p_value(deltas, seed=seed) < 0.05 and deltas.mean() > 0

    assert called <= 10  # 5 %


def test_a_gain_of_three_hundredths_is_found_in_three_hundred_questions():
    generator = np.random.default_rng(4)
    found = 0
    for seed in range(50):
        base = generator.uniform(0, 1, size=300)
        better = base + 0.03 + generator.normal(0, 0.1, size=300)
        second = halves(300, seed=seed)[1]
        found += p_value(better[second] - base[second], seed=seed) < 0.05

    assert found >= 40


def test_differences_have_intervals_and_say_what_could_be_seen():
    told = difference(np.array([0.5, 0.6, 0.9, 0.4] * 10), np.array([0.4, 0.6, 0.7, 0.4] * 10), seed=1)

    assert told.mean == pytest.approx(0.075)
    assert told.low < told.mean < told.high
    assert told.p < 0.01 and 0 < told.detectable < 0.1


def test_p_values_are_corrected_for_their_number():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert p_value(np.zeros(9), seed=1) == 1.0


def test_arms_that_are_not_shown_to_be_worse_stay_beside_the_best():
    generator = np.random.default_rng(5)
    base = generator.uniform(0, 1, size=200)
    arms = {"best": base, "like": base + generator.normal(0, 0.05, 200) - 0.001, "worse": base - 0.2}

    assert not_worse(arms, "best", seed=1) == ["best", "like"]


# Files


def written(folder: Path, text: str) -> Path:
    path = folder / "experiment.toml"
    path.write_text(text)
    return path


GRID = """
questions = "questions.jsonl"
baseline = "fast"
[[arms]]
pipelines = ["fast", "fused"]
grid = { "fuse.by" = ["rrf", "maximum"], "search.k" = [50, 100] }
"""


def test_arms_are_all_combinations_without_those_that_are_the_same(tmp_path: Path):
    read = read_experiment(written(tmp_path, GRID), shipped())

    assert read.arms[0].name == "fast"
    assert len(read.arms) == 8  # fast with its own options is the baseline
    assert "fused fuse.by=maximum search.k=50" in [arm.name for arm in read.arms]
    assert read.path(Path("questions.jsonl")) == tmp_path / "questions.jsonl"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("arms = []", "file"),
        ("nothing", "file"),
        (GRID.replace("questions", "other"), "file"),
        (GRID.replace('questions = "questions.jsonl"', ""), "data"),
        (GRID.replace('baseline = "fast"', 'baseline = "fast"\nmeasure = "F1"'), "measure"),
        (GRID.replace('baseline = "fast"', 'baseline = "fast"\nmeasure = "accuracy"'), "measure"),
        (GRID.replace("fuse.by", "fuse.bye"), "fuse.bye"),
        (GRID.replace("[50, 100]", str(list(range(1, 600)))), "arms"),
        (GRID.replace('baseline = "fast"', 'baseline = "fasst"'), "pipeline"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(tmp_path: Path, text: str, field: str):
    with pytest.raises(InputError) as refused:
        read_experiment(written(tmp_path, text), shipped())

    assert refused.value.field == field


def test_questions_are_drawn_in_their_order():
    questions = [Question(str(number), "?", {"p": 1.0}) for number in range(20)]

    some = drawn(questions, 5, seed=1)

    assert len(some) == 5 and some == sorted(some, key=lambda one: int(one.id)) and some == drawn(questions, 5, seed=1)
    assert drawn(questions, None, seed=1) == questions


def test_texts_of_questions_are_text_on_the_page():
    outcome = {
        "measure": "nDCG@10",
        "means": {"<b>": 0.5},
        "not_worse": ["<b>"],
        "n_questions": 2,
        "n_chosen_by": 1,
        "verdict": "<script>",
        "warnings": ["<i>"],
        "worse": [
            {
                "text": "<img src=x>",
                "baseline": 1.0,
                "chosen": 0.0,
                "place_before": 1,
                "place": None,
                "stage": "fusion",
            }
        ],
    }

    made = page({"outcome": json.loads(json.dumps(outcome))})

    assert all(mark not in made for mark in ("<script>", "<img", "<i>", "<b>"))
    assert "&lt;img src=x&gt;" in made
