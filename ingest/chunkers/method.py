"""A way of cutting: a file of ``ingest.chunkers.methods`` defines one as its ``CHUNKER``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Protocol

from papergraph.registry import parts

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ingest.chunkers.options import ChunkOptions


class Splitter(Protocol):
    """What cuts a stretch of text, as semantic-text-splitter's splitters do."""

    def chunk_indices(self, text: str) -> list[tuple[int, str]]:
        """Return the pieces with where they begin."""


class Unit(StrEnum):
    """What a cut leaves whole unless it is too long by itself."""

    BLOCK = "block"
    SENTENCE = "sentence"
    WORD = "word"


@dataclass(frozen=True)
class Method:
    """A way of cutting: within a section unless told otherwise, running text between tables, equations and captions.

    Attributes:
        name: What it is called.
        unit: What is left whole.
        source: Where it comes from.
        max_tokens: Longest chunk in the embedding model's tokens, None for no such limit.
        overlap_tokens: How much of its end the next chunk begins with, at most.
        max_chars: Longest chunk in characters, None for no such limit.
        overlap_chars: As ``overlap_tokens``, in characters.
        overlap_unit: What the overlap is made of; by default the same as ``unit``.
        read_whole: Whether all of a text that is longer than the embedding model reads goes into its vector, as the
            mean over windows; else its beginning does.
        hierarchical: Whether there are parents above the chunks.
        across_headings: Whether chunks run on from one section into the next one of the same kind, with its heading;
            so that they have the size by which the method is named.
        splitter: Makes what cuts running text, where that is not done by whole units.
        version: Part of the hash of a configuration: a change cuts the papers of this chunker again.
        order: Place among the chunkers.
    """

    name: str
    unit: Unit
    source: str
    max_tokens: int | None = None
    overlap_tokens: int | None = None
    max_chars: int | None = None
    overlap_chars: int | None = None
    overlap_unit: Unit | None = None
    read_whole: bool = True
    hierarchical: bool = False
    across_headings: bool = False
    splitter: "Callable[[Tokenizer, ChunkOptions], Splitter] | None" = None
    version: str = "1"
    order: int = 0


@cache
def chunkers() -> Mapping[str, Method]:
    """Return all chunkers by name, in order."""
    return parts("ingest.chunkers.methods", "CHUNKER", Method)
