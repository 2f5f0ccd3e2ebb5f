"""The map: a place in two dimensions for each paper of a collection, and the topic that it is shown under."""

from typing import Literal

from papergraph.ingest.enrichments.base import EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class MapOptions(Section):
    """Options of the enrichment of the map; see :class:`papergraph.ingest.enrichments.map.enrichment.MapEnrichment`."""

    method: Literal["umap", "pca"] = "umap"
    n_neighbours: int = 15
    min_dist: float = 0.1
    seed: int = 0
    most_change: float = 0.25

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from papergraph.ingest.enrichments.map.enrichment import MapEnrichment

        return MapEnrichment(**self.model_dump())


ENRICHMENT = EnrichmentKind("map", 7, MapOptions, "Places of papers on a map in two dimensions.", ("clusters",))
