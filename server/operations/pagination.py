"""Cursors of keyset connections: a position in one certain list, of no use in another."""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from papergraph.errors import InputError
from papergraph.server.graph.nodes import TitlePosition

MAX_CURSOR_CHARS = 4000
CHECK_CHARS = 8
MAX_INTEGER = 2**63 - 1
"""The largest integer of Neo4j; the driver cannot send a larger one."""


def encode(list_name: str, *position: str | int | float) -> str:
    """Return a cursor for ``position`` in the list called ``list_name``."""
    payload = json.dumps([list_name, *position], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode((_check(payload) + payload).encode()).decode().rstrip("=")


def decode(cursor: str, list_name: str) -> list[str | int | float]:
    """Return the position of a cursor of this list.

    Raises:
        InputError: The cursor is malformed, was changed, or belongs to another list.
    """
    foreign = InputError(
        f"{cursor[:40]!r} is not a cursor of this list. Pass the cursor of the page before.", field="after"
    )
    if len(cursor) > MAX_CURSOR_CHARS:
        raise foreign
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        payload = text[CHECK_CHARS:]
        if text[:CHECK_CHARS] != _check(payload):
            raise foreign
        name: str
        position: list[str | int | float]
        name, *position = json.loads(payload, parse_constant=_refuse_constant)
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise foreign from error
    if name != list_name:
        raise foreign
    return position


def place_after(after: str | None, list_name: str, place: Sequence[type | tuple[type, ...]]) -> tuple[Any, ...]:
    """Return the sort key of a cursor, with values of these types; empty for the start of the list.

    Raises:
        InputError: The cursor is malformed or of another list.
    """
    if after is None:
        return ()
    values = decode(after, list_name)
    if len(values) != len(place) or not all(map(_is_of, values, place)):
        raise InputError(
            f"{after[:40]!r} is not a cursor of this list. Pass the cursor of the page before.", field="after"
        )
    return tuple(values)


def ordinal_after(after: str | None, list_name: str) -> int:
    """Return the ordinal of a cursor; -1 for the start of the list."""
    (ordinal,) = place_after(after, list_name, (int,)) or (-1,)
    return int(ordinal)


def title_after(after: str | None, list_name: str) -> TitlePosition:
    """Return the position of a cursor in a list by title."""
    return TitlePosition(*place_after(after, list_name, (str, str)))


def _is_of(value: object, kind: type | tuple[type, ...]) -> bool:
    """Return whether a value has a type that Neo4j can store; bools are not integers, lone surrogates not text."""
    if isinstance(value, int):
        return isinstance(value, kind) and not isinstance(value, bool) and -MAX_INTEGER <= value <= MAX_INTEGER
    if isinstance(value, str):
        return isinstance(value, kind) and not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, kind)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _check(payload: str) -> str:
    """Return a checksum that detects damaged cursors; it is not a signature."""
    return hashlib.sha256(payload.encode()).hexdigest()[:CHECK_CHARS]
