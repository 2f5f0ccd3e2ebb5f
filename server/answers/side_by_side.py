"""Comparisons by name: what a question compares, such as two methods or papers, and the sentences about each.

"How do A and B differ in speed?" is searched once per name, as "A in speed" and "B in speed", so that both sides have
passages. A name is that of a paper (in quotation marks, with "paper" or a year, or four words of a title), or a term.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.server.answers.extractive import Evidence, Extract
from papergraph.server.answers.graph_question import content_of, match_authors, match_papers
from papergraph.server.answers.term_weights import absent, asked_words
from papergraph.server.retrieval.filters import Filter, Years
from papergraph.server.retrieval.search import Hit
from papergraph.text.words import words_in

MOST_NAMES = 4
MOST_WORDS = 12
"""Words of a name; a longer one is part of another question."""
LEAST_OF_TITLE = 4
"""Words of content of a name without marks that may be a title."""

ALONE = 0.6
"""Least score of a sentence about one side alone, as a share of the best one's with its name."""

_AND = re.compile(r",? (?:and|or|versus|vs\.?) |, ")
_SPLIT = re.compile(r",? (?:and|or|with|to|against|from|versus|vs\.?) |, ")
_TAIL = re.compile(
    r" (?:in|on|for|when|while|as|at|under|during|if|by|across|within|about|regarding|concerning|according|"
    r"with (?:respect|regard)) "
)
"""Where the last name ends and the rest of a question begins."""
_ASPECT = re.compile(r"(?:the|their) ([a-z][a-z -]*?) (?:of|for|in) (?=\S)")
"""What is compared of things: "the accuracy of"."""
_DIFFER = re.compile(
    r"(?:how|(?:in|on) (?:what|which) (?:ways?|respects?|points?)|where|what)?\W*\b(?:do|does|did|is|are|was|were|"
    r"distinguish(?:es)?) (.+?) (?:differ(?:ent)?|compared?|(?:dis)?agree|contrast)\b(.*)",
    re.IGNORECASE,
)
_DISTINGUISH = re.compile(r"(?:what|how) (?:distinguishes|separates|sets) (.+?) (?:apart )?(from .+)", re.IGNORECASE)
_BETWEEN = re.compile(
    r".*?\b(?:differences?|similarit(?:y|ies)|comparisons?|distinctions?|(?:dis)?agreement)\b(.*?) ?"
    r"\b(?:between|of) (.+)",
    re.IGNORECASE,
)
_COMPARE = re.compile(r"(?:please )?(?:compare|contrast)(?: and contrast)? (.+)", re.IGNORECASE)
_WHICH_OF = re.compile(r"which (?:one )?(?:of|among) (.+)", re.IGNORECASE)
_WHICH_OR = re.compile(r"(which\b[^,:]*)[,:] (.+ or .+)", re.IGNORECASE)
_VERSUS = re.compile(r"(.+?) (?:versus|vs\.?) (.+)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,300})[\"”»]")
_YEAR = re.compile(r"\(?\b((?:19|20)\d\d)[a-z]?\b\)?")
_OF_PAPER = re.compile(
    r"\b(?:the )?(?:papers?|study|article|preprint|manuscript)\b(?: (?:by|of|on|about))?", re.IGNORECASE
)
_FILE_OR_KEY = re.compile(r"\.[a-z]{2,5}\Z|\A@")
_OTHERS = re.compile(r"\bet al\b\.?|['’]s\b|\band (?:colleagues|others)\b", re.IGNORECASE)
_BARE = frozenset(
    words_in(
        "the a an it its they them this these those that their our two three both all other others same different one "
        "paper papers study studies work works article articles author authors trial trials publication publications "
        "method methods approach approaches result results finding findings group groups model models source sources"
    )
)
"""Words that alone name nothing."""
_VERBS = frozenset(words_in("is are was were has have had can could does do did will would may might should"))


@dataclass(frozen=True)
class Name:
    """Name of one side; ``is_marked`` if it stood in quotation marks."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Comparison:
    """Names that a question compares, and the rest of it, such as "in speed"; may be empty."""

    names: tuple[Name, ...]
    rest: str = ""

    def question_of(self, name: Name, only: Filter | None) -> str:
        """Return the question about one side; one to its papers only need not name them."""
        return self.rest if only and self.rest else f"{name.text} {self.rest}".strip()

    def words_beside(self, name: Name) -> list[str]:
        """Return the words of the other names that are not in this one."""
        own = asked_words(name.text)
        return [word for one in self.names if one != name for word in asked_words(one.text) if word not in own]


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its name, or the title of its paper, and the best sentence about it."""

    name: str
    best: Extract


def comparison_of(question: str) -> Comparison | None:
    """Return what a question compares by name; None if it names fewer than two things, or more than four."""
    marked: dict[str, str] = {}

    def masked(match: re.Match[str]) -> str:
        marked[key := f"Quoted{len(marked)}name"] = match[1]
        return key

    text = _QUOTED.sub(masked, " ".join(question.split())).rstrip("?!. ")
    names, rest = _parts(text)
    rest = " ".join(_unmasked(rest, marked).split())
    cleaned = [re.sub(r"\A(?:both|either|the|a|an) ", "", name.strip(" ,;:"), flags=re.IGNORECASE) for name in names]
    found = dict.fromkeys(Name(_unmasked(name, marked), name in marked) for name in cleaned if name)
    if not 2 <= len(found) <= MOST_NAMES or not all(one.is_marked or _is_name(one.text) for one in found):
        return None
    return Comparison(tuple(found), rest)


def _unmasked(text: str, marked: Mapping[str, str]) -> str:
    for key, name in marked.items():
        text = text.replace(key, name)
    return text


def _is_name(text: str) -> bool:
    words = words_in(text)
    return 0 < len(words) <= MOST_WORDS and not _BARE.issuperset(words)


def _parts(text: str) -> tuple[list[str], str]:
    """Return the names of a question and the rest of it; no names in other questions."""
    if (match := _COMPARE.match(text)) is not None:
        return _listed(match[1], _SPLIT)
    if (match := _WHICH_OF.match(text)) is not None:
        return _before_verb(match[1])
    if (match := _WHICH_OR.match(text)) is not None:
        names, rest = _listed(match[2], _AND)
        return names, f"{re.sub(r'^which', '', match[1], flags=re.IGNORECASE)} {rest}"
    if (match := _DISTINGUISH.match(text) or _DIFFER.match(text)) is not None:
        return _differing(match[1], match[2])
    if (match := _BETWEEN.match(text)) is not None:
        names, rest = _listed(match[2], _SPLIT)
        return names, f"{match[1]} {rest}"
    if (match := _VERSUS.match(text)) is not None:
        return _listed(text, _SPLIT)
    return [], ""


def _differing(first: str, behind: str) -> tuple[list[str], str]:
    """Return the names before and behind "differ", "compare" or "agree"."""
    first, aspect = _without_aspect(first)
    names = _AND.split(first)
    if (match := re.match(r" ?(?:from|with|to|against) (.+)", behind)) is not None:
        last, rest = _cut(match[1])
        return [*names, last], f"{aspect} {rest}"
    return names, f"{aspect}{behind}"


def _listed(text: str, separator: re.Pattern[str]) -> tuple[list[str], str]:
    text, aspect = _without_aspect(text)
    *names, last = separator.split(text)
    last, rest = _cut(last)
    return [*names, last], f"{aspect} {rest}"


def _before_verb(text: str) -> tuple[list[str], str]:
    """Return the names of "which of A, B and C has ...": the last is no longer than the others, and ends at a verb."""
    *names, last = _AND.split(text)
    words = last.split()
    longest = max((len(name.split()) for name in names), default=0)
    end = next((at for at, word in enumerate(words) if at and word in _VERBS), longest)
    return [*names, " ".join(words[: min(end, longest)])], " ".join(words[min(end, longest) :])


def _cut(last: str) -> tuple[str, str]:
    match = _TAIL.search(last)
    return (last, "") if match is None else (last[: match.start()], last[match.start() :])


def _without_aspect(text: str) -> tuple[str, str]:
    match = _ASPECT.match(text)
    return (text, "") if match is None else (text[match.end() :], match[1])


async def filter_of(database: Database, name: Name, collections: Sequence[str]) -> Filter | None:
    """Return the papers that a name means: by title, key, file, or authors with a year; None for a term.

    Names are looked up in one collection, when its indexes are there; else all names are terms.

    Raises:
        DatabaseError: Neo4j failed.
    """
    bare = " ".join(_OF_PAPER.sub(" ", name.text).split()).strip(" ,")
    if len(collections) != 1 or not bare:
        return None
    is_paper = name.is_marked or bare != name.text or bool(_FILE_OR_KEY.search(name.text))
    try:
        return await _papers_of(database, bare, collections[0], is_paper=is_paper)
    except IndexUnavailableError:
        return None


async def _papers_of(database: Database, name: str, collection: str, *, is_paper: bool) -> Filter | None:
    may_be_title = is_paper or len(content_of(name)) >= LEAST_OF_TITLE
    if may_be_title and (ids := await match_papers(database, name, collection)):
        return Filter(papers=tuple(ids))
    year, person = _YEAR.search(name), " ".join(_OTHERS.sub(" ", _YEAR.sub(" ", name)).split()).strip(" ,")
    if not person or not (is_paper or person != name):
        return None
    if not (authors := await match_authors(database, person, collection)):
        return None
    years = None if year is None else Years.model_validate({"from": int(year[1]), "to": int(year[1])})
    return Filter(authors=tuple(authors), years=years)


def merged(found: Sequence[Sequence[Hit]], *, k: int) -> tuple[Hit, ...]:
    """Return the hits of several searches in turn, each chunk once, at most ``k``, ranked anew."""
    kept: dict[str, Hit] = {}
    for row in zip_longest(*found):
        for hit in row:
            if hit is not None:
                kept.setdefault(hit.chunk.id, hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(list(kept.values())[:k], 1))


def side_of(
    compared: Comparison, name: Name, evidence: Evidence, papers: frozenset[str] | None, hits: Sequence[Hit]
) -> Side | None:
    """Return a side with the best sentence of its papers, or with its name; None without one.

    A sentence with the name goes before one whose headings have it, and one about this side alone before others.

    Args:
        compared: The comparison.
        name: The name of the side.
        evidence: Sentences weighed for the question about this side.
        papers: Ids of its papers; None for a term.
        hits: Passages of the sentences.
    """
    near = [one for one in evidence.weighed if one.cosine is not None]
    if papers is not None:
        best = next((one for one in near if hits[one.sentence.passage].paper.id in papers), None)
        title = hits[best.sentence.passage].paper.title if best else ""
        return Side(title, Extract(best.sentence, best.score)) if best else None
    words, others = asked_words(name.text), compared.words_beside(name)
    having = [one for one in near if not absent(words, one.sentence.words)] or [
        one for one in near if not absent(words, f"{hits[one.sentence.passage].headings} {one.sentence.words}")
    ]
    alone = [one for one in having if len(absent(others, one.sentence.words)) == len(others)]
    best = next(iter(alone), None)
    if best is None or best.score < ALONE * having[0].score:
        best = next(iter(having), None)
    return Side(name.text, Extract(best.sentence, best.score)) if best else None


def of_all(names: Sequence[Name], evidence: Evidence) -> Extract | None:
    """Return the best sentence that has all names; None without one."""
    words = [word for name in names for word in asked_words(name.text)]
    near = (one for one in evidence.weighed if one.cosine is not None and not absent(words, one.sentence.words))
    return next((Extract(one.sentence, one.score) for one in near), None)
