"""Cut a document's sections into chunks that the embedding model reads whole, with offsets into the source.

Cuts fall on the largest unit that fits: Markdown blocks or paragraphs, sentences, words. A chunk is the source's text
to the letter; what it is about (title and headings) stands beside it as its context. A table, an equation or a caption
is a chunk of its own, of several only where it is too long: these are cut between rows or lines and do not overlap.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from semantic_text_splitter import MarkdownSplitter, TextSplitter
from tokenizers import Tokenizer

from ingest.parse import Document, ParsedSection
from ingest.parse.document import ElementKind, first_words
from ingest.sources import Format

VERSION = "3"
"""Part of the recipe: a change makes papers be cut again."""

LONGEST_CONTEXT_CHARS = 200
LEADING_STOPS = re.compile(r"(?:\s|\.(?!\w))*")
"""What a cut leaves of the sentence before; the stop of .5 belongs to what follows."""

BLANKS = re.compile(r"\s*")


@dataclass(frozen=True)
class ChunkOptions:
    """How to cut.

    Attributes:
        max_tokens: Longest chunk, in the embedding model's tokens; beside it the context must fit into the model.
        overlap_tokens: How much of a chunk's end the next one of the section begins with, at most.
    """

    max_tokens: int = 192
    overlap_tokens: int = 32

    def __post_init__(self) -> None:
        if self.max_tokens < 8 or not 0 <= self.overlap_tokens < self.max_tokens:
            raise ValueError(f"chunks need max_tokens >= 8 and 0 <= overlap_tokens < max_tokens, got {self}")


@dataclass(frozen=True)
class ChunkSpan:
    """A chunk before it has an id: characters ``start`` to ``end`` of the source, in section number ``section``.

    ``element`` says what it is a piece of, if not of running text.
    """

    section: int
    start: int
    end: int
    text: str
    context: str
    n_tokens: int
    element: ElementKind | None = None

    @property
    def embedded_text(self) -> str:
        """What the vector is made of."""
        return f"{self.context}\n{self.text}".lstrip("\n")


class Chunker:
    """Cuts documents with one tokenizer and one set of options."""

    def __init__(self, tokenizer: Tokenizer, options: ChunkOptions) -> None:
        self._tokenizer = tokenizer
        self.options = options

    def chunks(self, document: Document) -> Iterator[ChunkSpan]:
        """Yield the document's chunks in reading order; every section's own text is covered."""
        running = self._markdown if document.format is Format.MARKDOWN else self._text
        untitled = bool(document.sections) and document.title == first_words(
            document.text[document.sections[0].start :]
        )
        for number, section in enumerate(document.sections):
            context = context_of(document, section, untitled=untitled)
            for start, end, element in stretches(document, section):
                splitter, dropped = (running, LEADING_STOPS) if element is None else (self._rows, BLANKS)
                for offset, piece in splitter.chunk_indices(document.text[start:end]):
                    beginning = dropped.match(piece)
                    skipped = beginning.end() if beginning else 0
                    text = piece[skipped:].rstrip()
                    if text:
                        first = start + offset + skipped
                        n_tokens = len(self._tokenizer.encode(text, add_special_tokens=False).ids)
                        yield ChunkSpan(number, first, first + len(text), text, context, n_tokens, element)

    @cached_property
    def _markdown(self) -> MarkdownSplitter:
        return MarkdownSplitter.from_huggingface_tokenizer(
            self._tokenizer, self.options.max_tokens, self.options.overlap_tokens
        )

    @cached_property
    def _text(self) -> TextSplitter:
        return TextSplitter.from_huggingface_tokenizer(
            self._tokenizer, self.options.max_tokens, self.options.overlap_tokens
        )

    @cached_property
    def _rows(self) -> TextSplitter:
        return TextSplitter.from_huggingface_tokenizer(self._tokenizer, self.options.max_tokens)


def stretches(document: Document, section: ParsedSection) -> Iterator[tuple[int, int, ElementKind | None]]:
    """Yield start, end and kind of what a section's text is made of, in order; running text has no kind."""
    start = section.start
    for element in document.elements:
        if section.start <= element.start and element.end <= section.end:
            yield start, element.start, None
            yield element.start, element.end, element.kind
            start = element.end
    yield start, section.end, None


def context_of(document: Document, section: ParsedSection, *, untitled: bool = False) -> str:
    """Return the title and the headings down to ``section``, outermost first, cut to 200 characters at a word.

    The title of a document that is ``untitled`` is made of its first words, which say nothing that is not in the text.
    """
    headings: list[str] = []
    current: ParsedSection | None = section
    while current is not None:
        headings.append(current.title)
        current = document.sections[current.parent] if current.parent is not None else None
    parts = [document.title, *reversed(headings)]
    told = [part for part in parts if not (untitled and part == document.title)]
    text = " > ".join(part for number, part in enumerate(told) if part and part not in told[:number])
    if len(text) <= LONGEST_CONTEXT_CHARS:
        return text
    return text[:LONGEST_CONTEXT_CHARS].rpartition(" ")[0] or text[:LONGEST_CONTEXT_CHARS]
