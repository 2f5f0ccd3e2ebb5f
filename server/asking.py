"""Run a GraphQL operation for the command line: against the running server, or here when there is none."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from papergraph.errors import Code, InputError, NotFoundError, PapergraphError

TIMEOUT_S = 300.0
"""The server ends what takes longer by itself; a pipeline that asks a language model takes a while."""

SEARCH = """
query ($input: SearchInput!, $explain: Boolean! = false, $save: Boolean! = false) {
  search(input: $input) {
    hits {
      rank score sectionPath passage outside
      legs { leg rank score query via @include(if: $explain) { label name } }
      explanation @include(if: $explain) { whyNotHigher standsFor places { step rank } via { label name } }
      paper { id key title year authors { name } }
      chunk { id text startChar endChar }
    }
    filter { filter passes unknown }
    selection { objective lowerBound gap rho proven backend ms }
    queries @include(if: $explain) { text origin }
    trace @include(if: $explain) {
      step options ms candidatesIn candidatesOut notes cypher { file parameters ms records }
    }
    run @include(if: $save)
  }
}
"""


def ask_server(url: str, operation: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Run an operation on a server and return its data.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    body = json.dumps({"query": operation, "variables": variables}).encode()
    request = urllib.request.Request(  # noqa: S310 the address is a loopback one that our own server left
        f"{url}/graphql", data=body, headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            answer = json.load(response)
    except (OSError, ValueError) as error:
        raise ServerUnavailableError(f"the server at {url} does not answer: {error}") from error
    return data_of(answer.get("data"), answer.get("errors"))


def data_of(data: dict[str, Any] | None, errors: list[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return an answer's data, or raise its first error as the error that it was on the other side."""
    if not errors:
        return data or {}
    message, extensions = errors[0]["message"], errors[0].get("extensions", {})
    match extensions.get("code"):
        case Code.BAD_USER_INPUT:
            raise InputError(message, field=extensions.get("field", ""))
        case Code.NOT_FOUND:
            raise NotFoundError("such thing:", message, field=extensions.get("field", ""))
    raise ServerUnavailableError(f"{message} (request {extensions.get('requestId')})")


class ServerUnavailableError(PapergraphError):
    """The server does not answer, or cannot at the moment."""

    code = Code.UNAVAILABLE
