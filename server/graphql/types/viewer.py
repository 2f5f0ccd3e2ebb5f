"""GraphQL types of the caller and of the server."""

from datetime import datetime
from typing import Self

import strawberry

from server.auth.access import Anyone, access
from server.auth.rate_limits import RateLeft
from server.auth.server_limits import SignUp
from server.graphql.connections import Info
from server.graphql.derive import field, type_
from server.graphql.types.closed_lists import KeyScope
from server.operations import viewer as operations

WHO = access(Anyone.WITH_A_KEY)


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
    def of(cls, viewer: operations.Viewer) -> Self:
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
    def of(cls, info: operations.ServerInfo) -> Self:
        """Wrap what the server offers."""
        rules = info.uploads
        uploads = UploadRules(max_bytes=rules.max_bytes, endings=list(rules.endings)) if rules else None
        return cls(**vars(info) | {"uploads": uploads})


@type_()
class ViewerQueries:
    """What can be read of the caller and of the server."""

    @field("Caller: its scopes, collections and limits.", WHO)
    async def viewer(self, info: Info) -> Viewer | None:
        context = info.context
        return Viewer.of(await operations.viewer_of(context.database, context.principal, context.limits.rate))

    @field("What the server offers: models, uploads, Cypher.", WHO)
    def server(self, info: Info) -> ServerInfo | None:
        return ServerInfo.of(info.context.server)
