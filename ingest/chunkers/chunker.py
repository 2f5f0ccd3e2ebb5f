"""Cut a document's sections into chunks, with offsets into the source.

By default the embedding model reads a chunk whole, and cuts fall on the largest unit that fits: Markdown blocks or
paragraphs, sentences, words; :func:`ingest.chunkers.method.chunkers` are the other ways. A chunk is the source's text
to the letter; what it is about (title and headings) stands beside it as its context. A table, an equation or a caption
is a chunk of its own, of several only where it is too long: these are cut between rows or lines and do not overlap.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap, takewhile

from semantic_text_splitter import MarkdownSplitter, TextSplitter
from tokenizers import Tokenizer

from ingest.chunkers.cleaning import BACK_MATTER, mask_urls, n_leading
from ingest.chunkers.method import Splitter, Unit
from ingest.chunkers.options import PARENT_FACTORS, ChunkOptions
from ingest.chunkers.packing import Packer
from ingest.parsers import Document, ParsedSection
from ingest.parsers.document import ElementKind, first_words
from ingest.sources import Format

LONGEST_CONTEXT_CHARS = 200
Stretch = tuple[int, int, ElementKind | None]
"""Start and end of a piece of a document's text, and what it is a piece of, if not of running text."""


@dataclass(frozen=True)
class ChunkSpan:
    """A chunk before it has an id: characters ``start`` to ``end`` of the source, in section number ``section``.

    ``element`` says what it is a piece of, if not of running text; ``masked``, whether ``[URL]`` is embedded in place
    of its URLs; ``n_read``, how many of its ``n_tokens`` its vector is made of. ``level`` is 0 but for the parents of a
    hierarchy, and ``parent`` the place of its own among the document's chunks.
    """

    section: int
    start: int
    end: int
    text: str
    context: str
    n_tokens: int
    element: ElementKind | None = None
    masked: bool = False
    n_read: int = 0
    level: int = 0
    parent: int | None = None
    has_vector: bool = True

    @property
    def embedded_text(self) -> str:
        """What the vector is made of."""
        return embedded_text(self.context, self.text, masked=self.masked)


def embedded_text(context: str, text: str, *, masked: bool = False) -> str:
    """Return what a chunk's vector is made of; ``masked`` puts ``[URL]`` in place of the text's URLs."""
    return f"{context}\n{mask_urls(text) if masked else text}".lstrip("\n")


@dataclass(frozen=True)
class Region:
    """Sections that follow each other, within which chunks are cut.

    Attributes:
        first: Number of the first one.
        sections: The sections.
    """

    first: int
    sections: tuple[ParsedSection, ...]

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.sections[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.sections[-1].end

    def section_at(self, place: int) -> int:
        """Return the number of the section that a character stands in."""
        return self.first + self._at(place)

    def trimmed(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return a span of the ``text`` without headings and blanks at its edges; None where nothing is left."""
        while bare := text[start:end].strip():
            start += text[start:end].index(bare)
            end = start + len(bare)
            first, last = self._at(start), self._at(end - 1)
            if start >= self.sections[first].end:
                start = self.sections[first + 1].start if first + 1 < len(self.sections) else end
            elif end > self.sections[last].end:
                end = self.sections[last].end
            else:
                return start, end
        return None

    def _at(self, place: int) -> int:
        return bisect_right(self.sections, place, key=lambda section: section.start) - 1


class Chunker:
    """Cuts documents with one tokenizer and one set of options."""

    def __init__(self, tokenizer: Tokenizer, options: ChunkOptions, *, longest_read: int | None = None) -> None:
        """Make a chunker.

        Args:
            tokenizer: The embedding model's.
            options: How to cut.
            longest_read: Most tokens that the model reads of a text, special ones included; None for all.
        """
        self._tokenizer = tokenizer
        self.options = options
        self._n_read = None
        if longest_read is not None and not options.method.read_whole:
            self._n_read = longest_read - tokenizer.num_special_tokens_to_add(is_pair=False)

    def chunks(self, document: Document) -> Iterator[ChunkSpan]:
        """Yield the document's chunks in reading order, then their parents, level by level.

        Every section's own text is covered. The section of a chunk is the one that its first character stands in. No
        chunk begins or ends with a heading.
        """
        hierarchy = Hierarchy(self._parents) if self.options.method.hierarchical else None
        untitled = bool(document.sections) and document.title == first_words(
            document.text[document.sections[0].start :]
        )
        contexts = [context_of(document, section, untitled=untitled) for section in document.sections]
        for region in regions(document, self.options):

            def span(start: int, end: int, element: ElementKind | None = None, *, of: Region = region) -> ChunkSpan:
                number = of.section_at(start)
                return self._span(document, number, start, end, element, contexts[number])

            found = stretches(document, region.start, region.end)
            if hierarchy is None:
                yield from starmap(span, self._pieces(document, region, found))
            else:
                hierarchy.add(document, region, list(found), self._pieces, span)
        if hierarchy is not None:
            yield from hierarchy.spans(embed_parents=self.options.embed_parents)

    def _span(
        self, document: Document, section: int, start: int, end: int, element: ElementKind | None, context: str
    ) -> ChunkSpan:
        text = document.text[start:end]
        n_tokens = self._n_tokens(text)
        n_read = n_tokens if self._n_read is None else min(n_tokens, max(0, self._n_read - self._n_tokens(context)))
        masked = self.options.mask_urls
        return ChunkSpan(section, start, end, text, context, n_tokens, element, masked=masked, n_read=n_read)

    def _pieces(self, document: Document, region: Region, found: Iterable[Stretch]) -> Iterator[Stretch]:
        """Yield the stretches cut into what becomes chunks, without blanks and headings around it."""
        running = self._markdown if document.format == Format.MARKDOWN else self._running
        for start, end, element in found:
            splitter = running if element is None else self._rows
            for offset, piece in splitter.chunk_indices(document.text[start:end]):
                skipped = n_leading(piece, stops=element is None and self.options.trim_stops)
                first, after = start + offset + skipped, start + offset + len(piece)
                if first < after and (own := region.trimmed(document.text, first, after)):
                    yield *own, element

    @cached_property
    def _parents(self) -> list[Packer]:
        """What cuts the parents, tallest first."""
        longest = self.options.max_tokens or 0
        unit = self.options.method.unit
        return [Packer(self._tokenizer, unit, unit, max_tokens=factor * longest) for factor in reversed(PARENT_FACTORS)]

    def _n_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _markdown(self) -> Splitter:
        if self.options.method.unit is not Unit.BLOCK or self.options.method.splitter is not None:
            return self._running
        splitter: Splitter = MarkdownSplitter.from_huggingface_tokenizer(self._tokenizer, *self._block_sizes)
        return splitter

    @cached_property
    def _running(self) -> Splitter:
        options, method = self.options, self.options.method
        splitter: Splitter
        if method.splitter is not None:
            return method.splitter(self._tokenizer, options)
        if method.unit is Unit.BLOCK:
            splitter = TextSplitter.from_huggingface_tokenizer(self._tokenizer, *self._block_sizes)
            return splitter
        return Packer(
            self._tokenizer,
            method.unit,
            method.overlap_unit or method.unit,
            max_tokens=options.max_tokens,
            max_chars=options.max_chars,
            overlap_tokens=options.overlap_tokens,
            overlap_chars=options.overlap_chars,
        )

    @cached_property
    def _rows(self) -> Splitter:
        longest_tokens, longest_chars = self.options.max_tokens, self.options.max_chars
        splitter: Splitter
        if longest_tokens is not None:
            splitter = TextSplitter.from_huggingface_tokenizer(self._tokenizer, longest_tokens)
        else:
            splitter = TextSplitter(longest_chars or 0)
        return splitter

    @property
    def _block_sizes(self) -> tuple[int, int]:
        return self.options.max_tokens or 0, self.options.overlap_tokens or 0


class Hierarchy:
    """Chunks below parents below taller parents, within each region.

    Parents do not overlap, so that a chunk has one parent at every level. Tables, equations and captions are cut
    through by no parent that can hold them.
    """

    def __init__(self, packers: Sequence[Packer]) -> None:
        """Make an empty one; ``packers`` cut the parents, tallest first."""
        self._packers = packers
        self._levels: list[list[ChunkSpan]] = [[] for _ in range(len(packers) + 1)]

    def add(
        self,
        document: Document,
        region: Region,
        found: Sequence[Stretch],
        pieces: Callable[[Document, Region, Iterable[Stretch]], Iterator[Stretch]],
        span: Callable[[int, int, ElementKind | None], ChunkSpan],
    ) -> None:
        """Add the chunks and parents of a region, which ``pieces`` cuts and ``span`` puts together."""

        def grow(start: int, end: int, level: int, parent: int | None) -> bool:
            within = [(max(start, a), min(end, b), kind) for a, b, kind in found if max(start, a) < min(end, b)]
            if level == 0:
                leaves = [replace(span(*piece), parent=parent) for piece in pieces(document, region, within)]
                self._levels[0] += leaves
                return bool(leaves)
            text = document.text[start:end]
            whole = [(a - start, b - start) for a, b, kind in within if kind is not None]
            grown = False
            for first, after in self._packers[-level].spans(text, whole=whole):
                own = region.trimmed(document.text, start + first, start + after)
                if own and grow(*own, level - 1, len(self._levels[level])):
                    self._levels[level].append(replace(span(*own, None), level=level, parent=parent))
                    grown = True
            return grown

        grow(region.start, region.end, len(self._packers), None)

    def spans(self, *, embed_parents: bool) -> Iterator[ChunkSpan]:
        """Yield all chunks in reading order, then the parents, lowest level first."""
        place = 0
        for level, spans in enumerate(self._levels):
            place += len(spans)
            for span in spans:
                above = None if span.parent is None else place + span.parent
                has_vector = level == 0 or embed_parents
                yield replace(span, parent=above, has_vector=has_vector, n_read=span.n_read if has_vector else 0)


def regions(document: Document, options: ChunkOptions) -> Iterator[Region]:
    """Yield the parts of the text that no chunk crosses: sections, or neighbours of one kind with their headings.

    Sections that the ``options`` leave out are in none.
    """
    taken: list[ParsedSection] = []
    for number, section in enumerate(document.sections):
        goes_on = options.across_headings and bool(taken) and section.kind == taken[-1].kind
        if taken and (not goes_on or is_left_out(section, options)):
            yield Region(number - len(taken), tuple(taken))
            taken = []
        if not is_left_out(section, options):
            taken.append(section)
    if taken:
        yield Region(len(document.sections) - len(taken), tuple(taken))


def is_left_out(section: ParsedSection, options: ChunkOptions) -> bool:
    """Say whether no chunks are made of a section."""
    return options.drop_back_matter and section.kind in BACK_MATTER


def stretches(document: Document, start: int, end: int) -> Iterator[Stretch]:
    """Yield start, end and kind of what a part of the text is made of, in order; running text has no kind."""
    first = bisect_left(document.elements, start, key=lambda element: element.start)
    for element in takewhile(lambda element: element.start < end, document.elements[first:]):
        if element.end <= end:
            yield start, element.start, None
            yield element.start, element.end, element.kind
            start = element.end
    yield start, end, None


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
