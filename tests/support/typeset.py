"""Small PDFs for tests, set by Typst; its own fonts come with it."""

import typst

PAGE = '#set page(paper: "a5", numbering: "1")\n#set text(font: "Libertinus Serif", size: 9pt, lang: "en")\n'
UNMARKED = "#set heading(bookmarked: false)\n"


def pdf(markup: str) -> bytes:
    """Return a PDF of Typst markup on A5 pages with numbers at their feet."""
    return bytes(typst.compile((PAGE + markup).encode()))


def prose(n_words: int, *, first: int = 0) -> str:
    """Return sentences of distinct words, ten to a sentence."""
    words = [_word(number) + ("." if number % 10 == 9 else "") for number in range(first, first + n_words)]
    return " ".join(words).rstrip(".") + "."


def _word(number: int) -> str:
    syllables = ("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu")
    return "".join(syllables[int(digit)] for digit in f"{number:04}")
