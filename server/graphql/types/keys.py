"""GraphQL types of API keys, invitations and the caller."""

from enum import StrEnum
from typing import Annotated

import strawberry

from papergraph.server.auth import invitations
from papergraph.server.auth.invitations import CreatedInvitation, InvitationInfo, WantedInvitation
from papergraph.server.auth.keys import ApiKey, CreatedKey, parse_term
from papergraph.server.auth.operations import ADMINISTER, MANAGE_KEYS, SHARE, VIEWER
from papergraph.server.auth.server_limits import SignUp
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import field, mutation, object_type, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, KeyScope, NotFound, Role, outcome
from papergraph.server.operations import keys as issuing
from papergraph.server.operations.keys import Member, ServerInfo, Viewer, WantedKey, invite

# GraphQL types of API keys, and the fields that list, create and revoke them


@strawberry.enum(description="State of an API key.")
class KeyState(StrEnum):
    """State of a key."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


@object_type(ApiKey, state=KeyState)
class ApiKeyType:
    """An API key."""


CreateKeyResult = Annotated[
    CreatedKey | InvalidInput | NotFound | Conflict,
    strawberry.union("CreateKeyResult", description="The new key, or the reason why there is none."),
]
RevokeKeyResult = Annotated[
    ApiKey | InvalidInput | NotFound | Conflict,
    strawberry.union("RevokeKeyResult", description="The revoked key, or the reason why it was not revoked."),
]

SetRoleResult = Annotated[
    Member | InvalidInput | NotFound | Conflict,
    strawberry.union("SetRoleResult", description="The account with its role, or the reason why it was not set."),
]
CollectionName = Annotated[str, strawberry.argument(description="Name of the collection.")]


@type_()
class KeyQueries:
    """Queries of keys."""

    @field("API keys that were made with the key of the request, oldest first; an administrator gets all.", MANAGE_KEYS)
    async def api_keys(self, info: Info) -> list[ApiKey] | None:
        return await issuing.keys_for(info.context.database, info.context.principal)

    @field("Accounts that reach a collection, with their roles; without those that reach all collections.", SHARE)
    async def collection_roles(self, info: Info, collection: CollectionName) -> list[Member] | None:
        return await issuing.members_of(info.context.database, collection, collections=info.context.collections)


@type_()
class KeyMutations:
    """Mutations of keys."""

    @mutation("Create an API key, which never goes beyond the key of the request. Its text is shown once.", MANAGE_KEYS)
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
            return await issuing.make_key(context.database, context.credentials, context.principal, wanted)

        return await outcome(work())

    @mutation("Revoke an API key and all keys that were made with it.", MANAGE_KEYS)
    async def revoke_api_key(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="Id of the key.")]
    ) -> RevokeKeyResult:
        context = info.context
        return await outcome(issuing.revoke(context.database, context.principal, id, context.service.uploads))

    @mutation("Set or remove the role of an account in a collection.", SHARE)
    async def set_role(
        self,
        info: Info,
        collection: CollectionName,
        key: Annotated[strawberry.ID, strawberry.argument(description="Id of the first key of the account.")],
        role: Annotated[
            Role | None, strawberry.argument(description="Role; null to let the scopes of its keys decide.")
        ] = None,
    ) -> SetRoleResult:
        context = info.context
        return await outcome(
            issuing.set_member(context.database, collection, key, role, collections=context.collections)
        )


# GraphQL types of invitations, and the fields that list, create and revoke them; sign-ups themselves are REST


@strawberry.enum(description="State of an invitation.")
class InvitationState(StrEnum):
    """State of an invitation."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"
    USED_UP = "used_up"


@object_type(InvitationInfo, "Invitation", state=InvitationState)
class Invitation:
    """An invitation."""


@strawberry.input(description="Invitation to create; its keys have no scope admin.")
class InvitationInput:
    """A wanted invitation."""

    name: str = strawberry.field(description="Recipient of the invitation, 1 to 100 characters.")
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
    common_tokens_per_day: int | None = strawberry.field(
        default=None,
        description="Tokens of a language model for all its keys together per day; default: no such limit.",
    )

    def wanted(self) -> WantedInvitation:
        """Return the wanted invitation.

        Raises:
            InputError: A term is malformed.
        """
        return WantedInvitation.asked(**vars(self))


CreateInvitationResult = Annotated[
    CreatedInvitation | InvalidInput | NotFound | Conflict,
    strawberry.union("CreateInvitationResult", description="The new invitation, or the reason why there is none."),
]
RevokeInvitationResult = Annotated[
    InvitationInfo | InvalidInput | NotFound | Conflict,
    strawberry.union(
        "RevokeInvitationResult", description="The revoked invitation, or the reason why it was not revoked."
    ),
]


@type_()
class InvitationQueries:
    """Queries of invitations."""

    @field("All invitations to sign up, oldest first.", ADMINISTER)
    async def invitations(self, info: Info) -> list[InvitationInfo] | None:
        return await invitations.list_invitations(info.context.database)


@type_()
class InvitationMutations:
    """Mutations of invitations."""

    @mutation("Create an invitation, with which people sign up for API keys. Its text is shown once.", ADMINISTER)
    async def create_invitation(
        self,
        info: Info,
        input: Annotated[InvitationInput, strawberry.argument(description="The invitation.")],
    ) -> CreateInvitationResult:
        async def work() -> CreatedInvitation:
            context = info.context
            return await invite(context.database, context.credentials, context.principal, input.wanted())

        return await outcome(work())

    @mutation("Revoke an invitation; keys that were signed up with it stay valid.", ADMINISTER)
    async def revoke_invitation(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="Id of the invitation.")]
    ) -> RevokeInvitationResult:
        return await outcome(invitations.revoke_invitation(info.context.database, id))


# GraphQL types of the caller and of the server


strawberry.enum(SignUp, description="Sign-up for an API key: off, or by invitation.")


@object_type(ServerInfo, sign_up=SignUp)
class ServerInfoType:
    """The server."""


@type_()
class ViewerQueries:
    """Queries about the caller and about the server."""

    @field("Caller: its scopes, collections and limits.", VIEWER)
    async def viewer(self, info: Info) -> Viewer | None:
        context = info.context
        return await issuing.viewer_of(context.database, context.principal, context.limits.rate)

    @field("Offers of the server: models, uploads, Cypher.", VIEWER)
    def server(self, info: Info) -> ServerInfo | None:
        return info.context.server
