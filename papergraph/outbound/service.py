"""Ask a service that an operator runs: the one address that was set, wherever it is, and no other.

The guard of :mod:`papergraph.outbound.client` keeps what users name away from private addresses. A service of one's own
stands at one, and an operator's setting names it: that address is allowed here, and what the service answers opens no
other, since a redirect is a failure. Bytes and time are bounded, and proxies of the environment are not used.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from papergraph import __version__
from papergraph.errors import (
    BlockedUrlError,
    OutboundDeadlineError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
)

CONNECT_S = 10.0
BUSY = 503
PAUSE_S = 2.0
LONGEST_TOLD = 200

Upload = tuple[str, bytes, str]
"""A file's name, bytes and media type."""


class OwnService:
    """Posts forms to a service; may be used from several threads, but not on an event loop's own."""

    def __init__(self, url: str, *, deadline_s: float, max_bytes: int) -> None:
        """Connect to nothing yet.

        Args:
            url: Its address, such as ``http://127.0.0.1:5001``.
            deadline_s: Longest time of a request, waiting for a busy service included, seconds.
            max_bytes: Longest answer.

        Raises:
            BlockedUrlError: It is no address, or has a login, a query or a fragment.
        """
        self.url = check_service(url)
        self._deadline_s, self._max_bytes = deadline_s, max_bytes

    def post(
        self, path: str, *, form: Mapping[str, str], files: Mapping[str, Upload], accept: str = "application/json"
    ) -> bytes:
        """Send a form with files, and return the answer; a busy service (503) is asked again while there is time.

        Raises:
            OutboundStatusError: It answered with another status than 200, a redirect included.
            OutboundTooLargeError: Its answer is longer than allowed.
            OutboundDeadlineError: It took too long.
            OutboundError: It cannot be reached, or broke off.
        """
        return asyncio.run(self._post(self.url + path, form, files, accept))

    async def _post(self, url: str, form: Mapping[str, str], files: Mapping[str, Upload], accept: str) -> bytes:
        headers = {"user-agent": f"papergraph/{__version__}", "accept": accept, "accept-encoding": "identity"}
        timeout = httpx.Timeout(None, connect=CONNECT_S)
        try:
            async with (
                asyncio.timeout(self._deadline_s),
                httpx.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False, headers=headers) as client,
            ):
                while True:
                    async with client.stream("POST", url, data=dict(form), files=dict(files)) as response:
                        body = await self._body(url, response)
                    if response.status_code != BUSY:
                        break
                    await asyncio.sleep(PAUSE_S)
        except TimeoutError as error:
            raise OutboundDeadlineError(url, self._deadline_s) from error
        except (httpx.HTTPError, OSError) as error:
            raise OutboundError(url, f"cannot be reached or broke off ({type(error).__name__}: {error})") from error
        if response.status_code != 200:
            told = " ".join(body[:500].decode(errors="replace").split())[:LONGEST_TOLD]
            raise OutboundStatusError(url, response.status_code, told=told)
        return body

    async def _body(self, url: str, response: httpx.Response) -> bytes:
        body = bytearray()
        async for part in response.aiter_raw():
            body += part
            if len(body) > self._max_bytes:
                raise OutboundTooLargeError(url, self._max_bytes, limit="the longest answer")
        return bytes(body)


def check_service(url: str) -> str:
    """Return a service's address without a slash at its end.

    Raises:
        BlockedUrlError: It is no address, or has a login, which is not repeated, a query or a fragment.
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
