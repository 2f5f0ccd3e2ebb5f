"""What readers say, as evaluations have it: ratings of answers, questions with good answers, votes for pipelines."""

from collections.abc import Sequence

from evaluation.answers.examples import Example
from evaluation.answers.ratings import HIGHEST, LOWEST, Rated
from server.answers.stored import StoredAnswer, Verdict
from server.papers.pipeline_votes import ComparedPipelines

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


def ratings_of_votes(compared: Sequence[ComparedPipelines]) -> list[Rated]:
    """Return votes for pipelines as ratings: of those compared, the best have 10 and the others 0.

    The reader of a rating is the pipeline. Its id names the question and what was compared, so that a rater who
    compares other pipelines for the same question is counted again.
    """
    return [
        Rated(
            rater=vote.rater or "local",
            id=f"{one.question} ({', '.join(one.pipelines)})",
            reader=name,
            rating=float(HIGHEST if name in vote.best else LOWEST),
            at=vote.voted_at.isoformat(timespec="seconds"),
        )
        for one in compared
        for vote in one.votes
        for name in one.pipelines
    ]
