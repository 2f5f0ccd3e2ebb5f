"""API keys in the graph, stored as hashes: create, find, list and revoke.

A key is ``pg_``, eight letters or digits that name it, ``_``, and a secret of 256 random bits. Such a secret cannot be
guessed, so its sha-256 suffices.
"""

import hashlib
import re
import secrets
import string
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from papergraph.schema.ids import check_collection
from papergraph.server.auth.access import CommonBudget, KeyScope, Principal, Role

KEY = re.compile(r"pg_([a-z0-9]{8})_([A-Za-z0-9_-]{43})")
State = Literal["valid", "expired", "revoked"]
ID_CHARS, SECRET_BYTES = 8, 32
MOST_LISTED = 10_000
MAX_NAME_CHARS = 100
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
LONGEST = timedelta(days=3660)
MOST_MADE = 100
"""Valid keys that were made with one key, and with keys made with it."""

UNBOUND = (KeyScope.CYPHER, KeyScope.ADMIN)
"""Scopes that cannot be restricted to collections: users' queries read any part of the graph."""


@dataclass(frozen=True)
class CollectionRole(Record):
    """Role of an account in a collection."""

    collection: Annotated[str, described("Name of the collection.")]
    role: Annotated[Role, described("Role, which decides there instead of the scopes.")]


@dataclass(frozen=True)
class ApiKey(Record):
    """API key without its secret."""

    id: Annotated[Id, described("Part of the key that is no secret.")]
    name: Annotated[str, described("Use of the key.")]
    scopes: Annotated[tuple[KeyScope, ...], described("Scopes of the key.")]
    collections: Annotated[tuple[str, ...] | None, described("Collections of the key; null for all.")]
    created_at: Annotated[datetime, described("Time of the creation.")]
    expires_at: Annotated[datetime | None, described("End of the validity; null for none.")] = None
    revoked_at: Annotated[datetime | None, described("Time of the revocation, if any.")] = None
    last_used_at: Annotated[datetime | None, described("Time of the last use, to the minute.")] = None
    creators: Annotated[tuple[Id, ...], described("Ids of the keys that it was made with, from the first one.")] = ()
    signed_up_by: Annotated[
        str | None, described("Id of the invitation that it was signed up with; null for other keys.")
    ] = None
    requests_per_minute: Annotated[int | None, described("Limit of its own; null for that of the server.")] = None
    cost_per_minute: Annotated[int | None, described("Limit of its own; null for that of the server.")] = None
    common_tokens_per_day: Annotated[
        int | None, described("Tokens per day of all keys of its invitation together; null for no such limit.")
    ] = None
    roles: Annotated[tuple[CollectionRole, ...], described("Roles of its account, by collection.")] = ()

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Return the key of a node."""
        collections = properties.get("collections")
        return cls(
            id=properties["id"],
            name=properties["name"],
            scopes=tuple(KeyScope(scope) for scope in properties["scopes"]),
            collections=None if collections is None else tuple(collections),
            created_at=properties["createdAt"].to_native(),
            expires_at=_time(properties.get("expiresAt")),
            revoked_at=_time(properties.get("revokedAt")),
            last_used_at=_time(properties.get("lastUsedAt")),
            creators=tuple(properties.get("creators") or ()),
            signed_up_by=properties.get("signedUpBy"),
            requests_per_minute=properties.get("requestsPerMinute"),
            cost_per_minute=properties.get("costPerMinute"),
            common_tokens_per_day=properties.get("commonTokensPerDay"),
            roles=tuple(
                CollectionRole(name, Role(role))
                for name, _, role in (one.partition("=") for one in sorted(properties.get("roles") or ()))
            ),
        )

    @property
    def account(self) -> str:
        """Id of the key that limits count by: a sign-up's own, else the first of the keys that it was made with."""
        return self.id if self.signed_up_by is not None or not self.creators else self.creators[0]

    @property
    def principal(self) -> Principal:
        """Principal of its requests."""
        tokens, invitation = self.common_tokens_per_day, self.signed_up_by
        return Principal(
            self.id,
            frozenset(self.scopes),
            self.collections,
            self.requests_per_minute,
            self.cost_per_minute,
            self.account,
            CommonBudget(invitation, tokens) if tokens is not None and invitation is not None else None,
            roles={one.collection: one.role for one in self.roles},
        )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> State:
        """State of the key."""
        return state_of(self.expires_at, self.revoked_at)


@dataclass(frozen=True)
class CreatedKey(Record):
    """New API key with its text, which is shown once."""

    key: Annotated[ApiKey, described("The key.")]
    text: Annotated[str, described("The key as requests send it.")]


@dataclass(frozen=True)
class NewKey:
    """Id and secret of a key that is to be written."""

    id: str
    secret: str


@dataclass(frozen=True)
class StoredKey:
    """A key with the hash of its secret."""

    key: ApiKey
    sha256: str


def state_of(expires_at: datetime | None, revoked_at: datetime | None) -> State:
    """Return whether a key or invitation with these times is valid now."""
    if revoked_at is not None:
        return "revoked"
    return "expired" if expires_at is not None and expires_at <= datetime.now(UTC) else "valid"


def hash_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def parse_key(text: str) -> tuple[str, str] | None:
    """Return (id, secret) of a key; None if malformed."""
    parts = KEY.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


def parse_term(text: str) -> timedelta:
    """Return the duration of a text such as ``12h``, ``30d`` or ``8w``.

    Raises:
        InputError: The text is malformed, or the duration exceeds ten years.
    """
    parts = re.fullmatch(r"([1-9][0-9]{0,5})([hdw])", text)
    term = int(parts[1]) * UNITS[parts[2]] if parts else None
    if term is None or term > LONGEST:
        raise InputError(
            f"{text!r} is not a duration. Use hours, days or weeks, such as 12h, 30d or 8w, up to ten years.",
            field="expires",
        )
    return term


async def create_key(
    database: Database,
    *,
    name: str,
    scopes: Sequence[KeyScope],
    collections: Sequence[str] | None = None,
    expires: timedelta | None = None,
    creator: str | None = None,
) -> tuple[ApiKey, str]:
    """Create a key; return it with its text, which is shown only once.

    Args:
        database: The store.
        name: Purpose, 1 to 100 characters.
        scopes: Scopes, at least one.
        collections: Allowed collections, which may be created later; None for all.
        expires: Validity; None for ever, or until its creator ends.
        creator: Id of the creating key, which bounds its rights; None for the command line.

    Raises:
        InputError: An argument is invalid, or exceeds the creator's rights.
        UnauthenticatedError: The creator has become invalid.
        ConflictError: The creator has reached its limit of keys.
        DatabaseError: Neo4j failed.
    """
    properties = checked_properties(name, scopes, collections, expires)

    async def write(new: NewKey, transaction: Transaction) -> bool:
        held = properties if creator is None else await held_to(transaction, creator, properties)
        return await write_key(transaction, new, held)

    return await make_key(database, write)


async def make_key(database: Database, write: Callable[[NewKey, Transaction], Awaitable[bool]]) -> tuple[ApiKey, str]:
    """Make a key by ``write``, which says whether the id was free; return it with its text.

    Raises:
        PapergraphError: As of ``write``; then nothing was written.
        DatabaseError: Neo4j failed.
    """
    while True:
        new = NewKey(new_id(), secrets.token_urlsafe(SECRET_BYTES))
        if await database.transact("auth/write_key", partial(write, new)):
            break
    stored = await find_key(database, new.id)
    if stored is None:
        raise NotFoundError("key", new.id, field="id")
    return stored.key, f"pg_{new.id}_{new.secret}"


def new_id() -> str:
    """Return a random id of a key or an invitation."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(ID_CHARS))


def checked_properties(
    name: str, scopes: Sequence[KeyScope], collections: Sequence[str] | None, expires: timedelta | None
) -> dict[str, Any]:
    """Return the properties of a key as it is wanted.

    Raises:
        InputError: An argument is not acceptable.
    """
    now = datetime.now(UTC)
    if not 1 <= len(name.strip()) <= MAX_NAME_CHARS or not name.isprintable():
        raise InputError(f"The name of a key must have 1 to {MAX_NAME_CHARS} characters in one line.", field="name")
    if not scopes:
        raise InputError(f"A key needs at least one scope: {', '.join(KeyScope)}.", field="scope")
    if collections is not None and not collections:
        raise InputError("A key needs at least one collection. Leave the option out for all.", field="collection")
    for unbound in UNBOUND:
        if collections is not None and unbound in scopes:
            raise InputError(
                f"A key with scope {unbound.value} reaches all collections. Leave the collections out.",
                field="collection",
            )
    return {
        "name": name.strip(),
        "scopes": [scope.value for scope in KeyScope if scope in scopes],
        "collections": None if collections is None else sorted({check_collection(one) for one in collections}),
        "createdAt": now,
        "expiresAt": None if expires is None else now + expires,
    }


async def write_key(transaction: Transaction, new: NewKey, properties: Mapping[str, Any]) -> bool:
    """Write a key; say whether the id was free."""
    written = {**properties, "sha256": hash_of(new.secret)}
    (record,) = await transaction.run(cypher.load("auth/write_key"), id=new.id, properties=written)
    return bool(record["written"])


async def held_to(transaction: Transaction, creator_id: str, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties of a wanted key, restricted to its creator's rights; locks the creator in the transaction.

    Raises:
        InputError: The key exceeds the creator's rights.
        UnauthenticatedError: The creator has become invalid.
        ConflictError: The creator has reached its limit of keys, or was created by an invitation.
    """
    now = datetime.now(UTC)
    held = await transaction.run(cypher.load("auth/hold_key"), id=creator_id)
    creator = ApiKey.of(held[0]["key"]) if held else None
    if creator is None or creator.state != "valid":
        raise UnauthenticatedError("The API key is not valid.")
    if creator.signed_up_by is not None:
        raise ConflictError("A key of a sign-up makes no other keys. Use this one.", field="authorization")
    refuse_beyond(creator.principal, [KeyScope(scope) for scope in wanted["scopes"]], wanted["collections"])
    (record,) = await transaction.run(cypher.load("auth/count_made"), id=creator.id, now=now)
    most = MOST_LISTED if KeyScope.ADMIN in creator.scopes else MOST_MADE
    if record["n"] >= most:
        raise ConflictError(f"{most} valid keys were made with this key. Revoke one of them first.", field="name")
    ends = [time for time in (wanted["expiresAt"], creator.expires_at) if time is not None]
    return {**wanted, "expiresAt": min(ends, default=None), "creators": [*creator.creators, creator.id]}


def refuse_beyond(principal: Principal, scopes: Sequence[KeyScope], collections: Sequence[str] | None) -> None:
    """Refuse a key that could do more than the one that it is made with.

    Raises:
        InputError: It has a scope or a collection that ``principal`` lacks.
    """
    if KeyScope.ADMIN in principal.scopes:
        return
    if beyond := sorted(set(scopes) - principal.scopes):
        told = f"A key can only make keys with its own scopes, and this one lacks {', '.join(beyond)}."
        raise InputError(told, field="scopes")
    if principal.collections is not None and not set(collections or [""]) <= set(principal.collections):
        raise InputError("A key can only make keys with its own collections.", field="collections")


async def find_key(database: Database, id: str) -> StoredKey | None:
    """Return a key by its id, or None."""
    for record in await database.read(cypher.load("auth/find_key"), id=id):
        return StoredKey(ApiKey.of(record["key"]), record["key"]["sha256"])
    return None


async def list_keys(database: Database, *, creator: str | None = None, most: int = MOST_LISTED) -> list[ApiKey]:
    """Return keys, revoked and expired ones too, the oldest first: all, or those made with ``creator``."""
    records = await database.read(cypher.load("auth/list_keys"), creator=creator, limit=most)
    return [ApiKey.of(record["key"]) for record in records]


async def set_role(database: Database, id: str, collection: str, role: Role | None) -> ApiKey:
    """Set the role of an account in a collection, and return its key; None removes the role.

    Raises:
        NotFoundError: There is no valid key with this id.
        InputError: The key was made with another one, or reaches all collections.
        DatabaseError: Neo4j failed.
    """

    async def work(transaction: Transaction) -> ApiKey:
        held = await transaction.run(cypher.load("auth/hold_key"), id=id)
        key = ApiKey.of(held[0]["key"]) if held else None
        if key is None or key.state != "valid":
            raise NotFoundError("valid key with id", id[:ID_CHARS], field="key")
        if key.account != key.id:
            raise InputError(f"This key was made with another one. Set the role of {key.account}.", field="key")
        if key.collections is None:
            told = "This key reaches all collections, so that no role restricts it. Make one for some collections."
            raise InputError(told, field="key")
        set_ = [] if role is None else [f"{collection}={role.value}"]
        (record,) = await transaction.run(cypher.load("auth/set_role"), id=id, collection=collection, role=set_)
        return ApiKey.of(record["key"])

    return await database.transact("auth/set_role", work)


async def keys_of_collection(database: Database, collection: str) -> list[ApiKey]:
    """Return the valid first keys of accounts that reach a collection by name or by a role, by name."""
    records = await database.read(
        cypher.load("auth/keys_of_collection"), collection=collection, now=datetime.now(UTC), limit=MOST_LISTED
    )
    return [ApiKey.of(record["key"]) for record in records]


async def revoke_key(database: Database, id: str) -> ApiKey:
    """Revoke a key, given by its id or as a whole, and return it; once revoked it stays so.

    Keys that were made with it are revoked too.

    Raises:
        NotFoundError: There is no such key.
        DatabaseError: Neo4j failed.
    """
    parsed = parse_key(id)
    id = parsed[0] if parsed else id
    now = datetime.now(UTC)

    async def work(transaction: Transaction) -> list[ApiKey]:
        found = await transaction.run(cypher.load("auth/revoke_key"), id=id, now=now)
        await transaction.run(cypher.load("auth/revoke_made"), id=id, now=now)
        return [ApiKey.of(record["key"]) for record in found]

    for key in await database.transact("auth/revoke_key", work):
        return key
    raise NotFoundError("key with id", id[:ID_CHARS], field="id")


async def has_valid_key(database: Database) -> bool:
    """Say whether any key is valid."""
    (record,) = await database.read(cypher.load("auth/has_valid_key"), now=datetime.now(UTC))
    return bool(record["found"])


def _time(value: Any) -> datetime | None:
    return None if value is None else value.to_native()
