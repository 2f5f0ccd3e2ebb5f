"""The layer of links: names that passages share, and titles of papers that they name.

``naming``  names and titles in a text
``layer``   what is found, written into the graph where it differs
"""

from ingest.enrichments.base import EnrichmentKind, Section
from ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class LinkOptions(Section):
    """Options of the layer of links; see :class:`ingest.enrichments.links.enrichment.LinksLayer`."""

    names: bool = True

    def layer(self, model: LanguageModel | None) -> Enrichment:
        """Return the layer, which no language model has a part in."""
        from ingest.enrichments.links.enrichment import LinksLayer

        return LinksLayer(**self.model_dump())


ENRICHMENT = EnrichmentKind("links", 6, LinkOptions)
