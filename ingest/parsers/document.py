"""Result of every parser: a document's text, metadata, and section tree with offsets into the text."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_LEVEL = 12
LONGEST_TITLE = 500
LONGEST_NAME = 200
MOST_AUTHORS = 5000
FIRST_WORDS_CHARS = 80
MINOR_NOTE = re.compile(r"[\d,]+ (?:letters? left out|of [\d,]+ (?:reference|table|figure)s?)\b")
"""Notes that stand on the paper only: no warning of a job tells of a few letters, references, tables or figures."""

TABLE_NAME = re.compile(r"(?:\w+ )*(?:tab|cuadro|quadro|表)", re.IGNORECASE)
"""Names of captions of tables."""

TEXT_NAME = re.compile(rf"(?:{TABLE_NAME.pattern})|algorit|listing|box", re.IGNORECASE)
"""Names of captions whose content is text."""

MOST_NAMED = 5
"""Parts, tables or figures that a note names."""

FEW_LETTERS = 0.01
REFERENCES = re.compile(
    r"(?:(?:list of|selected|cited|general|additional) )?(?:references?|bibliography|literature)"
    r"(?: (?:cited|list|and notes))?|works cited|(?:notes|literature) and references|"
    r"r[ée]f[ée]rences(?: bibliographiques)?|bibliographie|bibliograf[íi]a|refer[êe]ncias(?: bibliogr[áa]ficas)?|"
    r"literatur(?:verzeichnis|angaben|hinweise)?|quellen(?:verzeichnis)?|quellen- und literaturverzeichnis|"
    r"riferimenti(?: bibliografici)?|literatura(?: citada)?|lit[eé]rature cit[eé]e|referenties|literatuur|"
    r"litteraturförteckning|referenser|kaynaklar|kaynakça|список литературы|литература|参考文献",
    re.IGNORECASE,
)
"""Headings of lists of references."""

KINDS = (
    ("abstract", re.compile(r"abstract|summary", re.IGNORECASE)),
    ("references", REFERENCES),
    ("acknowledgements", re.compile(r"acknowledge?ments?", re.IGNORECASE)),
    ("appendix", re.compile(r"(?:appendix|appendices|supplement(?:ary)?)\b.*", re.IGNORECASE)),
)
COMPATIBLE = re.compile("[\u210e\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]")
"""Ligatures, digits and Latin letters of full width, and letters of formulas such as an italic p."""

HEADING_NUMBER = re.compile(r"^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})*\.?\s+")


class HeadingSource(StrEnum):
    """Method that found the headings of a document."""

    MARKUP = "markup"
    OUTLINE = "outline"
    FONTS = "fonts"
    KEYWORDS = "keywords"
    DOCLING = "docling"
    MARKER = "marker"
    GROBID = "grobid"
    NONE = "none"


@dataclass(frozen=True)
class Heading:
    """A heading as a parser finds it: characters ``start`` to ``end`` of the text, line end included."""

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class ParsedSection:
    """A section of a document.

    Attributes:
        title: The heading; the paper's title for the text before the first heading.
        level: Depth in the tree, from 1.
        kind: front, abstract, body, references, acknowledgements or appendix.
        parent: Position of the section above it in the document's list, or None.
        start: First character of its own text, after the heading.
        end: Character after its own text: where the next heading starts.
    """

    title: str
    level: int
    kind: str
    parent: int | None
    start: int
    end: int


class ElementKind(StrEnum):
    """Kind of element beside running text."""

    TABLE = "table"
    EQUATION = "equation"
    CAPTION = "caption"


@dataclass(frozen=True)
class Element:
    """Characters ``start`` to ``end`` of the text that are no running text, and a chunk of their own kind.

    A table is Markdown, a displayed equation LaTeX, a caption what stands at a figure or table. ``label`` is what the
    document calls it, such as "Table 2"; may be empty. ``figure`` is the place of the picture of a caption on its page:
    page from 1, then left, upper, right and lower edge as shares of the page; may be empty. Elements do not overlap.
    """

    kind: ElementKind
    start: int
    end: int
    label: str = ""
    figure: tuple[float, ...] = ()


@dataclass(frozen=True)
class Reference:
    """An entry of a document's list of references.

    Attributes:
        label: Label in the document's own citations, such as "12" or "bib12"; unique within the document.
        text: The entry as it is printed, blanks joined.
        title: Title of the cited work, if it was recognised.
        authors: Names in the entry's order, if they were recognised.
        year: Year of publication, where known.
        doi: DOI in lower case, where known.
        arxiv_id: arXiv id without version, where known.
    """

    label: str
    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    arxiv_id: str | None = None


@dataclass(frozen=True)
class CitedAt:
    """Characters ``start`` to ``end`` of the text cite the document's reference number ``reference``, from 0."""

    start: int
    end: int
    reference: int


@dataclass(frozen=True)
class Document:
    """A parsed document.

    Attributes:
        key: DOI, arXiv id or path, as a paper's key.
        title: Title, or the first words where none was found.
        abstract: The abstract; may be empty.
        authors: Names in the paper's order.
        year: Year of publication, where known.
        doi: DOI in lower case, where known.
        arxiv_id: arXiv id without version, where known.
        categories: Subject categories.
        license: Licence, where known.
        text: All characters; every offset counts in it.
        format: What it was read from.
        sections: In reading order.
        heading_source: What the sections' headings were found by.
        n_body_chars: Characters, blanks aside, that chunks should cover: those of the source without headings, front
            matter, and what repeats at the edges of pages.
        page_marks: (offset, page from 1), by offset: from there on the text stands on this page. A page may come more
            than once: a footnote follows the paragraph that continues on the next page.
        n_pages: Number of pages, where the source has pages.
        n_pages_without_text: Pages that are blank or an image.
        elements: Tables, displayed equations and captions, by offset.
        references: The list of references, in its order.
        cited_at: Where the text cites them, by offset.
        keywords: As the document prints them.
        affiliations: Institutions and addresses of the authors as the document prints them.
        orcids: ORCIDs of authors that the document prints, in its order.
        notes: What was lost or mended when it was read, each with its number.
        lost: Share of its pages or letters that could not be read, in [0, 1].
        is_partial: True if ``lost`` is above the share that the settings name.
        line_boxes: Where the lines of a PDF stand on its pages, see :mod:`papergraph.ingest.parsers.line_boxes`;
        else empty.
    """

    key: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    categories: tuple[str, ...]
    license: str | None
    text: str
    format: str
    sections: tuple[ParsedSection, ...]
    heading_source: HeadingSource
    n_body_chars: int
    page_marks: tuple[tuple[int, int], ...] = ()
    n_pages: int | None = None
    n_pages_without_text: int = 0
    elements: tuple[Element, ...] = ()
    references: tuple[Reference, ...] = ()
    cited_at: tuple[CitedAt, ...] = ()
    keywords: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    orcids: tuple[str, ...] = ()
    line_boxes: str = ""
    notes: tuple[str, ...] = ()
    lost: float = 0.0
    is_partial: bool = False

    @property
    def warnings(self) -> list[str]:
        """Notes that a job tells: all if more than a hundredth was lost."""
        return [note for note in self.notes if self.lost > FEW_LETTERS or not MINOR_NOTE.match(note)]


def notes_on(document: Document) -> list[str]:
    """Return notes with the numbers of references without authors, tables without rows and figures without pictures."""
    notes = []
    without = sum(not entry.authors for entry in document.references)
    if without:
        notes.append(f"{without:,} of {counted(len(document.references), 'reference')} without authors")
    captions = {one.label: one for one in document.elements if one.kind is ElementKind.CAPTION and one.label}
    tables = {label for label in captions if TABLE_NAME.match(label)}
    found = [one.label for one in document.elements if one.kind is ElementKind.TABLE]
    n_nameless = found.count("")  # each may be that of any caption
    if lost := [label for label in captions if label in tables and label not in found][n_nameless:]:
        notes.append(f"{len(lost):,} of {counted(len(tables), 'table')} without rows: {named(lost)}")
    if document.line_boxes:
        figures = [label for label in captions if not TEXT_NAME.match(label)]
        if lost := [label for label in figures if not captions[label].figure]:
            notes.append(f"{len(lost):,} of {counted(len(figures), 'figure')} without a picture: {named(lost)}")
    return notes


def named(names: Sequence[str]) -> str:
    """Return the first few names as a list."""
    return ", ".join(names[:MOST_NAMED]) + (" and others" if len(names) > MOST_NAMED else "")


def counted(n: int, thing: str) -> str:
    """Return a number with its noun in the plural where it is not one."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def section_tree(text: str, headings: Sequence[Heading], title: str, start: int) -> Iterable[ParsedSection]:
    """Yield the sections of a text from ``start`` on. Levels are renumbered, so that skipped levels leave no gap."""
    first = headings[0].start if headings else len(text)
    n_front = 0
    if text[start:first].strip():
        yield ParsedSection(title, 1, "front", None, start, first)
        n_front = 1
    open_sections: list[tuple[int, int]] = []  # (level in the document, position)
    kinds: list[str] = []
    for position, heading in enumerate(headings, start=n_front):
        while open_sections and open_sections[-1][0] >= heading.level:
            open_sections.pop()
        parent = open_sections[-1][1] if open_sections else None
        open_sections.append((heading.level, position))
        kind = kind_of(heading.title)
        if kind == "body" and parent is not None:
            kind = kinds[parent - n_front]
        kinds.append(kind)
        end = headings[position - n_front + 1].start if position - n_front + 1 < len(headings) else len(text)
        yield ParsedSection(heading.title, min(len(open_sections), MAX_LEVEL), kind, parent, heading.end, end)


def kind_of(heading: str) -> str:
    """Return the kind of section that a heading alone tells: body unless it is a name that all papers use."""
    bare = HEADING_NUMBER.sub("", heading).strip().rstrip(":.")
    return next((kind for kind, pattern in KINDS if pattern.fullmatch(bare)), "body")


def abstract_section(text: str, sections: Sequence[ParsedSection]) -> str | None:
    """Return the text of the abstract with its subsections; None if the document has no abstract."""
    first = next((number for number, section in enumerate(sections) if section.kind == "abstract"), None)
    if first is None:
        return None
    level = sections[first].level
    below = itertools.takewhile(lambda section: section.level > level, sections[first + 1 :])
    texts = (text[section.start : section.end].strip() for section in (sections[first], *below))
    return "\n\n".join(filter(None, texts))


def first_words(text: str) -> str:
    """Return the first words of a text without a title as its title, so that copies get the same title."""
    words = " ".join(text.split(maxsplit=FIRST_WORDS_CHARS)[:FIRST_WORDS_CHARS])
    cut = words[:FIRST_WORDS_CHARS]
    return words if words == cut else (cut.rpartition(" ")[0] or cut) + " …"


def normalised(text: str) -> str:
    """Return a text with composed letters, and ordinary ones for ligatures, letters of full width and of formulas."""
    text = unicodedata.normalize("NFC", text)
    return COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def n_solid(text: str) -> int:
    """Return the number of characters that are no blanks."""
    return sum(map(len, text.split()))
