"""Tokens of a query: words, signs, texts and brackets."""

import re
from collections.abc import Iterator, Sequence

from papergraph.errors import UnsafeQueryError


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

DEEPEST = 100
"""Brackets within brackets; far deeper than anybody writes."""

TOKEN = re.compile(
    r"""
      (?P<space> \s+ | //[^\n\r]* | /\*.*?\*/ )
    | (?P<string> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
    | (?P<quoted> `(?:[^`]|``)*` )
    | (?P<unclosed> ['"`] | /\* )
    | (?P<word> [^\W\d]\w* )
    | (?P<number> \d[\w.]* )
    | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)

UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
"""Invisible characters, some of which Neo4j reads as spaces or parts of names."""


def tokens_of(text: str) -> Iterator[str]:
    """Yield a query's tokens; regular names in backticks without them.

    Raises:
        UnsafeQueryError: An invisible character or an escape is outside texts, or a text, name or comment is
            unterminated.
    """
    if re.search(r"\\u", text, re.IGNORECASE):
        raise UnsafeQueryError(
            "\\u… escapes are not allowed.", "Write the character itself, or pass it as a parameter."
        )
    for found in TOKEN.finditer(text):
        kind, token = found.lastgroup, found[0]
        if kind != "string" and (unseen := UNSEEN.search(token)):
            raise UnsafeQueryError(
                f"The query has the invisible character U+{ord(unseen[0]):04X}.", "Remove it, or put it into a string."
            )
        if kind == "unclosed":
            raise UnsafeQueryError(
                f"A string, name or comment that begins with {token} has no end.", f"Close it with {token}"
            )
        if kind == "quoted":  # one that is a bracket, or another sign, must not be taken for it
            yield token[1:-1].replace("``", "`") if is_name(token[1:]) else token
        elif kind != "space":
            yield token


def is_name(token: str) -> bool:
    return token[:1].isidentifier()


def is_text(token: str) -> bool:
    return token[:1] in ("'", '"')


def arguments_of(within: Sequence[str]) -> list[list[str]]:
    """Return what stands between the commas that are in no further brackets."""
    found: list[list[str]] = [[]]
    depth = 0
    for word in within:
        depth += (word in OPENING) - (word in CLOSING)
        if word == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(word)
    return found


def pairs_of(tokens: Sequence[str]) -> dict[int, int]:
    """Return where each bracket that is opened is closed.

    Raises:
        UnsafeQueryError: They stand within each other more than :data:`DEEPEST` times.
    """
    found: dict[int, int] = {}
    waiting: list[int] = []
    for place, word in enumerate(tokens):
        if word in OPENING:
            waiting.append(place)
            if len(waiting) > DEEPEST:
                raise UnsafeQueryError(f"Brackets are nested more than {DEEPEST} deep.", "Flatten the query.")
        elif word in CLOSING and waiting:
            found[waiting.pop()] = place
    return found
