"""Abbreviations that a text explains: «long form (SF)» and «SF (long form)».

Source: A. S. Schwartz and M. A. Hearst, A simple algorithm for identifying abbreviation definitions in biomedical text,
PSB 2003; with a filter on what short forms look like, for brackets in papers hold many other words.
"""

import re
from typing import NamedTuple

_BRACKETS = re.compile(r"\(([^()\[\]\n]{2,200})\)")
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.;:!?](?=\s)")
LONGEST_SHORT = 10
MOST_SHORT_WORDS = 2
LONGEST_WINDOW = 1000
"""Characters before a bracket that are looked at."""
_ROMAN = re.compile(r"[IVX]+")


class Abbreviation(NamedTuple):
    """A short form with its long form; ``start`` is where the text explains it: the first character of the first."""

    short: str
    long: str
    start: int


def abbreviations(text: str) -> list[Abbreviation]:
    """Return the abbreviations that ``text`` explains, in its order; each pair once, where it comes first.

    A short form has 2 to 10 characters in at most two words and the shape of an acronym: a capital beside another one,
    a digit or small letters before it (BERT, mAP, GloVe, CNNs, F1; not More, Table or 2018). Its characters stand in
    this order in the long form, the first of them at the beginning of its first word, which is among the
    min(n + 5, 2 n) words beside the bracket for n characters.
    """
    found: dict[tuple[str, str], Abbreviation] = {}
    for bracket in _BRACKETS.finditer(text):
        pair = _explained(text, bracket)
        if pair is not None:
            found.setdefault((pair.short, pair.long), pair)
    return list(found.values())


def is_acronym(word: str) -> bool:
    """Say whether a word or two have the shape of a short form."""
    letters = [letter for letter in word if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    return (
        2 <= len(word) <= LONGEST_SHORT
        and len(word.split()) <= MOST_SHORT_WORDS
        and word[0].isalnum()
        and word[-1] not in ".,;:"
        and capitals > 0
        and (capitals > 1 or not letters[0].isupper() or any(letter.isdigit() for letter in word))
        and not _ROMAN.fullmatch(word)
    )


def _explained(text: str, bracket: re.Match[str]) -> Abbreviation | None:
    inside = re.split(r"[,;:]", bracket[1])[0].strip()
    offset = max(0, bracket.start() - LONGEST_WINDOW)
    before = text[offset : bracket.start()].rstrip()
    if is_acronym(inside):
        n_words = min(len(inside) + 5, 2 * len(inside))
        begin = _start_of_last_words(before, n_words)
        if (start := _long_form(inside, before[begin:])) is not None:
            return Abbreviation(inside, " ".join(before[begin + start :].split()), offset + begin + start)
        return None
    begin = _start_of_last_words(before, 1)
    short = before[begin:]
    whole = bracket[1].strip()
    if is_acronym(short) and len(whole.split()) <= min(len(short) + 5, 2 * len(short)):
        start = _long_form(short, whole)
        if start == 0:
            return Abbreviation(short, " ".join(whole.split()), offset + begin)
    return None


def _start_of_last_words(text: str, n: int) -> int:
    """Return where the last ``n`` words of the sentence that ``text`` ends in begin."""
    window = 0
    for end in _SENTENCE_END.finditer(text):
        window = end.end()
    words = [word.start() for word in _WORD.finditer(text, window)][-n:]
    return words[0] if words else len(text)


def _long_form(short: str, text: str) -> int | None:
    """Return where in ``text`` the shortest ending begins that ``short`` abbreviates; None where there is none."""
    at = len(text)
    wanted = [letter.lower() for letter in short if letter.isalnum()]
    for number, letter in reversed(list(enumerate(wanted))):
        at -= 1
        while at >= 0 and (text[at].lower() != letter or (number == 0 and at > 0 and text[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    start = max(text.rfind(" ", 0, at) + 1, 0)
    long = text[start:]
    begins = start + next((n for n, letter in enumerate(long) if letter.isalnum()), 0)
    return begins if _is_long_enough(short, text[begins:]) else None


def _is_long_enough(short: str, long: str) -> bool:
    words = re.split(r"[\s-]+", long.lower())
    return len(long) > len(short) and short.lower() not in words and not re.search(r"[()\[\]=<>]", long)
