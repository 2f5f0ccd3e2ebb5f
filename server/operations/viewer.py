"""What a caller is and may do, and what the server offers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ingest.sources.parser import endings
from papergraph import __version__
from papergraph.database import Database
from schema.ids import public_name
from server.auth.keys import find_key
from server.auth.principal import KeyScope, Principal
from server.auth.rate_limits import RateLeft, RateLimiter
from server.auth.server_limits import SignUp
from server.operations.uploads import Uploads
from server.retrieval.resources import Resources


@dataclass(frozen=True)
class Viewer:
    """Whoever sends a request.

    Attributes:
        name: Name of the key; empty where the server asks for none.
        scopes: What the key is good for.
        collections: The collections that it reaches, or None for all.
        expires_at: When the key ends; None for never.
        is_local: Whether the server asks for no key.
        limits: What is left of each limit.
    """

    name: str
    scopes: tuple[KeyScope, ...]
    collections: tuple[str, ...] | None
    expires_at: datetime | None
    is_local: bool
    limits: Sequence[RateLeft]


@dataclass(frozen=True)
class UploadRules:
    """Files that can be uploaded: ``max_bytes`` of one, and the endings of their names, such as ``.pdf``."""

    max_bytes: int
    endings: tuple[str, ...]


@dataclass(frozen=True)
class ServerInfo:
    """What the server offers.

    Attributes:
        version: Of papergraph.
        language_model: The model that writes answers, or None.
        reranker: The cross-encoder that reranks, or None.
        embedding_model: The model that searches now.
        uploads: Files that can be uploaded; None where none can be.
        has_cypher: Whether it takes queries in Cypher.
        sign_up: Who may sign up for a key.
    """

    version: str
    language_model: str | None
    reranker: str | None
    embedding_model: str
    uploads: UploadRules | None
    has_cypher: bool
    sign_up: SignUp


async def viewer_of(database: Database, principal: Principal, rate: RateLimiter) -> Viewer:
    """Return who sends a request.

    Raises:
        DatabaseError: The key could not be looked up.
    """
    stored = await find_key(database, principal.id) if rate.keys_required else None
    return Viewer(
        name=stored.key.name if stored else "",
        scopes=tuple(scope for scope in KeyScope if scope in principal.scopes),
        collections=principal.collections,
        expires_at=stored.key.expires_at if stored else None,
        is_local=not rate.keys_required,
        limits=await rate.left(principal),
    )


def server_info(resources: Resources, uploads: Uploads | None, *, has_cypher: bool, sign_up: SignUp) -> ServerInfo:
    """Return what the server offers, with what searches run with and the uploads that it takes."""
    return ServerInfo(
        version=__version__,
        language_model=_public(resources.language_model.name if resources.language_model else None),
        reranker=_public(resources.rerankers.default),
        embedding_model=public_name(resources.model.searched.embedder.card.name),
        uploads=UploadRules(uploads.allowance.max_bytes, tuple(sorted(endings()))) if uploads else None,
        has_cypher=has_cypher,
        sign_up=sign_up,
    )


def _public(name: str | None) -> str | None:
    """Return the name of a model; of one in a folder of this machine only the last part."""
    return public_name(name) if name else None
