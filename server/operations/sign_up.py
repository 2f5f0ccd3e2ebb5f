"""Sign-ups by invitation: invitations of administrators, and keys for people who have one."""

from papergraph.database import Database
from papergraph.errors import ConflictError
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
from server.auth.principal import Principal
from server.auth.server_limits import ServerLimits, SignUp

CLOSED = "Nobody can sign up here. The operator can set PAPERGRAPH_SIGN_UP=invite."


async def sign_up_mode(credentials: Credentials, network: str) -> SignUp:
    """Return who may sign up, for a client of a network without a key.

    Raises:
        RateLimitedError: Too many requests.
    """
    await credentials.limits.count_sign_up(network)
    return credentials.policy.sign_up


async def invitation_grant(
    database: Database, credentials: Credentials, network: str, invitation: str
) -> InvitationGrant:
    """Return what an invitation grants; it stays as it is.

    Raises:
        InputError: There is no such invitation.
        ConflictError: Nobody can sign up, or the invitation cannot be used any more.
        RateLimitedError: Too many requests.
        DatabaseError: Neo4j failed.
    """
    await credentials.limits.count_sign_up(network)
    refuse_closed(credentials.policy)
    async with credentials.limits.lookups.place(network):
        return await show_invitation(database, invitation)


async def sign_up(
    database: Database, credentials: Credentials, network: str, *, name: str, invitation: str
) -> tuple[Key, str]:
    """Make a key with an invitation; return it with its text, which nobody can find out again.

    Raises:
        InputError: The invitation or the name is not acceptable.
        ConflictError: Nobody can sign up, or the invitation was used.
        RateLimitedError: Too many requests.
        DatabaseError: Neo4j failed.
    """
    await credentials.limits.count_sign_up(network)
    refuse_closed(credentials.policy)
    async with credentials.limits.lookups.place(network):
        return await sign_up_invited(database, invitation, name)


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
