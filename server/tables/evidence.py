"""Sentences and rows of tables of one paper, ranked for a column by words, without a language model.

A word weighs more the fewer sentences of the paper have it, and most if none has it. So the best score is also the
support for "not reported".
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Self

from papergraph.server.answers.model_text import gives_orders
from papergraph.server.answers.sentences import CELL_END, MARKER, ROW, RULE, WORD, can_be_quoted
from papergraph.server.answers.term_weights import asked_words, stem, terms_of
from papergraph.server.papers.regions import regions_of
from papergraph.text.sentences import sentence_starts

MOST_QUOTES = 3
LEAST_OF_BEST = 0.6
"""Least score of a further quote, as a share of the best one's."""
SHORT, OF_PART = 2, 0.6
"""Terms of a short phrase, and what a part of one counts."""
SAME_WORDS = 0.9
LONGEST_QUOTE = 1000
"""Characters of a sentence or a row; longer ones are not quoted."""

OF_NEAR, OF_NAMES, OF_RESULT = 0.35, 0.25, 0.25
"""Weights beside that of the words in the sentence: the words around it, the names of the groups, and signs of a
result. Chosen on half of the trial papers of ``evaluation.tables``."""

WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_RESULT = re.compile(
    r"\bp\s{0,2}[<>=≤≥]|\bp[- ]values?\b|significan|\bCI\b|confidence interval|\bn\.?s\.?\)|"
    r"\b(?:differ|similar|compar|versus|vs\b|improv|increas|decreas|reduc|higher|lower|greater|less|more|fewer|better|"
    r"worse|longer|shorter)\w*",
    re.IGNORECASE,
)
_PLACES = re.compile(r"\b(?:vol|no|pp)\.\s{0,2}\d", re.IGNORECASE)
"""Volume, issue or pages: two of them make an entry of a bibliography."""
_PLAN = re.compile(
    r"\b(?:will be|was (?:measured|assessed|defined|calculated|determined|performed|used)|were (?:measured|assessed|"
    r"defined|calculated|determined|performed|used|collected|recorded|randomi[sz]ed)|hypothesi|aim(?:s|ed)?\b|"
    r"primary (?:outcome|endpoint|end point)s?\b|sample size|power (?:of|to)|we (?:assume|expect|investigat))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Passage:
    """Stored chunk of a paper.

    Attributes:
        id: Id of the chunk.
        text: Its text.
        kind: table, equation or caption; else the kind of its section.
        section: Headings above it, the paper's title left out.
        start: First character in the source text.
        page: First page from 1, if there are pages.
        lines: Packed line boxes of its paper, if it runs over several pages; else empty.
    """

    id: str
    text: str
    kind: str
    section: str = ""
    start: int = 0
    page: int | None = None
    lines: str = ""

    def page_of(self, start: int) -> int | None:
        """Return the page of a character of the source text, from 1, if there are pages."""
        found = regions_of(self.lines, start, start + 1) if self.lines else []
        return found[0].page if found else self.page


@dataclass(frozen=True)
class Piece:
    """Sentence or row of a table that can be quoted: ``passage.text[start:end]``.

    Attributes:
        passage: The passage.
        start, end: Its place in the passage.
        head: Names of the table's columns for a row, else empty.
    """

    passage: Passage
    start: int
    end: int
    head: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The words, letter by letter."""
        return self.passage.text[self.start : self.end]

    @property
    def is_row(self) -> bool:
        """True for a row of a table."""
        return bool(self.head)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Stems of its words."""
        return terms_of(self.text)

    def repeats(self, other: Self) -> bool:
        """Say whether another piece has nearly the same words."""
        if not self.terms or not other.terms:
            return self.text == other.text
        return len(self.terms & other.terms) >= SAME_WORDS * min(len(self.terms), len(other.terms))


@dataclass(frozen=True)
class Weighed:
    """Piece with its score for a column, at least 0.

    Attributes:
        piece: The piece.
        score: The score.
        covered: Share of the looked-for words' weight in the piece, in [0, 1].
        coverage: That share in or around the piece.
    """

    piece: Piece
    score: float
    covered: float
    coverage: float


@dataclass(frozen=True)
class Evidence:
    """What was found in a paper for a column.

    Attributes:
        weighed: Pieces, best first.
        n_passages: Number of passages that were read.
        words: Words looked for.
        missing: Words that stand nowhere in the paper.
    """

    weighed: tuple[Weighed, ...]
    n_passages: int
    words: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def best(self) -> float:
        """Score of the best piece; 0 without one."""
        return self.weighed[0].score if self.weighed else 0.0

    @property
    def coverage(self) -> float:
        """Share of the looked-for words' weight in or around the best piece, in [0, 1]."""
        return self.weighed[0].coverage if self.weighed else 0.0

    def best_pieces(self, least: float = LEAST_OF_BEST) -> Iterator[Weighed]:
        """Yield the pieces with at least a share ``least`` of the best score, best first."""
        return takewhile(lambda one: one.score >= least * self.best, self.weighed)

    def quotes(self, *, most: int = MOST_QUOTES) -> list[Weighed]:
        """Return the best pieces of different words, at most ``most``."""
        kept: list[Weighed] = []
        for one in self.best_pieces():
            if len(kept) == most:
                break
            if all(not one.piece.repeats(other.piece) for other in kept):
                kept.append(one)
        return kept


@dataclass(frozen=True)
class Wanted:
    """What a column looks for.

    Attributes:
        phrases: Texts of which one must be found: the words of the column, or its question.
        names: Text whose words help: names of the compared groups, and the question beside ``words``.
        wants_result: Prefer sentences that state a result.
    """

    phrases: tuple[str, ...]
    names: str = ""
    wants_result: bool = False


class PaperText:
    """Passages of a paper, cut into pieces once for all columns."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self.pieces = [piece for passage in passages for piece in pieces_of(passage)]
        self._n_having = Counter(term for piece in self.pieces for term in piece.terms)
        self._near = _around(self.pieces)

    def find(self, wanted: Wanted) -> Evidence:
        """Return the pieces ranked for a column."""
        phrases = [words for phrase in wanted.phrases if (words := asked_words(phrase))]
        weights = [self._weights(words) for words in phrases]
        of_names = self._weights(asked_words(wanted.names))
        weighed = []
        for piece, near in zip(self.pieces, self._near, strict=True):
            covered = max((_share_of_phrase(one, piece.terms) for one in weights), default=0.0)
            around = max((_share_of_phrase(one, near) for one in weights), default=0.0)
            if around == 0.0:
                continue
            score = covered + OF_NEAR * around + OF_NAMES * _share(of_names, near)
            if wanted.wants_result:
                score += OF_RESULT * _result(piece) * max(covered, 0.5 * around)
            weighed.append(Weighed(piece, score, covered, max(covered, around)))
        weighed.sort(key=lambda one: -one.score)
        looked_for = tuple(dict.fromkeys(word for one in phrases for word in one))
        missing = tuple(word for word in looked_for if stem(word) not in self._n_having)
        return Evidence(tuple(weighed), len(self.passages), looked_for, missing)

    def _weights(self, words: Iterable[str]) -> dict[str, float]:
        n_all = len(self.pieces)
        terms = dict.fromkeys(map(stem, words))
        return {term: math.log1p((n_all - (n := self._n_having[term]) + 0.5) / (n + 0.5)) for term in terms}


def pieces_of(passage: Passage) -> list[Piece]:
    """Return the sentences and the rows of tables of a passage that can be quoted, in order.

    Instructions and entries of a bibliography are none.
    """
    found = list(_rows(passage))
    text = passage.text
    for begins, ends in pairwise([*sentence_starts(text), len(text)]):
        said = text[begins:ends].strip()
        if not said or len(said) > LONGEST_QUOTE or ROW.match(said):
            continue
        start = text.index(said, begins)
        if (marker := MARKER.match(said)) is not None:
            start, said = start + marker.end(), said[marker.end() :]
        if can_be_quoted(said) and not gives_orders(said) and len(_PLACES.findall(said)) < 2:
            found.append(Piece(passage, start, start + len(said)))
    return sorted(found, key=lambda piece: piece.start)


def cells_of_row(row: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip().replace("\\|", "|") for cell in CELL_END.split(row.strip()[1:-1])]


def _rows(passage: Passage) -> Iterable[Piece]:
    head: tuple[str, ...] = ()
    is_head, before = False, None
    for row in ROW.finditer(passage.text):
        if before is not None and passage.text[before.end() : row.start()].strip():
            head = ()
        cells = cells_of_row(row[0])
        if RULE.match(row[0]):
            head, is_head = (tuple(cells_of_row(before[0])) if before is not None else ()), True
        elif head and is_head and not cells[0] and len(cells) == len(head):
            head = tuple(" ".join(filter(None, pair)) for pair in zip(head, cells, strict=True))
        elif head and len(row[0]) <= LONGEST_QUOTE and WORD.search(row[0]):
            is_head = False
            start = row.start() + len(row[0]) - len(row[0].lstrip())
            yield Piece(passage, start, row.start() + len(row[0].rstrip()), head)
        before = row


def _around(pieces: Sequence[Piece]) -> list[frozenset[str]]:
    """Return the terms in and around each piece: its neighbours, its headings, and for a row its table's names."""
    found, heads = [], dict[str, frozenset[str]]()
    for place, piece in enumerate(pieces):
        section = piece.passage.section
        heads.setdefault(section, terms_of(section))
        near = piece.terms | heads[section]
        if piece.is_row:
            near |= terms_of(" ".join(piece.head))
        else:
            for other in pieces[max(0, place - 1) : place + 2]:
                near |= other.terms if other.passage.id == piece.passage.id else frozenset()
        found.append(near)
    return found


def _share(weights: dict[str, float], terms: Set[str]) -> float:
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / whole if whole > 0.0 else 0.0


def _share_of_phrase(weights: dict[str, float], terms: Set[str]) -> float:
    """Return the share of a phrase's weight on terms; half of a phrase of two words says little of it."""
    share = _share(weights, terms)
    return share if len(weights) > SHORT or share == 1.0 else OF_PART * share


def _result(piece: Piece) -> float:
    """Return how much a piece looks like a result, from -1 to 1."""
    if piece.is_row:
        return 0.0
    n = len({match[0].lower() for match in _RESULT.finditer(piece.text)})
    section = piece.passage.section.lower()
    value = min(1.0, n / 2) + (0.3 if "result" in section or piece.passage.kind == "abstract" else 0.0)
    value -= 0.5 if "method" in section or "introduction" in section or "background" in section else 0.0
    return max(-1.0, value - (0.7 if _PLAN.search(piece.text) else 0.0))
