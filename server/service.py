"""What every face works with, made once at the edge and passed in."""

from dataclasses import dataclass

from papergraph.database import Database
from papergraph.embedding import Embedder
from server.retrieval.resources import Resources


@dataclass(frozen=True)
class Service:
    """An open, prepared store and the embedding model of its vectors.

    Attributes:
        database: The store.
        embedder: Its model when it was opened.
        equipment: What searches run with beside them; its model goes over to another one when the store does.
    """

    database: Database
    embedder: Embedder
    equipment: Resources | None = None

    @property
    def resources(self) -> Resources:
        """What searches run with."""
        return self.equipment or Resources.of(self.database, self.embedder)
