"""HTTP to the model's server: our headers alone, bounded answers, no redirects, no proxies from the environment.

The official client below LlamaIndex reads ``OPENAI_API_KEY``, ``OPENAI_ORG_ID``, ``OPENAI_CUSTOM_HEADERS`` and others
from the environment. None of that is meant for the server that papergraph was told, so it ends here.
"""

from collections.abc import AsyncIterator

import httpx
from pydantic import SecretStr

MAX_BODY_BYTES = 8 << 20
"""Largest body of an answer; a token in a stream takes some 250 bytes."""
CONNECT_S = 5.0
CALL = "x-papergraph-call"
"""Header that names a request to :meth:`Transport.end`; it is not sent."""
_OUR_HEADERS = ("host", "accept", "connection", "content-type", "content-length")


class TooLargeError(httpx.TransportError):
    """A body over ``MAX_BODY_BYTES``, or one that would have to be unpacked to know."""


class Transport(httpx.AsyncBaseTransport):
    """Connections of one event loop; sends the key to whatever address it is asked for."""

    def __init__(self, api_key: SecretStr, *, max_connections: int) -> None:
        """Open nothing yet.

        Args:
            api_key: Sent as a bearer token unless it is empty.
            max_connections: How many may be open at once.
        """
        limits = httpx.Limits(max_connections=max_connections)
        self._inner = httpx.AsyncHTTPTransport(limits=limits, trust_env=False)
        self._api_key = api_key
        self._calls: dict[str, _Bounded] = {}

    def client(self, *, attempt_s: float) -> httpx.AsyncClient:
        """Return a client over these connections; ``attempt_s`` is the longest silence of the server, seconds."""
        timeout = httpx.Timeout(attempt_s, connect=min(CONNECT_S, attempt_s))
        return httpx.AsyncClient(transport=self, timeout=timeout, follow_redirects=False, trust_env=False)

    async def end(self, call: str) -> None:
        """Close the connection of the request that named ``call`` in its header ``CALL``.

        Libraries that hand a stream on through generators leave its connection to the garbage collector when the
        outermost one is closed.
        """
        if (body := self._calls.pop(call, None)) is not None:
            await body.aclose()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request with our headers alone, and bound what comes back."""
        given = request.headers
        request.headers = httpx.Headers({name: given[name] for name in _OUR_HEADERS if name in given})
        request.headers["user-agent"] = "papergraph"
        request.headers["accept-encoding"] = "identity"
        if key := self._api_key.get_secret_value():
            request.headers["authorization"] = f"Bearer {key}"
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise TooLargeError("the answer is packed although we did not ask for that")
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 for mypy; ours is the asynchronous one
        response.stream = body = _Bounded(response.stream)
        if CALL in given:
            self._calls[given[CALL]] = body
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        n_bytes = 0
        async for block in self._inner:
            n_bytes += len(block)
            if n_bytes > MAX_BODY_BYTES:
                raise TooLargeError(f"the answer has over {MAX_BODY_BYTES} bytes")
            yield block

    async def aclose(self) -> None:
        await self._inner.aclose()
