"""Logical order of lines that hold right-to-left letters, from the order in which they are seen.

The Unicode bidirectional algorithm, undone: letters of one direction form runs, numbers run from left to right, and a
sign between two runs belongs to the line's own direction.
"""

import unicodedata
from collections.abc import Sequence

RIGHT_TO_LEFT = frozenset({"R", "AL"})
NUMBERS = frozenset({"EN", "AN"})
WITHIN_NUMBERS = frozenset("., :/-–%+")
MIRRORED = {ord(before): after for before, after in zip("()[]{}<>«»", ")(][}{><»«", strict=True)}
AT_END = frozenset("ךםןףץةى")
"""Letters that stand at the end of words alone, or nearly so."""

OPENING, CLOSING = "([{«", ")]}»"


def is_right_to_left(text: str) -> bool:
    """Say whether a text holds a Hebrew, Arabic, Syriac or other right-to-left letter."""
    return any(ord(character) > 0x58F and unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in text)


def plain(character: str) -> str:
    """Return the letters of a presentation form, as of ``ﻼ``; other characters as they are."""
    code = ord(character[0]) if character else 0
    if 0xFB1D <= code <= 0xFDFF or 0xFE70 <= code <= 0xFEFC:
        return unicodedata.normalize("NFKC", character)
    return character


def is_mark(character: str) -> bool:
    """Say whether a character combines with the letter before it."""
    return bool(character) and unicodedata.category(character[0]) == "Mn"


def runs_from_right(characters: Sequence[str]) -> bool:
    """Say whether a line's own direction is from right to left: most of its letters are."""
    right = sum(is_right_to_left(character) for character in characters)
    left = sum(unicodedata.bidirectional(character[0]) == "L" for character in characters if character)
    return right >= left


def logical_order(characters: Sequence[str]) -> list[int]:
    """Return the places of characters, given from left to right, in the order in which they are read."""
    from_right = runs_from_right(characters)
    rightward = _directions(characters, from_right=from_right)
    runs: list[list[int]] = []
    for place, is_left in enumerate(rightward):
        if runs and rightward[runs[-1][-1]] == is_left:
            runs[-1].append(place)
        else:
            runs.append([place])
    in_order = reversed(runs) if from_right else runs
    return [place for run in in_order for place in (run if rightward[run[0]] else reversed(run))]


def _directions(characters: Sequence[str], *, from_right: bool) -> list[bool]:
    """Return for each character whether it runs from left to right."""
    kinds = [_kind(character) for character in characters]
    found: list[bool | None] = [None if kind == "" else kind != "R" for kind in kinds]
    for place, kind in enumerate(kinds):
        if kind:
            continue
        before = next((other for other in range(place - 1, -1, -1) if kinds[other]), None)
        after = next((other for other in range(place + 1, len(kinds)) if kinds[other]), None)
        sides = {kinds[other] if other is not None else "R" if from_right else "L" for other in (before, after)}
        if "N" in sides and not from_right and "R" in sides:
            sides = {"R"}
        if sides == {"L"}:
            found[place] = True
        elif sides == {"L", "N"}:
            found[place] = not from_right or characters[place] not in OPENING + CLOSING
        elif sides == {"N"}:
            beside = after is not None and before is not None and after - before == 2
            found[place] = beside and characters[place] in WITHIN_NUMBERS and characters[place] != " "
            found[place] = found[place] or not from_right
        elif sides == {"R"}:
            found[place] = False
        else:
            found[place] = not from_right
    return [bool(one) for one in found]


def _kind(character: str) -> str:
    kind = unicodedata.bidirectional(character[0]) if character else ""
    return "R" if kind in RIGHT_TO_LEFT else "L" if kind == "L" else "N" if kind in NUMBERS else ""


def are_of_two_scripts(before: str, after: str) -> bool:
    """Say whether one of two characters runs from left to right and the other from right to left: two words."""
    return {_kind(before), _kind(after)} == {"L", "R"}


def with_brackets(text: str) -> str:
    """Return a text with all brackets mirrored if the first one closes.

    Some programs store brackets of right-to-left text as they look.
    """
    first = next((sign for sign in text if sign in OPENING + CLOSING), "")
    return text.translate(MIRRORED) if first and first in CLOSING else text


def is_backwards(texts: Sequence[str]) -> bool:
    """Say whether words begin with letters that end words: the letters were drawn in the order in which one reads."""
    words = [word.strip(".,:;!?()\"'") for text in texts for word in text.split()]
    words = [word for word in words if len(word) > 1]
    return sum(word[0] in AT_END for word in words) > sum(word[-1] in AT_END for word in words)
