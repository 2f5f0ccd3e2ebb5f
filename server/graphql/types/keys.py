"""GraphQL types of API keys, invitations and the caller."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Self

import strawberry

from server.auth import invitations, keys
from server.auth.access import Anyone, access
from server.auth.access import KeyScope as Scope
from server.auth.invitations import WantedInvitation
from server.auth.keys import parse_term
from server.auth.rate_limits import RateLeft
from server.auth.server_limits import SignUp
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.closed_lists import Conflict, InvalidInput, KeyScope, NotFound, outcome
from server.operations import keys as issuing
from server.operations.keys import WantedKey, invite

# GraphQL types of API keys, and the fields that list, create and revoke them


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
        found = await issuing.keys_for(info.context.database, info.context.principal)
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
            key, text = await issuing.make_key(context.database, context.credentials, context.principal, wanted)
            return CreatedKey(key=ApiKey.of(key), text=text)

        return await outcome(work())

    @mutation("Revoke an API key and all keys that were made with it.", WHO)
    async def revoke_api_key(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="Id of the key.")]
    ) -> RevokeKeyResult:
        async def work() -> ApiKey:
            context = info.context
            return ApiKey.of(await issuing.revoke(context.database, context.principal, id))

        return await outcome(work())


# GraphQL types of invitations, and the fields that list, create and revoke them; sign-ups themselves are REST


ADMIN = access(Scope.ADMIN, queued=True)


@strawberry.enum(description="Whether an invitation can be used.")
class InvitationState(StrEnum):
    """State of an invitation."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"
    USED_UP = "used_up"


@type_(description="Invitation to sign up for an API key, without its secret.")
class Invitation:
    """An invitation."""

    id: strawberry.ID = strawberry.field(description="Part of the invitation that is no secret.")
    name: str = strawberry.field(description="Whom it is for.")
    scopes: list[KeyScope] = strawberry.field(description="Scopes of its keys.")
    collections: list[str] | None = strawberry.field(description="Collections of its keys; null for all.")
    state: InvitationState = strawberry.field(description="Whether it can be used.")
    max_uses: int = strawberry.field(description="Number of keys that it is good for.")
    n_uses: int = strawberry.field(description="Number of keys that were signed up with it.")
    key_term_s: int | None = strawberry.field(
        description="Validity of its keys in seconds; null for no end of their own."
    )
    requests_per_minute: int | None = strawberry.field(
        description="Limit of each of its keys; null for that of the server."
    )
    cost_per_minute: int | None = strawberry.field(
        description="Limit of each of its keys; null for that of the server."
    )
    created_at: datetime = strawberry.field(description="Time of the creation.")
    expires_at: datetime = strawberry.field(description="End of the validity.")
    revoked_at: datetime | None = strawberry.field(description="Time of the revocation, if any.")
    creators: list[strawberry.ID] = strawberry.field(
        description="Ids of the keys that it was made with, from the first one."
    )

    @classmethod
    def of(cls, invitation: invitations.Invitation) -> Self:
        """Wrap an invitation."""
        return cls(
            **vars(invitation)
            | {
                "id": strawberry.ID(invitation.id),
                "scopes": list(invitation.scopes),
                "collections": None if invitation.collections is None else list(invitation.collections),
                "creators": [strawberry.ID(one) for one in invitation.creators],
            },
            state=InvitationState(invitation.state(datetime.now(UTC))),
        )


@type_(description="New invitation with its text, which is shown once.")
class CreatedInvitation:
    """A new invitation."""

    invitation: Invitation = strawberry.field(description="The invitation.")
    text: str = strawberry.field(
        description="The invitation as a sign-up sends it; a page of the server takes it at /signup#TEXT."
    )


@strawberry.input(description="Invitation to create; its keys have no scope admin.")
class InvitationInput:
    """A wanted invitation."""

    name: str = strawberry.field(description="Whom it is for, 1 to 100 characters.")
    scopes: list[KeyScope] = strawberry.field(description="Scopes of its keys.")
    collections: list[str] | None = strawberry.field(default=None, description="Those of its keys; default: all.")
    uses: int = strawberry.field(default=1, description="Number of keys that it is good for, 1 to 10000.")
    expires: str = strawberry.field(default="7d", description="Its time to live, such as 12h, 30d or 8w.")
    key_expires: str | None = strawberry.field(
        default=None, description="Time to live of its keys; default: that of the key of the request."
    )
    requests_per_minute: int | None = strawberry.field(
        default=None, description="Limit of each of its keys; default: that of the server."
    )
    cost_per_minute: int | None = strawberry.field(
        default=None, description="Limit of each of its keys; default: that of the server."
    )

    def wanted(self) -> WantedInvitation:
        """Return the invitation that is asked for.

        Raises:
            InputError: A term is none.
        """
        return WantedInvitation.asked(**vars(self))


CreateInvitationResult = Annotated[
    CreatedInvitation | InvalidInput | NotFound | Conflict,
    strawberry.union("CreateInvitationResult", description="The new invitation, or the reason why there is none."),
]
RevokeInvitationResult = Annotated[
    Invitation | InvalidInput | NotFound | Conflict,
    strawberry.union(
        "RevokeInvitationResult", description="The revoked invitation, or the reason why it was not revoked."
    ),
]


@type_()
class InvitationQueries:
    """What can be read of invitations."""

    @field("All invitations to sign up, oldest first.", ADMIN)
    async def invitations(self, info: Info) -> list[Invitation] | None:
        return [Invitation.of(one) for one in await invitations.list_invitations(info.context.database)]


@type_()
class InvitationMutations:
    """What can be done with invitations."""

    @mutation("Create an invitation, with which people sign up for API keys. Its text is shown once.", ADMIN)
    async def create_invitation(
        self,
        info: Info,
        input: Annotated[InvitationInput, strawberry.argument(description="The invitation.")],
    ) -> CreateInvitationResult:
        async def work() -> CreatedInvitation:
            context = info.context
            made, text = await invite(context.database, context.credentials, context.principal, input.wanted())
            return CreatedInvitation(invitation=Invitation.of(made), text=text)

        return await outcome(work())

    @mutation("Revoke an invitation; keys that were signed up with it stay valid.", ADMIN)
    async def revoke_invitation(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="Id of the invitation.")]
    ) -> RevokeInvitationResult:
        async def work() -> Invitation:
            return Invitation.of(await invitations.revoke_invitation(info.context.database, id))

        return await outcome(work())


# GraphQL types of the caller and of the server


VIEWER = access(Anyone.WITH_A_KEY)


@type_(description="What is left of a limit per minute.")
class RateLimit:
    """A limit."""

    name: str = strawberry.field(description="requests or cost.")
    limit: int = strawberry.field(description="Amount per minute.")
    left: int = strawberry.field(description="Amount that is left.")
    resets_in_s: int = strawberry.field(description="Seconds until the whole amount is there again.")

    @classmethod
    def of(cls, left: RateLeft) -> Self:
        """Wrap a limit."""
        return cls(**vars(left))


@type_(description="Caller: the API key of the request, or this machine.")
class Viewer:
    """The caller."""

    name: str = strawberry.field(description="Name of the key; empty if the server requires none.")
    scopes: list[KeyScope] = strawberry.field(description="Scopes of the key.")
    collections: list[str] | None = strawberry.field(description="Collections of the key; null for all.")
    expires_at: datetime | None = strawberry.field(description="End of the key's validity; null for none.")
    is_local: bool = strawberry.field(description="True if the server requires no key.")
    limits: list[RateLimit] = strawberry.field(description="What is left of each limit; empty without limits.")

    @classmethod
    def of(cls, viewer: issuing.Viewer) -> Self:
        """Wrap a caller."""
        return cls(
            name=viewer.name,
            scopes=list(viewer.scopes),
            collections=None if viewer.collections is None else list(viewer.collections),
            expires_at=viewer.expires_at,
            is_local=viewer.is_local,
            limits=[RateLimit.of(one) for one in viewer.limits],
        )


@type_(description="Files that can be uploaded.")
class UploadRules:
    """Rules of uploads."""

    max_bytes: int = strawberry.field(description="Largest file.")
    endings: list[str] = strawberry.field(description="Endings of the names of files, such as .pdf.")


strawberry.enum(SignUp, description="Who may sign up: nobody, or whoever has an invitation.")


@type_(description="What the server offers.")
class ServerInfo:
    """The server."""

    version: str = strawberry.field(description="Version of papergraph.")
    language_model: str | None = strawberry.field(description="Model that writes answers; null if there is none.")
    reranker: str | None = strawberry.field(description="Cross-encoder for reranking; null if there is none.")
    embedding_model: str = strawberry.field(description="Embedding model of searches.")
    uploads: UploadRules | None = strawberry.field(description="Files that can be uploaded; null if none can.")
    has_cypher: bool = strawberry.field(description="True if the server accepts Cypher queries.")
    sign_up: SignUp = strawberry.field(description="Who may sign up for an API key.")

    @classmethod
    def of(cls, info: issuing.ServerInfo) -> Self:
        """Wrap what the server offers."""
        rules = info.uploads
        uploads = UploadRules(max_bytes=rules.max_bytes, endings=list(rules.endings)) if rules else None
        return cls(**vars(info) | {"uploads": uploads})


@type_()
class ViewerQueries:
    """What can be read of the caller and of the server."""

    @field("Caller: its scopes, collections and limits.", VIEWER)
    async def viewer(self, info: Info) -> Viewer | None:
        context = info.context
        return Viewer.of(await issuing.viewer_of(context.database, context.principal, context.limits.rate))

    @field("What the server offers: models, uploads, Cypher.", VIEWER)
    def server(self, info: Info) -> ServerInfo | None:
        return ServerInfo.of(info.context.server)
