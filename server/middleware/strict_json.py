"""JSON of requests: UTF-8, and each name of an object once."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from server.operations.error_responses import error_answer

UTF_8 = frozenset({"utf-8", "utf8", "us-ascii"})


class StrictJson:
    """Answers 415 to JSON that says to be in another encoding, and 400 to that in one, or with a name twice.

    JSON that is wrong otherwise is left to what reads it, which says where.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, which :class:`~server.middleware.request_limits.BodyLimit` holds whole."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD") or (charset := _charset(scope)) is None:
            return await self._app(scope, receive, send)
        if charset not in UTF_8:
            told = f"Charset {charset[:40]!r} is not supported. Send JSON in UTF-8."
            return await error_answer(scope, Code.BAD_USER_INPUT, told, status=415)(scope, receive, send)
        messages: list[Message] = []
        more = True
        while more:
            messages.append(await receive())
            more = messages[-1].get("more_body", False)
        if (fault := fault_of(b"".join(message.get("body", b"") for message in messages))) is not None:
            return await error_answer(scope, Code.BAD_USER_INPUT, fault, status=400)(scope, receive, send)

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, replay, send)


def fault_of(body: bytes) -> str | None:
    """Return how JSON is not in UTF-8 or names a value twice; None for other JSON, and for what is none."""
    if b"\0" in body[:4]:  # as UTF-16 and UTF-32 write the first character, with a mark or without
        return "The body is not in UTF-8. Send JSON in UTF-8."
    try:
        json.loads(body.decode(), object_pairs_hook=_once)
    except UnicodeDecodeError:
        return "The body is not in UTF-8. Send JSON in UTF-8."
    except _NamedTwiceError as error:
        return f"The body has the name {error.name[:100]!r} twice in one object. Send each name once."
    except (ValueError, RecursionError):
        return None
    return None


class _NamedTwiceError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _once(pairs: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise _NamedTwiceError(names.most_common(1)[0][0])
    return found


def _charset(scope: Scope) -> str | None:
    """Return the charset of a request with JSON, UTF-8 where it names none; None for a request with another body."""
    told = EmailMessage()
    told["content-type"] = Headers(scope=scope).get("content-type", "")
    kind = told.get_content_type()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        return None
    return (told.get_content_charset() or "utf-8").lower()
