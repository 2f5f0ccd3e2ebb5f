"""The enrichment of links: names that passages share, and titles of papers that they name.

``naming``  names and titles in a text
``enrichment``   what is found, written into the graph where it differs
"""

from ingest.enrichments.links.enrichment import LinksEnrichment

__all__ = ["LinksEnrichment"]
