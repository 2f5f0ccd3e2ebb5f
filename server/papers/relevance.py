"""Model of which papers a reader keeps: logistic regression over words (TF-IDF) and stored vectors.

It is linear, so each word's share of a score can be shown. With n decisions its training takes time in n³, whatever the
number of words, because it is solved over the decisions (Newton's method in the dual form).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

WORD = re.compile(r"[^\W_][^\W_]+(?:-[^\W_]+)*")
MOST_DECISIONS = 1500
"""Decisions that train a model: all of the rarer kind, and the latest of the other."""
STRENGTH = 1.0
"""Inverse of the regularisation, as scikit-learn's ``C``."""
VECTOR_SHARE = 1.0
"""Weight of the vectors beside the words, both of length 1."""
STEPS, TOLERANCE = 25, 1e-6
SHOWN_WORDS = 6
COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by can for from has have in into is it its may more most no not of on or our "
        "such than that the their these they this those to was we were when where which while who will with within",
    )
)


@dataclass(frozen=True)
class Texts:
    """Texts as rows of numbers.

    Attributes:
        rows: TF-IDF of words and pairs of words.
        vectors: Centred vectors, one for each row.
        words: Words and pairs by column of ``rows``.
    """

    rows: "csr_matrix"
    vectors: Floats
    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str], vectors: Sequence[Sequence[float] | None]) -> "Texts":
        """Return the numbers of texts, whose document frequencies are those among themselves.

        Args:
            texts: Titles with abstracts.
            vectors: Their vectors of length 1, all of one model; None for texts without one.
        """
        counts = [Counter(terms_of(text)) for text in texts]
        frequency = Counter(term for one in counts for term in one)
        least = 2 if len(texts) > 2 else 1
        words = tuple(sorted(term for term, n in frequency.items() if n >= least))
        column = {term: at for at, term in enumerate(words)}
        idf = np.array([np.log((1 + len(texts)) / (1 + frequency[term])) + 1 for term in words])
        data: list[float] = []
        columns: list[int] = []
        ends = [0]
        for one in counts:
            kept = [(column[term], n) for term, n in one.items() if term in column]
            weights = np.array([(1 + np.log(n)) * idf[at] for at, n in kept])
            length = float(np.linalg.norm(weights)) or 1.0
            data += (weights / length).tolist()
            columns += [at for at, _ in kept]
            ends.append(len(columns))
        from scipy.sparse import csr_matrix  # takes long to import

        return cls(csr_matrix((data, columns, ends), shape=(len(texts), len(words))), _centred(vectors), words)


def _centred(vectors: Sequence[Sequence[float] | None]) -> Floats:
    """Return vectors without their mean, of the length of their weight; zeros for missing ones."""
    length = next((len(one) for one in vectors if one is not None), 0)
    rows = np.zeros((len(vectors), length))
    there = [at for at, one in enumerate(vectors) if one is not None and len(one) == length]
    if len(there) < 2:
        return rows
    rows[there] = np.array([vectors[at] for at in there], dtype=float)
    rows[there] -= rows[there].mean(axis=0)
    lengths = np.linalg.norm(rows[there], axis=1, keepdims=True)
    rows[there] *= VECTOR_SHARE / np.where(lengths > 0, lengths, 1.0)
    return rows


def terms_of(text: str) -> list[str]:
    """Return the words of a text in lower case without the commonest, and their pairs."""
    words = [word for word in WORD.findall(text.lower()) if word not in COMMON]
    return [*words, *(f"{one} {two}" for one, two in pairwise(words))]


@dataclass(frozen=True)
class Relevance:
    """A trained model.

    Attributes:
        texts: The numbers of all texts.
        weights: By word, positive if it speaks for a paper.
        direction: Weights of the vectors.
        bias: Score of a text without any word or vector.
    """

    texts: Texts
    weights: Floats
    direction: Floats
    bias: float

    @classmethod
    def trained(cls, texts: Texts, decided: Sequence[int], kept: Sequence[bool]) -> "Relevance":
        """Return the model of decisions, both kinds of the same weight together.

        Args:
            texts: The numbers of all texts.
            decided: Rows with a decision, the latest first.
            kept: Whether each was kept.

        Raises:
            ValueError: All decisions are of one kind.
        """
        chosen = _bounded(kept)
        labels = np.array([kept[at] for at in chosen], dtype=float)
        n_kept = int(labels.sum())
        if n_kept in (0, len(labels)):
            raise ValueError("a model needs papers that were kept and papers that were not")
        places = np.array([decided[at] for at in chosen])
        rows, vectors = texts.rows[places], texts.vectors[places]
        parts = np.where(labels > 0, len(labels) / (2 * n_kept), len(labels) / (2 * (len(labels) - n_kept)))
        likeness = np.asarray((rows @ rows.T).toarray()) + vectors @ vectors.T + 1.0  # the 1 stands for the bias
        dual = _solve(likeness, labels, STRENGTH * parts)
        return cls(texts, np.asarray(rows.T @ dual).ravel(), vectors.T @ dual, float(dual.sum()))

    def scores(self) -> Floats:
        """Return the probability of each text, in (0, 1), that it is kept; both kinds are held to be equally many."""
        by_words = np.asarray(self.texts.rows @ self.weights).ravel()
        return _logistic(by_words + self.texts.vectors @ self.direction + self.bias)

    def words_of(self, row: int) -> list[str]:
        """Return the words that move the score of a text most, as ``+word`` or ``-word``, the strongest first."""
        part: Any = self.texts.rows[row]
        shares = [
            (value * self.weights[at], self.texts.words[at]) for at, value in zip(part.indices, part.data, strict=True)
        ]
        strongest = sorted(shares, key=lambda one: (-abs(one[0]), one[1]))[:SHOWN_WORDS]
        return [f"{'+' if share > 0 else '-'}{word}" for share, word in strongest if share]


def _bounded(kept: Sequence[bool]) -> list[int]:
    """Return the places of the decisions that train: all, or all of the rarer kind and the first of the other."""
    if len(kept) <= MOST_DECISIONS:
        return list(range(len(kept)))
    by_kind = [[at for at, one in enumerate(kept) if one is kind] for kind in (True, False)]
    few, many = sorted(by_kind, key=len)
    few = few[: MOST_DECISIONS // 2]
    return sorted([*few, *many[: MOST_DECISIONS - len(few)]])


def _logistic(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -40, 40)))


def _solve(likeness: Floats, labels: Floats, strengths: Floats) -> Floats:
    """Return the dual weights of logistic regression with L2: where each is its strength times its error."""
    from scipy.linalg import solve

    dual = np.zeros(len(labels))
    for _ in range(STEPS):
        odds = likeness @ dual
        chance = _logistic(odds)
        curve = np.maximum(chance * (1 - chance), 1e-9)
        target = odds + (labels - chance) / curve
        new = solve(likeness + np.diag(1 / (strengths * curve)), target, assume_a="pos")
        moved = float(np.abs(new - dual).max())
        dual = new
        if moved < TOLERANCE:
            break
    return dual
