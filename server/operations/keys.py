"""Keys, sign-up and the caller, as all interfaces take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

from papergraph import __version__
from papergraph.database import Database
from papergraph.errors import ConflictError, NotFoundError, UnauthenticatedError
from papergraph.ingest.sources.file_types import uploaded
from papergraph.records import Id, Record, described
from papergraph.schema.ids import public_name
from papergraph.server.auth.access import KeyScope, Principal, Role
from papergraph.server.auth.credentials import Credentials, open_session
from papergraph.server.auth.invitations import (
    CreatedInvitation,
    InvitationGrant,
    WantedInvitation,
    create_invitation,
    show_invitation,
    sign_up_invited,
)
from papergraph.server.auth.keys import (
    ApiKey,
    CollectionRole,
    CreatedKey,
    create_key,
    find_key,
    keys_of_collection,
    list_keys,
    refuse_beyond,
    revoke_key,
    set_role,
)
from papergraph.server.auth.rate_limits import RateLimit, RateLimiter
from papergraph.server.auth.server_limits import ServerLimits, SignUp
from papergraph.server.operations.collections import check_reached
from papergraph.server.operations.ingest import Uploads, in_use_by
from papergraph.server.papers.bibliographies import common_styles
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

# Keys and sessions of a caller: what it makes with its own key, which goes no further than that key


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
) -> CreatedKey:
    """Create a key by the caller's key; return it with its text, which is shown only once.

    Raises:
        InputError: An argument is invalid, or exceeds the caller's rights.
        ConflictError: Keys are disabled, or the caller has reached its limit of keys.
        UnauthenticatedError: The caller's key has become invalid.
        DatabaseError: Neo4j failed.
    """
    _refuse_without_keys(credentials)
    collections = caller.collections if wanted.collections is None else wanted.collections
    refuse_beyond(caller, wanted.scopes, collections)
    return CreatedKey(
        *await create_key(
            database,
            name=wanted.name,
            scopes=wanted.scopes,
            collections=collections,
            expires=wanted.expires,
            creator=caller.id,
        )
    )


async def keys_for(database: Database, caller: Principal) -> list[ApiKey]:
    """Return the keys that a caller made, with their own; an administrator gets all, the oldest first."""
    return await list_keys(database, creator=_limit(caller), most=MOST_LISTED)


async def revoke(database: Database, caller: Principal, id: str, uploads: Uploads | None = None) -> ApiKey:
    """Revoke a key that the caller created, with all keys created by it and their uploads; administrators any key.

    Raises:
        NotFoundError: The key is missing, or another caller created it.
        DatabaseError: Neo4j failed.
    """
    stored = await find_key(database, id)
    limit = _limit(caller)
    if stored is None or not (limit is None or limit in (*stored.key.creators, stored.key.id)):
        raise NotFoundError("key", id, field="id", message=f"No key of yours has the id {id[:20]!r}.")
    revoked = await revoke_key(database, id)
    if uploads is not None:
        made = await list_keys(database, creator=revoked.id)
        await uploads.end_with([key.principal for key in (revoked, *made)], in_use_by(database))
    return revoked


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


# Roles in a collection, set by those who administer it


@dataclass(frozen=True)
class Member(Record):
    """Account that reaches a collection by name or by a role."""

    key: Annotated[Id, described("Id of its first key.")]
    name: Annotated[str, described("Name of that key.")]
    role: Annotated[Role | None, described("Its role; null if the scopes of its keys decide.")]
    scopes: Annotated[tuple[KeyScope, ...], described("Scopes of that key.")]


async def members_of(database: Database, name: str, *, collections: AllowedCollections) -> list[Member]:
    """Return the accounts that reach a collection; those that reach all collections are not among them.

    Raises:
        NotFoundError: The caller does not administer the collection, or there is none.
        DatabaseError: Neo4j failed.
    """
    await refuse_unknown_collection(database, within(name, collections), asked=name)
    return [_member(key, name) for key in await keys_of_collection(database, name)]


async def set_member(
    database: Database, name: str, key: str, role: Role | None, *, collections: AllowedCollections
) -> Member:
    """Set the role of an account in a collection and return the account; null removes the role.

    Raises:
        NotFoundError: The caller does not administer the collection, or there is none, or no valid key has this id.
        InputError: The key was made with another one, or reaches all collections.
        DatabaseError: Neo4j failed.
    """
    await refuse_unknown_collection(database, within(name, collections), asked=name)
    check_reached(name, collections)
    return _member(await set_role(database, key, name, role), name)


def _member(key: ApiKey, collection: str) -> Member:
    role = next((one.role for one in key.roles if one.collection == collection), None)
    return Member(key.id, key.name, role, key.scopes)


# Sign-ups by invitation: invitations of administrators, and keys for people who have one


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
    """Return the properties of a key by an invitation, without using it.

    Raises:
        InputError: The invitation is unknown.
        ConflictError: Sign-up is closed, or the invitation is used up, expired or revoked.
        RateLimitedError: Too many requests.
        DatabaseError: Neo4j failed.
    """
    await credentials.limits.count_sign_up(network)
    refuse_closed(credentials.policy)
    async with credentials.limits.lookups.place(network):
        return await show_invitation(database, invitation)


async def sign_up(
    database: Database, credentials: Credentials, network: str, *, name: str, invitation: str
) -> CreatedKey:
    """Create a key with an invitation; return it with its text, which is shown only once.

    Raises:
        InputError: The invitation is unknown, or the name is invalid.
        ConflictError: Sign-up is closed, or the invitation is used up.
        RateLimitedError: Too many requests.
        DatabaseError: Neo4j failed.
    """
    await credentials.limits.count_sign_up(network)
    refuse_closed(credentials.policy)
    async with credentials.limits.lookups.place(network):
        return CreatedKey(*await sign_up_invited(database, invitation, name))


async def invite(
    database: Database, credentials: Credentials | None, caller: Principal, wanted: WantedInvitation
) -> CreatedInvitation:
    """Create an invitation by an administrator's key; return it with its text, which is shown only once.

    Raises:
        InputError: An argument is invalid.
        ConflictError: Sign-up is closed.
        UnauthenticatedError: The caller's key has become invalid.
        DatabaseError: Neo4j failed.
    """
    if credentials is None:
        raise ConflictError(CLOSED, field="authorization")
    refuse_closed(credentials.policy)
    refuse_beyond(caller, wanted.scopes, wanted.collections)
    return CreatedInvitation(*await create_invitation(database, wanted, creator=caller.id))


def refuse_closed(policy: ServerLimits) -> None:
    """Refuse what has to do with sign-ups where the operator wants none.

    Raises:
        ConflictError: They are off, or no keys are required.
    """
    if policy.sign_up is SignUp.OFF or not policy.keys_required:
        raise ConflictError(CLOSED, field="authorization")


# Caller with its rights, and description of the server


@dataclass(frozen=True)
class Viewer(Record):
    """Caller: the API key of the request, or this machine."""

    id: Annotated[str, described("Id of the account's first key; empty if the server requires none.")]
    name: Annotated[str, described("Name of the key; empty if the server requires none.")]
    scopes: Annotated[tuple[KeyScope, ...], described("Scopes of the key.")]
    collections: Annotated[tuple[str, ...] | None, described("Collections of the key; null for all.")]
    expires_at: Annotated[datetime | None, described("End of the key's validity; null for none.")]
    is_local: Annotated[bool, described("True if the server requires no key.")]
    limits: Annotated[tuple[RateLimit, ...], described("Remaining amount of each limit; empty without limits.")]
    roles: Annotated[tuple[CollectionRole, ...], described("Roles of the account, by collection.")]


@dataclass(frozen=True)
class UploadRules(Record):
    """Files that can be uploaded."""

    max_bytes: Annotated[int, described("Largest file.")]
    endings: Annotated[tuple[str, ...], described("Endings of the names of files, such as .pdf.")]


@dataclass(frozen=True)
class ServerInfo(Record):
    """Description of the server."""

    version: Annotated[str, described("Version of papergraph.")]
    language_model: Annotated[str | None, described("Model that writes answers; null if there is none.")]
    reranker: Annotated[str | None, described("Cross-encoder for reranking; null if there is none.")]
    embedding_model: Annotated[str, described("Embedding model of searches.")]
    uploads: Annotated[UploadRules | None, described("Files that can be uploaded; null if none can.")]
    has_cypher: Annotated[bool, described("True if the server accepts Cypher queries.")]
    citation_styles: Annotated[
        tuple[str, ...], described("Common styles of exported references; empty without the extra citations.")
    ]
    sign_up: Annotated[Literal["off", "invite"], described("Sign-up for an API key: off, or by invitation.")]


async def viewer_of(database: Database, principal: Principal, rate: RateLimiter) -> Viewer:
    """Return who sends a request.

    Raises:
        DatabaseError: The key could not be looked up.
    """
    stored = await find_key(database, principal.id) if rate.keys_required else None
    principal = principal.whole or principal
    return Viewer(
        id=stored.key.account if stored else "",
        name=stored.key.name if stored else "",
        scopes=tuple(scope for scope in KeyScope if scope in principal.scopes),
        collections=None if principal.collections is None else principal.reached,
        expires_at=stored.key.expires_at if stored else None,
        is_local=not rate.keys_required,
        limits=tuple(await rate.left(principal)),
        roles=stored.key.roles if stored else (),
    )


def server_info(resources: Resources, uploads: Uploads | None, *, has_cypher: bool, sign_up: SignUp) -> ServerInfo:
    """Return what the server offers, with what searches run with and the uploads that it takes."""
    return ServerInfo(
        version=__version__,
        language_model=_public(resources.language_model.name if resources.language_model else None),
        reranker=_public(resources.rerankers.default),
        embedding_model=public_name(resources.model.searched.embedder.card.name),
        uploads=UploadRules(uploads.allowance.max_bytes, tuple(uploaded())) if uploads else None,
        has_cypher=has_cypher,
        citation_styles=common_styles(),
        sign_up=sign_up.value,
    )


def _public(name: str | None) -> str | None:
    """Return the name of a model; of one in a folder of this machine only the last part."""
    return public_name(name) if name else None
