"""What every face works with, made once at the edge and passed in."""

from dataclasses import dataclass

from papergraph.database import Database
from papergraph.embedding import Embedder
from server.intake import Intake
from server.querying.desk import Desk
from server.retrieval.resources import Resources
from server.upstream import Upstream


@dataclass(frozen=True)
class Service:
    """An open, prepared store and the embedding model of its vectors.

    Attributes:
        database: The store.
        embedder: Its model when it was opened.
        equipment: What searches run with beside them; its model goes over to another one when the store does.
        intake: What documents are brought in by; None where nothing is.
        desk: Where researchers' queries run; None where none are taken.
        upstream: The service that requests for other models than ours are passed on to; None where there is none.
    """

    database: Database
    embedder: Embedder
    equipment: Resources | None = None
    intake: Intake | None = None
    upstream: Upstream | None = None
    desk: Desk | None = None

    @property
    def resources(self) -> Resources:
        """What searches run with."""
        return self.equipment or Resources.of(self.database, self.embedder)
