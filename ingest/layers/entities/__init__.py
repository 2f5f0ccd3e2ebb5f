"""Entities of papers: found, given or asked for, related, resolved and linked."""

from ingest.layers.entities.find import Limits
from ingest.layers.entities.layer import Entities
from ingest.layers.entities.same import SameOptions

__all__ = ["Entities", "Limits", "SameOptions"]
