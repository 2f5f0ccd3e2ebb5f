"""Composition of a PDF's text: paragraphs, abstract and superscripts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from papergraph.ingest.parsers.line_boxes import LineBox, Word
from papergraph.ingest.parsers.pdf.glyphs import HYPHENS, WIDEST_GAP, Segment, Style
from papergraph.ingest.parsers.pdf.headings import FoundHeading, Lines
from papergraph.ingest.parsers.pdf.layout import Block, BlockKind, Line, PlacedBlock, TableLine
from papergraph.ingest.parsers.pdf.title_page import fold

# Paragraphs of a composed text, each with its place in the text and its lines on the pages


NARROWER_BY = 8.0
"""Points on either side by which a paragraph is set in."""


@dataclass(frozen=True)
class PlacedParagraph:
    """A paragraph of the text.

    Attributes:
        start: Its first character in the text.
        text: Its characters.
        lines: Its lines on the pages.
        line_starts: First character of each line, counted in ``text``.
        heading: The heading that it is, or None.
        size: Size of most of its characters, in points; 0 for a table.
        block: The entry, caption or table that it is, or None.
    """

    start: int
    text: str
    lines: tuple[Line, ...]
    line_starts: tuple[int, ...]
    heading: FoundHeading | None
    size: float
    block: Block | None = None

    @property
    def is_heading(self) -> bool:
        return self.heading is not None

    @property
    def title(self) -> str:
        return self.heading.title if self.heading else ""

    @property
    def level(self) -> int:
        return self.heading.level if self.heading else 0

    @property
    def page(self) -> int:
        """Page of its first line, from 0."""
        return self.lines[0].page

    @property
    def style(self) -> Style:
        """The style of most of its characters."""
        count: Counter[Style] = Counter()
        for line in self.lines:
            count.update(line.styles)
        return max(count, key=lambda style: count[style])

    @property
    def is_narrow(self) -> bool:
        """True if its lines are indented on both sides of their column."""
        full = self.lines[1:-1] or self.lines
        return all(line.x0 > line.left + NARROWER_BY and line.x1 < line.right - NARROWER_BY for line in full)

    @property
    def line_boxes(self) -> list[LineBox]:
        """Positions of its lines on the pages and in the document's text, without sideways lines."""
        ends = [*self.line_starts[1:], len(self.text)]
        boxes = []
        for line, start, end in zip(self.lines, self.line_starts, ends, strict=True):
            last = len(self.text[:end].rstrip())
            if line.angle == 0 and last > start:
                begin, end = self.start + start, self.start + last
                words = tuple(_words(line, self.text[start:last], begin))
                boxes.append(LineBox(begin, end, line.page + 1, line.x0, line.x1, line.y, _size(line), words))
        return boxes


def _size(line: Line) -> float:
    return max(line.segments, key=lambda segment: len(segment.text)).size


def _words(line: Line, text: str, start: int) -> Iterator[Word]:
    """Yield the words of a line's text, which begins at character ``start``, with their edges on the page.

    The text may have blanks and marks of tables that the page has not, and lack the end of the line.
    """
    letters = _letters(line)
    letter, x0, x1 = next(letters, NO_LETTER)
    for word in re.finditer(r"\S+", text):
        edges: list[tuple[int, float, float]] = []
        for at, character in enumerate(word[0], start + word.start()):
            if character == letter:
                edges.append((at, x0, x1))
                letter, x0, x1 = next(letters, NO_LETTER)
        if edges:
            left, right = min(x0 for _, x0, _ in edges), max(x1 for _, _, x1 in edges)
            yield Word(edges[0][0], edges[-1][0] + 1, left, right)


NO_LETTER = ("", 0.0, 0.0)


def _letters(line: Line) -> Iterator[tuple[str, float, float]]:
    """Yield the characters of a line that are no blanks, as the text has them, with their left and right edges."""
    for segment in line.segments:
        for character, x0, x1 in zip(segment.text, segment.edges[::2], segment.edges[1::2], strict=False):
            if not character.isspace():
                yield "-" if character in HYPHENS else character, x0, x1


@dataclass(frozen=True)
class Composed:
    """A text with the places of its paragraphs.

    Attributes:
        text: Paragraphs, parted by an empty line; the lines of a paragraph are joined.
        paragraphs: In the order of the text.
        n_joined: Hyphens that were dropped where a word was put together again.
    """

    text: str
    paragraphs: tuple[PlacedParagraph, ...]
    n_joined: int

    @property
    def headings(self) -> list[tuple[FoundHeading, int, int]]:
        """Each heading with its first character and the one after its line end."""
        return [(one.heading, one.start, one.start + len(one.text) + 2) for one in self.paragraphs if one.heading]

    @property
    def blocks(self) -> list[PlacedBlock]:
        """Entries of lists of references, captions and tables, in order."""
        return [
            PlacedBlock(one.block.kind, one.start, one.start + len(one.text), one.block.label, one.block.figure)
            for one in self.paragraphs
            if one.block
        ]

    @property
    def page_marks(self) -> list[tuple[int, int]]:
        """(offset, page from 1): from there on the text stands on this page."""
        marks: list[tuple[int, int]] = []
        for one in self.paragraphs:
            for start, line in zip(one.line_starts, one.lines, strict=True):
                if not marks or marks[-1][1] != line.page + 1:
                    marks.append((one.start + start, line.page + 1))
        return marks

    @property
    def line_boxes(self) -> list[LineBox]:
        """Positions of the text's lines on the pages, in the order of the text."""
        return [box for one in self.paragraphs for box in one.line_boxes]


# The abstract and the keywords of a PDF: named on a line, or set apart above the introduction.
#
# An abstract stands before the first section; of two abstracts that in the paper's language counts.


ABSTRACT_NAMES = {
    "en": ("abstract", "summary", "executivesummary", "authorsummary", "synopsis"),
    "pt": ("resumo",),
    "es": ("resumen",),
    "fr": ("résumé", "resumé"),
    "de": ("zusammenfassung", "kurzfassung", "kurzzusammenfassung"),
    "it": ("sommario", "riassunto"),
    "nl": ("samenvatting",),
    "zh": ("摘要", "中文摘要", "内容摘要"),
}
LANGUAGE_OF = {name: language for language, names in ABSTRACT_NAMES.items() for name in names}
WORDS_OF = {
    "en": "the of and to in is that for with are this be on as by",
    "pt": "de que e o da em um para com não uma os no se na por mais as dos como",
    "es": "de la que el en y los del se las por un para con no una su al lo como",
    "fr": "de la le et les des en un du une que est pour qui dans par plus pas au sur",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als",
    "it": "di e il la che in un a per è una sono con non del le si da i dei",
    "nl": "de van het een en in is dat op te zijn voor met die niet aan er om ook als",
}
OTHER_FRONT = frozenset(
    {"keywords", "keyword", "indexterms", "contents", "tableofcontents", "highlights", "palavraschave", "motsclés"}
    | {"acknowledgements", "acknowledgments", "acknowledgement", "acknowledgment", "dedication", "declaration"}
    | {"danksagung", "agradecimentos", "remerciements", "agradecimientos", "ringraziamenti", "致谢", "原创性声明"}
    | {"listoffigures", "listoftables", "declarationofauthorship", "statementoforiginality"}
)
KEYWORDS = re.compile(
    r"(?:additional )?(?:key[ -]?words?(?: and phrases)?|index terms|palavras[ -]chaves?|mots[ -]cl[ée]s|"
    r"schl(?:ü|u)sselw(?:ö|o)rter|关键[词字]|"
    r"stichw(?:ö|o)rter|palabras claves?|parole chiave|trefwoorden|unified astronomy thesaurus concepts)"
    r"\s?[:：.—–-]?\s?",
    re.IGNORECASE,
)
STOP = re.compile(
    r"(?:additional )?key[ -]?words?\b|index terms|palavras[ -]chave|mots[ -]cl[ée]s|schl(?:ü|u)sselw|"
    r"palabras clave|parole chiave|关键[词字]|"
    r"\bjel\b|ams\b.{0,20}classif|msc\b|\(?20\d\d\)? mathematics subject|mathematics subject|pacs\b|"
    r"ccs concepts|categories and subject|general terms|"
    r"acm reference format|subject headings|unified astronomy|contents\b|copyright|©|\(c\) ?\d|received\b|"
    r"accepted\b|published\b|"
    r"correspond(?:ing|ence)|e-?mail|doi\b|https?:|abbreviations|software availability|availability and|"
    r"this article|licen[cs]ed? under|"
    r"permission to make|manuscript|preprint|dated:|submitted|supported by|classification|nomenclature|"
    r"highlights|code availability\b|"
    r"arxiv|open access|\[?github|�\s?github|introduction\b|1\.? introduction|[∗*†‡§¶] ?\w",
    re.IGNORECASE,
)
"""Beginning of the paragraph after an abstract."""

SEPARATOR = re.compile(r"[;；·•|]|\s[—–]\s")
LEADERS = re.compile(r"(?:\. ?){5,}")
FEWEST_CHARS, MOST_CHARS = 200, 6_000
MOST_KEYWORDS, LONGEST_KEYWORD = 40, 120
CHARS_PER_SIGN = 4
"""Letters of a word that say as much as a Chinese character."""


@dataclass(frozen=True)
class Abstract:
    """An abstract.

    Attributes:
        text: Its paragraphs; empty if the abstract is missing.
        heading: Offset of its heading, or -1.
        keywords: As printed.
    """

    text: str = ""
    heading: int = -1
    keywords: tuple[str, ...] = ()


def find_abstract(paragraphs: Sequence[PlacedParagraph], body: Style, after: int) -> Abstract:
    """Return the abstract and the keywords.

    Args:
        paragraphs: All of the document, in reading order.
        body: Style of the running text.
        after: Offset of the first character after title and authors.
    """
    named = _named(paragraphs)
    keywords = _keywords(paragraphs)
    if named:
        language = _language(paragraphs)
        chosen = next((one for one in named if one[0] == language), named[0])
        return Abstract(_text_below(paragraphs, chosen[1]), paragraphs[chosen[1]].start, keywords)
    return Abstract(_set_apart(paragraphs, body, after), -1, keywords)


def stops_abstract(text: str) -> bool:
    """Say whether a line or paragraph begins what stands after an abstract: keywords, dates, notes."""
    return STOP.match(text) is not None


def _named(paragraphs: Sequence[PlacedParagraph]) -> list[tuple[str, int]]:
    """Return language and position of the headings of abstracts before the first section."""
    found = []
    for number, paragraph in enumerate(paragraphs):
        if not paragraph.is_heading:
            continue
        name = fold(paragraph.title)
        if name in LANGUAGE_OF:
            found.append((LANGUAGE_OF[name], number))
        elif (
            (name not in OTHER_FRONT and found)
            or (name not in OTHER_FRONT and paragraph.page > 1)
            or (name not in OTHER_FRONT and _begins_paper(paragraphs, number))
        ):
            break
    return found


def _begins_paper(paragraphs: Sequence[PlacedParagraph], number: int) -> bool:
    """Say whether running text follows a heading."""
    after = paragraphs[number + 1 : number + 3]
    return any(not one.is_heading and len(one.text) >= FEWEST_CHARS for one in after)


def _text_below(paragraphs: Sequence[PlacedParagraph], heading: int) -> str:
    parts: list[str] = []
    size = 0.0
    titles = {fold(one.title) for one in paragraphs[:heading] if one.is_heading}
    for paragraph in paragraphs[heading + 1 :]:
        below = paragraph.level > paragraphs[heading].level if paragraph.is_heading else False
        if paragraph.is_heading and not (parts == [] and (below or fold(paragraph.title) in titles)):
            break
        if paragraph.is_heading or (not parts and _is_label(paragraph.text)):
            continue
        if stops_abstract(paragraph.text) or LEADERS.search(paragraph.text):
            if parts:
                break
            continue
        if parts and (paragraph.size < size - 0.6 or paragraph.page > paragraphs[heading].page + 1):
            break
        if parts and len(paragraph.text) < 60 and not _ends_sentence(paragraph.text):
            break
        parts.append(paragraph.text)
        size = size or paragraph.size
    return "\n\n".join(parts)


def _ends_sentence(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?", "。", "”", "’"))


def _is_label(text: str) -> bool:
    """Say whether a line is no sentence: above the abstract of a thesis it names author or supervisor."""
    return len(text) < 60 and not _ends_sentence(text)


def _set_apart(paragraphs: Sequence[PlacedParagraph], body: Style, after: int) -> str:
    """Return the prose above the first section that is set in another way than the text."""
    parts: list[PlacedParagraph] = []
    for paragraph in paragraphs:
        if paragraph.is_heading:
            if fold(paragraph.title) in OTHER_FRONT:
                continue
            break
        if paragraph.page > 0 or paragraph.start < after:
            continue
        if stops_abstract(paragraph.text):
            if parts:
                break
            continue
        if parts and _differs(parts[0], body) and _alike(paragraph.style, parts[0].style):
            parts.append(paragraph)
            continue
        if _is_prose(paragraph.text) and len(paragraph.text) >= FEWEST_CHARS:
            if parts and abs(paragraph.size - parts[0].size) > 0.6:
                break
            parts.append(paragraph)
        elif parts:
            break
    if not parts:
        return ""
    first = parts[0]
    text = "\n\n".join(part.text for part in parts)
    return text if (_differs(first, body) or first.is_narrow) and len(text) <= MOST_CHARS else ""


def _differs(paragraph: PlacedParagraph, body: Style) -> bool:
    style = paragraph.style
    return abs(paragraph.size - body.size) > 0.4 or not _alike(style, body) or style.font != body.font


def _alike(style: Style, other: Style) -> bool:
    return abs(style.size - other.size) < 0.6 and (style.bold, style.italic) == (other.bold, other.italic)


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) > 20 and sum(word[:1].islower() for word in words) > 0.5 * len(words)


def _language(paragraphs: Sequence[PlacedParagraph]) -> str:
    """Return the language of the running text, by its most frequent words."""
    words = Counter(word for one in paragraphs if not one.is_heading for word in one.text.casefold().split())
    scores = {language: sum(words[word] for word in frequent.split()) for language, frequent in WORDS_OF.items()}
    letters = [c for one in paragraphs if not one.is_heading for c in one.text if c.isalpha()]
    if CHARS_PER_SIGN * sum("\u4e00" <= letter <= "\u9fff" for letter in letters) > len(letters):
        return "zh"
    return max(scores, key=lambda language: scores[language])


def _keywords(paragraphs: Sequence[PlacedParagraph]) -> tuple[str, ...]:
    for number, paragraph in enumerate(paragraphs[:60]):
        if paragraph.page > 1:
            break
        if paragraph.is_heading:
            after = paragraphs[number + 1] if number + 1 < len(paragraphs) else None
            if KEYWORDS.fullmatch(paragraph.title) and after is not None and not after.is_heading:
                return _split(after.text)
        elif (match := KEYWORDS.match(paragraph.text)) and match.end() < len(paragraph.text):
            return _split(paragraph.text[match.end() :])
    return ()


def _split(text: str) -> tuple[str, ...]:
    text = re.split(r"\b(?:JEL|MSC|AMS|PACS|CCS)\b", text, maxsplit=1)[0]
    parts = SEPARATOR.split(text)
    if len(parts) == 1:
        parts = text.split(",")
    cleaned = (" ".join(part.split()).strip(" .,:;—–-") for part in parts)
    return tuple(part for part in cleaned if 1 < len(part) <= LONGEST_KEYWORD)[:MOST_KEYWORDS]


# Lines in reading order to a text: paragraphs, words that were broken at line ends, and where each page begins


SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]\d]*$")
CAPTION = re.compile(r"(?:fig(?:ure|\.)?|table|algorithm|listing)\s*\d", re.IGNORECASE)
ENTRY = re.compile(r"\[\w{1,12}\]|\d{1,3}\.\s")
LAST_WORD = re.compile(r"[^\W\d_]+$")
FIRST_WORD = re.compile(r"[^\W\d_]+")
COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
WORD = re.compile(r"[^\W\d_]{2,}")
PREFIXES = frozenset({"all", "cross", "ex", "half", "high", "low", "non", "quasi", "self", "well"})
"""Prefixes that keep their hyphen at a line break, unless the document has the word without it."""

MOST_FLOATS = 40
"""Captions, notes and the like that may stand between the halves of a paragraph."""

MOST_FLOAT_PAGES = 4
"""Pages of captions, tables and the like between the halves of a paragraph."""

MOST_SIZES_APART, FEWEST_OF_A_SIZE = 0.7, 0.2
"""Points between sizes of letters that count as one, and the share of a line that has a size of its letters."""

WIDEST_WORD_GAP, SAME_EDGE = 1.6, 2.0
"""Gap between words of a justified line, in letter heights, and points between the edges of a column of cells."""

LINK = re.compile(r"https?:|www\.|doi|\b10\.\d", re.IGNORECASE)
SUPERSCRIPT_AFTER = re.compile(r"[a-z]{3,}[.,;:)]?$")


@dataclass
class Paragraph:
    """Lines that belong together; ``heading`` or ``block`` if they are one."""

    lines: list[Line]
    text: str
    heading: FoundHeading | None = None
    starts: list[int] = field(default_factory=list)  # first character of each line
    size: float = 0.0
    block: Block | None = None


class Vocabulary:
    """The words of a document, to tell which hyphens at line ends belong to the word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        self._compounds: Counter[str] = Counter()
        for text in texts:
            inside = text.partition(" ")[2].rpartition(" ")[0].casefold()  # first and last word may be halves
            self._words.update(WORD.findall(inside))
            self._compounds.update(COMPOUND.findall(inside))

    def keeps_hyphen(self, left: str, right: str) -> bool:
        """Say whether a hyphen between two halves belongs to the word."""
        left, right = left.casefold(), right.casefold()
        joined, compound = self._words[left + right], self._compounds[f"{left}-{right}"]
        if joined or compound:
            return compound > joined
        return left in PREFIXES


def join(before: str, after: str, vocabulary: Vocabulary) -> str:
    """Join the text of a line to what comes before it, without the hyphen if that broke a word."""
    if not before or not after:
        return before or after
    if before[-1] not in HYPHENS:
        return f"{before} {after}"
    stem = before[:-1]
    left, right = LAST_WORD.search(stem), FIRST_WORD.match(after)
    if not stem or stem[-1].isspace():
        return f"{stem}- {after}"
    if not left or not right or not right[0][0].islower() or vocabulary.keeps_hyphen(left[0], right[0]):
        return f"{stem}-{after}"
    return stem + after


def breaks_link(before: str, after: str) -> bool:
    """Return whether a link or DOI at the end of a line continues in the next line."""
    last, first = before.rpartition(" ")[2], after.partition(" ")[0]
    link = LINK.search(last)
    if link is None or not first:
        return False
    if last[-1] in "/-_=&?%#:~" or first[0] in "/_=&?%#~" or re.fullmatch(r"(?:.*[:/])?10\.\d*", last):
        return True
    return last[-1] == "." and (first[0].isdigit() or first[0].islower()) and not re.fullmatch(r"\d{4}[.)].*", first)


def compose(lines: Lines, headings: Sequence[FoundHeading], title: range, blocks: Sequence[Block] = ()) -> Composed:
    """Put the text together; the lines of ``title`` come first."""
    vocabulary = Vocabulary(lines.texts)
    paragraphs = list(_paragraphs(lines, headings, title, vocabulary, {block.first: block for block in blocks}))
    paragraphs = _around_floats(paragraphs, lines.body.size, vocabulary)
    placed: list[PlacedParagraph] = []
    length = 0
    n_on_pages = sum(n_hyphens(line.markdown if isinstance(line, TableLine) else line.text) for line in lines.lines)
    for one in paragraphs:
        if one.text:
            starts = tuple(min(start, len(one.text)) for start in one.starts)
            placed.append(PlacedParagraph(length, one.text, tuple(one.lines), starts, one.heading, one.size, one.block))
            length += len(one.text) + 2
    whole = "".join(f"{one.text}\n\n" for one in placed)
    return Composed(whole, tuple(placed), n_on_pages - n_hyphens(whole))


def n_hyphens(text: str) -> int:
    """Return the number of hyphens of any kind."""
    return sum(text.count(hyphen) for hyphen in HYPHENS)


def shown(line: Line) -> str:
    """Return a line's text with a blank before superscripts that follow a word: marks of notes and citations."""
    return " ".join(_shown(segment) for segment in line.segments)


def _shown(segment: Segment) -> str:
    text, cut = "", 0
    for run in segment.runs:
        if run.raised:
            text += segment.text[cut : run.start]
            cut = run.start
            if SUPERSCRIPT_AFTER.search(text):
                text += " "
    return text + segment.text[cut:]


def _paragraphs(
    lines: Lines,
    headings: Sequence[FoundHeading],
    title: range,
    vocabulary: Vocabulary,
    blocks: Mapping[int, Block],
) -> Iterable[Paragraph]:
    by_line = {heading.first: heading for heading in headings}
    if title:
        yield _made([lines.lines[number] for number in title], vocabulary)
    open_lines: list[Line] = []
    number = 0
    after_heading = True
    while number < len(lines.lines):
        if number in title:
            number += 1
            continue
        heading = by_line.get(number)
        if heading is not None:
            if open_lines:
                yield _made(open_lines, vocabulary)
                open_lines = []
            if heading.n_chars is None:
                paragraph = _made(lines.lines[heading.first : heading.last + 1], vocabulary)
                paragraph.heading = heading
                yield paragraph
                number = heading.last + 1
            else:
                line = lines.lines[number]
                whole = shown(line)
                yield Paragraph([line], whole[: heading.n_chars].strip(), heading, [0], lines.body.size)
                open_lines = [_rest(line, heading.n_chars)]
                number += 1
            after_heading = True
            continue
        if (block := blocks.get(number)) is not None:
            if open_lines:
                yield _made(open_lines, vocabulary)
                open_lines = []
            yield _block(lines.lines[block.first : block.last + 1], block, vocabulary)
            number = block.last + 1
            continue
        line = lines.lines[number]
        if open_lines and not after_heading and _begins(lines, number):
            yield _made(open_lines, vocabulary)
            open_lines = []
        open_lines.append(line)
        after_heading = False
        number += 1
    if open_lines:
        yield _made(open_lines, vocabulary)


def _block(lines: Sequence[Line], block: Block, vocabulary: Vocabulary) -> Paragraph:
    first = lines[0]
    if isinstance(first, TableLine):
        text = _clean(first.markdown)
        row_starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        return Paragraph(first.row_lines, text, None, row_starts[:1] + row_starts[2:], block=block)
    paragraph = _made(lines, vocabulary, links=block.kind is BlockKind.ENTRY)
    paragraph.block = block
    return paragraph


def _rest(line: Line, n_chars: int) -> Line:
    """Return a line without its first characters."""
    first, *others = line.segments
    edges = first.edges[2 * n_chars :]
    x0 = edges[0] if edges else first.x0
    cut = Segment(first.text[n_chars:], x0, first.x1, first.y, first.styles, [], edges)
    return Line(line.page, [cut, *others], line.left, line.right, line.angle)


def _begins(lines: Lines, number: int) -> bool:
    """Say whether a line begins a paragraph."""
    before, line = lines.lines[number - 1], lines.lines[number]
    if _differ_in_size(before, line) or CAPTION.match(lines.texts[number]):
        return True
    if line.page <= 1 and lines.follows(number) and KEYWORDS.match(lines.texts[number]):
        return True
    ended = SENTENCE_END.search(lines.texts[number - 1]) is not None
    size = max(lines.styles[number].size, 1.0)
    if not lines.follows(number):
        return ended and not lines.texts[number][:1].islower()
    gap = line.y - before.y
    if gap > 1.45 * max(lines.leading * size / max(lines.body.size, 1.0), size):
        return True
    if _are_rows(before, line):
        return True
    indented = line.x0 - before.x0 > 0.7 * size and line.x0 - line.left > 0.7 * size
    short = before.x1 < before.right - 0.2 * (before.right - before.left)
    if ENTRY.match(lines.texts[number]) and line.x0 < before.x0 + 1:
        return True
    return (ended and (indented or short)) or (line.x0 < before.x0 - 0.7 * size and ended and short)


def _differ_in_size(before: Line, line: Line) -> bool:
    """Say whether no size of letters is common to two lines; formulas hold letters of several sizes."""
    sizes = [_sizes(one) for one in (before, line)]
    return all(abs(one - other) > MOST_SIZES_APART for one in sizes[0] for other in sizes[1])


def _sizes(line: Line) -> set[float]:
    count = Counter[float]()
    for style, n_characters in line.styles.items():
        count[style.size] += n_characters
    return {size for size, n_characters in count.items() if n_characters >= FEWEST_OF_A_SIZE * count.total()}


def _are_rows(before: Line, line: Line) -> bool:
    """Say whether two lines are rows of a table: wide gaps part their cells, or the same edges begin them.

    Justified lines have gaps as well, and formulas are parted by the heights of their signs.
    """
    gaps, others = _gaps(before), _gaps(line)
    if not gaps or not others:
        return False
    widest = min(max(width for width, _ in gaps), max(width for width, _ in others))
    aligned = any(abs(x - other) < SAME_EDGE for _, x in gaps for _, other in others)
    return aligned or widest > WIDEST_WORD_GAP * max(_size(line), 1.0)


def _gaps(line: Line) -> list[tuple[float, float]]:
    """Return width and right edge of each gap between the segments of a line that parts words."""
    in_order = sorted(line.segments, key=lambda segment: segment.x0)
    gaps = [(after.x0 - one.x1, after.x0) for one, after in pairwise(in_order)]
    return [gap for gap in gaps if gap[0] > WIDEST_GAP * max(_size(line), 1.0)]


def _made(lines: Sequence[Line], vocabulary: Vocabulary, *, links: bool = False) -> Paragraph:
    """Return lines as a paragraph; ``links`` puts links and DOIs together that are broken at line ends."""
    text = ""
    starts: list[int] = []
    for line in lines:
        added = shown(line)
        text = text + added if links and breaks_link(text, added) else join(text, added, vocabulary)
        starts.append(len(text) - len(added))
    sizes = Counter[float]()
    for line in lines:
        for style, count in line.styles.items():
            sizes[style.size] += count
    paragraph = Paragraph(list(lines), _clean(text), None, starts, sizes.most_common(1)[0][0] if sizes else 0.0)
    return paragraph


def _clean(text: str) -> str:
    """Return a text with ordinary hyphens, and without those that show only at a line's end."""
    for hyphen in HYPHENS:
        text = text.replace(hyphen, "-")
    return text


def _around_floats(paragraphs: list[Paragraph], body: float, vocabulary: Vocabulary) -> list[Paragraph]:
    """Put together paragraphs that a caption, a note or a new page parts, and these after them."""
    result: list[Paragraph] = []
    number = 0
    while number < len(paragraphs):
        paragraph = paragraphs[number]
        number += 1
        floats: list[Paragraph] = []
        while _is_open(paragraph, body):
            after = number
            while (
                after < len(paragraphs)
                and len(floats) + after - number < MOST_FLOATS
                and _is_float(paragraphs[after], body)
            ):
                after += 1
            beside = any(other.block is not None for other in paragraphs[number:after])
            if after >= len(paragraphs) or not _continues(paragraph, paragraphs[after], body, apart=beside):
                break
            floats += paragraphs[number:after]
            paragraph = _merged(paragraph, paragraphs[after], vocabulary)
            number = after + 1
        result += [paragraph, *floats]
    return result


def _is_open(paragraph: Paragraph, body: float) -> bool:
    return (
        paragraph.heading is None
        and paragraph.block is None
        and abs(paragraph.size - body) < 0.6
        and not CAPTION.match(paragraph.text)
        and SENTENCE_END.search(paragraph.text) is None
        and len(paragraph.text) > 60
    )


def _is_float(paragraph: Paragraph, body: float) -> bool:
    if paragraph.block is not None:
        return paragraph.block.kind is not BlockKind.ENTRY
    return paragraph.heading is None and (
        paragraph.size < body - 0.6 or CAPTION.match(paragraph.text) is not None or _is_table(paragraph)
    )


def _is_table(paragraph: Paragraph) -> bool:
    return 2 * sum(len(line.segments) > 1 for line in paragraph.lines) > len(paragraph.lines)


def _continues(paragraph: Paragraph, other: Paragraph, body: float, *, apart: bool) -> bool:
    apart = apart or paragraph.lines[-1].page != other.lines[0].page or other.lines[0].y < paragraph.lines[-1].y
    return (
        apart
        and other.heading is None
        and other.block is None
        and abs(other.size - body) < 0.6
        and not _is_float(other, body)
        and other.lines[0].page - paragraph.lines[-1].page <= (MOST_FLOAT_PAGES if other.text[0].islower() else 1)
    )


def _merged(paragraph: Paragraph, other: Paragraph, vocabulary: Vocabulary) -> Paragraph:
    text = join(paragraph.text, other.text, vocabulary)
    shift = len(text) - len(other.text)
    starts = [*paragraph.starts, *(shift + start for start in other.starts)]
    return Paragraph([*paragraph.lines, *other.lines], text, None, starts, paragraph.size)


# Raised numbers after words: citations of a numbered list of references, or marks of notes


NUMBERS = re.compile(r"\d{1,3}(?:(?:\s?[,–—−-]\s?|e|\s)\d{1,3}){0,30}(?![\d])")
"""Raised numbers; some fonts of publishers have an "e" for the dash between them."""

AFTER = re.compile(r"(?:[^\W\d_]{2}|[)\]”%])[.,;:)]?\s?\Z")
MOST = 20_000


def find_superscripts(lines: Lines) -> list[str]:
    """Return each raised number with the preceding word, as in the composed text."""
    found = (
        raised
        for line in lines.lines
        for segment in line.segments
        if any(run.raised for run in segment.runs)
        for raised in _of(segment)
    )
    return list(dict.fromkeys(found))[:MOST]


def _of(segment: Segment) -> list[str]:
    found = []
    for run, after in zip(segment.runs, [*segment.runs[1:], None], strict=True):
        end = after.start if after is not None else len(segment.text)
        text = segment.text[run.start : end].strip()
        before = segment.text[max(0, run.start - 60) : run.start]
        if run.raised and NUMBERS.fullmatch(text) and AFTER.search(before):
            word = before.rstrip().rpartition(" ")[2]
            blank = " " if SUPERSCRIPT_AFTER.search(before) or before.endswith(" ") else ""
            found.append(f"{word}{blank}{text}")
    return found
