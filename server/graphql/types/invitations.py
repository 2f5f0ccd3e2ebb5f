"""GraphQL types of invitations, and the fields that list, create and revoke them; sign-ups themselves are REST."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Self

import strawberry

from server.auth import invitations
from server.auth.access import access
from server.auth.invitations import WantedInvitation
from server.auth.principal import KeyScope as Scope
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.closed_lists import KeyScope
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.operations.sign_up import invite

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
