"""Who somebody is that comes with a key, now and as long as they stay."""

from dataclasses import dataclass, replace
from typing import Self

from papergraph.errors import UnauthenticatedError
from papergraph.telemetry.requests import current
from server.access.grants import Grant, everything
from server.access.keyring import Keyring
from server.access.limits import Limits
from server.access.policy import Policy


@dataclass(frozen=True)
class Visit:
    """A request at the gate.

    Attributes:
        keyring: The keys that there are.
        limits: Slows down who tries many.
        policy: Whether a key is needed.
        address: Where it comes from.
        text: The key that it shows, if it shows one.
    """

    keyring: Keyring
    limits: Limits
    policy: Policy
    address: str
    text: str | None

    @property
    def lacks_key(self) -> bool:
        """Whether it needs a key and shows none."""
        return self.policy.keys_required and self.text is None

    def showing(self, text: str | None) -> Self:
        """Return the same with another key."""
        return replace(self, text=text)

    async def grant(self) -> Grant:
        """Return what it may do; asked again later, what it still may.

        Raises:
            UnauthenticatedError: It needs a key and has none, or one that is not valid.
            RateLimitedError: Too many wrong keys came from there.
            DatabaseError: Its key could not be looked up.
        """
        if not self.policy.keys_required:
            return everything(self.address)
        if self.text is None:
            raise UnauthenticatedError("this takes a key: Authorization: Bearer pg_…, or X-API-Key: pg_…")
        if not self.keyring.knows(self.text):
            await self.limits.refuse_guessing(self.address)
        try:
            grant = await self.keyring.grant(self.text)
        except UnauthenticatedError:
            await self.limits.fail(self.address)
            raise
        if (request := current()) is not None:
            request.key_id = grant.id
        return grant

    async def stay(self, grant: Grant) -> None:
        """Go on with what takes long, on what it was let in for.

        Raises:
            UnauthenticatedError: The key is not valid any more, or not good for the same.
            DatabaseError: It could not be looked up.
        """
        if await self.grant() != grant:
            raise UnauthenticatedError("this key was changed meanwhile")
