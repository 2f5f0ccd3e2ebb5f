"""Routes of sign-ups: invitations of administrators, and keys for people who have one."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from pydantic import Field

from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.credentials import Credentials
from papergraph.server.auth.invitations import (
    MOST_PER_MINUTE,
    MOST_USES,
    CreatedInvitation,
    InvitationGrant,
    InvitationInfo,
    WantedInvitation,
)
from papergraph.server.auth.invitations import list_invitations as list_all
from papergraph.server.auth.invitations import revoke_invitation as revoke
from papergraph.server.auth.keys import CreatedKey
from papergraph.server.auth.operations import ADMINISTER, SIGN_UP
from papergraph.server.operations import keys
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.rest.keys import NO_STORE
from papergraph.server.rest.requests import ListResponse, RequestModel, ResponseModel

router = APIRouter()

InvitationId = Annotated[str, Path(pattern="^[a-z0-9]{8}$", description="Id of an invitation, the part after pi_.")]
PerMinute = Annotated[int | None, Field(ge=1, le=MOST_PER_MINUTE)]


class SignUpOffer(ResponseModel):
    """Possibilities without a key."""

    sign_up: Literal["off", "invite"]
    """Sign-up: closed, or by invitation."""


class SignUpBody(RequestModel):
    """A key to sign up for, with an invitation."""

    name: str
    """Use of the key, 1 to 100 characters."""

    invitation: str = Field(max_length=100)
    """Invitation, pi_ and what follows."""


class ShownInvitation(RequestModel):
    """Invitation that somebody has."""

    invitation: str = Field(max_length=100)
    """Invitation, pi_ and what follows."""


class InvitationBody(RequestModel):
    """Invitation to create; its keys never go beyond the key of the request, and have no scope admin."""

    name: str
    """Name of the invitation, 1 to 100 characters."""

    scopes: list[KeyScope] = Field(min_length=1)
    """Scopes of its keys."""

    collections: list[str] | None = Field(default=None, min_length=1, max_length=100)
    """Collections of its keys; default: all."""

    uses: int = Field(default=1, ge=1, le=MOST_USES)
    """Number of keys that it is good for."""

    expires: str = "7d"
    """Time to live of the invitation, such as 12h, 30d or 8w."""

    key_expires: str | None = None
    """Time to live of its keys; default: that of the key of the request."""

    requests_per_minute: PerMinute = None
    """Limit of each of its keys; default: that of the server."""

    cost_per_minute: PerMinute = None
    """Limit of each of its keys; default: that of the server."""

    common_tokens_per_day: PerMinute = None
    """Tokens of a language model for all its keys together per day; default: no such limit."""

    def wanted(self) -> WantedInvitation:
        """Return the invitation that is asked for."""
        return WantedInvitation.asked(**self.model_dump())


@router.get("/sign-up", summary="Say who may sign up.")
@SIGN_UP
async def get_sign_up(context: Context, response: Response) -> SignUpOffer:
    found = await keys.sign_up_mode(_shown(context), context.principal.id)
    response.headers["Cache-Control"] = NO_STORE
    return SignUpOffer(sign_up=found.value)


@router.post(
    "/sign-up",
    status_code=201,
    summary="Sign up: get an API key with an invitation; its text is shown once.",
    responses={409: {"$ref": "#/components/responses/Problem409"}},
)
@SIGN_UP
async def sign_up(context: Context, response: Response, wanted: SignUpBody) -> CreatedKey:
    created = await keys.sign_up(
        context.database, _shown(context), context.principal.id, name=wanted.name, invitation=wanted.invitation
    )
    response.headers["Cache-Control"] = NO_STORE
    return created


@router.post(
    "/sign-up/invitation",
    summary="Show the scopes and collections of an invitation without using it.",
    responses={409: {"$ref": "#/components/responses/Problem409"}},
)
@SIGN_UP
async def show_invitation(context: Context, response: Response, shown: ShownInvitation) -> InvitationGrant:
    found = await keys.invitation_grant(context.database, _shown(context), context.principal.id, shown.invitation)
    response.headers["Cache-Control"] = NO_STORE
    return found


@router.get("/invitations", summary="List all invitations, the oldest first.")
@ADMINISTER
async def list_invitations(context: Context) -> ListResponse[InvitationInfo]:
    return ListResponse(data=await list_all(context.database))


@router.post("/invitations", status_code=201, summary="Create an invitation; its text is shown once.")
@ADMINISTER
async def create_invitation(context: Context, response: Response, wanted: InvitationBody) -> CreatedInvitation:
    created = await keys.invite(context.database, context.credentials, context.principal, wanted.wanted())
    response.headers["Cache-Control"] = NO_STORE
    return created


@router.delete("/invitations/{id}", summary="Revoke an invitation; keys that were signed up with it stay valid.")
@ADMINISTER
async def revoke_invitation(context: Context, id: InvitationId) -> InvitationInfo:
    return await revoke(context.database, id)


def _shown(context: RequestContext) -> Credentials:
    if context.credentials is None:
        raise LookupError("a request over HTTP came without credentials")
    return context.credentials
