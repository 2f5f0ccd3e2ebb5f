"""Experiments without a store: replayed fusion is fusion, figures are those of ir-measures, chance wins nothing."""

import json
import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.answers.answer_ratings import Rated
from evaluation.experiment.choose import halved, learned, searched
from evaluation.experiment.evaluate import compare, differences, needed, regression
from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.figures import figure
from evaluation.experiment.gather import Gathered
from evaluation.experiment.outcome import Outcome
from evaluation.experiment.page import page
from evaluation.experiment.plan_file import read_experiment
from evaluation.experiment.questions import Question, drawn, read_asked, shared, with_judgements
from evaluation.experiment.rankings import Rankings
from evaluation.experiment.record import Found, read_record, write_record
from evaluation.experiment.replay import Recipe, Table, is_replayable, papers_in_order
from evaluation.experiment.run import decide, pareto, shows_better, split
from evaluation.experiment.space import Range, drawn_points
from evaluation.experiment.texts import ChunkText, Holding
from evaluation.measures import figures, parse_measure
from evaluation.queries import Judged, Query
from evaluation.statistics import difference, holm, not_worse, p_value, parts, questions_for
from papergraph.errors import InputError, NotFoundError
from server.retrieval.candidates import Candidate, Ranking, RetrieverName
from server.retrieval.pipelines import shipped
from server.retrieval.steps.fuse import Across, Fuse, FuseBy, fuse
from server.retrieval.steps.select import Select, choose_by
from server.retrieval.steps.threshold import Threshold
from server.selection.backends import ExactBackend
from tests.support.known_figures import KnownFigures, known_plan, with_gain

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

    assert {"fast", "fused", "vector", "fulltext", "sv", "diverse"} <= names
    assert not {"default", "am", "kv", "sv*"} & names


def test_thresholds_and_selections_are_replayed_as_they_run():
    rankings = [ranking(name) for name in (RetrieverName.VECTOR, RetrieverName.FULLTEXT)]
    drawn = np.random.default_rng(2).standard_normal((60, 8))
    vectors = {f"c{id:02}": (row / np.linalg.norm(row)).astype(np.float32) for id, row in enumerate(drawn)}
    pipeline = replace(shipped()["diverse"], steps=shipped()["diverse"].steps[1:])
    table = Table(rankings, Rankings(vectors=vectors))
    for alpha, above in ((0.3, 0.0), (0.7, 0.1), (1.0, 0.4)):
        search, step, chosen = pipeline.overridden({"select.alpha": alpha, "select.k": 4}).steps
        arm = replace(pipeline, steps=(search, step, Threshold(above=above), chosen))
        assert is_replayable(arm) and isinstance(step, Fuse) and isinstance(chosen, Select)

        left = [one for one in fuse(rankings, step) if one.score > above]
        expected, _ = choose_by(ExactBackend(), left, chosen, vectors=vectors)

        assert table.ids(Recipe.of(arm)) == [one.chunk_id for one in expected]


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
    for seed in range(60):
        rows = np.clip(generator.normal(0.5, 0.2, size=(20, 60)), 0, 1)
        called += shows_better(split(KnownFigures(known_plan(20, seed=seed), rows)).report)

    assert called <= 3  # 5 %


@pytest.mark.slow
@pytest.mark.parametrize("folds", [None, 5])
def test_a_gain_of_three_hundredths_is_found_in_three_hundred_questions(folds: int | None):
    generator = np.random.default_rng(4)
    found = 0
    for seed in range(20):
        rows = np.tile(generator.uniform(0, 0.9, size=300), (4, 1)) + generator.normal(0, 0.05, size=(4, 300))
        rows[2] = with_gain(rows[2], 0.03)
        plan = known_plan(4, seed=seed) if folds is None else known_plan(4, seed=seed, folds=folds)
        of = split(KnownFigures(plan, rows))
        found += shows_better(of.report) and of.choice.arm is plan.arms[2]

    assert found >= 16


def test_folds_report_on_all_questions_and_each_is_left_out_once():
    held = parts(11, 4, seed=1)

    assert sorted(int(number) for part in held for number in part) == list(range(11))
    assert len(parts(5, 4, seed=1)) == 2  # two questions in a part at least
    of = split(KnownFigures(known_plan(3, folds=4), np.random.default_rng(1).uniform(size=(3, 11))))
    assert len(of.of_folds) == 4 and len(of.reporting) == 11


def test_differences_have_intervals_and_say_what_could_be_seen():
    told = difference(np.array([0.5, 0.6, 0.9, 0.4] * 10), np.array([0.4, 0.6, 0.7, 0.4] * 10), seed=1)

    assert told.mean == pytest.approx(0.075)
    assert told.low < told.mean < told.high
    assert told.p < 0.01 and 0 < told.detectable < 0.1


def test_p_values_are_corrected_for_their_number():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert p_value(np.zeros(9), seed=1) == 1.0


def test_fewer_questions_are_needed_for_a_larger_difference():
    deltas = np.array([0.1, -0.1] * 20)

    assert questions_for(deltas, 0.05) == pytest.approx(4 * questions_for(deltas, 0.1), abs=4)
    assert questions_for(np.zeros(5), 0.1) == 0


def test_an_arm_is_on_the_front_unless_another_is_as_good_in_all_and_better_in_one():
    costs = {"best": (0.8, 90.0, 0.0), "fast": (0.7, 9.0, 0.0), "slow": (0.7, 90.0, 0.0), "paid": (0.8, 90.0, 1.0)}

    assert pareto(costs) == ["best", "fast"]


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
grid = { "fuse.by" = ["rrf", "min-max"], "search.k" = [50, 100] }
"""


def test_arms_are_all_combinations_without_those_that_are_the_same(tmp_path: Path):
    read = read_experiment(written(tmp_path, GRID), shipped())

    assert read.arms[0].name == "fast"
    assert len(read.arms) == 8  # fast with its own options is the baseline
    assert "fused fuse.by=min-max search.k=50" in [arm.name for arm in read.arms]
    assert read.path(Path("questions.jsonl")) == tmp_path / "questions.jsonl"


SPACE = """
ratings = true
baseline = "fast"
[[search]]
pipelines = ["fast"]
points = 64
space = { "fuse.weights.vector" = { from = 0.0, to = 1.0 }, "fuse.by" = ["rrf", "maximum"], "search.k" = [50, 100] }
[[ensembles]]
retrievers = ["vector", "fulltext"]
"""


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("arms = []", "file"),
        ("nothing", "file"),
        (GRID.replace("questions", "other"), "file"),
        (GRID.replace('questions = "questions.jsonl"', ""), "file"),
        (GRID.replace('questions = "questions.jsonl"', 'questions = "a.jsonl"\nratings = true'), "file"),
        (GRID.replace("grid", 'chunkers = ["sentence"]\ngrid'), "file"),
        (GRID.replace('questions = "questions.jsonl"', 'data = "d"').replace("grid", 'chunkers = ["x"]\ngrid'), "file"),
        (SPACE.replace("[50, 100]", "{ from = 10, to = 100 }"), "search"),
        (SPACE.replace("to = 1.0", "to = 0.0"), "file"),
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


def test_points_of_a_space_lie_evenly_and_ask_the_store_for_lists_alone(tmp_path: Path):
    plan = read_experiment(written(tmp_path, SPACE), shipped())
    (search,) = plan.searches
    points = drawn_points(search.space, 64, seed=1)

    assert len(points) == 64 and points == drawn_points(search.space, 64, seed=1)
    assert sum(point["fuse.weights.vector"] < 0.5 for point in points) == 32
    assert sum(point["fuse.by"] == "rrf" for point in points) == 32
    assert {arm.name for arm in plan.asking} == {
        *("fast", "fast search.k=50", "fast search.k=100", "ensemble maximum", "ensemble interleave")
    }
    arm = search.arm(search.starts[0], points[0])
    assert arm.overrides["fuse.weights"] == {"vector": points[0]["fuse.weights.vector"], "fulltext": 0.4}


@pytest.mark.parametrize(
    ("low", "high", "log", "values"),
    [(1, 3, False, [1, 2, 3]), (1, 100, True, [1, 10, 86]), (0.5, 1.0, False, [0.5, 0.75, 0.983])],
)
def test_ranges_hold_both_ends(low: float, high: float, log: bool, values: list[float]):
    of = Range.model_validate({"from": low, "to": high, "log": log})

    assert [of.at(share) for share in (0.0, 0.5, 29 / 30)] == pytest.approx(values, abs=0.6 if log else 0.001)


def test_halving_keeps_the_best_arm_and_looks_at_few_questions_of_the_others():
    plan = known_plan(300)
    rows = np.random.default_rng(6).normal(0.5, 0.1, size=(300, 200))
    rows[123] += 0.3
    looked: list[int] = []

    class Counting(KnownFigures):
        def figures(self, arms: Any, numbers: Any) -> Any:
            looked.append(len(arms) * len(numbers))
            return super().figures(arms, numbers)

    kept = halved(Counting(plan, rows), plan.arms, np.arange(200), seed=1)

    assert kept[0] is plan.arms[123] and len(kept) == 10
    assert sum(looked) < 0.4 * 300 * 200


def gathered(questions: int = 40) -> tuple[Gathered, list[Question]]:
    """Return a place where full text finds the right paper first, and vectors find it last."""
    asked = [Question(str(number), f"question {number}", {"p0": 1.0}) for number in range(questions)]
    found = {}
    for question in asked:
        ids = [f"p{number}" for number in range(6)]
        for name, order in (("vector", ids[::-1]), ("fulltext", ids)):
            candidates = tuple(Candidate(f"c{id}", id, 0.9 - place / 10) for place, id in enumerate(order))
            found[question.text, name, 200, 32] = candidates
    return Gathered("main", asked, 10, {"": Rankings(found=found)}, {}, {}, {"": 0.0}), asked


@pytest.mark.parametrize("by", ["min-max", "interleave"])
def test_ensembles_learn_which_retriever_is_right(tmp_path: Path, by: str):
    text = SPACE[SPACE.index("[[ensembles]]") :] + f'by = ["{by}"]\n'
    plan = read_experiment(
        written(tmp_path, f'ratings = true\nbaseline = "fused"\nmeasure = "MRR@3"\n{text}'), shipped()
    )
    place, asked = gathered()
    evaluator = Evaluator(plan, {"": place})

    arm = learned(evaluator, plan.ensembles[0], np.arange(20), seed=1)

    fusion = arm.pipeline.steps[-1]
    assert isinstance(fusion, Fuse) and fusion.weights[RetrieverName.FULLTEXT] >= fusion.weights[RetrieverName.VECTOR]
    assert evaluator.figures([arm], np.arange(len(asked))).mean() == 1.0
    assert not evaluator.was_found(arm, 0) or evaluator.ranking(arm, 0)[0] == "p0"


@pytest.mark.parametrize("method", ["sobol", "optuna"])
def test_a_searched_space_gives_the_right_retriever_the_higher_weight(tmp_path: Path, method: str):
    text = f"""ratings = true
baseline = "fused"
measure = "MRR@3"
[[search]]
pipelines = ["fused"]
points = 32
method = "{method}"
space = {{ "fuse.weights.vector" = {{ from = 0.0, to = 1.0 }}, "fuse.by" = ["min-max"] }}
"""
    plan = read_experiment(written(tmp_path, text), shipped())
    place, asked = gathered()
    recipe = plan.searches[0].starts[0].pipeline.steps[0]
    assert recipe.model_dump()["k"] == 200

    n, kept = searched(Evaluator(plan, {"": place}), plan.searches[0], np.arange(20), seed=1)

    best = Evaluator(plan, {"": place}).figures(kept[:1], np.arange(20, len(asked))).mean()
    assert 1 < n <= 32 and len(kept) <= 10
    assert best == 1.0


def test_an_interleaved_fusion_takes_turns_from_the_highest_weight_on():
    place, asked = gathered(2)
    pipeline = shipped()["fused"].overridden({"fuse.by": "interleave", "fuse.weights": {"fulltext": 2.0}})
    rankings = place.rankings[""].of(asked[0], pipeline)

    assert [one.paper_id for one in fuse(rankings, pipeline.steps[-1])][:4] == ["p0", "p5", "p1", "p4"]  # type: ignore[arg-type]


LINES = [
    {"question": "Which papers?", "papers": ["doi:10.1000/1"]},
    {"question": "Which, by grade?", "papers": {"On tabu search": 2, "On annealing": 1}, "id": "graded"},
    {"id": "t1", "question": "What is said?", "answers": ["42 qubits"], "evidence": ["It takes 42 qubits."]},
    {"question": "Nothing?", "kind": "unanswerable", "answers": []},
    {"question": "Which passages?", "chunks": ["c1"]},
]


def test_questions_are_read_of_the_compare_page_of_test_sets_and_with_grades(tmp_path: Path):
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))

    read = read_asked(tmp_path / "questions.jsonl")

    assert [one.id for one in read] == ["1", "graded", "t1", "5"]
    assert read[1].graded == {"On tabu search": 2, "On annealing": 1}
    assert read[2].texts == ["It takes 42 qubits."]
    (tmp_path / "set.csv").write_text("question,answer\nHow many?,42\nHow much?,7\n")
    assert [one.answers for one in read_asked(tmp_path / "set.csv")] == [["42"], ["7"]]


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
    holding = Holding([ChunkText(id, f"p-{id}", text, text, 0, 9, "") for id, text in texts.items()])

    assert [one.id for one in holding.of(["42 qubits"])] == ["a"]
    assert [one.id for one in holding.of([words])] == ["c"]
    assert holding.of(["42 qubits"], frozenset({"p-b"})) == [] and holding.of(["…"]) == []


def test_what_raters_find_good_is_right_beside_what_was():
    questions = [Question("1", "?", {"p": 2.0}), Question("2", "?", {"q": 1.0})]
    ratings = [
        Rated("ada", "1", "r", 9),
        Rated("bob", "1", "r", 8),
        Rated("ada", "1", "s", 9),
        Rated("bob", "1", "s", 3),
    ]

    judged = with_judgements(questions, ratings)

    assert judged[0].gains == {"p": 2.0, "r": 1.0} and judged[1].gains == {"q": 1.0}
    with pytest.raises(InputError, match="0 questions"):
        shared([questions[:1], questions[1:]])


# Records


def record(folder: Path, rows: Any, *, seed: int = 1) -> Path:
    """Write the record of an experiment with known figures, and return its folder."""
    plan = known_plan(len(rows), seed=seed)
    evaluator = KnownFigures(plan, np.array(rows))
    decision = decide(evaluator)
    outcome = Outcome(
        *(
            "nDCG@10",
            "paper",
            len(evaluator.questions),
            decision.n_chosen_by,
            0,
            decision.means,
            [],
            decision.chosen.name,
        ),
        *((), decision.report, decision.verdict, decision.not_worse),
    )
    return write_record(folder, plan, Found(outcome, decision, evaluator, []))


def test_records_are_compared_question_by_question_and_say_how_many_are_missing(tmp_path: Path):
    base = np.random.default_rng(8).uniform(0, 0.8, size=60)
    noisy = base + np.random.default_rng(9).normal(0.01, 0.05, size=60)
    one, other = record(tmp_path, [base, noisy - 0.2]), record(tmp_path, [base, noisy + 0.1], seed=2)

    found = compare(one, other)

    assert one != other and found.n == 60
    assert (
        found.difference.mean == pytest.approx(found.mean_other - found.mean_one, abs=1e-6)
        and found.difference.p < 0.01
    )
    assert compare(one, one).difference.mean == 0.0
    lacking = needed(other, 0.001, pooled=120)
    assert lacking.n_now == 30 and lacking.n_more > 100 and lacking.n_judgements == lacking.n_more * 2
    assert needed(other, 0.5).n_more == 0


def test_a_repetition_says_what_differs_and_a_guard_what_got_worse(tmp_path: Path):
    base = np.random.default_rng(8).uniform(0, 0.8, size=60)
    read = read_record(record(tmp_path, [base, base - 0.2]))
    other = json.loads(json.dumps(read))
    other["outcome"]["means"]["fused"] -= 0.2
    other["digests"]["rankings"] = {"": "other"}

    assert differences(read, read) == [] and regression(read, read, bound=0.0) is None
    assert [line.split(" ")[0] for line in differences(read, other)] == ["rankings", "fused"]
    assert "worse by more than 0.1" in str(regression(other, read, bound=0.1))
    other["digests"]["questions"] = "other"
    with pytest.raises(InputError, match="not of the same questions"):
        regression(other, read, bound=0.1)
    with pytest.raises(NotFoundError):
        read_record(tmp_path)


def test_rankings_are_the_same_where_only_the_last_digit_of_a_score_is_another():
    def digest(*found: Candidate) -> str:
        return Rankings(found={("q", "vector", 2, 32): found}).digest

    one, two = Candidate("c1", "p", 0.7820797), Candidate("c2", "p", 0.7)

    assert digest(one, two) == digest(replace(one, score=0.7820794), two) != digest(two, one)


def test_questions_are_drawn_in_their_order():
    questions = [Question(str(number), "?", {"p": 1.0}) for number in range(20)]

    some = drawn(questions, 5, seed=1)

    assert len(some) == 5 and some == sorted(some, key=lambda one: int(one.id)) and some == drawn(questions, 5, seed=1)
    assert drawn(questions, None, seed=1) == questions


def test_texts_of_questions_are_text_on_the_page():
    latency = {"p50": 1.0, "p95": 2.0, "low": 1.5, "high": 3.0}
    outcome = {
        "measure": "nDCG@10",
        "unit": "paper",
        "means": {"<b>": 0.5},
        "replayed": [],
        "not_worse": ["<b>"],
        "costs": {"<b>": {"quality": {"mean": 0.5, "low": 0.4, "high": 0.6}, "latency": latency, "cost": None}},
        "pareto": ["<b>"],
        "n_questions": 2,
        "n_chosen_by": 1,
        "n_searched": 5,
        "of_folds": [],
        "report": {"mean": 0.1, "low": 0.0, "high": 0.2, "p": 0.5, "detectable": 0.3},
        "verdict": "<script>",
        "warnings": ["<i>"],
        "labels": {"p": "<u>"},
        "worse": [
            {
                "text": "<img src=x>",
                "baseline": 1.0,
                "chosen": 0.0,
                "place_before": 1,
                "place": None,
                "stage": "fusion",
                "steps": [{"step": "fuse", "n": 3, "place": None}],
                "before": ["p"],
                "after": [],
                "right": ["p"],
            }
        ],
    }

    made = page({"outcome": json.loads(json.dumps(outcome))})

    assert all(mark not in made for mark in ("<script>", "<img", "<i>", "<b>", "<u>"))
    assert "&lt;img src=x&gt;" in made and "fuse 3 (not there)" in made
