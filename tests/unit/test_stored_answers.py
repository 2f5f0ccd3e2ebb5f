"""Rated answers of the store become ratings and questions that evaluations read."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from papergraph.evaluation.answers.answer_ratings import examples_of, ratings_of, read_ratings, summarised
from papergraph.evaluation.answers.question_sets import read_cases, write_cases
from papergraph.server.answers.stored import StoredAnswer
from tests.support.files import write

CITATION = {
    "number": 1,
    "chunk_id": "c" * 64,
    "paper_id": "p" * 64,
    "paper_title": "Tides",
    "section_path": ["Results"],
    "url": None,
    "file": "tides.pdf",
    "page": 2,
    "quote": "The sea is calm at noon.",
    "quoted": True,
    "start": 4,
    "end": 28,
    "answer_start": 25,
    "answer_end": 28,
    "claim_start": 0,
    "claim_end": 24,
}
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


class Time:
    """A time as the driver gives it."""

    def to_native(self) -> datetime:
        return NOW


def answer(id: str, *verdicts: str, text: str | None = "The sea is calm at noon. [1]", model: str | None = None):
    content = {
        "question": "When is the sea calm?",
        "text": text,
        "citations": [CITATION] if text else [],
        "sources": [
            {
                "number": 1,
                "chunk_id": "c" * 64,
                "paper_id": "p" * 64,
                "paper_title": "Tides",
                "section_path": ["Results"],
                "page": 2,
            }
        ],
        "dropped": [{"text": "It rains.", "fault": "not_supported", "detail": "nothing says so"}],
        "grounded": True,
        "llm_generated": model is not None,
        "model": model,
        "warnings": [],
        "answerability": 0.9,
        "reason": None if text else "no_evidence",
        "message": None if text else "Nothing says so.",
    }
    ratings = [
        {"rater": f"rater {n}", "verdict": verdict, "comment": "clear" * n, "rated_at": Time()}
        for n, verdict in enumerate(verdicts)
    ]
    record = {
        "id": id,
        "collection": "main",
        "principal": "ada",
        "asked_at": Time(),
        "question": "calm when?",
        "content": json.dumps(content),
        "ratings": ratings,
    }
    return StoredAnswer.of(record)


def test_what_is_stored_is_what_was_answered():
    found = answer("a1", "up")
    (citation,) = found.citations
    assert asdict(citation) | {"section_path": ["Results"]} == CITATION | {"paper_status": None}
    assert (found.asked, found.question) == ("calm when?", "When is the sea calm?")
    assert [one.fault.value for one in found.dropped] == ["not_supported"]


def test_ratings_are_those_that_the_command_summarizes(tmp_path):
    found = ratings_of([answer("a1", "up", "down"), answer("a2", "up", model="tiny")])
    lines = "".join(json.dumps(asdict(one)) + "\n" for one in found)
    report = summarised(read_ratings(write(tmp_path / "ratings.jsonl", lines)))
    assert [(one.id, one.reader, one.rating) for one in found] == [
        ("a1", "extractive", 10.0),
        ("a1", "extractive", 0.0),
        ("a2", "tiny", 10.0),
    ]
    assert report.readers["extractive"].mean == pytest.approx(5.0)


def test_questions_of_good_answers_are_a_test_set(tmp_path):
    other = answer("a5", "up", text="At noon. [1]")
    found = examples_of(
        [answer("a1", "up"), answer("a2", "up", "down"), answer("a3"), answer("a4", "up", text=None), other]
    )
    write_cases(found, tmp_path / "questions.jsonl")
    (case,) = read_cases(tmp_path / "questions.jsonl")
    assert case.answers == ("The sea is calm at noon. [1]", "At noon. [1]")
    assert (case.question, case.evidence) == ("When is the sea calm?", ("The sea is calm at noon.",))
