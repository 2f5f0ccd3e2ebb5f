"""Which named query a question is likely to mean: a linear classifier over its words, with its names masked.

The words of a question count as stems, as senses of the vocabulary, as pieces of three letters (so that misspelt words
are near right ones), and by what stands beside them. :mod:`scripts.phrasings` fits the weights to phrasings that a
grammar generates.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from papergraph.embedding.model import Floats
from server.answers.graph_words import Token
from server.answers.tokens import stem

WEIGHTS = Path(__file__).parent / "graph_classifier.npz"
NO_QUERY = "none"
AUTHOR, COAUTHOR, PAPER, YEAR = "{author}", "{coauthor}", "{paper}", "{year}"
"""What stands for a name or a year among the words of a question."""
N_ROWS = 2**14
N_LETTERS = 3
MOST_STRANGE = 3
OF_TRIPLE, OF_LETTERS = 0.7, 0.3
"""Values of features; all others have 1."""


@dataclass(frozen=True)
class Likely:
    """The likeliest query of a question.

    Attributes:
        query: Its name, ``none`` for questions to passages.
        probability: How likely it is, in [0, 1].
    """

    query: str
    probability: float


@dataclass(frozen=True)
class Word:
    """A word of a question, or what stands for a name.

    Attributes:
        key: In small letters, or one of the marks of names.
        senses: What the vocabulary knows of it, in one word; empty for nothing.
        is_strange: Whether it is neither in the vocabulary nor a function word.
    """

    key: str
    senses: str = ""
    is_strange: bool = False

    @classmethod
    def of(cls, token: Token) -> "Word":
        """Return a word of a question."""
        if token.years is not None:
            return cls(YEAR, YEAR)
        return cls(token.key, "/".join(sorted(token.senses)), not token.is_explained)

    @classmethod
    def mask(cls, mark: str) -> "Word":
        """Return what stands for a name."""
        return cls(mark, mark)


def likely(words: Sequence[Word]) -> Likely:
    """Return the likeliest query of a question whose names are masked."""
    queries, weights, bias = _weights()
    scores = bias + sum((value * weights[row] for row, value in rows_of(words).items()), np.zeros_like(bias))
    chances = np.exp(scores - scores.max())
    best = int(chances.argmax())
    return Likely(queries[best], float(chances[best] / chances.sum()))


def rows_of(words: Sequence[Word]) -> Mapping[int, float]:
    """Return the features of a question: rows of the weights with their values."""
    rows: dict[int, float] = {}
    for feature, value in _features(words):
        rows[zlib.crc32(feature.encode()) % N_ROWS] = value
    return rows


def _features(words: Sequence[Word]) -> Iterator[tuple[str, float]]:
    stems = ["<", *(word.key if word.senses == word.key else stem(word.key) for word in words), ">"]
    senses = ["<", *(word.senses or "_" for word in words), ">"]
    told = [sense for sense in senses if sense != "_"]
    for name, sequence in (("stem", stems), ("sense", senses), ("told", told)):
        yield from ((f"{name} {one}", 1.0) for one in sequence)
        yield from ((f"{name} {one} {two}", 1.0) for one, two in pairwise(sequence))
        triples = zip(sequence, sequence[1:], sequence[2:], strict=False)
        yield from ((f"{name} {one} {two} {three}", OF_TRIPLE) for one, two, three in triples)
    for word in words:
        if len(word.key) >= N_LETTERS and not word.key.startswith("{"):
            spelled = f"^{word.key}$"
            yield from (
                (f"letters {spelled[start : start + N_LETTERS]}", OF_LETTERS)
                for start in range(len(spelled) - N_LETTERS + 1)
            )
    yield f"strange {min(MOST_STRANGE, sum(word.is_strange for word in words))}", 1.0
    yield f"names {' '.join(sorted({word.key for word in words if word.key.startswith('{')}))}", 1.0


@cache
def _weights() -> tuple[Sequence[str], Floats, Floats]:
    """Return the names of the queries, the weights [features, queries] and the bias [queries]."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        queries = json.loads(str(stored["queries"]))
        return queries, stored["weights"].astype(np.float32), stored["bias"].astype(np.float32)
