"""What every face works with, made once at the edge and passed in."""

from dataclasses import dataclass

from papergraph.database import Database
from papergraph.embedding import Embedder
from server.retrieval.followed import FollowedModel


@dataclass(frozen=True)
class Service:
    """An open, prepared store and the embedding model of its vectors.

    Attributes:
        database: The store.
        embedder: Its model when it was opened.
        followed: What goes over to another model when the store does, for a process that serves long.
    """

    database: Database
    embedder: Embedder
    followed: FollowedModel | None = None

    @property
    def query_model(self) -> Embedder | FollowedModel:
        """What queries are embedded with."""
        return self.followed or self.embedder
