"""A judge's verdicts to a score: arithmetic, without any model.

None stands for «not defined», such as the share of no statements; it is never taken for 0.
"""

from collections.abc import Sequence

FACTS, MEANING = 0.75, 0.25
"""Weights of an answer's facts and of its nearness in meaning in :func:`answer_correctness`."""


def share(verdicts: Sequence[bool]) -> float | None:
    """Return which share of the verdicts is positive, in [0, 1]; None of no verdict.

    Faithfulness is the share of an answer's statements that the passages support; context recall is the share of the
    reference's statements that they support.

    Source: Es et al. 2023, RAGAS: Automated Evaluation of Retrieval Augmented Generation, arXiv:2309.15217.
    """
    return sum(verdicts) / len(verdicts) if verdicts else None


def context_precision(verdicts: Sequence[bool]) -> float | None:
    """Return how far the useful passages stand before the others.

    Σₖ precision@k · vₖ / Σₖ vₖ, where vₖ is 1 if the passage at rank k is useful: average precision over what was
    found.

    Args:
        verdicts: Whether each passage is useful, best rank first.

    Returns:
        In [0, 1], 0 where none is useful; None of no passage.

    Source: RAGAS, its package's context precision (docs.ragas.io); the paper has context relevance in its place.
    """
    if not verdicts:
        return None
    n_useful = 0
    total = 0.0
    for rank, is_useful in enumerate(verdicts, start=1):
        n_useful += is_useful
        total += is_useful * n_useful / rank
    return total / n_useful if n_useful else 0.0


def answer_relevancy(cosines: Sequence[float], *, is_noncommittal: bool) -> float | None:
    """Return how near the questions that an answer would answer are to the one that was asked.

    Args:
        cosines: Of the question with each question that a model made of the answer, in [-1, 1].
        is_noncommittal: Whether the answer avoids the question; it then gets 0.

    Returns:
        Their mean, in [-1, 1]; None without a question.

    Source: RAGAS, arXiv:2309.15217; 0 for what is noncommittal is its package's.
    """
    if not cosines:
        return None
    return 0.0 if is_noncommittal else sum(cosines) / len(cosines)


def factual_f1(*, true_positives: int, false_positives: int, false_negatives: int) -> float | None:
    """Return the F1 of an answer's statements against the reference's: TP / (TP + (FP + FN) / 2).

    Args:
        true_positives: Statements of the answer that the reference supports.
        false_positives: Those that it does not.
        false_negatives: Statements of the reference that the answer leaves out.

    Returns:
        In [0, 1]; None without any statement.
    """
    n = 2 * true_positives + false_positives + false_negatives
    return 2 * true_positives / n if n else None


def answer_correctness(facts: float, cosine: float) -> float:
    """Return .75 · F1 of the facts + .25 · cosine of answer and reference.

    Args:
        facts: :func:`factual_f1`, in [0, 1].
        cosine: Of the two texts' vectors, in [-1, 1].

    Returns:
        In [-.25, 1].

    Source: RAGAS, its answer correctness with its default weights (docs.ragas.io).
    """
    return FACTS * facts + MEANING * cosine


def wins(scores: Sequence[float]) -> list[float]:
    """Return for each of at least two scores the share of the others below it, in [0, 1]; equal ones count half.

    The mean over all is one half, so that 0.5 is what a system gets by chance.
    """
    return [
        (sum(one > other for other in scores) + 0.5 * (sum(one == other for other in scores) - 1)) / (len(scores) - 1)
        for one in scores
    ]
