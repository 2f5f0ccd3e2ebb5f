"""By which names the server may be called: a page elsewhere that makes its own name lead here is not answered."""

from collections.abc import Sequence

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from server.error_bodies import MCP_PATH, error_answer


class KnownHosts:
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
        told = "the server is not reached by this name; PAPERGRAPH_HOSTS holds those that it is reached by"
        status = 421 if scope["path"] == MCP_PATH else 400
        await error_answer(scope, Code.BAD_USER_INPUT, told, status=status)(scope, receive, send)


def is_known(host: str, names: Sequence[str]) -> bool:
    """Say whether a host, without its port, is one of ``names``, of which ``*.example.org`` stands for all below."""
    name = f"[{host}]" if ":" in host else host
    return any(name == known or (known.startswith("*.") and name.endswith(known[1:])) for known in names)


async def _say_nothing(message: Message) -> None:
    """Take no notice of Starlette's own answer."""
