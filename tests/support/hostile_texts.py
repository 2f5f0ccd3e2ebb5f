"""Texts made of a regular expression that take it long: its openings without an end, and runs of what it repeats."""

import re
import signal
import time
from collections.abc import Callable, Iterator
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

FILLERS = (" ", "\n", " \n", "\t", "a", "1", "a ", "a.", "A", ",")
SMALLEST, LARGE, LARGEST = 250, 8_000, 64_000
TOO_LONG_S = 2.0
"""More than any linear scan of these sizes needs."""

CATEGORIES = {
    ops.CATEGORY_DIGIT: "1",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_WORD: "a",
    ops.CATEGORY_NOT_DIGIT: "a",
    ops.CATEGORY_NOT_SPACE: "a",
    ops.CATEGORY_NOT_WORD: "-",
}
Scan = Callable[[str], object]


def openings(pattern: str | bytes, flags: int) -> list[str]:
    """Return texts that begin to match, shortest first."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    flags &= ~re.UNICODE if isinstance(pattern, bytes) else ~0
    found = {opening for opening in _sequence(parser.parse(text, flags & ~re.DEBUG)) if opening}
    return sorted(found, key=lambda opening: (len(opening), opening))


def hostile(pattern: str | bytes, flags: int) -> Iterator[Callable[[int], str]]:
    """Yield what makes a text of some size."""
    begun = openings(pattern, flags)
    begun = begun[:: max(1, len(begun) // 12)]
    for piece in (*FILLERS, *begun):
        yield lambda size, piece=piece: piece * (size // len(piece)) + "\0"
    for opening in begun:
        for piece in (" ", "\n", "a", "1", " a"):
            yield lambda size, opening=opening, piece=piece: opening + piece * (size // len(piece)) + "\0"


def grows_too_fast(scan: Scan, text_of: Callable[[int], str]) -> bool:
    """Say whether twice the text takes more than three times as long, twice in a row."""
    size, before, steep = SMALLEST, 0.0, 0
    while size <= LARGE or (0.002 < before < 0.5 and size <= LARGEST):
        try:
            taken = min(_time(scan, text_of(size)) for _ in range(2 if before > 0.001 else 1))
        except _TooLongError:
            return True
        steep = steep + 1 if before > 0.0005 and taken > 3 * before else 0
        if steep >= 2 and taken > 0.01:
            return True
        if size > LARGE and not steep:
            return False
        size, before = 2 * size, taken
    return False


class _TooLongError(Exception):
    pass


def _time(scan: Scan, text: str) -> float:
    """Return the processor time of a scan, which is cut short at ``TOO_LONG_S``."""
    before = signal.signal(signal.SIGVTALRM, _too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG_S)
    start = time.thread_time()
    try:
        scan(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.thread_time() - start


def _too_long(*_: object) -> None:
    raise _TooLongError


def _sequence(items: Any, before: str = "") -> Iterator[str]:
    """Yield the beginnings of one example of a sequence, and of each of its branches."""
    for kind, argument in items:
        if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            yield from _sequence(argument[2], before)
            before += _example(argument[2]) * max(1, argument[0])
        elif kind is ops.BRANCH:
            for branch in argument[1]:
                yield from _sequence(branch, before)
            before += _example(argument[1][0])
        elif kind is ops.SUBPATTERN:
            yield from _sequence(argument[-1], before)
            before += _example(argument[-1])
        else:
            before += _example([(kind, argument)])
        yield before


def _example(items: Any) -> str:
    made = ""
    for kind, argument in items:
        if kind is ops.LITERAL:
            made += chr(argument)
        elif kind in (ops.ANY, ops.NOT_LITERAL):
            made += "a"
        elif kind is ops.IN:
            made += _one_of(argument)
        elif kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            made += _example(argument[2]) * max(1, argument[0])
        elif kind is ops.BRANCH:
            made += _example(argument[1][0])
        elif kind is ops.SUBPATTERN:
            made += _example(argument[-1])
        elif kind is ops.ATOMIC_GROUP:
            made += _example(argument)
    return made


def _one_of(choices: Any) -> str:
    if choices[0][0] is ops.NEGATE:
        return "a"
    kind, argument = choices[0]
    if kind is ops.LITERAL:
        return chr(argument)
    return chr(argument[0]) if kind is ops.RANGE else CATEGORIES.get(argument, "a")
