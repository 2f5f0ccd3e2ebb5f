"""Readers that are plain functions, asked small questions; what they give as figures and as a report."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from papergraph.errors import DatabaseUnavailableError, ModelDeadlineError
from papergraph.evaluation.answers.answer_evaluation import ask_all, make_answer_report, write_answers
from papergraph.evaluation.answers.question_sets import Example, Kind, Passage, Quote, SystemAnswer, cases_of, sampled
from papergraph.evaluation.queries import Span
from papergraph.evaluation.task import read_task
from papergraph.server.answers.records import CheckUsage
from tests.support.embedders import ToyModel


class ToyEncoder(ToyModel):
    """A toy whose tokens are words."""

    def encode_tokens(self, texts):
        return [np.array([self.encode_query(word) for word in text.split()], np.float32) for text in texts]


ENCODER = ToyEncoder("toy", dimension=8)
PASSAGES = (
    Passage("c1", "A patch uses 97 qubits.", "Codes", (Span("d1", 0, 23),)),
    Passage("c2", "Bread is baked.", "Bread", (Span("d2", 0, 15),)),
)
CASES = (
    Example("one", "How many qubits?", ("97 qubits",), ("uses 97 qubits",), spans=(Span("d1", 8, 22),)),
    Example("two", "What is baked?", ("Bread",), ("Bread is baked.",), spans=(Span("d2", 0, 15),)),
    Example("three", "Who won?", kind=Kind.UNANSWERABLE),
)


async def careful(case: Example) -> SystemAnswer:
    if case.id == "three":
        return SystemAnswer("", PASSAGES, refusal="no_evidence", ms=5.0)
    if case.id == "one":
        return SystemAnswer("97 qubits [1].", PASSAGES, (Quote("c1", "uses 97 qubits", (Span("d1", 8, 22),)),), ms=10.0)
    return SystemAnswer("Bread is baked [1].", PASSAGES, (Quote("c1", "A patch", (Span("d1", 0, 7),)),), ms=30.0)


async def bold(case: Example) -> SystemAnswer:
    if case.id == "two":
        raise ModelDeadlineError("prompt passages", 180.0)
    return SystemAnswer("It is 7.", PASSAGES, llm_generated=True, tokens=100)


async def test_refusals_and_failures_are_counted_apart_and_drag_no_mean_down():
    found = await ask_all(CASES, {"careful": careful, "bold": bold}, ENCODER)

    report = make_answer_report("small", found, encoder="toy").as_json()

    first, second = report["readers"]["careful"], report["readers"]["bold"]
    assert report["questions"] == {"given": 2, "unanswerable": 1}
    assert (first["n_answered"], first["refusals"], first["n_failed"]) == (2, {"no_evidence": 1}, 0)
    assert first["measures"]["exact match"] | {"low": 0, "high": 0} == {
        "mean": 0.5,
        "low": 0,
        "high": 0,
        "n": 2,
        "difference": None,
        "n_paired": 0,
    }
    assert first["measures"]["accuracy (match)"]["mean"] == 1.0
    assert first["measures"]["refused rightly"]["mean"] == 1.0
    assert (second["measures"]["refused rightly"]["mean"], second["measures"]["answered"]["n"]) == (0.0, 1)
    assert (second["n_failed"], second["tokens"]) == (1, 200)
    (failure,) = second["failures"]
    assert failure.startswith("ModelDeadlineError: ")
    assert first["latency_ms"] == {"p50": 10.0, "p95": 28.0}


async def test_citations_are_held_to_the_place_and_the_words_of_the_evidence():
    found = await ask_all(CASES, {"careful": careful}, ENCODER)

    one, two, three = (measured.figures for measured in found["careful"])

    assert (one["gold reached"], one["gold cited"], one["evidence ROUGE-L"]) == (1.0, 1.0, 1.0)
    assert (two["gold reached"], two["gold cited"], two["evidence ROUGE-L"]) == (1.0, 0.0, 0.0)
    assert set(three) == {"refused rightly"}
    assert make_answer_report("s", found, encoder="toy").readers["careful"].over == {"0.7": 1, "0.5": 1, "0.3": 1}


async def test_a_difference_is_over_questions_that_both_answered_from_the_same_evidence():
    async def other(case: Example) -> SystemAnswer:
        given = await careful(case)
        return replace(given, text="Bread.", passages=PASSAGES if case.id == "two" else PASSAGES[:1])

    found = await ask_all(CASES, {"careful": careful, "other": other}, ENCODER)
    report = make_answer_report("small", found, encoder="toy")

    f1 = report.readers["other"].measures["F1"]
    assert (f1.n, f1.n_paired, report.readers["other"].n_same_evidence) == (2, 1, 1)
    assert f1.difference.mean == pytest.approx(1.0 - 2 * 1 / (3 + 1))  # Bread is baked against Bread
    assert "difference to careful" in report.report().as_text()


async def test_the_table_names_what_a_reader_of_figures_has_to_know():
    found = await ask_all(CASES, {"careful": careful, "bold": bold}, ENCODER, at_once=3)

    text = make_answer_report("small", found, encoder="all-MiniLM", notes=("a sample",)).report().as_text()

    assert "small: 3 questions (2 given, 1 unanswerable)" in text
    assert "BERTScore and cosine by the local encoder all-MiniLM" in text
    assert "careful 2 1 no_evidence none" in " ".join(text.split())
    assert "1 ModelDeadlineError" in text
    assert "note: a sample" in text


async def test_a_reader_alone_has_no_difference_in_its_table():
    found = await ask_all(CASES, {"careful": careful}, ENCODER)

    text = make_answer_report("small", found, encoder="toy").report().as_text()

    assert "exact match" in text
    assert "difference" not in text


async def test_a_database_that_fails_ends_it_all():
    async def lost(case: Example) -> SystemAnswer:
        raise DatabaseUnavailableError("gone")

    with pytest.raises(DatabaseUnavailableError):
        await ask_all(CASES, {"lost": lost}, ENCODER, at_once=2)


async def test_what_was_given_is_written_for_experts_to_rate(tmp_path: Path):
    found = await ask_all(CASES, {"careful": careful}, ENCODER)

    write_answers(found, tmp_path / "given.jsonl")

    one, _, three = [json.loads(line) for line in (tmp_path / "given.jsonl").read_text().splitlines()]
    assert (one["id"], one["reader"], one["answer"], one["refusal"]) == ("one", "careful", "97 qubits [1].", None)
    assert one["sources"][0] == {"title": "Codes", "text": "A patch uses 97 qubits."}
    assert (three["answer"], three["refusal"]) == ("", "no_evidence")


def test_questions_of_a_task_have_its_answers_or_else_its_spans(tmp_path: Path):
    documents = [{"_id": "d", "text": "A patch uses 97 qubits."}]
    queries = [
        {
            "_id": "words",
            "text": "How many?",
            "answer": "97",
            "aliases": ["ninety-seven"],
            "doc": "d",
            "evidence": "97",
        },
        {"_id": "span", "text": "What uses them?", "doc": "d", "evidence": "A patch"},
        {"_id": "none", "text": "Who won?", "answer": "Unanswerable", "doc": "d", "evidence": "A patch"},
    ]
    for name, records in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        (tmp_path / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    task = {"name": "t", "corpus": "corpus.jsonl", "text_fields": ["text"], "default_split": "test", "unit": "chunk"}
    task |= {"splits": {"test": {"queries": "queries.jsonl"}}, "gold": {"doc": "doc", "evidence": "evidence"}}
    (tmp_path / "task.json").write_text(json.dumps(task | {"answer": ["answer", "aliases"], "measures": ["F1"]}))

    words, span, none = cases_of(read_task(tmp_path))

    assert (words.answers, words.evidence, words.spans) == (("97", "ninety-seven"), ("97",), (Span("d", 13, 15),))
    assert span.answers == ("A patch",)
    assert (none.kind, none.answers) == (Kind.UNANSWERABLE, ())


def test_a_sample_is_the_same_for_a_seed_and_keeps_the_order():
    many = [Example(f"{n:03}", "?") for n in range(100)]

    assert sampled(many, 5, seed=1) == sampled(many, 5, seed=1) != sampled(many, 5, seed=2)
    assert [case.id for case in sampled(many, 20, seed=3)] == sorted(case.id for case in sampled(many, 20, seed=3))
    assert sampled(many, None, seed=1) == sampled(many, 500, seed=1) == tuple(many)


async def test_the_cost_of_the_second_check_is_a_table_of_the_report():
    async def checked(case: Example) -> SystemAnswer:
        used = CheckUsage("judge scripted", (10.0, 30.0), denied=1, tokens=50)
        return SystemAnswer("It is 7.", PASSAGES, second_check=None if case.id == "three" else used)

    found = await ask_all(CASES, {"checked": checked, "bold": bold}, ENCODER)
    report = make_answer_report("small", found, encoder="toy")

    assert report.as_json()["readers"]["checked"]["second_check"] == {
        "check": "judge scripted",
        "n_calls": 4,
        "n_denied": 2,
        "tokens": 100,
        "ms": {"p50": 20.0, "p95": 30.0},
    }
    assert report.as_json()["readers"]["bold"]["second_check"] is None
    (table,) = [one for part in report.report().parts for one in part.tables if one.title == "Second check"]
    assert table.rows == [("checked", "judge scripted", "4", "2", "100", "20", "30")]
