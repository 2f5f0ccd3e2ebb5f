"""Ask a service that an operator runs: the one address that was set, wherever it is, and no other.

The guard of :mod:`papergraph.outbound.client` keeps what users name away from private addresses. A service of one's own
stands at one, and an operator's setting names it: that address is allowed here, and what the service answers opens no
other, since a redirect is a failure. Bytes and time are bounded, and proxies of the environment are not used.
"""

import asyncio
import ssl
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import httpx

from papergraph import __version__
from papergraph.errors import BlockedUrlError, Code, OutboundError, OutboundStatusError, OutboundTooLargeError
from papergraph.outbound.client import retry_after_s

CONNECT_S = 10.0
BUSY = (429, 503)
PAUSE_S = 2.0
LONGEST_TOLD = 200

Upload = tuple[str, bytes, str]
"""A file's name, bytes and media type."""


@dataclass(frozen=True)
class ServiceAnswer:
    """Answer of a service: the address asked, its status, headers and body."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class OwnService:
    """Asks a service; may be used from several threads, but not on an event loop's own."""

    def __init__(
        self, url: str, *, deadline_s: float, max_bytes: int, token: str = "", pause_s: float | None = None
    ) -> None:
        """Connect to nothing yet.

        Args:
            url: Its address, such as ``http://127.0.0.1:5001``.
            deadline_s: Longest time of a request, waiting for a busy service included, seconds.
            max_bytes: Longest answer.
            token: Shown as a bearer token, if not empty.
            pause_s: What a busy service is left alone for before it is asked again, seconds; 2 by default.

        Raises:
            BlockedUrlError: It is no address, or has a login, a query or a fragment.
        """
        self.url = check_service(url)
        self._deadline_s, self._max_bytes, self._pause_s = deadline_s, max_bytes, pause_s
        self._token = token

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        if self.url.startswith("http:"):
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # not used, and made at once
        return ssl.create_default_context()

    def post(
        self, path: str, *, form: Mapping[str, str], files: Mapping[str, Upload], accept: str = "application/json"
    ) -> bytes:
        """Send a form with files, and return the answer; a busy service (429, 503) is asked again while there is time.

        Raises:
            OutboundStatusError: It answered with another status than 200, a redirect included.
            OutboundTooLargeError: Its answer is longer than allowed.
            OutboundError: It took too long.
            OutboundError: It cannot be reached, or broke off.
        """
        parts = {"data": dict(form), "files": dict(files)}
        return self._content(self._ask("POST", path, accept, self._deadline_s, self._max_bytes, parts))

    def post_json(
        self, path: str, message: Mapping[str, Any], *, deadline_s: float | None = None, max_bytes: int | None = None
    ) -> bytes:
        """Send a message as JSON, and return the answer; the rest is as in :meth:`post`.

        Args:
            path: Below the service's address.
            message: What is sent.
            deadline_s: Longest time of this request.
            max_bytes: Longest answer to it.
        """
        deadline_s, max_bytes = deadline_s or self._deadline_s, max_bytes or self._max_bytes
        content = {"json": dict(message)}
        return self._content(self._ask("POST", path, "application/json", deadline_s, max_bytes, content))

    def get(self, path: str, *, deadline_s: float | None = None, max_bytes: int | None = None) -> bytes:
        """Return what is at a path; the rest is as in :meth:`post_json`."""
        deadline_s, max_bytes = deadline_s or self._deadline_s, max_bytes or self._max_bytes
        return self._content(self._ask("GET", path, "application/json", deadline_s, max_bytes, {}))

    def send(
        self,
        method: str,
        path: str,
        *,
        message: Any = None,
        headers: Mapping[str, str],
        deadline_s: float | None = None,
    ) -> ServiceAnswer:
        """Send a request with headers of its own, and return the answer of any status but 429 and 503.

        A busy service is asked again while there is time.

        Args:
            method: Such as ``PATCH``.
            path: Below the service's address.
            message: Sent as JSON, if not None.
            headers: Headers beside the usual ones.
            deadline_s: Longest time of this request.

        Raises:
            OutboundTooLargeError: The answer is longer than allowed.
            OutboundError: It took too long, cannot be reached, or broke off; the service may have done what was asked.
        """
        content: dict[str, Any] = {"headers": dict(headers)} | ({} if message is None else {"json": message})
        deadline_s = deadline_s or self._deadline_s
        return asyncio.run(self._ask(method, path, "application/json", deadline_s, self._max_bytes, content))

    @staticmethod
    def _content(asked: Coroutine[Any, Any, ServiceAnswer]) -> bytes:
        answer = asyncio.run(asked)
        if answer.status != 200:
            told = " ".join(answer.body[:500].decode(errors="replace").split())[:LONGEST_TOLD]
            raise OutboundStatusError(answer.url, answer.status, told=told)
        return answer.body

    async def _ask(
        self, method: str, path: str, accept: str, deadline_s: float, max_bytes: int, content: Mapping[str, Any]
    ) -> ServiceAnswer:
        url = self.url + path
        headers = {"user-agent": f"papergraph/{__version__}", "accept": accept, "accept-encoding": "identity"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        timeout = httpx.Timeout(None, connect=CONNECT_S)
        try:
            async with (
                asyncio.timeout(deadline_s),
                httpx.AsyncClient(
                    timeout=timeout, trust_env=False, follow_redirects=False, headers=headers, verify=self._tls
                ) as client,
            ):
                while True:
                    async with client.stream(method, url, **content) as response:
                        body = await self._body(url, response, max_bytes)
                    if response.status_code not in BUSY:
                        break
                    pause_s = PAUSE_S if self._pause_s is None else self._pause_s
                    await asyncio.sleep(max(pause_s, retry_after_s(response) or 0.0))
        except TimeoutError as error:
            raise OutboundError(url, f"was not there within {deadline_s:g} s", code=Code.TIMEOUT) from error
        except (httpx.HTTPError, OSError) as error:
            raise OutboundError(url, f"cannot be reached or broke off ({type(error).__name__}: {error})") from error
        return ServiceAnswer(url, response.status_code, response.headers, body)

    async def _body(self, url: str, response: httpx.Response, max_bytes: int) -> bytes:
        body = bytearray()
        async for part in response.aiter_raw():
            body += part
            if len(body) > max_bytes:
                raise OutboundTooLargeError(url, max_bytes, limit="the longest answer")
        return bytes(body)


def check_service(url: str) -> str:
    """Return a service's address without a trailing slash.

    Raises:
        BlockedUrlError: The address is malformed, or has a login, a query or a fragment; the message omits the login.
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise BlockedUrlError("the service", "needs an address such as http://127.0.0.1:5001")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise BlockedUrlError("the service", "needs an address alone, without a login, query or fragment")
    return url.rstrip("/")
