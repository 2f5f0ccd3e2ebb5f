"""Whether the characters of a PDF are language: fonts can map their letters to others, so that nothing can be read.

Counted are words of four Latin letters and more, since shorter ones pass by chance. A word can be pronounced if it has
a vowel, no long run of consonants, and no letter three times in a row. Texts in other scripts have no such words, pass,
unless signs stand among the letters of their words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

WORD = re.compile(r"(?<![\w.])[A-Za-zÀ-ÖØ-öø-ž]{4,40}(?![\w.(])")
VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿāăąēĕėęěīĭįıōŏőūŭůűų]", re.IGNORECASE)
CONSONANTS = re.compile(r"[b-df-hj-np-tv-xzßçñ]{6}", re.IGNORECASE)
THRICE = re.compile(r"(.)\1\1", re.IGNORECASE)
SIGN_IN_WORD = re.compile(r"[^\W\d_][\u2600-\u27bf\ue000-\uf8ff]|[\u2600-\u27bf\ue000-\uf8ff][^\W\d_]")
FEWEST_WORDS = 40
"""With fewer words nothing is judged."""

FEWEST_PRONOUNCED = 0.6
MOST_SIGNS = 0.2
"""Signs beside letters for each word."""


@dataclass(frozen=True)
class WordCount:
    """Words of a text, those that can be pronounced, and the signs that stand right beside letters."""

    n_words: int
    n_pronounced: int
    n_signs: int

    @property
    def share(self) -> float:
        """Share of the words that can be pronounced, in [0, 1]; 1 for none."""
        return self.n_pronounced / self.n_words if self.n_words else 1.0

    @property
    def is_language(self) -> bool:
        """Whether the words are those of a language, as far as there are enough to tell."""
        if self.n_signs > FEWEST_WORDS and self.n_signs > MOST_SIGNS * self.n_words:
            return False
        return self.n_words < FEWEST_WORDS or self.share >= FEWEST_PRONOUNCED


def count_words(texts: Iterable[str]) -> WordCount:
    """Count the words of texts."""
    n_words = n_pronounced = n_signs = 0
    for text in texts:
        n_signs += len(SIGN_IN_WORD.findall(text))
        for word in WORD.findall(text):
            if word.isupper():
                continue
            n_words += 1
            n_pronounced += is_pronounceable(word)
    return WordCount(n_words, n_pronounced, n_signs)


def is_pronounceable(word: str) -> bool:
    """Say whether a word has a vowel, at most five consonants in a row, and no letter three times in a row."""
    return VOWEL.search(word) is not None and not CONSONANTS.search(word) and not THRICE.search(word)
