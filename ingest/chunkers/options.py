"""Options of chunking, and the method that makes chunks."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, Self

from papergraph.errors import InputError
from papergraph.registry import parts

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# A way of cutting: a file of ``papergraph.ingest.chunkers.methods`` defines one as its ``CHUNKER``


class Splitter(Protocol):
    """Splitter of a text, as in semantic-text-splitter."""

    def chunk_indices(self, text: str) -> list[tuple[int, str]]:
        """Return the pieces with where they begin."""


class Unit(StrEnum):
    """Unit that a cut keeps whole if it fits."""

    BLOCK = "block"
    SENTENCE = "sentence"
    WORD = "word"


@dataclass(frozen=True)
class Method:
    """Chunking method.

    By default no chunk crosses the end of a section, or joins running text with a table, equation or caption.

    Attributes:
        name: Name of the method.
        unit: Unit that is kept whole.
        source: Publication of the method.
        max_tokens: Longest chunk in the embedding model's tokens; None for no limit.
        overlap_tokens: Most tokens of its end that the next chunk repeats.
        max_chars: Longest chunk in characters; None for no limit.
        overlap_chars: As ``overlap_tokens``, in characters.
        overlap_unit: Unit of the overlap; by default ``unit``.
        read_whole: True if a text beyond the embedding model's limit gets the mean vector of windows; else the vector
            of its beginning.
        hierarchical: True if chunks have parents.
        across_headings: True if chunks continue into the next section of the same kind, with its heading, so that they
            reach the method's nominal size.
        splitter: Factory of the splitter of running text; None to pack whole units.
        version: Part of the configuration hash: a change chunks papers again.
        order: Position in lists of chunkers.
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
    return parts("papergraph.ingest.chunkers.methods", "CHUNKER", Method)


# The ways of cutting, by name, with what can be chosen about each


MIN_TOKENS, MIN_CHARS = 8, 50
MASK_URLS = "mask-urls"
PARENT_FACTORS = (4, 16)
"""Lengths of the parents of a hierarchy in leaves, lowest level first."""


@dataclass(frozen=True)
class ChunkOptions:
    """Options of chunking; missing sizes are the chunker's own.

    Attributes:
        max_tokens: Longest chunk (or leaf of a hierarchy) in the embedding model's tokens. None if the chunker counts
            characters.
        overlap_tokens: Most tokens of a chunk's end that the next one of the section repeats. None if the chunker
            counts characters.
        chunker: One of :func:`papergraph.ingest.chunkers.options.chunkers`.
        max_chars: Longest chunk in characters. None if the chunker counts tokens.
        overlap_chars: As ``overlap_tokens``, in characters.
        drop_back_matter: True to leave out references, acknowledgements and appendices.
        mask_urls: True to embed ``[URL]`` in place of a URL.
        trim_stops: True to remove full stops at the beginning of a chunk.
        embed_parents: True to give the parents of a hierarchy vectors.
        across_headings: True to continue chunks into the next section of the same kind.

    Raises:
        InputError: The chunker is unknown, or the options do not fit it.
    """

    max_tokens: int | None = None
    overlap_tokens: int | None = None
    chunker: str = "default"
    max_chars: int | None = None
    overlap_chars: int | None = None
    drop_back_matter: bool = False
    mask_urls: bool = False
    trim_stops: bool = True
    embed_parents: bool = False
    across_headings: bool | None = None

    def __post_init__(self) -> None:
        if self.chunker not in chunkers():
            nearest = difflib.get_close_matches(self.chunker.lower(), chunkers(), n=1, cutoff=0.4)
            raise InputError(
                f"Chunker {self.chunker!r} does not exist. "
                + (f"Did you mean {nearest[0]}? " if nearest else "")
                + f"Choose one of {', '.join(chunkers())}.",
                field="chunker",
            )
        if self.across_headings is None:
            object.__setattr__(self, "across_headings", self.method.across_headings)
        self._fill("max_tokens", "overlap_tokens", "max_chars", "overlap_chars")
        tokens, chars = self.max_tokens, self.max_chars
        if (tokens is not None and tokens < MIN_TOKENS) or (chars is not None and chars < MIN_CHARS):
            raise InputError(
                f"Chunks are too small: {self!r}. Set max_tokens to at least {MIN_TOKENS}, or max_chars to at least "
                f"{MIN_CHARS}.",
                field="max_tokens",
            )
        longest = tokens if self.overlap_tokens is not None else chars or tokens
        overlap = self.overlap_tokens if self.overlap_tokens is not None else self.overlap_chars
        if overlap is None or longest is None or not 0 <= overlap < longest:
            raise InputError(
                f"The overlap is out of range: {self!r}. Set it to at least 0 and less than the length of a chunk.",
                field="overlap",
            )

        if self.embed_parents and not self.method.hierarchical:
            raise InputError(
                f"Chunker {self.chunker} has no parent chunks to embed. Choose the chunker hierarchical.",
                field="embed_parents",
            )

    def _fill(self, *names: str) -> None:
        for name in names:
            own, given = getattr(self.method, name), getattr(self, name)
            if own is None and given is not None:
                other = name.replace("tokens", "chars") if "tokens" in name else name.replace("chars", "tokens")
                raise InputError(
                    f"Chunker {self.chunker} has no option {name}. Set {other}, or choose another chunker.", field=name
                )
            if given is None and own is not None and name.startswith("overlap"):
                longest = self.max_tokens if name == "overlap_tokens" or self.max_chars is None else self.max_chars
                own = own if longest is None else min(own, longest // 4)  # a small chunk has a small overlap
            object.__setattr__(self, name, own if given is None else given)

    @classmethod
    def choose(cls, chunker: str = "default", *, overlap: int | None = None, **others: Any) -> Self:
        """Return the options of a chunker, with an ``overlap`` in tokens or characters, as it counts.

        Args:
            chunker: One of :func:`papergraph.ingest.chunkers.options.chunkers`.
            overlap: In place of the chunker's own.
            others: As the attributes.

        Raises:
            InputError: The chunker is unknown, or the options do not fit it.
        """
        method = chunkers().get(chunker)
        counted_in = "overlap_chars" if method is not None and method.overlap_chars is not None else "overlap_tokens"
        others[counted_in] = overlap
        return cls(chunker=chunker, **others)

    def __str__(self) -> str:
        longest = f"{self.max_chars} characters" if self.max_tokens is None else f"{self.max_tokens} tokens"
        overlap = f"{self.overlap_chars} characters" if self.overlap_tokens is None else f"{self.overlap_tokens} tokens"
        steps = ", ".join(self.cleaning) or "nothing"
        told = f"{self.chunker}, at most {longest}, {overlap} of overlap"
        if self.max_tokens is not None and self.method.hierarchical:
            sizes = " and ".join(str(factor * self.max_tokens) for factor in PARENT_FACTORS)
            told += f", below parents of {sizes}{' with vectors' if self.embed_parents else ''}"
        if self.across_headings != self.method.across_headings:
            told += ", across headings" if self.across_headings else ", within sections"
        return f"{told}; cleaned: {steps}"

    @property
    def method(self) -> Method:
        """The chunker's own part."""
        return chunkers()[self.chunker]

    @property
    def cleaning(self) -> tuple[str, ...]:
        """The steps of cleaning that are chosen."""
        steps = {
            "drop-back-matter": self.drop_back_matter,
            MASK_URLS: self.mask_urls,
            "trim-stops": self.trim_stops,
        }
        return tuple(step for step, chosen in steps.items() if chosen)
