"""Run a GraphQL operation for the command line: against the running server, or here when there is none."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from papergraph.errors import Code, InputError, NotFoundError, PapergraphError, UnauthenticatedError

TIMEOUT_S = 300.0
"""The server ends what takes longer by itself; a pipeline that asks a language model takes a while."""


def ask_server(url: str, operation: str, variables: Mapping[str, Any], *, key: str = "") -> dict[str, Any]:
    """Run an operation on a server, with a key where it asks for one, and return its data.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    request = _request(url, operation, variables, key=key)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        answer = _refusal(error)
    except (OSError, ValueError) as error:
        raise ServerUnavailableError(f"the server at {url} does not answer: {error}") from error
    return data_of(answer.get("data"), answer.get("errors"))


def follow_server(url: str, operation: str, variables: Mapping[str, Any], *, key: str = "") -> Iterator[dict[str, Any]]:
    """Follow a GraphQL subscription on a server by server-sent events; yields the data of each.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    request = _request(url, operation, variables, key=key)
    request.add_header("Accept", "text/event-stream")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            for line in response:
                if line.startswith(b"data:") and (told := line[5:].strip()):
                    answer = json.loads(told)
                    yield data_of(answer.get("data"), answer.get("errors"))
    except urllib.error.HTTPError as error:
        answer = _refusal(error)
        data_of(answer.get("data"), answer.get("errors"))
    except (OSError, ValueError) as error:
        raise ServerUnavailableError(f"the server at {url} does not answer: {error}") from error


def _request(url: str, operation: str, variables: Mapping[str, Any], *, key: str) -> urllib.request.Request:
    """Return the request of an operation.

    Raises:
        InputError: The address is not one of a web server.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url[:80]!r} is not the URL of a server, such as http://127.0.0.1:8000.", field="server")
    headers = {"Content-Type": "application/json"} | ({"X-API-Key": key} if key else {})
    body = json.dumps({"query": operation, "variables": variables}).encode()
    return urllib.request.Request(f"{url.rstrip('/')}/graphql", data=body, headers=headers)  # noqa: S310 as checked


def _refusal(error: urllib.error.HTTPError) -> dict[str, Any]:
    """Return an answer of another status than 200, if it is one of ours."""
    try:
        answer = json.load(error)
        if answer["errors"][0]["message"]:
            return dict(answer)
    except (OSError, ValueError, LookupError, TypeError):
        pass
    raise ServerUnavailableError(f"the server at {error.url} does not answer: {error}") from error


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
        case Code.UNAUTHENTICATED | Code.FORBIDDEN:
            raise UnauthenticatedError(
                f"the server asks for a key: {message}; PAPERGRAPH_API_KEY holds the one to show"
            )
    raise ServerUnavailableError(f"{message} (request {extensions.get('requestId')})")


class ServerUnavailableError(PapergraphError):
    """The server does not answer, or cannot at the moment."""

    code = Code.UNAVAILABLE
