"""Trusted hosts: protection against DNS rebinding."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from server.operations.error_responses import MCP_PATH, error_answer

MOST_HOST_CHARS = 100
"""How much of a wrong name is repeated to who used it."""


class TrustedHosts:
    """Answers 400 to a request for another name, in the form of the face that it is for; of MCP 421, as it has it."""

    def __init__(self, app: ASGIApp, *, names: Sequence[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_known = False

        async def let_in(*_: object) -> None:
            nonlocal is_known
            is_known = True

        await TrustedHostMiddleware(let_in, self._names, www_redirect=False)(scope, receive, _say_nothing)
        if is_known:
            return await self._app(scope, receive, send)
        told = f"Host {_host(scope)!r} is not trusted. Add it to PAPERGRAPH_SERVER_TRUSTED_HOSTS."
        status = 421 if scope["path"] == MCP_PATH else 400
        await error_answer(scope, Code.BAD_USER_INPUT, told, status=status)(scope, receive, send)


def is_known(host: str, names: Sequence[str]) -> bool:
    """Say whether a host, without its port, is one of ``names``, of which ``*.example.org`` stands for all below."""
    name = f"[{host}]" if ":" in host else host
    return any(name == known or (known.startswith("*.") and name.endswith(known[1:])) for known in names)


def _host(scope: Scope) -> str:
    return Headers(scope=scope).get("host", "")[:MOST_HOST_CHARS]


async def _say_nothing(message: Message) -> None:
    """Take no notice of Starlette's own answer."""
