"""HTTP as uvicorn reads it, with an end for connections that do not send a whole head; h11 limits its size."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""How long the head of a request may take, from its first byte or from the start of the connection, in seconds."""

TOO_LATE = b"The request headers took too long."
REFUSAL = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(TOO_LATE), TOO_LATE)
)


class PromptHeadProtocol(H11Protocol):
    """Closes a connection whose request line and headers take longer than :data:`HEAD_S`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEAD_S, self._refuse)

    def data_received(self, data: bytes) -> None:
        """Read what has come; after an answer the wait begins with the first byte of the next request."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or self.transport.get_protocol() is not self:
            self._stop_waiting()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(HEAD_S, self._refuse)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(REFUSAL)
            self.transport.close()
