"""REST client of the command line: uses the running server, or else the server's functions in this process."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from papergraph.cli.common import progress, settings
from papergraph.errors import Code, InputError, NotFoundError, PapergraphError, UnauthenticatedError

TIMEOUT_S = 300.0
"""The server ends what takes longer by itself; a pipeline that asks a language model takes a while."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

Take = Callable[[str, dict[str, Any]], None]
"""Hears the name and the data of each event of a stream."""


def request(
    path: str,
    body: Mapping[str, Any],
    *,
    server: str | None,
    quiet: bool,
    take: Take | None = None,
    method: Literal["GET", "POST"] = "POST",
) -> dict[str, Any]:
    """Send a request to a server, by default the running one of this home, or answer it in this process.

    Args:
        path: A path below ``/v1``, such as ``/search``.
        body: The body of the request; of a GET, the parameters of the address.
        server: Address of a server; None for that of the settings, or the running one.
        quiet: Do not show the progress of opening the store.
        take: Hears the events of a stream; None for one answer.
        method: The method of HTTP.

    Returns:
        The answer; the data of the last event for a stream.

    Raises:
        PapergraphError: There is no answer, or it is an error.
    """
    from papergraph.server.process.server_file import find_server

    chosen = settings()
    if url := server or chosen.url or find_server(chosen.home, neo4j_uri=chosen.neo4j.uri):
        return ask_server(url, path, body, key=chosen.api_key.get_secret_value(), take=take, method=method)
    from papergraph.cli import in_process
    from papergraph.store import open_store

    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:

        def heard(event: str, data: dict[str, Any]) -> None:
            told.pause()
            if take is not None:
                take(event, data)

        return asyncio.run(in_process.answer(chosen, address, path, body, take=heard, progress=told))


def ask_server(
    url: str,
    path: str,
    body: Mapping[str, Any],
    *,
    key: str = "",
    take: Take | None = None,
    method: Literal["GET", "POST"] = "POST",
) -> dict[str, Any]:
    """Send a request to a server, with a key where it asks for one; see :func:`request`.

    Raises:
        PapergraphError: The server does not answer, or answers with an error.
    """
    sent = _request(method, url, path, dict(body) | ({} if take is None else {"stream": True}), key=key)
    try:
        with http_client(url, timeout_s=TIMEOUT_S) as client:
            response = client.send(sent, stream=True)
            try:
                if response.is_error or take is None:
                    response.read()
                    return _answer(response)
                return _follow(response, take)
            finally:
                response.close()
    except (httpx.HTTPError, ValueError, LookupError) as error:
        raise _unavailable(url, error) from error


def http_client(url: str, *, timeout_s: float, **options: Any) -> httpx.Client:
    """Return a client for a server; proxies of the environment are used unless the server is on this machine.

    Raises:
        InputError: A proxy of the environment cannot be used.
    """
    is_local = urlsplit(url).hostname in LOOPBACK_NAMES
    try:
        return httpx.Client(timeout=timeout_s, trust_env=not is_local, **options)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        names = [name for name in os.environ if name.lower().endswith("_proxy") and name.lower() != "no_proxy"]
        told = f"the proxy of {', '.join(sorted(names))} cannot be used: {error}. Unset it, or set an HTTP proxy."
        raise InputError(told, field="proxy") from error


def _follow(response: httpx.Response, take: Take) -> dict[str, Any]:
    name, data = "", {}
    for line in response.iter_lines():
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data = json.loads(value)
            if name == "problem":
                raise error_of(data)
            take(name, data)
    if name != "done":
        raise ServerUnavailableError("the answer broke off before its end")
    return dict(data)


def _request(method: str, url: str, path: str, body: Mapping[str, Any], *, key: str) -> httpx.Request:
    """Return a request.

    Raises:
        InputError: The address is not one of a web server.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url[:80]!r} is not the URL of a server, such as http://127.0.0.1:8000.", field="server")
    headers = {"X-API-Key": key} if key else {}
    try:
        address = f"{url.rstrip('/')}/v1{path}"
        if method == "GET":
            return httpx.Request(method, address, params=dict(body), headers=headers)
        return httpx.Request(method, address, json=body, headers=headers)
    except (httpx.InvalidURL, ValueError) as error:
        raise _unavailable(url, error) from error


def _answer(response: httpx.Response) -> dict[str, Any]:
    """Return an answer, or raise the problem that it is; any other error is one of HTTP."""
    if not response.is_error:
        return dict(response.json())
    try:
        raise error_of(response.json())
    except (ValueError, LookupError, TypeError):
        response.raise_for_status()
        raise


def _unavailable(url: str, error: Exception) -> "ServerUnavailableError":
    return ServerUnavailableError(f"the server at {url} does not answer: {error}")


def error_of(problem: Mapping[str, Any]) -> PapergraphError:
    """Return a problem as the error that it was on the other side.

    Raises:
        LookupError: It is no problem of papergraph.
        TypeError: It is no object.
    """
    code, message = problem["code"], problem["detail"]
    field = next((one["field"] for one in problem.get("errors", ()) if one["field"]), "")
    match code:
        case Code.BAD_USER_INPUT:
            return InputError(message, field=field)
        case Code.NOT_FOUND:
            return NotFoundError("such thing", "", field=field, message=message)
        case Code.UNAUTHENTICATED | Code.FORBIDDEN:
            told = f"the server asks for a key: {message}; PAPERGRAPH_API_KEY holds the one to show"
            return UnauthenticatedError(told)
    return ServerUnavailableError(f"{message} (request {problem['requestId']})")


class ServerUnavailableError(PapergraphError):
    """The server does not answer, or cannot at the moment."""

    code = Code.UNAVAILABLE
