"""The enrichment of links: names that passages share, and titles of papers that they name.

``naming``  names and titles in a text
``enrichment``   what is found, written into the graph where it differs
"""

from papergraph.ingest.enrichments.base import EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class LinkOptions(Section):
    """Options of the enrichment of links; see :class:`LinksEnrichment`."""

    names: bool = True

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in."""
        from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment

        return LinksEnrichment(**self.model_dump())


ENRICHMENT = EnrichmentKind(
    "links",
    6,
    LinkOptions,
    "Links from passages to the papers and names that they mention.",
)
