"""Measures of many rankings of papers: those of ``evaluation.measures``, for one question at a time and fast."""

from collections.abc import Sequence

import numpy as np

from evaluation.experiment.questions import Question
from evaluation.measures import Kind, Measure


def figure(measure: Measure, question: Question, ranked: Sequence[str]) -> float:
    """Return the measure of a ranking, in [0, 1].

    Args:
        measure: nDCG (the gain is the relevance, the discount log2 of the place plus 1), recall, MRR or hit, at k.
        question: What is right.
        ranked: Papers, best first, none twice.
    """
    k = measure.k or len(ranked)
    gains = [question.gains.get(paper, 0.0) for paper in ranked[:k]]
    match measure.kind:
        case Kind.NDCG:
            ideal = sorted(question.gains.values(), reverse=True)[:k]
            return _discounted(gains) / _discounted(ideal)
        case Kind.RECALL:
            return sum(gain > 0 for gain in gains) / len(question.gains)
        case Kind.MRR:
            return next((1.0 / place for place, gain in enumerate(gains, start=1) if gain > 0), 0.0)
        case _:
            return float(any(gain > 0 for gain in gains))


def _discounted(gains: Sequence[float]) -> float:
    return float(sum(gain / np.log2(place + 1) for place, gain in enumerate(gains, start=1) if gain))
