"""Names in a text: phrases in capitals and titles of papers, each with the places that it stands at.

A name is known by its key, its words in small letters without accents, so that Beyoncé's is beyonce. A title is also
found without what it has in brackets or after a comma: "Lothair II (king)", "Sibyl of Anjou, Countess of Flanders".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LONGEST_NAME = 10
"""Words of a name or a title that is looked for in texts."""

SHORTEST_WORD = 3
"""Letters of a name that is one word."""

FEW = 50
"""Titles up to which a text is searched for their words before it is taken apart."""

INSIDE = frozenset(re.findall(r"\S+", "of the de von van der da di du la le and for in al bin ibn"))
"""Words that a name may have between its capitals."""

NO_NAMES = frozenset(
    re.findall(
        r"\S+",
        "the a an in on at it its he his she her they their this that these those there then after before when while "
        "as from by for to with and or but not no if is was were be been are has had have do does did can could will "
        "would we our you your i my me us who whom whose which what where how why during also than may might such "
        "between about into january february march april june july august september october november december monday "
        "tuesday wednesday thursday friday saturday sunday",
    )
)
"""Words that do not form a name and do not begin one."""

_WORD = re.compile(r"[^\W_]+(?:['’][sS]\b)?")
_KEY_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’][sS]\b")
_BRACKETS = re.compile(r"\([^()]*\)")
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
_PHRASE = re.compile(rf"(?<![\w'’]){_CAPITAL}(?:\s+(?:{_CAPITAL}|(?:{'|'.join(sorted(INSIDE))})\b|\d+\b))*")


@dataclass(frozen=True)
class Named:
    """That a text names something; ``start`` and ``end`` in characters."""

    key: str
    start: int
    end: int


def key_of(name: str) -> str:
    """Return the words of a name in small letters, without accents and a possessive s; '' where it has none."""
    return " ".join(_KEY_WORD.findall(_folded(_POSSESSIVE.sub("", name))))


def _folded(text: str) -> str:
    if not text.isascii():
        text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return text.casefold()


def title_keys(title: str) -> list[str]:
    """Return the keys by which texts may name a paper: its title without brackets and without text after a comma.

    Titles of more than ten words, or of a single common word, have no keys.
    """
    names = [title, _BRACKETS.sub("", title)]
    if "(" not in title:
        names.append(title.partition(",")[0])
    return [key for key in dict.fromkeys(map(key_of, names)) if _is_key(key)]


class Titles:
    """Titles that are looked for in texts, given by their keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(keys)
        self._first_words = frozenset(key.partition(" ")[0] for key in self._keys)

    def in_text(self, text: str, *, capital: bool = True) -> list[Named]:
        """Return the mentions of titles in a text, in order; a title inside a longer one counts too.

        Args:
            text: The text.
            capital: True to skip mentions that begin in lower case.
        """
        if len(self._keys) <= FEW and not self._may_be_in(text):
            return []
        places = list(_WORD.finditer(text))
        words = [key_of(place[0]) for place in places]
        starts = [
            at
            for at, word in enumerate(words)
            if word in self._first_words and not (capital and text[places[at].start()].islower())
        ]
        return [
            Named(key, places[at].start(), places[last].end())
            for at, last, key in _runs(words, starts)
            if key in self._keys
        ]

    def _may_be_in(self, text: str) -> bool:
        plain = _folded(text)
        return any(all(word in plain for word in key.split()) for key in self._keys)


def possible_titles(text: str) -> set[str]:
    """Return every key of a title that a text may use."""
    words = [key_of(match[0]) for match in _WORD.finditer(text)]
    return {key for _, _, key in _runs(words, range(len(words))) if _is_key(key)}


def _runs(words: Sequence[str], starts: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """Yield first and last place of each run of up to ten words that begins at one of ``starts``, with the run."""
    for at in starts:
        key = words[at]
        yield at, at, key
        for last in range(at + 1, min(at + LONGEST_NAME, len(words))):
            key = f"{key} {words[last]}"
            yield at, last, key


def phrases(text: str) -> list[Named]:
    """Return what a text names by capitals, in its order: runs of capitalised words, with "of", "the" and such inside.

    Numbers, and words that no name begins with, are left out at the start of a run. Of two names with "and" between
    them both count, and the whole.
    """
    return [named for match in _PHRASE.finditer(text) for named in _of_run(text, match)]


def _of_run(text: str, match: re.Match[str]) -> Iterator[Named]:
    words = list(re.finditer(r"\S+", match[0]))
    plain = [word[0].strip(".'’-").lower() for word in words]
    first, last = 0, len(words)
    while first < last and plain[last - 1] in INSIDE:
        last -= 1
    while first < last and (plain[first] in NO_NAMES or plain[first].isdigit()):
        first += 1
    ands = [at for at in range(first, last) if plain[at] == "and"]
    parts = {(first, last), *zip([first, *(at + 1 for at in ands)], [*ands, last], strict=True)}
    for begin, end in sorted(parts):
        if not 0 < end - begin <= LONGEST_NAME:
            continue
        start = match.start() + words[begin].start()
        found = text[start : match.start() + words[end - 1].end()].rstrip(".'’-")
        key = key_of(found)
        if _is_key(key) and not key.replace(" ", "").isdigit():
            yield Named(key, start, start + len(found))


def _is_key(key: str) -> bool:
    if " " in key:
        return key.count(" ") < LONGEST_NAME
    return len(key) >= SHORTEST_WORD and key not in NO_NAMES
