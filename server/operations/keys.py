"""Keys and sessions of a caller: what it makes with its own key, which goes no further than that key."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from papergraph.database import Database
from papergraph.errors import ConflictError, NotFoundError, UnauthenticatedError
from server.auth.credentials import Credentials
from server.auth.keys import Key, create_key, find_key, list_keys, refuse_beyond, revoke_key
from server.auth.principal import KeyScope, Principal
from server.auth.sessions import open_session

MOST_LISTED = 1000


@dataclass(frozen=True)
class WantedKey:
    """A key to be made.

    Attributes:
        name: What it is for, 1 to 100 characters.
        scopes: What it is good for, of the caller's own.
        collections: What it reaches, of the caller's own; None for all of them.
        expires: How long it is valid; None for as long as the caller's key.
    """

    name: str
    scopes: Sequence[KeyScope]
    collections: Sequence[str] | None = None
    expires: timedelta | None = None


async def make_key(
    database: Database, credentials: Credentials | None, caller: Principal, wanted: WantedKey
) -> tuple[Key, str]:
    """Make a key with the caller's; return it with its text, which nobody can find out again.

    Raises:
        InputError: An argument is not acceptable, or goes beyond the caller's key.
        ConflictError: The server asks for no keys, or the caller made as many as it may.
        UnauthenticatedError: The caller's key is not valid any more.
        DatabaseError: Neo4j failed.
    """
    _refuse_without_keys(credentials)
    collections = caller.collections if wanted.collections is None else wanted.collections
    refuse_beyond(caller, wanted.scopes, collections)
    return await create_key(
        database,
        name=wanted.name,
        scopes=wanted.scopes,
        collections=collections,
        expires=wanted.expires,
        creator=caller.id,
    )


async def keys_for(database: Database, caller: Principal) -> list[Key]:
    """Return the keys that a caller made, with their own; an administrator gets all, the oldest first."""
    return await list_keys(database, creator=_limit(caller), most=MOST_LISTED)


async def revoke(database: Database, caller: Principal, id: str) -> Key:
    """Revoke a key that the caller made, with all that were made with it; an administrator revokes any.

    Raises:
        NotFoundError: There is none, or it is another's.
        DatabaseError: Neo4j failed.
    """
    stored = await find_key(database, id)
    limit = _limit(caller)
    if stored is None or not (limit is None or limit in (*stored.key.creators, stored.key.id)):
        raise NotFoundError("key", id, field="id", message=f"No key of yours has the id {id[:20]!r}.")
    return await revoke_key(database, id)


async def begin_session(database: Database, credentials: Credentials | None, caller: Principal) -> tuple[str, datetime]:
    """Begin a session with the key that a request shows; return its text and when it ends.

    Raises:
        ConflictError: The server asks for no keys, or the request shows a session: none is prolonged by itself.
        UnauthenticatedError: The key is not valid any more.
        DatabaseError: Neo4j failed.
    """
    checked = _refuse_without_keys(credentials)
    if checked.is_session:
        raise ConflictError("A session cannot begin another one. Send the API key in a header.", field="authorization")
    stored = await find_key(database, caller.id)
    if stored is None:
        raise UnauthenticatedError("The API key is not valid.")
    return await open_session(database, stored.key)


def _limit(caller: Principal) -> str | None:
    """Return the key below which a caller's keys are; None where it is an administrator."""
    return None if KeyScope.ADMIN in caller.scopes else caller.id


def _refuse_without_keys(credentials: Credentials | None) -> Credentials:
    if credentials is None or not credentials.policy.keys_required:
        told = "This server requires no API keys. Set PAPERGRAPH_SERVER_REQUIRE_API_KEY=true to use them."
        raise ConflictError(told, field="authorization")
    return credentials
