"""The stages that a task goes through; by itself, since processes that only parse need no more of the ledger."""

from enum import StrEnum


class Stage(StrEnum):
    """The stages of a document; an enrichment of its paper is at the stage of its name."""

    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    WRITE = "write"
