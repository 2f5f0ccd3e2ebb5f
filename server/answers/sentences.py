"""Sentences, cells of tables and lists of passages that can be quoted, with their places."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from papergraph.server.retrieval.lucene import FIRST_IDEOGRAPH
from papergraph.text.sentences import sentence_starts

LEAST_WORDS, MOST_WORDS = 4, 100
"""Fewest and most words of a sentence; shorter ones are fragments, longer ones tables or lists without full stops."""

MOST_WORDS_OF_HEADING = 12
LEAST_LETTERS = 0.5
"""Share of letters among all characters that are no blanks; rows of numbers have fewer."""

WORD = re.compile(rf"[{FIRST_IDEOGRAPH}-\U0003ffff]|[^\W\d_]{{2,}}")
MARKUP = re.compile(r"#{1,6}\s|\||!\[|```|(?:key\s?words|index terms|table\s\d+)\s?[:.–—]", re.IGNORECASE)
ENDS = re.compile(r"[.!?…:;。！？][)\]}\"'”’»」』*_`]*(?:\s?\[[\d,;\s–-]*\])*\Z")
REFERENCE = re.compile(
    r"\A(?:\[\d+\]|\(?\d{1,3}[.)])?\s*[A-Z][\w'’-]+,?\s(?:[A-Z]\.?[\s-]?){1,3}[,;.&(]"  # Smith J., or Smith, J. A.,
    r"|\bdoi\s?[:.]|\bdoi\.org/|\barXiv:\d"
    r"|\b\d+\s?\(\d+(?:[–-]\d+)?\)\s?[:,]\s?(?:pp?\.\s?)?[A-Z]?\d+"  # 12(3): 45
    r"|\b(?:19|20)\d\d;\s?\d+"  # 2009; 4
)
AUTHORS = re.compile(r"(?:[A-Z]\.[\s-]?){1,3}[A-Z][\w'’-]+,\s(?:and\s|&\s)?(?:[A-Z]\.[\s-]?){1,3}[A-Z]")
"""Beginning of an entry of a list of references, as "J. Smith, A. Jones"."""
CODE = re.compile(
    r"\A\s*(?:R?>|>>>|[$+%])\s|\bR>\s|>\s*#|\s<-\s|\bCall:|%>%|\\(?:begin\{|hline)"  # prompts, assignments, LaTeX
    r"|(?<!\S)-?\d[\d.,e-]*(?:\s+-?\d[\d.,e-]*){3}(?!\S)"  # four numbers in a row
)
FORMULA_SIGN = re.compile(r"\A(?:[^\W\d_]|[^\w\s]*[=+*/−·×∑∫<>≤≥~^|-][^\w\s]*|\(?\d+\)?)\Z")
MOST_SIGNS = 0.5
"""Share of words that are single letters, numbers or signs of operations; formulas have more."""
_MARK = r"(?:[-*–•◦▪‣·]|\(?(?:\d{1,2}|[a-z])[.)])"
MARKER = re.compile(rf"{_MARK}\s+(?=\S)")
"""Marker of an item of a list, which is no part of its sentence."""
BEHIND_MARK = re.compile(rf"(?:\A|\n)\s{{0,9}}{_MARK}\s{{1,9}}\Z")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage, or several that follow each other.

    Attributes:
        passage: Which passage, from 0.
        start, end: Its place in the passage's text, in characters; ``text`` stands there to the letter.
        text: What it says, without blanks around it.
        cell: A cell of a table in words, whose row is ``text``; None for sentences.
    """

    passage: int
    start: int
    end: int
    text: str
    cell: str | None = None

    @property
    def words(self) -> str:
        """The sentence, or the cell in words."""
        return self.cell or self.text


def sentences_of(texts: Sequence[str]) -> list[Sentence]:
    """Return the sentences of passages that can be quoted, in their order.

    Left out are headings, rows of tables, entries of lists of references, rows of numbers, code with its output,
    formulas, and sentences shorter than 4 words or longer than 100.

    Args:
        texts: The text of each passage, as it is stored.
    """
    found = []
    for passage, text in enumerate(texts):
        for begins, ends in pairwise([*sentence_starts(text), len(text)]):
            said = text[begins:ends].strip()
            start = text.index(said, begins)
            if (marker := MARKER.match(said)) is not None:
                start, said = start + marker.end(), said[marker.end() :]
            if can_be_quoted(said, ends_block=_ends_block(text, start + len(said))):
                found.append(Sentence(passage, start, start + len(said), said))
    return found


def can_be_quoted(said: str, *, ends_block: bool = False) -> bool:
    """Say whether a sentence says something by itself.

    Args:
        said: The sentence, without blanks around it.
        ends_block: Whether a line or the text ends behind it, as behind a heading.
    """
    n_words = len(WORD.findall(said))
    if not LEAST_WORDS <= n_words <= MOST_WORDS or MARKUP.match(said) or AUTHORS.match(said):
        return False
    if ends_block and n_words <= MOST_WORDS_OF_HEADING and not ENDS.search(said):
        return False
    parts = said.split()
    if CODE.search(said) or sum(FORMULA_SIGN.match(part) is not None for part in parts) > MOST_SIGNS * len(parts):
        return False
    seen = [character for character in said if not character.isspace()]
    if sum(character.isalpha() for character in seen) < LEAST_LETTERS * len(seen):
        return False
    return not (YEAR.search(said) and REFERENCE.search(said))


LABEL = re.compile(
    r"(?:Table|Figure|Fig\.?|Tab\.?|Scheme|Box)\s{0,3}[\dIVXS]{1,4}\s{0,3}[.:|]?\s{0,3}\Z", re.IGNORECASE
)
LONGEST_LABEL = 20
"""Characters of the label of a table or figure before its title."""
MOST_NAMES = 0.6
"""Share of words with a capital or a digit from which a sentence is a row of a table."""


def is_fragment(sentence: Sentence, text: str) -> bool:
    """Return whether a sentence of a passage looks broken: cut, the title of a table or figure, or a row of names.

    A cell in words is none.
    """
    if sentence.cell is not None:
        return False
    said, before = sentence.text, text[max(0, sentence.start - LONGEST_LABEL) : sentence.start]
    is_item = BEHIND_MARK.search(before) is not None
    is_cut = not ENDS.search(said) or (said[0].islower() and said.split()[0].rstrip(",;").isalpha())
    is_open = said.count("(") > said.count(")")
    parts = said.split()
    n_names = sum(not part[0].islower() and part[0].isalnum() for part in parts)
    return (
        (is_cut and not is_item)
        or is_open
        or " | " in said
        or n_names >= MOST_NAMES * len(parts)
        or LABEL.search(before) is not None
    )


def _ends_block(text: str, end: int) -> bool:
    return text[end : end + 2].lstrip(" \t\r")[:1] in ("", "\n")


ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
CELL_END = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"[\s|:-]*\Z")
CAPTION = re.compile(r"\s{0,9}(?:Table|Tab\.|Tabelle|Tableau|Tabla)\s{0,9}[\dIVX]", re.IGNORECASE)
MOST_OF_CAPTION = 200
"""Characters of a caption beside a cell."""


def cells_of(texts: Sequence[str], captions: Sequence[str | None], asked: Callable[[str], bool]) -> list[Sentence]:
    """Return the cells of tables in passages whose row and column are asked for: "row, column: value (caption)".

    In a table of two columns, the row is enough. Rows whose table begins in another passage have no names of columns,
    and columns of one name are not told apart; both are left out.

    Args:
        texts: The text of each passage, as it is stored.
        captions: The caption of each passage's table, where it is not in its text.
        asked: Says of the name of a row or column whether the question has a word of it.
    """
    found = []
    for passage, (text, caption) in enumerate(zip(texts, captions, strict=True)):
        caption = caption or next((line for line in text.splitlines() if CAPTION.match(line)), "")
        for names, row in _rows(text):
            cells = _cells(row[0])
            if len(cells) != len(names) or not asked(cells[0]):
                continue
            for name, value in zip(names[1:], cells[1:], strict=True):
                if value and names.count(name) == 1 and (asked(name) or len(names) == 2):
                    row_name = f"{names[0]} {cells[0]}" if cells[0][0].isdigit() else cells[0]
                    cell = f"{', '.join(filter(None, (row_name, name)))}: {value}"
                    cell += f" ({' '.join(caption.split())[:MOST_OF_CAPTION]})" if caption else ""
                    found.append(Sentence(passage, row.start(), row.end(), row[0], cell))
    return found


def _rows(text: str) -> Iterator[tuple[list[str], re.Match[str]]]:
    """Yield the rows of tables, each with the names of its columns; further rows of names are joined with the first."""
    names: list[str] = []
    before: re.Match[str] | None = None
    is_head = False
    for row in ROW.finditer(text):
        if before is None or text[before.end() : row.start()].strip():
            names = []
        if before is not None and RULE.match(row[0]):
            names, is_head = _cells(before[0]), True
        elif names and is_head and not (cells := _cells(row[0]))[0] and len(cells) == len(names):
            names = [" ".join(filter(None, pair)) for pair in zip(names, cells, strict=True)]
        elif names:
            is_head = False
            yield names, row
        before = row


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in CELL_END.split(row.strip()[1:-1])]


ITEM = re.compile(rf"(?:\A|\n)[ \t]*{_MARK}[ \t]+(?=\S)|[ \t][•◦▪‣][ \t]+(?=\S)")
"""Beginning of an item of a list; bullets also stand within a line, as PDFs have them."""
MOST_OF_LIST = 150
"""Words of a list with the sentence that announces it."""


def list_after(text: str, end: int) -> int:
    """Return where a list that begins behind ``end`` ends, as many whole items as have 150 words; ``end`` without one.

    An item ends before the next one, a blank line without an item behind it, or the end of the text.
    """
    last, begin = end, end
    while (item := ITEM.match(text, _blank_end(text, last))) is not None:
        next_item, gap = ITEM.search(text, item.end()), text.find("\n\n", item.end())
        ends = min(next_item.start() if next_item else len(text), gap if gap >= 0 else len(text))
        if len(text[begin:ends].split()) > MOST_OF_LIST:
            break
        last = item.end() + len(text[item.end() : ends].rstrip())
    return last


def _blank_end(text: str, start: int) -> int:
    """Return the place of the last line end or blank behind ``start`` with only blanks before it."""
    place = start
    while place < len(text) and text[place].isspace():
        place += 1
    line = text.rfind("\n", start, place)
    return line if line >= 0 else max(start, place - 1)
