"""Stems of words in many languages."""

from functools import cache, lru_cache
from typing import Any

from papergraph.text.language import NAMES


@lru_cache(maxsize=65_536)
def snowball_stem(word: str, language: str) -> str:
    """Return the stem of a word in small letters; the word itself in languages without a stemmer.

    Args:
        word: The word.
        language: ISO 639-1 code.

    Source: Porter 2001, Snowball: a language for stemming algorithms.
    """
    stemmer = _stemmer(NAMES.get(language, "").lower())
    return word if stemmer is None else str(stemmer.stemWord(word))


@cache
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
