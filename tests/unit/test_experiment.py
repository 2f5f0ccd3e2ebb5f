"""Experiments without a store: grids, hold-out and its power, questions and records."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from papergraph.errors import InputError, NotFoundError
from papergraph.evaluation.experiment.grid import Experiment, read_experiment
from papergraph.evaluation.experiment.hold_out import decide, warnings
from papergraph.evaluation.experiment.questions import ChunkText, Holding, read_asked
from papergraph.evaluation.experiment.record import PAGE, RECORD, Found, adopted, read_record, report_of, write_record
from papergraph.evaluation.queries import Span
from papergraph.evaluation.statistics import Floats, difference, holm, not_worse, p_value, parts
from papergraph.server.retrieval.candidates import Candidate, Ranking, RetrieverName
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.steps.fuse import Fuse, FuseBy, fuse


def rows_of(values: Any) -> dict[str, Floats]:
    """Return figures of arms that are called by their numbers, the baseline 0."""
    return {str(number): np.asarray(row, np.float64) for number, row in enumerate(values)}


def with_gain(row: Floats, gain: float) -> Floats:
    """Return figures whose mean is higher by ``gain``: each is a share of the way nearer to 1."""
    better: Floats = row + gain / float((1.0 - row).mean()) * (1.0 - row)
    return better


# Hold-out


@pytest.mark.slow
def test_of_equal_arms_one_is_seldom_called_better():
    generator = np.random.default_rng(3)
    called = 0
    for seed in range(60):
        rows = np.clip(generator.normal(0.5, 0.2, size=(20, 60)), 0, 1)
        called += decide(rows_of(rows), seed=seed).is_better

    assert called <= 3  # 5 %


@pytest.mark.slow
@pytest.mark.parametrize("folds", [None, 5])
def test_a_gain_of_three_hundredths_is_found_in_three_hundred_questions(folds: int | None):
    generator = np.random.default_rng(4)
    found = 0
    for seed in range(20):
        rows = np.tile(generator.uniform(0, 0.9, size=300), (4, 1)) + generator.normal(0, 0.05, size=(4, 300))
        rows[2] = with_gain(rows[2], 0.03)
        decision = decide(rows_of(rows), seed=seed, folds=folds)
        found += decision.is_better and decision.chosen == "2"

    assert found >= 16


def test_folds_report_on_all_questions_and_each_is_left_out_once():
    held = parts(11, 4, seed=1)

    assert sorted(int(number) for part in held for number in part) == list(range(11))
    assert len(parts(5, 4, seed=1)) == 2  # two questions in a part at least
    decision = decide(rows_of(np.random.default_rng(1).uniform(size=(3, 11))), seed=1, folds=4)
    assert len(decision.of_folds) == 4 and decision.n_chosen_by == 11


def test_the_baseline_stays_where_nothing_is_better():
    base = np.random.default_rng(2).uniform(0.2, 0.8, size=40)

    decision = decide(rows_of([base, base - 0.1]), seed=1)

    assert (decision.chosen, decision.report, decision.n_chosen_by) == ("0", None, 20)
    assert decision.verdict == "no arm is better than 0 on the questions that choose"
    assert decision.not_worse == ["0"]
    assert warnings(29) and not warnings(30)


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


def test_an_interleaved_fusion_takes_turns_from_the_highest_weight_on():
    ids = [f"p{number}" for number in range(6)]
    rankings = [
        Ranking(0, name, tuple(Candidate(f"c{id}", id, 0.9 - place / 10) for place, id in enumerate(order)))
        for name, order in ((RetrieverName.VECTOR, ids[::-1]), (RetrieverName.FULLTEXT, ids))
    ]
    step = Fuse(by=FuseBy.INTERLEAVE, weights={RetrieverName.FULLTEXT: 2.0})

    assert [one.paper_id for one in fuse(rankings, step)][:4] == ["p0", "p5", "p1", "p4"]


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
grid = { "fuse.by" = ["rrf", "share"], "search.k" = [50, 100] }
"""


def test_arms_are_all_combinations_without_those_that_are_the_same(tmp_path: Path):
    read = read_experiment(written(tmp_path, GRID), shipped())

    assert read.arms[0].name == "fast"
    assert len(read.arms) == 8  # fast with its own options is the baseline
    assert "fused fuse.by=share search.k=50" in [arm.name for arm in read.arms]
    assert read.path(Path("questions.jsonl")) == tmp_path / "questions.jsonl"


def test_one_of_the_weights_is_an_option(tmp_path: Path):
    text = GRID.replace('"fuse.by" = ["rrf", "share"], "search.k" = [50, 100]', '"fuse.weights.vector" = [0.9]')

    fuse_steps = [arm.steps[1] for arm in read_experiment(written(tmp_path, text), shipped()).arms[1:]]

    assert next(step.weights for step in fuse_steps if isinstance(step, Fuse)) == {"vector": 0.9, "fulltext": 0.4}


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("arms = []", "file"),
        ("nothing", "file"),
        (GRID.replace("questions", "other"), "file"),
        (GRID.replace('questions = "questions.jsonl"', ""), "file"),
        (GRID.replace('questions = "questions.jsonl"', 'questions = "a.jsonl"\ndata = "d"'), "file"),
        (GRID.replace('baseline = "fast"', 'baseline = "fast"\nmeasure = "F1"'), "measure"),
        (GRID.replace('baseline = "fast"', 'baseline = "fast"\nmeasure = "accuracy"'), "measure"),
        (GRID.replace("fuse.by", "fuse.bye"), "fuse.bye"),
        (GRID.replace("[50, 100]", str(list(range(1, 150)))), "arms"),
        (GRID.replace('baseline = "fast"', 'baseline = "fasst"'), "pipeline"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(tmp_path: Path, text: str, field: str):
    with pytest.raises(InputError) as refused:
        read_experiment(written(tmp_path, text), shipped())

    assert refused.value.field == field


LINES = [
    {"id": "t1", "question": "What is said?", "answers": ["42 qubits"], "evidence": ["It takes 42 qubits."]},
    {"question": "Nothing?", "kind": "unanswerable", "answers": []},
    {"question": "Which passages?", "chunks": ["c1"]},
]
GRADED = [
    {"question": "Which papers?", "papers": ["doi:10.1000/1"]},
    {"question": "Which, by grade?", "papers": {"On tabu search": 2, "On annealing": 1}, "id": "graded"},
]


def lines_of(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_questions_of_papers_and_of_test_sets_are_read(tmp_path: Path):
    (tmp_path / "passages.jsonl").write_text(lines_of(LINES))
    (tmp_path / "papers.jsonl").write_text(lines_of(GRADED))

    passages, papers = (read_asked(tmp_path / f"{name}.jsonl") for name in ("passages", "papers"))

    assert [one.id for one in passages] == ["t1", "3"] and [one.id for one in papers] == ["1", "graded"]
    assert papers[1].graded == {"On tabu search": 2, "On annealing": 1}
    assert passages[0].texts == ["It takes 42 qubits."]
    (tmp_path / "set.csv").write_text("question,answer\nHow many?,42\nHow much?,7\n")
    assert [one.answers for one in read_asked(tmp_path / "set.csv")] == [["42"], ["7"]]
    (tmp_path / "mixed.jsonl").write_text(lines_of([*LINES, *GRADED]))
    with pytest.raises(InputError, match="others passages"):
        read_asked(tmp_path / "mixed.jsonl")
    (tmp_path / "one.jsonl").write_text(lines_of(LINES[:1]))
    with pytest.raises(InputError, match="has 1 questions"):
        read_asked(tmp_path / "one.jsonl")


@pytest.mark.parametrize(
    "line", ['{"question": "?"}', '{"papers": ["a"]}', "nothing", '{"question": "?", "papers": 3}']
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str):
    (tmp_path / "questions.jsonl").write_text(f"{json.dumps(LINES[0])}\n{line}\n")

    with pytest.raises(InputError, match="line 2"):
        read_asked(tmp_path / "questions.jsonl")


def test_evidence_is_held_by_chunks_with_its_words_or_half_of_many():
    words = " ".join(f"word{number}" for number in range(12))
    texts = {
        "a": "It takes 42 Qubits, and more.",
        "b": "It takes 420 qubits.",
        "c": "…word6 word7 word8 word9 word10 word11",
    }
    holding = Holding([ChunkText(id, text, Span(f"p-{id}", 0, 9)) for id, text in texts.items()])

    assert [one.id for one in holding.of(["42 qubits"])] == ["a"]
    assert [one.id for one in holding.of([words])] == ["c"]
    assert holding.of(["42 qubits"], frozenset({"p-b"})) == [] and holding.of(["…"]) == []


# Records


def recorded(folder: Path, rows: Any) -> tuple[Experiment, Path]:
    """Write the record of an experiment with known figures."""
    plan = read_experiment(written(folder, GRID), shipped())
    names = [arm.name for arm in plan.arms][: len(rows)]
    figures = dict(zip(names, map(np.asarray, rows), strict=True))
    times = {name: {"p50": 1.0, "p95": 2.0} for name in names}
    ids = [str(number) for number in range(len(rows[0]))]
    found = Found("<b>mine</b>", ids, figures, times, decide(figures, seed=1))
    return plan, write_record(folder / "records", plan, found)


def test_a_record_has_figures_verdict_page_and_the_chosen_arm(tmp_path: Path):
    base = np.random.default_rng(8).uniform(0, 0.8, size=60)
    plan, folder = recorded(tmp_path, [base, base + 0.1])

    record = read_record(folder)

    assert recorded(tmp_path, [base, base + 0.1])[1] == folder
    assert recorded(tmp_path, [base, base])[1] != folder
    assert record["found"]["chosen"] == plan.arms[1].name
    assert "is better than fast" in record["found"]["verdict"]
    assert record["found"]["report"]["mean"] == pytest.approx(0.1)
    assert adopted(folder, "mine").steps == plan.arms[1].steps and folder.name in adopted(folder, "mine").source
    page = (folder / PAGE).read_text()
    assert page == report_of(record).as_html()
    assert "<b>" not in page and "&lt;b&gt;mine&lt;/b&gt;" in page and "+0.1000 [+0.100, +0.100]" in page


def test_what_is_no_record_is_an_error(tmp_path: Path):
    with pytest.raises(NotFoundError):
        read_record(tmp_path)
    (tmp_path / RECORD).write_text('{"form": 1}')
    with pytest.raises(InputError, match="another version"):
        read_record(tmp_path)
