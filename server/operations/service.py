"""Shared state of all interfaces, created once at start-up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.originals import Originals
from papergraph.local_neo4j.state import ServerState
from papergraph.server.operations.ingest import IngestService, Uploads
from papergraph.server.operations.llm_proxy import LlmProxy
from papergraph.server.operations.zotero_access import ZoteroAccess
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
        shared_resources: Resources of pipelines; its model follows a change of the store's model.
        intake: Service of ingestion, or None.
        desk: Runner of users' Cypher, or None.
        enrichments: Available enrichments with the operator's options.
        originals: Store of papers' files, or None.
        page_images: Renderer of their pages, or None.
        local_servers: Returns the status of local Neo4j servers; empty for external ones.
        backups: Archive of daily backups, or None.
        zotero: Zotero of the settings, or None.
        pipelines: Pipelines by name; the user's replace shipped ones of the same name.
        upstream: Service that receives requests for other models, or None.
    """

    database: Database
    embedder: Embedder
    shared_resources: Resources | None = None
    intake: IngestService | None = None
    upstream: LlmProxy | None = None
    desk: CypherDesk | None = None
    pipelines: Mapping[str, Pipeline] = field(default_factory=shipped)
    enrichments: EnrichmentOptions = field(default_factory=EnrichmentOptions.choose)
    originals: Originals | None = None
    page_images: PageImages | None = None
    local_servers: Callable[[], Sequence[ServerState]] = tuple
    backups: Path | None = None
    zotero: ZoteroAccess | None = None

    @property
    def resources(self) -> Resources:
        """Resources of pipelines."""
        return self.shared_resources or Resources.of(self.database, self.embedder)

    @property
    def uploads(self) -> Uploads | None:
        """Uploaded files, or None if they are refused."""
        return self.intake.uploads if self.intake else None
