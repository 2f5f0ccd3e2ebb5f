"""GraphQL types of API keys, and the fields that list, create and revoke them."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Self

import strawberry

from server.auth import keys
from server.auth.access import Anyone, access
from server.auth.keys import parse_term
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.closed_lists import KeyScope
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.operations import keys as operations
from server.operations.keys import WantedKey

WHO = access(Anyone.WITH_A_KEY, queued=True)


@strawberry.enum(description="Whether an API key can be used.")
class KeyState(StrEnum):
    """State of a key."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


@type_(description="API key without its secret.")
class ApiKey:
    """A key."""

    id: strawberry.ID = strawberry.field(description="Part of the key that is no secret.")
    name: str = strawberry.field(description="Use of the key.")
    scopes: list[KeyScope] = strawberry.field(description="Scopes of the key.")
    collections: list[str] | None = strawberry.field(description="Collections of the key; null for all.")
    state: KeyState = strawberry.field(description="Whether it can be used.")
    created_at: datetime = strawberry.field(description="Time of the creation.")
    expires_at: datetime | None = strawberry.field(description="End of the validity; null for none.")
    revoked_at: datetime | None = strawberry.field(description="Time of the revocation, if any.")
    last_used_at: datetime | None = strawberry.field(description="Time of the last use, to the minute.")
    creators: list[strawberry.ID] = strawberry.field(
        description="Ids of the keys that it was made with, from the first one."
    )
    signed_up_by: str | None = strawberry.field(
        description="Id of the invitation that it was signed up with; null for other keys."
    )
    requests_per_minute: int | None = strawberry.field(description="Limit of its own; null for that of the server.")
    cost_per_minute: int | None = strawberry.field(description="Limit of its own; null for that of the server.")

    @classmethod
    def of(cls, key: keys.Key) -> Self:
        """Wrap a key."""
        return cls(
            id=strawberry.ID(key.id),
            name=key.name,
            scopes=list(key.scopes),
            collections=None if key.collections is None else list(key.collections),
            state=KeyState(key.state(datetime.now(UTC))),
            created_at=key.created_at,
            expires_at=key.expires_at,
            revoked_at=key.revoked_at,
            last_used_at=key.last_used_at,
            creators=[strawberry.ID(one) for one in key.creators],
            signed_up_by=key.signed_up_by,
            requests_per_minute=key.requests_per_minute,
            cost_per_minute=key.cost_per_minute,
        )


@type_(description="New API key with its text, which is shown once.")
class CreatedKey:
    """A new key."""

    key: ApiKey = strawberry.field(description="The key.")
    text: str = strawberry.field(description="The key as requests send it.")


CreateKeyResult = Annotated[
    CreatedKey | InvalidInput | NotFound | Conflict,
    strawberry.union("CreateKeyResult", description="The new key, or the reason why there is none."),
]
RevokeKeyResult = Annotated[
    ApiKey | InvalidInput | NotFound | Conflict,
    strawberry.union("RevokeKeyResult", description="The revoked key, or the reason why it was not revoked."),
]


@type_()
class KeyQueries:
    """What can be read of keys."""

    @field("API keys that were made with the key of the request, oldest first; an administrator gets all.", WHO)
    async def api_keys(self, info: Info) -> list[ApiKey] | None:
        found = await operations.keys_for(info.context.database, info.context.principal)
        return [ApiKey.of(key) for key in found]


@type_()
class KeyMutations:
    """What can be done with keys."""

    @mutation("Create an API key, which never goes beyond the key of the request. Its text is shown once.", WHO)
    async def create_api_key(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="Use of the key, 1 to 100 characters.")],
        scopes: Annotated[
            list[KeyScope], strawberry.argument(description="Scopes, some of those of the key of the request.")
        ],
        collections: Annotated[
            list[str] | None, strawberry.argument(description="Some of those of the key of the request; default: all.")
        ] = None,
        expires: Annotated[
            str | None,
            strawberry.argument(
                description="Time to live, such as 12h, 30d or 8w; default: that of the key of the request."
            ),
        ] = None,
    ) -> CreateKeyResult:
        async def work() -> CreatedKey:
            context = info.context
            wanted = WantedKey(name, scopes, collections, None if expires is None else parse_term(expires))
            key, text = await operations.make_key(context.database, context.credentials, context.principal, wanted)
            return CreatedKey(key=ApiKey.of(key), text=text)

        return await outcome(work())

    @mutation("Revoke an API key and all keys that were made with it.", WHO)
    async def revoke_api_key(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="Id of the key.")]
    ) -> RevokeKeyResult:
        async def work() -> ApiKey:
            context = info.context
            return ApiKey.of(await operations.revoke(context.database, context.principal, id))

        return await outcome(work())
