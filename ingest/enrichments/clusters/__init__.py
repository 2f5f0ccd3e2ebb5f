"""Clusters of chunks and papers, found by algorithms over the whole collection.

``enrichment``       topics, communities and ranks, written where they changed
``stored_clusters``  stored chunks, papers, entities and clusters, read and listed
``similarity``       similar chunks, and links of papers
``communities``      communities and ranks by Graph Data Science, and clusters within clusters
``labels``           names and keywords of clusters
"""

from papergraph.errors import InputError
from papergraph.ingest.enrichments.base import EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class ClusterOptions(Section):
    """Options of the enrichment of clusters; see :class:`ClustersEnrichment`."""

    k: int = 8
    least: float = 0.74

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from papergraph.ingest.enrichments.clusters.enrichment import ClustersEnrichment

        try:
            return ClustersEnrichment(**self.model_dump())
        except ValueError as error:
            raise InputError(f"clusters: {error}", field="config") from error


ENRICHMENT = EnrichmentKind(
    "clusters",
    5,
    ClusterOptions,
    "Topics, communities and ranks of papers and passages.",
    ("entities",),
)
