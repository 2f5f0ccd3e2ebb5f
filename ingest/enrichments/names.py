"""The enrichments by name."""

from enum import StrEnum


class EnrichmentName(StrEnum):
    """The enrichments that there are, in the order in which they are made."""

    QUESTIONS = "questions"
    ENTITIES = "entities"
    METADATA = "metadata"
    PROTOTYPES = "prototypes"
    CLUSTERS = "clusters"
    LINKS = "links"
