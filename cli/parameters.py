"""Parameters of queries, given as NAME=VALUE."""

import json
from collections.abc import Sequence
from typing import Any

from papergraph.errors import InputError


def values(pairs: Sequence[str]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE: a value is JSON where it reads as JSON, else text.

    Raises:
        InputError: One is no such pair.
    """
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.isidentifier()):
            raise InputError(f"{pair[:80]!r} is not NAME=VALUE, such as limit=5", field="param")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given
