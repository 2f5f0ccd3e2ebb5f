"""Invitations: secrets with which a number of people sign up, each for an API key with the same rights.

An invitation is ``pi_``, eight letters or digits that name it, ``_``, and a secret of 256 random bits, of which the
graph keeps the sha-256, as of a key's. It grants no scope ``admin``, and ends with the key that it was made with.
"""

import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import computed_field

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError, NotFoundError, UnauthenticatedError
from papergraph.neo4j_errors import Transaction
from papergraph.records import Id, Record, described
from papergraph.server.auth import keys
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import ApiKey, NewKey, hash_of, state_of

INVITATION = re.compile(r"pi_([a-z0-9]{8})_([A-Za-z0-9_-]{43})")
MOST_USES, MOST_PER_MINUTE = 10_000, 1_000_000_000
MOST_LISTED = 1000
TERM = timedelta(days=7)
"""Default validity of an invitation."""


@dataclass(frozen=True)
class WantedInvitation:
    """An invitation to be made.

    Attributes:
        name: Whom it is for, 1 to 100 characters.
        scopes: Those of its keys, without ``admin``.
        collections: The collections that its keys reach; None for all.
        max_uses: How many keys it is good for, 1 to 10,000.
        expires: How long it is valid, at most ten years.
        key_expires: How long each of its keys is valid; None for ever, or for as long as the inviting key.
        requests_per_minute, cost_per_minute: Limits of each of its keys beside those of the server, or None.
        common_tokens_per_day: Tokens of a language model for all its keys together per day, or None.
    """

    name: str
    scopes: Sequence[KeyScope]
    collections: Sequence[str] | None = None
    max_uses: int = 1
    expires: timedelta = TERM
    key_expires: timedelta | None = None
    requests_per_minute: int | None = None
    cost_per_minute: int | None = None
    common_tokens_per_day: int | None = None

    @classmethod
    def asked(cls, *, uses: int, expires: str, key_expires: str | None, **said: Any) -> Self:
        """Return a wanted invitation from an interface's arguments, with terms such as 12h, 30d or 8w.

        Raises:
            InputError: A term is malformed.
        """
        term = None if key_expires is None else keys.parse_term(key_expires)
        return cls(max_uses=uses, expires=keys.parse_term(expires), key_expires=term, **said)


@dataclass(frozen=True)
class InvitationInfo(Record):
    """Invitation to sign up for an API key, without its secret."""

    id: Annotated[Id, described("Part of the invitation that is no secret.")]
    name: Annotated[str, described("Recipient of the invitation.")]
    scopes: Annotated[tuple[KeyScope, ...], described("Scopes of its keys.")]
    collections: Annotated[tuple[str, ...] | None, described("Collections of its keys; null for all.")]
    max_uses: Annotated[int, described("Number of keys that it is good for.")]
    n_uses: Annotated[int, described("Number of keys that were signed up with it.")]
    key_term_s: Annotated[int | None, described("Validity of its keys in seconds; null for no end of their own.")]
    requests_per_minute: Annotated[int | None, described("Limit of each of its keys; null for that of the server.")]
    cost_per_minute: Annotated[int | None, described("Limit of each of its keys; null for that of the server.")]
    common_tokens_per_day: Annotated[
        int | None, described("Tokens of a language model for all its keys together per day; null for no such limit.")
    ]
    created_at: Annotated[datetime, described("Time of the creation.")]
    expires_at: Annotated[datetime, described("End of the validity.")]
    revoked_at: Annotated[datetime | None, described("Time of the revocation, if any.")]
    creators: Annotated[tuple[Id, ...], described("Ids of the keys that it was made with, from the first one.")] = ()

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Return the invitation of a node."""
        collections, revoked_at = properties.get("collections"), properties.get("revokedAt")
        return cls(
            id=properties["id"],
            name=properties["name"],
            scopes=tuple(KeyScope(scope) for scope in properties["scopes"]),
            collections=None if collections is None else tuple(collections),
            max_uses=properties["maxUses"],
            n_uses=properties["nUses"],
            key_term_s=properties.get("keyTermS"),
            requests_per_minute=properties.get("requestsPerMinute"),
            cost_per_minute=properties.get("costPerMinute"),
            common_tokens_per_day=properties.get("commonTokensPerDay"),
            created_at=properties["createdAt"].to_native(),
            expires_at=properties["expiresAt"].to_native(),
            revoked_at=None if revoked_at is None else revoked_at.to_native(),
            creators=tuple(properties.get("creators") or ()),
        )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> Literal["valid", "expired", "revoked", "used_up"]:
        """State of the invitation."""
        state = state_of(self.expires_at, self.revoked_at)
        return "used_up" if state == "valid" and self.n_uses >= self.max_uses else state


@dataclass(frozen=True)
class CreatedInvitation(Record):
    """New invitation with its text, which is shown once."""

    invitation: Annotated[InvitationInfo, described("The invitation.")]
    text: Annotated[
        str, described("The invitation as a sign-up sends it; a page of the server takes it at /signup#TEXT.")
    ]


async def create_invitation(
    database: Database, wanted: WantedInvitation, *, creator: str | None = None
) -> tuple[InvitationInfo, str]:
    """Create an invitation; return it with its text, which is shown only once.

    Args:
        database: The store.
        wanted: The invitation.
        creator: Id of the administrator's key that creates it; None for the command line.

    Raises:
        InputError: An argument is invalid, or a scope is admin or missing in the creator.
        UnauthenticatedError: The creator has become invalid.
        ConflictError: The creator has reached its limit of keys, or was itself created by an invitation.
        DatabaseError: Neo4j failed.
    """
    properties = _checked(wanted)
    while True:
        new = NewKey(keys.new_id(), secrets.token_urlsafe(keys.SECRET_BYTES))

        async def write(new: NewKey, transaction: Transaction) -> bool:
            held = properties if creator is None else await keys.held_to(transaction, creator, properties)
            written = {**held, "sha256": hash_of(new.secret)}
            (record,) = await transaction.run(cypher.load("auth/write_invitation"), id=new.id, properties=written)
            return bool(record["written"])

        if await database.transact("auth/write_invitation", partial(write, new)):
            break
    stored = await _find(database, new.id)
    if stored is None:
        raise NotFoundError("invitation", new.id, field="id")
    return InvitationInfo.of(stored), f"pi_{new.id}_{new.secret}"


def _checked(wanted: WantedInvitation) -> dict[str, Any]:
    """Return the properties of an invitation as it is wanted.

    Raises:
        InputError: An argument is not acceptable.
    """
    properties = keys.checked_properties(wanted.name, wanted.scopes, wanted.collections, wanted.expires)
    if KeyScope.ADMIN in wanted.scopes:
        raise InputError("An invitation cannot grant scope admin. Create such a key yourself.", field="scopes")
    if not 1 <= wanted.max_uses <= MOST_USES:
        raise InputError(f"An invitation is good for 1 to {MOST_USES} keys.", field="uses")
    limits = {
        "requestsPerMinute": wanted.requests_per_minute,
        "costPerMinute": wanted.cost_per_minute,
        "commonTokensPerDay": wanted.common_tokens_per_day,
    }
    for name, limit in limits.items():
        if limit is not None and not 1 <= limit <= MOST_PER_MINUTE:
            raise InputError(f"A limit must be from 1 to {MOST_PER_MINUTE}.", field=name)
    term = None if wanted.key_expires is None else int(wanted.key_expires.total_seconds())
    return properties | limits | {"maxUses": wanted.max_uses, "nUses": 0, "keyTermS": term}


async def list_invitations(database: Database) -> list[InvitationInfo]:
    """Return all invitations, those that are no longer valid too, the oldest first."""
    records = await database.read(cypher.load("auth/list_invitations"), limit=MOST_LISTED)
    return [InvitationInfo.of(record["invitation"]) for record in records]


async def revoke_invitation(database: Database, id: str) -> InvitationInfo:
    """Revoke an invitation, given by its id or as a whole, and return it; keys signed up with it stay valid.

    Raises:
        NotFoundError: There is no such invitation.
        DatabaseError: Neo4j failed.
    """
    parsed = INVITATION.fullmatch(id)
    id = parsed[1] if parsed else id
    for record in await database.run_alone(cypher.load("auth/revoke_invitation"), id=id, now=datetime.now(UTC)):
        return InvitationInfo.of(record["invitation"])
    raise NotFoundError("invitation with id", id[: keys.ID_CHARS], field="id")


@dataclass(frozen=True)
class InvitationGrant(Record):
    """Properties of a key that would be created with an invitation now."""

    name: Annotated[str, described("Recipient of the invitation.")]
    scopes: Annotated[tuple[KeyScope, ...], described("Scopes of the key.")]
    collections: Annotated[tuple[str, ...] | None, described("Collections of the key; null for all.")]
    requests_per_minute: Annotated[int | None, described("Limit of the key; null for that of the server.")]
    cost_per_minute: Annotated[int | None, described("Limit of the key; null for that of the server.")]
    common_tokens_per_day: Annotated[
        int | None, described("Tokens per day of all keys of the invitation together; null for no such limit.")
    ]
    n_left: Annotated[int, described("Number of keys that the invitation is still good for.")]
    expires_at: Annotated[datetime, described("End of the invitation.")]
    key_expires_at: Annotated[datetime | None, described("End of the key; null for no end.")]


async def show_invitation(database: Database, text: str) -> InvitationGrant:
    """Return the scopes and collections of an invitation without using it.

    Raises:
        InputError: There is no such invitation.
        ConflictError: The invitation is used up, expired or revoked, or its creator is.
        DatabaseError: Neo4j failed.
    """
    id = await _shown_id(database, text)

    async def read(transaction: Transaction) -> InvitationGrant:
        invitation = await _held_valid(transaction, id)
        key = await _properties_of_key(transaction, invitation, invitation.name)
        return InvitationGrant(
            name=invitation.name,
            scopes=tuple(KeyScope(scope) for scope in key["scopes"]),
            collections=None if key["collections"] is None else tuple(key["collections"]),
            requests_per_minute=key["requestsPerMinute"],
            cost_per_minute=key["costPerMinute"],
            common_tokens_per_day=key["commonTokensPerDay"],
            n_left=invitation.max_uses - invitation.n_uses,
            expires_at=invitation.expires_at,
            key_expires_at=key["expiresAt"],
        )

    return await database.transact("auth/hold_invitation", read)


async def sign_up_invited(database: Database, text: str, name: str) -> tuple[ApiKey, str]:
    """Create a key with an invitation; return it with its text, which is shown only once.

    Raises:
        InputError: The invitation is unknown, or the name is invalid.
        ConflictError: The invitation is used up, expired or revoked, or its creator is.
        DatabaseError: Neo4j failed.
    """
    id = await _shown_id(database, text)

    async def write(new: NewKey, transaction: Transaction) -> bool:
        invitation = await _held_valid(transaction, id)
        properties = await _properties_of_key(transaction, invitation, name)
        if not await keys.write_key(transaction, new, properties):
            return False
        await transaction.run(cypher.load("auth/count_use"), id=id)
        return True

    return await keys.make_key(database, write)


async def _shown_id(database: Database, text: str) -> str:
    """Return the id of an invitation that is shown whole."""
    parsed = INVITATION.fullmatch(text)
    stored = await _find(database, parsed[1]) if parsed else None
    is_right = hmac.compare_digest(hash_of(parsed[2] if parsed else ""), stored["sha256"] if stored else hash_of("-"))
    if parsed is None or not is_right:
        raise InputError("This is not a valid invitation. Ask for another one.", field="invitation")
    return parsed[1]


async def _held_valid(transaction: Transaction, id: str) -> InvitationInfo:
    """Return an invitation that can be used, held until the transaction ends."""
    (record,) = await transaction.run(cypher.load("auth/hold_invitation"), id=id)
    invitation = InvitationInfo.of(record["invitation"])
    if (state := invitation.state) != "valid":
        raise ConflictError(f"The invitation is {state.replace('_', ' ')}. Ask for another one.", field="invitation")
    return invitation


async def _properties_of_key(transaction: Transaction, invitation: InvitationInfo, name: str) -> Mapping[str, Any]:
    term = None if invitation.key_term_s is None else timedelta(seconds=invitation.key_term_s)
    scopes = [scope for scope in invitation.scopes if scope is not KeyScope.ADMIN]
    properties = keys.checked_properties(name, scopes, invitation.collections, term) | {
        "signedUpBy": invitation.id,
        "requestsPerMinute": invitation.requests_per_minute,
        "costPerMinute": invitation.cost_per_minute,
        "commonTokensPerDay": invitation.common_tokens_per_day,
    }
    if not invitation.creators:
        return properties
    try:
        return await keys.held_to(transaction, invitation.creators[-1], properties)
    except UnauthenticatedError as error:
        told = "The invitation ended with the key of who invites. Ask for another one."
        raise ConflictError(told, field="invitation") from error


async def _find(database: Database, id: str) -> Mapping[str, Any] | None:
    for record in await database.read(cypher.load("auth/find_invitation"), id=id):
        found: Mapping[str, Any] = record["invitation"]
        return found
    return None
