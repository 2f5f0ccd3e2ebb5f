"""The retriever by questions, on a store of a few questions."""

from types import SimpleNamespace

import pytest

from papergraph.server.retrieval.retrievers.question import retrieve_by_question

ANSWERS = ["", "", "Tides.", "", "", "", "", "", "", "Waves.", "", "Wind."]


def store(answers: list[str]) -> tuple[object, object, list[int]]:
    """Return a database and a model that find questions in order, and the numbers of questions asked for."""
    asked: list[int] = []

    class Questions:
        async def read(self, _statement, *, k, answered, **_more):
            asked.append(k)
            near = [(n, text) for n, text in enumerate(answers[:k]) if text or not answered]
            names = ("chunk_id", "paper_id", "question_id", "question", "answer", "score")
            return [
                dict(zip(names, (f"c{n}", "p", f"q{n}", "?", text or None, 1 - n / 99), strict=True))
                for n, text in near
            ]

    class Model:
        async def search(self, _database, _query, ask):
            card = SimpleNamespace(sha256="x")
            return await ask(SimpleNamespace(embedder=SimpleNamespace(card=card), state="active", slot=None), [1.0])

    return Questions(), Model(), asked


@pytest.mark.parametrize(
    ("answers", "answered", "k", "found", "numbers"),
    [
        (ANSWERS, False, 3, ["c0", "c1", "c2"], [3]),
        (ANSWERS, True, 1, ["c2"], [1, 4]),
        (ANSWERS, True, 3, ["c2", "c9", "c11"], [3, 12]),
        ([""] * 5, True, 2, ["c0", "c1"], None),
    ],
    ids=["all", "the first one", "more are looked at", "without any answer all count"],
)
async def test_questions_without_answers_are_passed_over_on_demand(
    monkeypatch: pytest.MonkeyPatch,
    answers: list[str],
    answered: bool,
    k: int,
    found: list[str],
    numbers: list[int] | None,
):
    monkeypatch.setattr("papergraph.cypher.gathered", lambda name, _slot: name)
    database, model, asked = store(answers)
    scope = SimpleNamespace(paper_ids=None, looked_in=None, passing=None, kinds=("body",), collections=["main"])

    candidates = await retrieve_by_question(database, model, "tides", scope, k=k, answered=answered)

    assert [one.chunk_id for one in candidates] == found
    assert numbers is None or asked == numbers
