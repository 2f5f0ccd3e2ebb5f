"""Answerability: probability that passages answer a question, and the least one for an answer.

The nearest vector says little: a question about another paper of the same subject finds chunks that are about as near.
A better indicator is the best sentence's score, from the question's rare words and its meaning. The scores of sentences
also choose extracts.
"""

import math
from dataclasses import dataclass

from papergraph.server.answers.extractive import Evidence

INTERCEPT, SLOPE = -5.37, 10.08
"""Of the logistic function of the best sentence's score. Fitted to every other question of COVID-QA, put to its own
paper (1), a random other and the nearest other one (0, together as much as the 1), as ``benchmarks.answering`` does."""

LEAST = 0.25
"""Probability from which on an answer is given, if no rare noun of the question is missing near the best sentence.
Chosen on COVID-QA, QASPER, Cranfield and vignettes of R packages; docs/design/answers.md#rare-nouns has the figures."""

SURE = 0.7
"""Probability from which on a rare noun may be missing: no near miss that was tried reaches it."""


@dataclass(frozen=True)
class Answerability:
    """Evidence for an answer in the passages.

    Attributes:
        probability: Probability that they answer the question, in [0, 1].
        score: Score of the best sentence, in [0, 1].
        coverage: Largest share of the question's word weight in a passage, in [0, 1].
        sentence: Highest cosine of a sentence and the question, in [-1, 1]; -1 without sentences.
        unknown: Share of the question's word weight on words missing in the collection, in [0, 1].
        absent: Rare nouns of the question missing near the best sentence.
    """

    probability: float
    score: float
    coverage: float
    sentence: float
    unknown: float
    absent: tuple[str, ...] = ()


def answerability_of(evidence: Evidence) -> Answerability:
    """Return how well weighed sentences support an answer."""
    best = evidence.best
    cosines = [weighed.cosine for weighed in evidence.weighed if weighed.cosine is not None]
    return Answerability(
        probability=probability(best.score) if best else 0.0,
        score=best.score if best else 0.0,
        coverage=evidence.coverage,
        sentence=max(cosines, default=-1.0),
        unknown=evidence.unknown,
        absent=evidence.absent,
    )


def least_score(probability: float) -> float:
    """Return the score from which a sentence answers with a probability in (0, 1)."""
    return (math.log(probability / (1.0 - probability)) - INTERCEPT) / SLOPE


def probability(score: float) -> float:
    """Return the probability of an answer for the best sentence's score, both in [0, 1]."""
    return 1.0 / (1.0 + math.exp(-(INTERCEPT + SLOPE * score)))
