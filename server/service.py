"""What every face works with, made once at the edge and passed in."""

from dataclasses import dataclass

from papergraph.database import Database
from papergraph.embedding import Embedder


@dataclass(frozen=True)
class Service:
    """An open, prepared store and the embedding model of its vectors."""

    database: Database
    embedder: Embedder
