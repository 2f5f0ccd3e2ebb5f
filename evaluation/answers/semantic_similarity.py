"""An answer beside its references, by vectors of the local embedding model: cosine, and BERTScore over tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from papergraph.embedding import Embedder, Floats, encode_whole


@dataclass(frozen=True)
class BertScore:
    """Precision, recall and F1 of greedy matching, each at most 1."""

    precision: float
    recall: float
    f1: float


def bert_score(candidate: Floats, reference: Floats) -> BertScore:
    """Return how well the tokens of two texts match by their vectors, each with the one it is nearest to.

    P is the mean over the candidate's tokens of the largest cosine with a token of the reference, R the same the other
    way round, F1 = 2PR / (P + R). Tokens weigh the same (no idf), special ones are left out, and nothing is rescaled by
    a baseline. The vectors are those of the local sentence encoder, not of the paper's models, so figures compare with
    each other and not with published ones; reports name the encoder.

    Args:
        candidate: Vectors of the answer's tokens, length 1, shape (n, d).
        reference: Those of the reference's tokens, shape (m, d).

    Returns:
        P and R in [-1, 1]; all 0 where either text has no token. F1 is 0 where P + R is not above 0.

    Source: Zhang et al. 2019, BERTScore: Evaluating Text Generation with BERT, arXiv:1904.09675.
    """
    if not len(candidate) or not len(reference):
        return BertScore(0.0, 0.0, 0.0)
    cosines = np.asarray(candidate, np.float64) @ np.asarray(reference, np.float64).T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def cosines(embedder: Embedder, text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine of a text with each of the others, in [-1, 1]; texts may be longer than the model reads."""
    vectors = encode_whole(embedder, [text, *others])
    return [float(np.clip(cosine, -1.0, 1.0)) for cosine in vectors[1:] @ vectors[0]]
