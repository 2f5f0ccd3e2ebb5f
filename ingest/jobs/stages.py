"""The stages that a task goes through; by itself, since processes that only parse need no more of the ledger."""

from enum import StrEnum


class Stage(StrEnum):
    """What a document goes through, and then the enrichments that are made of its paper."""

    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    WRITE = "write"
    QUESTIONS = "questions"
    ENTITIES = "entities"
    METADATA = "metadata"
    PROTOTYPES = "prototypes"
    CLUSTERS = "clusters"
    LINKS = "links"
