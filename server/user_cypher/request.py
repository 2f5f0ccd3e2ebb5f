"""Request of a Cypher query, as all interfaces take it."""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any

from papergraph.cypher_guard import MAX_QUERY_CHARS, MAX_ROWS
from papergraph.errors import InputError
from papergraph.records import described
from papergraph.requests import NOT_IN_CLI, NOT_IN_MCP, request

DEFAULT_ROWS = 1000
MAX_PARAMETER_CHARS = 200_000


@request()
class CypherRequest:
    """Read-only Cypher query."""

    query: Annotated[
        str,
        described(
            "One statement, 1 to 20,000 characters.",
            min_length=1,
            max_length=MAX_QUERY_CHARS,
            examples=["MATCH (p:Paper) RETURN p.title, p.year"],
        ),
    ]
    parameters: Annotated[Mapping[str, Any], described("Parameter values by name.")] = field(default_factory=dict)
    rows: Annotated[int, described("Maximum number of rows, 1 to 10,000.", ge=1, le=MAX_ROWS)] = DEFAULT_ROWS
    deadline_ms: Annotated[
        int | None,
        described("Deadline in milliseconds; default and maximum: that of the server.", ge=1),
        NOT_IN_MCP,
        NOT_IN_CLI,
    ] = None

    def __post_init__(self) -> None:
        """Refuse parameters that JSON cannot hold, or that are too long.

        Raises:
            InputError: They are.
        """
        try:
            size = len(json.dumps(self.parameters, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"the parameters cannot be written as JSON: {error}", field="parameters") from error
        if size > MAX_PARAMETER_CHARS:
            raise InputError(
                f"the parameters have {size} characters as JSON; at most {MAX_PARAMETER_CHARS} are allowed",
                field="parameters",
            )
