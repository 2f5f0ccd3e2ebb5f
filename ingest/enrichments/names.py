"""The layers by name."""

from enum import StrEnum


class LayerName(StrEnum):
    """The layers that there are, in the order in which they are made."""

    QUESTIONS = "questions"
    ENTITIES = "entities"
    METADATA = "metadata"
    PROTOTYPES = "prototypes"
    CLUSTERS = "clusters"
    LINKS = "links"
