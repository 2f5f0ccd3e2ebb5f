"""Citations by author and year, such as "(Bates, 2015; Smith & Jones, 2014a,b)" or "Bates et al. (2015)".

One is linked where its names and year are those of exactly one entry of the list of references.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.parsers.common.entry_names import JOINS, PARTICLES
from ingest.parsers.document import CitedAt, Reference

YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letters>[a-z](?:\s?[,;]\s?[a-z]\b)*)?(?![\w])(?!\.\d)")
FURTHER = re.compile(
    r"\s?[,;&]\s?(?:and\s)?(?P<year>1[5-9]\d\d|20\d\d)(?P<letters>[a-z](?:\s?[,;]\s?[a-z]\b)*)?(?![\w-])"
)
BEFORE = 260
"""Characters before a year in which its names stand."""

TOKEN = re.compile(r"[^\W\d_][\w'’‘`´-]*\.?|&|[^\s\w]|\d+|\s+")
Token = tuple[str, int]
"""A folded word and its offset."""

LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "ł": "l", "Ł": "L", "ı": "i", "đ": "d"})
PREFIX = re.compile(r"d['’]")
DOTTED = re.compile(r"[A-Z]\.(?:-?[A-Z])?")
STOPS = frozenset(';:()[]“”"?!')
POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True)
class _Work:
    """An entry: its names as folded words, its year and letter."""

    number: int
    names: tuple[tuple[str, ...], ...]
    letter: str


def find_author_years(
    text: str, spans: Sequence[tuple[int, int]], references: Sequence[Reference]
) -> Iterator[CitedAt]:
    """Yield where ``spans`` of a text cite entries by author and year, in order."""
    works = _works(references)
    if not works:
        return
    for start, end in spans:
        reached = start
        for match in YEAR.finditer(text, start, end):
            if match.start() < reached:
                continue
            names = _names_before(text, max(reached, match.start() - BEFORE), match.start())
            reached = match.end()
            if not names:
                continue
            years = [(match["year"], match["letters"], match.start(), match.end())]
            at = match.end()
            while further := FURTHER.match(text, at):
                years.append((further["year"], further["letters"], further.start("year"), further.end()))
                at = further.end()
            reached = at
            for number, (year, letters, first, last) in enumerate(years):
                for letter in re.findall(r"[a-z]", letters or "") or [""]:
                    found = _only(_possible(works, year, names), names, letter)
                    if found is not None:
                        work, name_start = found
                        yield CitedAt(name_start if number == 0 else first, last, work.number)


def _possible(works: Mapping[tuple[str, str], Sequence[_Work]], year: str, names: Sequence[Token]) -> list[_Work]:
    """Return the works of a year whose first surname is among the names."""
    return [work for word in dict.fromkeys(word for word, _ in names) for work in works.get((year, word), ())]


def _works(references: Sequence[Reference]) -> dict[tuple[str, str], list[_Work]]:
    """Return the entries by year and the last word of their first name."""
    works: dict[tuple[str, str], list[_Work]] = defaultdict(list)
    for number, entry in enumerate(references):
        if entry.year is None:
            continue
        names = tuple(filter(None, (tuple(_folded(word) for word in _words(name)) for name in entry.authors)))
        if not names:
            first = re.match(r"[^\W\d_][\w'’-]+", entry.text)
            names = ((_folded(first[0]),),) if first else ()
        letter = re.search(rf"\b{entry.year}([a-z])\b", entry.text)
        if names:
            works[str(entry.year), names[0][-1]].append(_Work(number, names, letter[1] if letter else ""))
    return works


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_][\w'’‘`´-]*", name)


def _folded(word: str) -> str:
    bare = unicodedata.normalize("NFKD", POSSESSIVE.sub("", word).translate(LETTERS))
    return "".join(character for character in bare.casefold() if character.isalnum())


def _names_before(text: str, start: int, end: int) -> list[Token]:
    """Return the words of names that stand right before a year, folded, with their offsets."""
    tokens = [(match[0], match.start()) for match in TOKEN.finditer(text, start, end)]
    if tokens and start and text[start - 1].isalnum():
        tokens = tokens[1:]
    while tokens and (not tokens[-1][0].strip() or tokens[-1][0] in (",", "(", "[", ".")):
        tokens.pop()
    found: list[Token] = []
    for printed, at in reversed(tokens):
        bare = printed.rstrip(".")
        if not printed.strip() or printed in (",", "."):
            continue
        if printed in STOPS or printed.isdigit():
            break
        if printed == "&" or bare in JOINS or bare in PARTICLES:
            found.append((bare, at))
        elif bare[:1].isupper() or PREFIX.match(bare):
            if len(bare) > 1 and not DOTTED.fullmatch(bare):
                found.append((_folded(bare), at))
        else:
            break
    return [(word, at) for word, at in reversed(found) if word]


def _only(works: Sequence[_Work], names: list[Token], letter: str) -> tuple[_Work, int] | None:
    """Return the one work that fits best with where its names begin, or None where several fit as well."""
    fits: list[tuple[int, _Work, int]] = []
    for work in works:
        fit = _fit(work, names)
        if fit is None or (letter and work.letter and letter != work.letter):
            continue
        score = fit[0] + (4 if letter and letter == work.letter else 0)
        fits.append((score, work, fit[1]))
    if not fits:
        return None
    best = max(score for score, _, _ in fits)
    chosen = [(work, at) for score, work, at in fits if score == best]
    return chosen[0] if len(chosen) == 1 else None


def _fit(work: _Work, names: list[Token]) -> tuple[int, int] | None:
    """Return how well the words before a year name a work, and where they begin; None where they do not."""
    words = [word for word, _ in names]
    etal = "al" in words or "others" in words
    for place in range(len(words)):
        for length in range(min(len(work.names[0]), len(words) - place), 0, -1):
            if tuple(words[place : place + length]) != work.names[0][-length:]:
                continue
            others = [word for word in words[place + length :] if word not in JOINS and word not in PARTICLES]
            known = {word for name in work.names for word in name}
            if any(word not in known for word in others):
                continue
            surnames = sum(name[-1] in others for name in work.names[1:])
            n_named = 1 + surnames
            if etal:
                score = 2 if len(work.names) > 2 else 1
                return (score if len(work.names) > 1 or len(work.names[0]) == 1 else 0), names[place][1]
            if n_named == len(work.names):
                return 3, names[place][1]
            if others:
                return 1, names[place][1]
            return 0, names[place][1]
    return None
