"""Names in a text: phrases in capitals and titles of papers, each with the places that it stands at.

A name is known by its key, its words in small letters without accents, so that Beyoncé's is beyonce. A title is also
found without what it has in brackets or after a comma: "Lothair II (king)", "Sibyl of Anjou, Countess of Flanders".
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

LONGEST_NAME = 10
"""Words of a name or a title that is looked for in texts."""

SHORTEST_WORD = 3
"""Letters of a name that is one word."""

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
"""Words that are no name by themselves, and that none begins with."""

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
    if not name.isascii():
        name = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    return " ".join(_KEY_WORD.findall(_POSSESSIVE.sub("", name).casefold()))


def title_keys(title: str) -> list[str]:
    """Return the keys by which texts may name a paper: of its title, without brackets, without what a comma begins.

    A title of more than ten words, or of one that says nothing, has none.
    """
    names = [title, _BRACKETS.sub("", title)]
    if "(" not in title:
        names.append(title.partition(",")[0])
    return [key for key in dict.fromkeys(map(key_of, names)) if _is_key(key)]


def titles_in(text: str, keys: Collection[str], *, capital: bool = True) -> list[Named]:
    """Return where a text uses titles, given by their keys, in its order.

    A place where one title stands in a longer one counts for both.

    Args:
        text: The text.
        keys: Keys of the titles.
        capital: Whether places that begin with a small letter are left out.
    """
    words = [(key_of(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
    return [
        Named(key, words[at][1], words[last][2])
        for at, last, key in _runs([word for word, _, _ in words])
        if key in keys and not (capital and text[words[at][1]].islower())
    ]


def possible_titles(text: str) -> set[str]:
    """Return every key that :func:`titles_in` may find in a text."""
    return {key for _, _, key in _runs([key_of(match[0]) for match in _WORD.finditer(text)]) if _is_key(key)}


def _runs(words: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first and last place of each run of up to ten words, with the run."""
    for at, word in enumerate(words):
        key = word
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
