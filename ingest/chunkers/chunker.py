"""Chunks of a document: cleaned text packed into chunks of a size."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, starmap, takewhile

from semantic_text_splitter import MarkdownSplitter, TextSplitter
from tokenizers import Tokenizer

from papergraph.embedding.token_counts import token_counter
from papergraph.ingest.chunkers.options import PARENT_FACTORS, ChunkOptions, Splitter, Unit
from papergraph.ingest.parsers import Document, ParsedSection
from papergraph.ingest.parsers.document import ElementKind, first_words
from papergraph.ingest.sources import Format
from papergraph.text.sentences import sentence_starts

# Text that chunks leave out of a document, and its replacement in the vector; a chunk's text is the source's own.
#
# Source: the eight retrieval methods, whose papers lose references, acknowledgements and appendix, whose URLs become
# ``[URL]``, and whose chunks never start with the full stop of the sentence before.


BACK_MATTER = frozenset({"references", "acknowledgements", "appendix"})
"""Kinds of section that tell nothing of what a paper found, or tell it a second time."""

MASK = "[URL]"
URL = re.compile(
    r"(?:(?:https?|ftp)://|(?<![\w./@-])www\.)(?=\w)"
    r"[^\s<>\"'`{}|\\^\[\]()]*(?:\([^\s<>\"'`{}|\\^\[\]()]*\)[^\s<>\"'`{}|\\^\[\]()]*)*"
    r"(?<![.,;:!?…])",
    re.IGNORECASE,
)
"""URL, excluding the sentence's full stop and a closing bracket that was opened before it."""

LEADING_STOPS = re.compile(r"(?:\s|\.(?!\w))*")
"""Remainder of the previous sentence after a cut; the point of ".5" is kept."""

BLANKS = re.compile(r"\s*")


def mask_urls(text: str) -> str:
    """Return a text with ``[URL]`` in place of each URL: its letters make many tokens and mean next to nothing."""
    return URL.sub(MASK, text)


def n_leading(piece: str, *, stops: bool) -> int:
    """Return how many characters at the beginning of a piece are blanks, or full stops too."""
    match = (LEADING_STOPS if stops else BLANKS).match(piece)
    return match.end() if match else 0


# Whole sentences or words packed into pieces of limited length, with exact places and an overlap of whole units.
#
# The greedy way of LlamaIndex' SentenceSplitter (a test compares them), but over places in the text: SentenceSplitter
# hands out strings without their blanks and looks for them again, which finds another place where a text repeats
# itself.


WORD = re.compile(r"\S+\s*")


@dataclass(frozen=True)
class Packer:
    """Packs units of a text, see :class:`papergraph.ingest.chunkers.options.ChunkOptions` for the sizes.

    Exactly one of ``max_tokens`` and ``max_chars`` is given, and at most one of the overlaps. Blanks at the end of a
    piece do not count.
    """

    tokenizer: Tokenizer
    unit: Unit
    overlap_unit: Unit
    max_tokens: int | None = None
    max_chars: int | None = None
    overlap_tokens: int | None = None
    overlap_chars: int | None = None

    @cached_property
    def _count(self) -> Callable[[str], int]:
        return token_counter(self.tokenizer)

    def chunk_indices(self, text: str) -> list[tuple[int, str]]:
        """Return the pieces of a text with where they begin; see :meth:`spans`."""
        return [(start, text[start:end]) for start, end in self.spans(text)]

    def spans(self, text: str, *, whole: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
        """Yield start and end of a text's pieces; each ends after the one before, and no unit is left out.

        A unit that is too long by itself is cut between words, a word between tokens or characters.

        Args:
            text: What is cut.
            whole: Starts and ends within it of what is one unit, whatever stands there.
        """
        measure = _Measure(text, self.tokenizer)
        units = list(pairwise([*self._units(text, measure, whole), len(text)]))
        overlaps = _starts(text, self.overlap_unit) if self.overlap_tokens or self.overlap_chars else []
        start, first = 0, 0
        while first < len(units):
            last = first
            while last + 1 < len(units) and self._fits(measure, start, units[last + 1][1]):
                last += 1
            while last > first and not self._holds(text[start : units[last][1]]):
                last -= 1  # cut out of its text a piece can have more tokens than it had in it
            if last == first and start < units[first][0] and not self._holds(text[start : units[first][1]]):
                start = units[first][0]
                continue
            end = units[last][1]
            if last == first and not self._holds(text[start:end]):
                yield from self._halves(text, start, end)
            else:
                yield start, end
            first = last + 1
            if first < len(units):
                start = self._next_start(measure, overlaps, start, end, units[first][1])

    def _units(self, text: str, measure: "_Measure", whole: Sequence[tuple[int, int]]) -> Iterator[int]:
        starts = _starts(text, self.unit)
        for first, after in whole:
            starts[bisect_right(starts, first) : bisect_left(starts, after)] = []
        for start, end in pairwise([*starts, len(text)]):
            if self._fits(measure, start, end):
                yield start
                continue
            words = [start, *(at for at in _starts(text[start:end], Unit.WORD, start) if at > start)]
            for word, after in pairwise([*words, end]):
                if self._fits(measure, word, after):
                    yield word
                elif self.max_chars is not None:
                    yield from range(word, after, self.max_chars)
                else:
                    yield from measure.tokens_within(word, after)

    def _next_start(self, measure: "_Measure", overlaps: list[int], start: int, end: int, next_end: int) -> int:
        """Return where the next piece begins: as early as its overlap, and its first new unit, allow."""
        for at in overlaps[bisect_left(overlaps, start + 1) : bisect_left(overlaps, end)]:
            if self.overlap_tokens is not None:
                short = measure.n_tokens(at, end) <= self.overlap_tokens
            else:
                short = measure.n_chars(at, end) <= (self.overlap_chars or 0)
            if short and self._fits(measure, at, next_end):
                return at
        return end

    def _fits(self, measure: "_Measure", start: int, end: int) -> bool:
        if self.max_chars is not None:
            return measure.n_chars(start, end) <= self.max_chars
        return measure.n_tokens(start, end) <= (self.max_tokens or 0)

    def _holds(self, piece: str) -> bool:
        if self.max_tokens is None:
            return True
        return self._count(piece.rstrip()) <= self.max_tokens

    def _halves(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        if end - start < 2 or self._holds(text[start:end]):
            yield start, end
            return
        middle = (start + end) // 2
        yield from self._halves(text, start, middle)
        yield from self._halves(text, middle, end)


class _Measure:
    """Lengths of stretches of one text, by the tokens that it has as a whole."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self._text = text
        encoding = tokenizer.encode(text, add_special_tokens=False)
        self._tokens = sorted(start for start, _ in encoding.offsets)

    def n_tokens(self, start: int, end: int) -> int:
        return bisect_left(self._tokens, end) - bisect_left(self._tokens, start)

    def n_chars(self, start: int, end: int) -> int:
        return len(self._text[start:end].rstrip())

    def tokens_within(self, start: int, end: int) -> Iterator[int]:
        yield start
        within = self._tokens[bisect_left(self._tokens, start + 1) : bisect_left(self._tokens, end)]
        yield from dict.fromkeys(within)


def _starts(text: str, unit: Unit, offset: int = 0) -> list[int]:
    if unit is Unit.SENTENCE:
        return sentence_starts(text)
    starts = [offset + match.start() for match in WORD.finditer(text)]
    return [offset, *(start for start in starts if start > offset)] if text else []


# Cut a document's sections into chunks, with offsets into the source.
#
# By default the embedding model reads a chunk whole, and cuts fall on the largest unit that fits: Markdown blocks or
# paragraphs, sentences, words; :func:`papergraph.ingest.chunkers.options.chunkers` are the other ways. A chunk is
# the source's
# text to the letter; what it is about (title and headings) stands beside it as its context. A table, an equation or a
# caption is a chunk of its own, of several only where it is too long: these are cut between rows or lines and do not
# overlap.


LONGEST_CONTEXT_CHARS = 200

LONGEST_CUT = 50_000
"""Most characters per call of a splitter: 0.02 s, or 0.13 s with a tokenizer that is not counted word by word."""

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
        """Text of the vector."""
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
        """Offset of its first character."""
        return self.sections[0].start

    @property
    def end(self) -> int:
        """Offset after its last character."""
        return self.sections[-1].end

    def section_at(self, place: int) -> int:
        """Return the index of the section that contains a character."""
        return self.first + self._at(place)

    def trimmed(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return a span of ``text`` without headings and blanks at its edges; None for an empty rest."""
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
        self._n_tokens = token_counter(tokenizer)
        self.options = options
        self._n_read = None
        if longest_read is not None and not options.method.read_whole:
            self._n_read = longest_read - tokenizer.num_special_tokens_to_add(is_pair=False)

    def chunks(self, document: Document) -> Iterator[ChunkSpan]:
        """Yield the document's chunks in reading order, then their parents, level by level.

        The chunks cover every section's own text. The section of a chunk is that of its first character. Headings at
        its edges are removed.
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
            for begin, stop in _parts(document.text, start, end):
                for offset, piece in splitter.chunk_indices(document.text[begin:stop]):
                    skipped = n_leading(piece, stops=element is None and self.options.trim_stops)
                    first, after = begin + offset + skipped, begin + offset + len(piece)
                    if first < after and (own := region.trimmed(document.text, first, after)):
                        yield *own, element

    @cached_property
    def _parents(self) -> list[Packer]:
        """Packers of the parents, highest level first."""
        longest = self.options.max_tokens or 0
        unit = self.options.method.unit
        return [Packer(self._tokenizer, unit, unit, max_tokens=factor * longest) for factor in reversed(PARENT_FACTORS)]

    @cached_property
    def _markdown(self) -> Splitter:
        if self.options.method.unit is not Unit.BLOCK or self.options.method.splitter is not None:
            return self._running
        splitter: Splitter = MarkdownSplitter.from_callback(self._n_tokens, *self._block_sizes)
        return splitter

    @cached_property
    def _running(self) -> Splitter:
        options, method = self.options, self.options.method
        splitter: Splitter
        if method.splitter is not None:
            return method.splitter(self._tokenizer, options)
        if method.unit is Unit.BLOCK:
            splitter = TextSplitter.from_callback(self._n_tokens, *self._block_sizes)
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
            splitter = TextSplitter.from_callback(self._n_tokens, longest_tokens)
        else:
            splitter = TextSplitter(longest_chars or 0)
        return splitter

    @property
    def _block_sizes(self) -> tuple[int, int]:
        return self.options.max_tokens or 0, self.options.overlap_tokens or 0


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a stretch of at most :data:`LONGEST_CUT` characters, cut between paragraphs where possible."""
    while end - start > LONGEST_CUT:
        half, most = start + LONGEST_CUT // 2, start + LONGEST_CUT
        ends = (text.rfind(mark, half, most) + len(mark) for mark in ("\n\n", "\n", ". ", " "))
        stop = next((stop for stop in ends if stop > half), most)
        yield start, stop
        start = stop
    yield start, end


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

    The title of an ``untitled`` document repeats its first words, so it is left out.
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
