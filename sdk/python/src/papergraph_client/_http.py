"""Requests and responses of both clients: retries, errors, and server-sent events."""

import codecs
import json
import platform
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from papergraph_client import errors
from papergraph_client._version import VERSION

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
AGENT = f"papergraph-client/{VERSION} python/{platform.python_version()} httpx/{httpx.__version__}"
CONNECT_S = 10.0
LONGEST_PAUSE_S = 60.0
"""A server that asks for a longer pause is not waited for: its error is raised."""

BUSY = (429, 503, 504)


@dataclass(frozen=True)
class Call:
    """A request.

    Attributes:
        method: Method of HTTP.
        path: Path below the address of the server, with ``{name}`` for each place.
        places: Values of the places.
        query: Parameters of the query string; None is left out.
        body: Body as JSON.
        file: Name and content of an uploaded file.
        headers: Further headers.
        repeatable: Whether a second one does no harm where the fate of the first is not known.
    """

    method: str
    path: str
    places: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    file: tuple[str, bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True

    def options(self) -> dict[str, Any]:
        """Return the request as httpx has it, without its address."""
        query = {name: _text(value) for name, value in self.query.items() if value is not None}
        options: dict[str, Any] = {"method": self.method, "params": query, "headers": dict(self.headers)}
        if self.body is not None:
            options["json"] = self.body
        if self.file is not None:
            options["files"] = {"file": self.file}
        return options

    def url(self, base: str) -> str:
        """Return the whole address."""
        filled = re.sub(r"\{(\w+)\}", lambda name: quote(self.places[name[1]], safe=""), self.path)
        return base.rstrip("/") + filled


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class RawResponse:
    """An answer as it arrived.

    Attributes:
        status: Status of HTTP.
        headers: Headers, by lower-case names.
        content: Body.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def request_id(self) -> str | None:
        """Id of the request, for the log of the server."""
        return self.headers.get("x-request-id")

    def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            UnexpectedAnswerError: It is none.
        """
        try:
            return json.loads(self.content)
        except ValueError as error:
            text = self.content[:500].decode(errors="replace")
            told = f"The answer (status {self.status}) is not JSON: {text[:80]!r}"
            raise errors.UnexpectedAnswerError(told, status=self.status, text=text) from error


def headers_of(key: str | None) -> dict[str, str]:
    """Return the headers of every request."""
    return {"User-Agent": AGENT} | ({} if key is None else {"Authorization": f"Bearer {key}"})


def raise_for_error(answer: RawResponse) -> RawResponse:
    """Return an answer, or raise the error that it is.

    Raises:
        ApiError: The server reports an error.
        UnexpectedAnswerError: The status is that of an error, and the body is no problem.
    """
    if answer.status < 300:
        return answer
    problem = answer.json()
    if not isinstance(problem, Mapping) or "code" not in problem:
        text = answer.content[:500].decode(errors="replace")
        told = f"The answer (status {answer.status}) is no problem of papergraph: {text[:80]!r}"
        raise errors.UnexpectedAnswerError(told, status=answer.status, text=text)
    raise errors.api_error(problem, status=answer.status, retry_after=retry_after(answer.headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to wait."""
    try:
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None


def pause_after(call: Call, tries: int, failure: RawResponse | Exception) -> float | None:
    """Return the seconds before the next try, or None where there must be none.

    An answer 429, or 503 with ``Retry-After``, says that nothing was done, and a connection that was not opened did
    nothing either. After any other failure the request may have been done, so only a repeatable one is sent again.

    Args:
        call: The request.
        tries: Number of tries until now, from 1.
        failure: Answer or exception of the last one.
    """
    wait = None
    if isinstance(failure, RawResponse):
        if failure.status not in BUSY:
            return None
        wait = retry_after(failure.headers)
        undone = failure.status == 429 or (failure.status == 503 and wait is not None)
    else:
        undone = isinstance(failure, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    if not (undone or call.repeatable) or (wait or 0) > LONGEST_PAUSE_S:
        return None
    return wait if wait is not None else min(8.0, 0.25 * 2**tries) * random.uniform(0.5, 1)  # noqa: S311


def is_local(url: str) -> bool:
    """Return whether a server is on this machine."""
    return urlsplit(url).hostname in LOOPBACK_NAMES


def error_of(failure: Exception, url: str) -> errors.PapergraphError:
    """Return what is raised for a failure of httpx."""
    if isinstance(failure, httpx.TimeoutException | TimeoutError):
        return errors.NoAnswerInTimeError(f"{url} did not answer in time ({type(failure).__name__}).")
    return errors.ConnectionFailedError(f"{url} cannot be reached: {failure or type(failure).__name__}")


class EventReader:
    """Reads server-sent events of bytes as they arrive."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._name, self._data = "message", list[str]()

    def feed(self, content: bytes) -> Iterator[tuple[str, str]]:
        """Yield the names and data of the events that are complete."""
        lines = re.split(r"\r\n|\n|\r(?!$)", self._rest + self._decoder.decode(content))
        self._rest = lines.pop()
        for line in lines:
            if line:
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "event":
                    self._name = value
                elif name == "data":
                    self._data.append(value)
            elif self._data:
                event = self._name, "\n".join(self._data)
                self._name, self._data = "message", []
                yield event
