"""Entities of papers: found, given or asked for, related, resolved and linked."""

from ingest.enrichments.entities.enrichment import Entities
from ingest.enrichments.entities.extraction import ExtractionLimits
from ingest.enrichments.entities.resolution import SameOptions

__all__ = ["Entities", "ExtractionLimits", "SameOptions"]
