"""Ratings and questions of stored answers, in the form of evaluations."""

from collections.abc import Sequence

from evaluation.answers.examples import Example
from evaluation.answers.ratings import HIGHEST, LOWEST, Rated
from server.answers.stored import StoredAnswer, Verdict

RATING = {Verdict.UP: float(HIGHEST), Verdict.DOWN: float(LOWEST)}
SOURCE = "answers that readers rated as good"


def ratings_of(answers: Sequence[StoredAnswer]) -> list[Rated]:
    """Return the ratings of answers: good is 10, bad is 0, and the reader is the model or ``extractive``."""
    return [
        Rated(
            rater=rating.rater or "local",
            id=answer.id,
            reader=answer.model or "extractive",
            rating=RATING[rating.verdict],
            comment=rating.comment,
            at=rating.rated_at.isoformat(timespec="seconds"),
        )
        for answer in answers
        for rating in answer.ratings
    ]


def examples_of(answers: Sequence[StoredAnswer]) -> list[Example]:
    """Return the questions whose answers are rated as good by all their raters, with answer, quotes and papers.

    Refusals have no answer to compare with, and are left out; of several answers to a question all are right.
    """
    found: dict[str, Example] = {}
    for answer in answers:
        good = answer.ratings and all(rating.verdict is Verdict.UP for rating in answer.ratings)
        if not good or answer.text is None:
            continue
        before = found.get(answer.question)
        quotes = tuple(dict.fromkeys(citation.quote for citation in answer.citations))
        found[answer.question] = Example(
            id=before.id if before else answer.id,
            question=answer.question,
            answers=(*(before.answers if before else ()), answer.text),
            evidence=tuple(dict.fromkeys((*(before.evidence if before else ()), *quotes))),
            source=SOURCE,
        )
    return list(found.values())
