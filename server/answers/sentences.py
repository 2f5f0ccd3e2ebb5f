"""The sentences of passages that can be quoted: whole, readable, and with the place where they stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from papergraph.server.retrieval.lucene import FIRST_IDEOGRAPH
from papergraph.text.sentences import sentence_starts

LEAST_WORDS, MOST_WORDS = 4, 100
"""Fewest and most words of a sentence; shorter ones are fragments, longer ones tables or lists without full stops."""

MOST_WORDS_OF_HEADING = 12
LEAST_LETTERS = 0.5
"""Share of letters among all characters that are no blanks; rows of numbers have fewer."""

WORD = re.compile(rf"[{FIRST_IDEOGRAPH}-\U0003ffff]|[^\W\d_]{{2,}}")
MARKUP = re.compile(r"#{1,6}\s|\||!\[|```")
ENDS = re.compile(r"[.!?…:;。！？][)\]}\"'”’»」』*_`]*(?:\s?\[[\d,;\s–-]*\])*\Z")
REFERENCE = re.compile(
    r"\A(?:\[\d+\]|\(?\d{1,3}[.)])?\s*[A-Z][\w'’-]+,?\s(?:[A-Z]\.?[\s-]?){1,3}[,;.&(]"  # Smith J., or Smith, J. A.,
    r"|\bdoi\s?[:.]|\bdoi\.org/|\barXiv:\d"
    r"|\b\d+\s?\(\d+(?:[–-]\d+)?\)\s?[:,]\s?(?:pp?\.\s?)?[A-Z]?\d+"  # 12(3): 45
    r"|\b(?:19|20)\d\d;\s?\d+"  # 2009; 4
)
CODE = re.compile(
    r"\A\s*(?:R?>|>>>|[$+%])\s|\bR>\s|>\s*#|\s<-\s|\bCall:|%>%"  # prompts, comments and assignments
    r"|(?<!\S)-?\d[\d.,e-]*(?:\s+-?\d[\d.,e-]*){3}(?!\S)"  # four numbers in a row
)
FORMULA_SIGN = re.compile(r"\A(?:[^\W\d_]|[^\w\s]*[=+*/−·×∑∫<>≤≥~^|-][^\w\s]*|\(?\d+\)?)\Z")
MOST_SIGNS = 0.5
"""Share of words that are single letters, numbers or signs of operations; formulas have more."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage, or several that follow each other.

    Attributes:
        passage: Which passage, from 0.
        start, end: Its place in the passage's text, in characters; ``text`` stands there to the letter.
        text: What it says, without blanks around it.
    """

    passage: int
    start: int
    end: int
    text: str


def sentences_of(texts: Sequence[str]) -> list[Sentence]:
    """Return the sentences of passages that can be quoted, in their order.

    Left out are headings, rows of tables, entries of lists of references, rows of numbers, code with its output,
    formulas, and sentences shorter than 4 words or longer than 100.

    Args:
        texts: The text of each passage, as it is stored.
    """
    found = []
    for passage, text in enumerate(texts):
        for begins, ends in pairwise([*sentence_starts(text), len(text)]):
            said = text[begins:ends].strip()
            start = text.index(said, begins)
            if can_be_quoted(said, ends_block=_ends_block(text, start + len(said))):
                found.append(Sentence(passage, start, start + len(said), said))
    return found


def can_be_quoted(said: str, *, ends_block: bool = False) -> bool:
    """Say whether a sentence says something by itself.

    Args:
        said: The sentence, without blanks around it.
        ends_block: Whether a line or the text ends behind it, as behind a heading.
    """
    n_words = len(WORD.findall(said))
    if not LEAST_WORDS <= n_words <= MOST_WORDS or MARKUP.match(said):
        return False
    if ends_block and n_words <= MOST_WORDS_OF_HEADING and not ENDS.search(said):
        return False
    parts = said.split()
    if CODE.search(said) or sum(FORMULA_SIGN.match(part) is not None for part in parts) > MOST_SIGNS * len(parts):
        return False
    seen = [character for character in said if not character.isspace()]
    if sum(character.isalpha() for character in seen) < LEAST_LETTERS * len(seen):
        return False
    return not (YEAR.search(said) and REFERENCE.search(said))


def _ends_block(text: str, end: int) -> bool:
    return text[end : end + 2].lstrip(" \t\r")[:1] in ("", "\n")
