"""The abstract and the keywords of a PDF: named on a line, or set apart above the introduction.

An abstract stands before the first section; of two abstracts that in the paper's language counts.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.parsers.pdf.composed import PlacedParagraph
from ingest.parsers.pdf.glyphs import Style
from ingest.parsers.pdf.title import fold

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
"""What a paragraph after an abstract begins with."""

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
        text: Its paragraphs; empty where there is none.
        heading: Offset of its heading, or -1 where it has none.
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


def is_abstract_name(title: str) -> bool:
    """Say whether a heading is the name of an abstract, in the languages that papers here are in."""
    return fold(title) in LANGUAGE_OF


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
