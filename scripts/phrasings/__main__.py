"""Fit the classifier of questions about the graph to generated phrasings: ``python -m scripts.phrasings``.

Phrasings come from the grammar in ``phrasings.toml`` with fixed seeds. Writes ``server/answers/graph_classifier.npz``.
"""

import hashlib
import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from papergraph.server.answers.graph_recognition import N_ROWS, NO_QUERY, WEIGHTS, Word, rows_of
from papergraph.server.answers.graph_words import tokens_of

PHRASINGS = Path(__file__).parent / "phrasings.toml"
SEED = 28
PER_LINE, PER_PASSAGE = 60, 100
"""Phrasings of a line about the graph, and of one to passages."""
SHARE_FRAMED, SHARE_MISSPELT, SHARE_OF_AUTHOR = 0.5, 0.3, 0.1
OF_WORDS, LEAST_LETTERS, VOWELS = 0.3, 3, "aeiou"
"""Share of misspelt words in a phrasing that has some; shorter words are always right."""
OF_AUTHOR = (
    "{paper} by {author}",
    "{author}'s {paper}",
    "{paper} of {author}",
    "{author} {paper}",
    "the {author} paper {paper}",
)
STRENGTH = 3.0
"""Inverse of the regularisation."""
_CHOICE = re.compile(r"\(([^()]*)\)")
_MARK = re.compile(r"(\{(?:author|coauthor|paper|year)\})(?:'s)?")
_LIST = re.compile(r"\{(topic|thing)\}")


def checksum() -> str:
    """Return the checksum of the grammar, which the weights carry."""
    return hashlib.sha256(PHRASINGS.read_bytes()).hexdigest()


def words_of(text: str) -> list[Word]:
    """Return the words of a phrasing with marks."""
    words: list[Word] = []
    place = 0
    for match in _MARK.finditer(text):
        words += [Word.of(token) for token in tokens_of(text[place : match.start()])]
        words.append(Word.mask(match[1]))
        place = match.end()
    return words + [Word.of(token) for token in tokens_of(text[place:])]


def phrasings(grammar: Mapping[str, Any], seed: int = SEED) -> Iterator[tuple[str, str]]:
    """Yield phrasings with their queries."""
    chance = random.Random(seed)  # noqa: S311  no secret
    lines = [(query, line, PER_LINE) for query, of in grammar["queries"].items() for line in of]
    lines += [(NO_QUERY, line, PER_PASSAGE) for line in grammar["passages"]]
    for query, line, n in lines:
        texts = {_expanded(line, grammar, chance) for _ in range(n)}
        for text in sorted(texts):
            yield _framed(text, grammar, chance), query
            yield text, query


def fitted(texts: Sequence[tuple[str, str]]) -> LogisticRegression:
    """Return a classifier of phrasings."""
    rows = [rows_of(words_of(text)) for text, _ in texts]
    matrix = csr_matrix(
        (
            [value for of in rows for value in of.values()],
            [row for of in rows for row in of],
            np.cumsum([0, *map(len, rows)]),
        ),
        shape=(len(rows), N_ROWS),
    )
    return LogisticRegression(C=STRENGTH, max_iter=400).fit(matrix, [query for _, query in texts])


def main() -> None:
    grammar = tomllib.loads(PHRASINGS.read_text(encoding="utf-8"))
    texts = list(phrasings(grammar))
    model = fitted(texts)
    np.savez_compressed(
        WEIGHTS,
        queries=json.dumps([str(one) for one in model.classes_]),
        weights=model.coef_.T.astype(np.float16),
        bias=model.intercept_.astype(np.float32),
        grammar=checksum(),
    )
    print(f"{len(texts)} phrasings, {WEIGHTS.stat().st_size} bytes")


def _expanded(line: str, grammar: Mapping[str, Any], chance: random.Random) -> str:
    while (match := _CHOICE.search(line)) is not None:
        line = line[: match.start()] + chance.choice(match[1].split("|")) + line[match.end() :]
    while (match := _LIST.search(line)) is not None:
        line = line[: match.start()] + chance.choice(grammar[match[1]]) + line[match.end() :]
    return " ".join(line.split())


def _framed(text: str, grammar: Mapping[str, Any], chance: random.Random) -> str:
    """Return a phrasing with what askers write before and after it, and sometimes misspelt words."""
    if "{author}" not in text and chance.random() < SHARE_OF_AUTHOR:
        text = text.replace("{paper}", chance.choice(OF_AUTHOR))
    of_words = OF_WORDS if chance.random() < SHARE_MISSPELT else 0.0
    if chance.random() < SHARE_FRAMED:
        text = f"{chance.choice(grammar['before'])} {text}"
    if chance.random() < SHARE_FRAMED:
        text = f"{text} {chance.choice(grammar['after'])}"
    return " ".join(_misspelt(word, chance) if chance.random() < of_words else word for word in text.split())


def _misspelt(word: str, chance: random.Random) -> str:
    """Return a word with a letter too few, too many, in the place of the next one, or another vowel."""
    if len(word) < LEAST_LETTERS or not word.isalpha():
        return word
    place = chance.randrange(1, len(word))
    vowels = [at for at, letter in enumerate(word) if letter in VOWELS]
    other = chance.choice(vowels) if vowels else place
    return chance.choice(
        [
            word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :],
            word[:place] + word[place + 1 :],
            word[:place] + word[place - 1 :],
            word[:other] + chance.choice(VOWELS) + word[other + 1 :],
        ]
    )


if __name__ == "__main__":
    main()
