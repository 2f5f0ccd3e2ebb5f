"""Shared state of all interfaces, created once at start-up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.originals import Originals
from papergraph.local_neo4j.state import ServerState
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.llm_proxy import LlmProxy
from papergraph.server.papers.regions import PageImages
from papergraph.server.retrieval.pipelines import Pipeline, shipped
from papergraph.server.retrieval.resources import Resources
from papergraph.server.user_cypher.runner import CypherDesk


@dataclass(frozen=True)
class Service:
    """An open, prepared store and the embedding model of its vectors.

    Attributes:
        database: The store.
        embedder: Its model when it was opened.
        equipment: What searches run with beside them; its model goes over to another one when the store does.
        intake: What documents are brought in by; None where nothing is.
        desk: Where researchers' queries run; None where none are taken.
        enrichments: Those that papers can be given, with the operator's options.
        originals: The files of papers; None where none are kept.
        page_images: Draws their pages; None where none are kept.
        local_servers: Says how the local servers of Neo4j are; none, where others run them.
        backups: The archive of daily backups; None where none are taken.
        pipelines: Those that a search can name: papergraph's and the user's, which replace ours of the same name.
        upstream: The service that requests for other models than ours are passed on to; None where there is none.
    """

    database: Database
    embedder: Embedder
    equipment: Resources | None = None
    intake: IngestService | None = None
    upstream: LlmProxy | None = None
    desk: CypherDesk | None = None
    pipelines: Mapping[str, Pipeline] = field(default_factory=shipped)
    enrichments: EnrichmentOptions = field(default_factory=EnrichmentOptions.choose)
    originals: Originals | None = None
    page_images: PageImages | None = None
    local_servers: Callable[[], Sequence[ServerState]] = tuple
    backups: Path | None = None

    @property
    def resources(self) -> Resources:
        """What searches run with."""
        return self.equipment or Resources.of(self.database, self.embedder)
