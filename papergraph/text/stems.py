"""Stems of words in many languages."""

from functools import cache, lru_cache
from typing import Any

from papergraph.text.language import NAMES


def snowball_stem(word: str, language: str) -> str:
    """Return the stem of a word in small letters; the word itself in languages without a stemmer.

    Args:
        word: The word.
        language: ISO 639-1 code.
    """
    return stem_by(NAMES.get(language, "").lower(), word)


@lru_cache(maxsize=65_536)
def stem_by(stemmer: str, word: str) -> str:
    """Return what one of Snowball's stemmers, such as ``german`` or ``porter``, makes of a word; the word if none.

    Source: Porter 2001, Snowball: a language for stemming algorithms.
    """
    known = _stemmer(stemmer)
    return word if known is None else str(known.stemWord(word))


@cache
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
