"""The stages that a document goes through; by itself, since processes that only parse need no more of the ledger."""

from enum import StrEnum


class Stage(StrEnum):
    """What a document goes through."""

    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    WRITE = "write"
