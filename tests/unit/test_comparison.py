"""Which systems a comparison has, what of them can run, and the lengths that it reports."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.errors import InputError
from papergraph.evaluation.answers.answer_evaluation import Measured
from papergraph.evaluation.answers.answer_judge import Judgement
from papergraph.evaluation.answers.answer_scores import wins
from papergraph.evaluation.answers.question_sets import Example, Passage, SystemAnswer
from papergraph.evaluation.retrieval.retrieval_evaluation import parse_pipelines
from papergraph.evaluation.system_comparison import (
    DOCUMENTED,
    Lengths,
    default_readers,
    judged,
    p_values_of_answers,
    parse_chunkers,
    parse_graph,
    planned,
    sampled_task,
    systems_of,
    text_lengths,
)
from papergraph.evaluation.task import read_task
from papergraph.server.retrieval.pipelines import shipped
from papergraph.settings import Settings

WITH_MODEL = Settings(llm={"url": "http://127.0.0.1:1/v1", "model": "scripted"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = [{"_id": f"d{n}", "title": "T" * n, "text": "x" * 10 * n, "venue": "v" * n} for n in range(1, 5)]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in documents))
    (tmp_path / "queries.jsonl").write_text("".join(f'{{"_id": "q{n}", "text": "{"a" * n}"}}\n' for n in range(1, 5)))
    (tmp_path / "qrels.tsv").write_text("q\td\ts\n" + "".join(f"q{n}\td{n}\t1\n" for n in range(1, 5)))
    return tmp_path


def named(pipelines: str, chunkers: str, folder: Path) -> dict[str, str]:
    systems = systems_of(parse_pipelines(pipelines, shipped()), parse_chunkers(chunkers), read_task(folder))
    return {one.name: str(one.chunking).partition(",")[0] for one in systems}


def test_each_pipeline_searches_the_chunks_that_it_is_published_for(folder: Path):
    assert named("vector,sv,m1,rag,chunk256", "own", folder) == {
        "vector": "default",
        "sv": "sentence",
        "m1": "topic",
        "rag": "quim",
        "chunk256": "tokens256",
    }


def test_several_chunkings_are_systems_of_their_own_and_none_comes_twice(folder: Path):
    names = list(named("vector,sv", "own,sentence", folder))

    assert names == ["vector (default)", "vector (sentence)", "sv (sentence)"]
    with pytest.raises(InputError, match="Chunker 'magic' does not exist"):
        parse_chunkers("own,magic")
    with pytest.raises(InputError, match="named twice"):
        parse_chunkers("own,own")


def test_sizes_and_settings_of_graph_steps_are_systems_in_one_command(folder: Path):
    pipelines, task = parse_pipelines("sv,m1,kv,kv*", shipped()), read_task(folder)
    sized = systems_of(pipelines[:3], parse_chunkers("own,256/0,512/64"), task)
    varied = systems_of(pipelines, ("own",), task, parse_graph("depth=2, depth=3+cap=20"))

    sizes = {one.name: (one.chunking.max_tokens or one.chunking.max_chars) for one in sized}
    assert sizes == {
        "sv (sentence)": 512,
        "sv (sentence 256/0)": 256,
        "sv (sentence 512/64)": 512,
        "m1 (topic)": 500,
        "m1 (topic 256/0)": 256,
        "m1 (topic 512/64)": 512,
        "kv (hierarchical)": 128,
        "kv (hierarchical 256/0)": 256,
        "kv (hierarchical 512/64)": 512,
    }
    assert [one.chunking.overlap_tokens for one in sized[:3]] == [20, 0, 64]
    names = ["kv", "kv [depth=2]", "kv [depth=3, cap=20]"]
    assert [one.name for one in varied] == ["sv", "m1", *names, *(name.replace("kv", "kv*") for name in names)]
    merges = [[step for step in one.pipeline.steps if step.step == "merge"][-1] for one in varied[2:5]]
    assert [(step.depth, step.cap) for step in merges] == [(1, 10), (2, 10), (3, 20)]
    assert varied[3].pipeline.steps[1].depth == 1  # parents are no step that follows the graph
    for wrong, parse in (("256", parse_chunkers), ("depth", parse_graph), ("width=2", parse_graph)):
        with pytest.raises(InputError):
            parse(wrong)


def test_what_cannot_run_is_left_out_with_the_reason(folder: Path):
    systems = systems_of(parse_pipelines(DOCUMENTED, shipped()), ("own",), read_task(folder))

    plan, left_out = planned(Settings(), systems, ("extractive", "model"), judged=None, by_model=False)
    with_model, others = planned(WITH_MODEL, systems, ("extractive", "model"), judged=None, by_model=True)

    assert {one.name for one in plan.systems} == {
        *("default", "sv", "am", "kv", "m1", "quim", "rag", "pr3-naive", "chunk256", "ensemble")
    }
    assert plan.readers == ["extractive"] and "reader model" in left_out and not plan.judged
    assert with_model.judged and with_model.by_model and set(with_model.readers) == {"extractive", "model"}
    assert {"m4", "sv*"} <= set(others) and "pr3" not in others
    assert (default_readers(Settings()), default_readers(WITH_MODEL)) == ("extractive", "extractive,model")
    with pytest.raises(InputError, match="none of the pipelines can run: m2: no reranker"):
        planned(Settings(), [one for one in systems if one.name == "m2"], (), judged=None, by_model=False)
    with pytest.raises(InputError, match="a judge or enrichments by one are asked for"):
        planned(Settings(), systems, (), judged=True, by_model=False)


def test_a_sample_is_the_same_for_the_same_seed_and_texts_have_their_lengths(folder: Path):
    task = read_task(folder)

    some = [sampled_task(task, 2, seed=seed).queries for seed in (1, 1, 2, 3, 4)]

    assert some[0] == some[1] and len({tuple(q.id for q in one) for one in some}) > 1
    assert text_lengths(task) == {
        "documents": Lengths(4, 28.5, 28.5, 12, 45, 14.2),
        "metadata": Lengths(4, 2.5, 2.5, 1, 4, 1.3),
        "questions": Lengths(4, 2.5, 2.5, 1, 4, 1.3),
    }
    assert Lengths.of([7]).sd == 0.0


def test_who_is_preferred_is_the_share_of_others_below():
    assert wins([90, 40, 40]) == [1.0, 0.25, 0.25]
    assert wins([5, 5]) == [0.5, 0.5]


def measured(id: str, figure: float | None, text: str = "Yes.") -> Measured:
    given = SystemAnswer(text, (Passage("c", "x"),), refusal=None if text else "no_evidence")
    return Measured(Example(id, "Why?"), given, {} if figure is None else {"F1": figure})


def test_differences_are_told_from_chance_over_the_questions_that_both_answered():
    first = [measured(f"q{n}", 0.2) for n in range(30)]
    better = [measured(f"q{n}", 0.6 if n else None) for n in range(30)]
    same = [measured(f"q{n}", 0.2) for n in range(30)]

    found = p_values_of_answers({"first": first, "better": better, "same": same})

    assert found["F1"]["better"] < 0.01
    assert found["F1"]["same"] == 1.0
    assert "first" not in found["F1"]


async def test_a_judge_hears_of_each_answer_alone_and_of_all_together_and_refusals_stay_as_they_are():
    class Scripted:
        async def judge(self, case, given):
            return Judgement({"faithfulness": 1.0}, reasons={"faithfulness": "why"})

        async def side_by_side(self, case, given, *, seed):
            answered = [name for name, one in given.items() if one.is_answer]
            return {name: Judgement({"side by side preferred": 0.5}) for name in answered}

    row = {"a": [measured("q", 0.5)], "b": [measured("q", None, "")], "c": [replace(measured("q", 0.1))]}

    found = await judged(Scripted(), row, seed=0)  # type: ignore[arg-type]

    assert found["a"][0].figures == {"F1": 0.5, "faithfulness": 1.0, "side by side preferred": 0.5}
    assert found["b"][0] == row["b"][0]
    assert found["c"][0].reasons == {"faithfulness": "why"}
