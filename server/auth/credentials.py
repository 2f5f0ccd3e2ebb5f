"""Credentials of a request, checked when it starts and while it lasts."""

from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from typing import Self

from papergraph.errors import UnauthenticatedError
from papergraph.telemetry.request_record import current
from server.auth.key_cache import KeyCache
from server.auth.key_lookups import network_of
from server.auth.principal import Principal, everything
from server.auth.rate_limits import RateLimiter
from server.auth.server_limits import ServerLimits


@dataclass(frozen=True)
class Credentials:
    """A request at the gate.

    Attributes:
        keyring: The keys that there are.
        limits: Slows down who tries many.
        policy: Whether a key is needed.
        address: Where it comes from.
        text: The key or session that it shows, if it shows one.
        is_session: Whether that is a session, which only a cookie brings.
        handshake: What a WebSocket holds until it has shown its key.
    """

    keyring: KeyCache
    limits: RateLimiter
    policy: ServerLimits
    address: str
    text: str | None
    is_session: bool = False
    handshake: ExitStack = field(default_factory=ExitStack, compare=False)

    @property
    def lacks_key(self) -> bool:
        """Whether it needs a key and shows none."""
        return self.policy.keys_required and self.text is None

    def showing(self, text: str | None) -> Self:
        """Return the same with another key."""
        return replace(self, text=text, is_session=False)

    async def grant(self) -> Principal:
        """Return what it may do; asked again later, what it still may.

        Raises:
            UnauthenticatedError: It needs a key and has none, or a key or session that is not valid.
            RateLimitedError: Too many keys that nobody knows are looked up for its network.
            DatabaseError: Its key could not be looked up.
        """
        if not self.policy.keys_required:
            return everything(self.address)
        if self.text is None:
            raise UnauthenticatedError("An API key is required. Send Authorization: Bearer pg_…, or X-API-Key: pg_…")
        async with AsyncExitStack() as looking:
            if not self.keyring.knows(self.text, is_session=self.is_session):
                await looking.enter_async_context(self.limits.lookups.place(network_of(self.address)))
            grant = await self.keyring.grant(self.text, is_session=self.is_session)
        if (request := current()) is not None:
            request.key_id = grant.id
        return grant

    async def stay(self, grant: Principal) -> None:
        """Go on with what takes long, on what it was let in for.

        Raises:
            UnauthenticatedError: The key is not valid any more, or not good for the same.
            DatabaseError: It could not be looked up.
        """
        if await self.grant() != grant:
            raise UnauthenticatedError("The API key was changed during the request.")
