"""Signing up: invitations that administrators make, and keys that people without one get."""

from dataclasses import dataclass

from papergraph.database import Database
from papergraph.errors import ConflictError, InputError
from server.auth.credentials import Credentials
from server.auth.invitations import (
    Invitation,
    InvitationGrant,
    WantedInvitation,
    create_invitation,
    show_invitation,
    sign_up_invited,
)
from server.auth.keys import Key, refuse_beyond
from server.auth.open_sign_up import SCOPES, Challenge, Challenges, sign_up_openly
from server.auth.principal import KeyScope, Principal
from server.auth.server_limits import ServerLimits, SignUp

CLOSED = "Nobody can sign up here. The operator can set PAPERGRAPH_SIGN_UP=invite or open."


@dataclass(frozen=True)
class SignUpOffer:
    """What somebody without a key can do.

    Attributes:
        sign_up: Whether it takes an invitation, a solved challenge, or nothing helps.
        scopes, collections, key_days: Those of a key without an invitation; empty and None where there are none.
        challenge: What is solved for it.
    """

    sign_up: SignUp
    scopes: tuple[KeyScope, ...] = ()
    collections: tuple[str, ...] = ()
    key_days: int | None = None
    challenge: Challenge | None = None


@dataclass(frozen=True)
class SignUpRequest:
    """A key that somebody signs up for, with an invitation or a challenge and its solution."""

    name: str
    invitation: str | None = None
    challenge: str | None = None
    solution: str | None = None


class SignUps:
    """Sign-ups of a store, as far as its operator lets them."""

    def __init__(self, database: Database, policy: ServerLimits) -> None:
        self._database, self._policy = database, policy
        self._challenges = Challenges(database)

    async def offer(self, credentials: Credentials, network: str) -> SignUpOffer:
        """Return what somebody of a network can do.

        Raises:
            RateLimitedError: Too many requests.
            DatabaseError: Neo4j failed.
        """
        await credentials.limits.count_sign_up(network)
        if self._policy.sign_up is not SignUp.OPEN:
            return SignUpOffer(self._policy.sign_up)
        terms = self._policy.open_sign_up
        challenge = await self._challenges.new(terms.difficulty)
        return SignUpOffer(SignUp.OPEN, SCOPES, terms.collections, terms.key_days, challenge)

    async def shown(self, credentials: Credentials, network: str, invitation: str) -> InvitationGrant:
        """Return what an invitation that somebody of a network shows grants; it stays as it is.

        Raises:
            InputError: There is no such invitation.
            ConflictError: Nobody can sign up, or the invitation cannot be used any more.
            RateLimitedError: Too many requests.
            DatabaseError: Neo4j failed.
        """
        await credentials.limits.count_sign_up(network)
        refuse_closed(self._policy)
        async with credentials.limits.lookups.place(network):
            return await show_invitation(self._database, invitation)

    async def sign_up(self, credentials: Credentials, network: str, wanted: SignUpRequest) -> tuple[Key, str]:
        """Make a key for somebody of a network; return it with its text, which nobody can find out again.

        Raises:
            InputError: The invitation, the challenge, its solution or the name is not acceptable.
            ConflictError: Nobody can sign up, or nobody more, or the invitation or challenge was used.
            RateLimitedError: Too many requests.
            DatabaseError: Neo4j failed.
        """
        await credentials.limits.count_sign_up(network)
        refuse_closed(self._policy)
        if wanted.invitation is not None:
            async with credentials.limits.lookups.place(network):
                return await sign_up_invited(self._database, wanted.invitation, wanted.name)
        if self._policy.sign_up is not SignUp.OPEN:
            raise InputError("An invitation is required here. Ask the operator for one.", field="invitation")
        id = await self._challenges.check(wanted.challenge or "", wanted.solution or "")
        return await sign_up_openly(
            self._database,
            self._policy.open_sign_up,
            name=wanted.name,
            challenge_id=id,
            network=network,
            secret=await self._challenges.secret(),
        )


async def invite(
    database: Database, credentials: Credentials | None, caller: Principal, wanted: WantedInvitation
) -> tuple[Invitation, str]:
    """Make an invitation with an administrator's key; return it with its text, which nobody can find out again.

    Raises:
        InputError: An argument is not acceptable.
        ConflictError: Nobody can sign up here.
        UnauthenticatedError: The caller's key is not valid any more.
        DatabaseError: Neo4j failed.
    """
    if credentials is None:
        raise ConflictError(CLOSED, field="authorization")
    refuse_closed(credentials.policy)
    refuse_beyond(caller, wanted.scopes, wanted.collections)
    return await create_invitation(database, wanted, creator=caller.id)


def refuse_closed(policy: ServerLimits) -> None:
    """Refuse what has to do with sign-ups where the operator wants none.

    Raises:
        ConflictError: They are off, or no keys are required.
    """
    if policy.sign_up is SignUp.OFF or not policy.keys_required:
        raise ConflictError(CLOSED, field="authorization")
