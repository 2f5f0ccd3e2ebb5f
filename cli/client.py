"""Run a GraphQL operation for the command line: against the running server, or here when there is none."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

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
        with httpx.Client(timeout=TIMEOUT_S) as client:
            answer = _answer(client.send(request))
    except (httpx.HTTPError, ValueError) as error:
        raise _unavailable(url, error) from error
    return data_of(answer.get("data"), answer.get("errors"))


def follow_server(url: str, operation: str, variables: Mapping[str, Any], *, key: str = "") -> Iterator[dict[str, Any]]:
    """Follow a GraphQL subscription on a server by server-sent events; yields the data of each.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    request = _request(url, operation, variables, key=key)
    request.headers["Accept"] = "text/event-stream"
    try:
        with httpx.Client(timeout=TIMEOUT_S) as client:
            response = client.send(request, stream=True)
            try:
                if response.is_error:
                    response.read()
                    answer = _answer(response)
                    data_of(answer.get("data"), answer.get("errors"))
                for line in response.iter_lines():
                    if line.startswith("data:") and (told := line[5:].strip()):
                        answer = json.loads(told)
                        yield data_of(answer.get("data"), answer.get("errors"))
            finally:
                response.close()
    except (httpx.HTTPError, ValueError) as error:
        raise _unavailable(url, error) from error


def _request(url: str, operation: str, variables: Mapping[str, Any], *, key: str) -> httpx.Request:
    """Return the request of an operation.

    Raises:
        InputError: The address is not one of a web server.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url[:80]!r} is not the URL of a server, such as http://127.0.0.1:8000.", field="server")
    headers = {"X-API-Key": key} if key else {}
    body = {"query": operation, "variables": dict(variables)}
    try:
        return httpx.Request("POST", f"{url.rstrip('/')}/graphql", json=body, headers=headers)
    except (httpx.InvalidURL, ValueError) as error:
        raise _unavailable(url, error) from error


def _answer(response: httpx.Response) -> dict[str, Any]:
    """Return an answer of the server, also one of another status than 200 if it is one of ours."""
    if not response.is_error:
        return dict(response.json())
    try:
        answer = response.json()
        if answer["errors"][0]["message"]:
            return dict(answer)
    except (ValueError, LookupError, TypeError):
        pass
    response.raise_for_status()
    raise AssertionError("unreachable: an error's status raises")


def _unavailable(url: str, error: Exception) -> "ServerUnavailableError":
    return ServerUnavailableError(f"the server at {url} does not answer: {error}")


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
