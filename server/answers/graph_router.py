"""Questions that the graph answers: recognised by rules over a closed list of named queries, without a model.

A rule matches a whole question, never a part of it, and the names in it must be those of papers or authors of the
collection. Everything else is a question to passages.
"""

# ruff: noqa: E501  a rule is read as one line

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from papergraph.database import Database
from papergraph.text.words import words_in
from server.answers.graph_names import match_authors, match_papers

QueryName = Literal[
    "papers",
    "count_papers",
    "authors_of_paper",
    "year_of_paper",
    "venue_of_paper",
    "address_of_paper",
    "cited_works",
    "count_cited_works",
    "citing_papers",
    "most_cited",
    "coauthors",
    "authors",
    "venues",
    "named_entities",
    "overview",
]


@dataclass(frozen=True)
class GraphQuestion:
    """A question as one of the named queries, with its parameters.

    Attributes:
        name: The query.
        paper: The paper as the question calls it.
        author: The author as the question calls them.
        venue: Words of a venue.
        first_year, last_year: No earlier, no later papers.
        order: ``title``, ``newest`` or ``oldest``.
        type: Type of entities, such as ``dataset``.
        paper_ids, author_ids: What the names mean in the graph.
    """

    name: QueryName
    paper: str | None = None
    author: str | None = None
    venue: str | None = None
    first_year: int | None = None
    last_year: int | None = None
    order: Literal["title", "newest", "oldest"] = "title"
    type: str | None = None
    paper_ids: tuple[str, ...] = ()
    author_ids: tuple[str, ...] = ()

    def shown(self) -> dict[str, object]:
        """Return the parameters that were given, by name."""
        values = {
            "paper": self.paper,
            "author": self.author,
            "venue": self.venue,
            "firstYear": self.first_year,
            "lastYear": self.last_year,
            "type": self.type,
            "order": None if self.order == "title" else self.order,
        }
        return {name: value for name, value in values.items() if value is not None}


PAPER_TYPES = r"(?:papers?|articles?|publications?|documents?|studies|preprints?|works?|titles?)"
_HERE = (
    r"(?: (?:are |is )?(?:stored |available |included )?(?:in|from|of|within) (?:this|the|your|our|my) "
    r"(?:whole )?(?:collection|library|corpus|knowledge base|knowledge graph|graph|database|data ?base|store|papers)"
    r"| here| (?:do )?you (?:have|know)(?: of)?| there| in total| overall| altogether)?"
)
_THIS = r"(?:this|the|your|our|my|these|all)(?: whole| entire| of the)? (?:collection|library|corpus|knowledge base|knowledge graph|graph|database|papers)"
_LIST = r"(?:(?:please )?(?:list|show|give|name|display|enumerate)(?: me| us)?|what are|which are|who are)(?: all)?(?: of)?(?: the)?"
_WROTE = (
    r"(?:write|written|wrote|author|authored|co-?author|co-?authored|publish|published|contribute to|contributed to)"
)
_YEARS = (
    r"(?:from )?(?P<years>from|in|of|published in|since|after|before|until|up to|between)(?: the)?(?: years?)? "
    r"(?P<y1>(?:1[5-9]|20)\d\d)(?:\s?(?:and|to|-|–|until)\s?(?P<y2>(?:1[5-9]|20)\d\d))?"
)
_ARE = r"(?:are|were|is|was|have been|has been|did|do|does|have|has)"
_PAPER = r"(?P<paper>.{2,300})"
_AUTHOR = r"(?P<author>[^?]{2,80})"
_ENTITY = (
    r"(?P<type>data ?sets?|methods?|tasks?|metrics?|materials?|entities|algorithms?|tools?|diseases?|genes?|chemicals?|"
    r"organisms?|software|models?)"
)

_RULES: tuple[tuple[QueryName, str], ...] = (
    ("overview", rf"what (?:is|are) {_THIS} (?:all )?about"),
    ("overview", rf"(?:{_LIST}|give(?: me)?|show(?: me)?|write)? ?(?:an? |the )?(?:overview|summary) (?:of|over) {_THIS}"),
    ("overview", rf"(?:summari[sz]e|describe) {_THIS}"),
    ("overview", rf"what (?:topics|subjects|themes|areas) (?:are|is|does|do) (?:{_THIS} (?:cover|about)|(?:covered|discussed|treated)(?: in| by)? {_THIS}|in {_THIS})"),
    ("overview", rf"(?:which|what) (?:topics|subjects|themes|areas) (?:does|do) {_THIS} (?:cover|deal with|treat)"),
    ("overview", rf"{_LIST} (?:topics|subjects|themes){_HERE}"),
    ("overview", rf"what (?:is|can (?:i|one) find|do you have) in {_THIS}"),
    ("overview", rf"what (?:does|do) {_THIS} (?:contain|cover|deal with)"),
    ("most_cited", rf"(?:which|what) (?:{PAPER_TYPES} )?(?:is|are) (?:the )?(?:most(?: often| frequently)?[- ]cited|cited (?:the )?most)(?: {PAPER_TYPES})?{_HERE}"),
    ("most_cited", rf"(?:which|what) {PAPER_TYPES} (?:is|are|was|were|has been) cited (?:the )?most(?: often| frequently)?{_HERE}"),
    ("most_cited", rf"{_LIST} most(?: often| frequently)?[- ]cited {PAPER_TYPES}{_HERE}"),
    ("papers", rf"(?:what|which)(?: {PAPER_TYPES})? (?:is|are|was|were) (?:the )?(?P<order>newest|latest|most recent|oldest|earliest|first)(?: {PAPER_TYPES})?{_HERE}"),
    ("papers", rf"{_LIST} (?P<order>newest|latest|most recent|oldest|earliest) {PAPER_TYPES}{_HERE}"),
    ("count_papers", rf"how many {PAPER_TYPES} (?:{_ARE} )?(?:there )?(?:published |written |stored |appeared |came out )?{_YEARS}{_HERE}"),
    ("count_papers", rf"how many {PAPER_TYPES} {_ARE} (?:there )?(?:(?:written |published |authored )?by )?{_AUTHOR}(?: {_WROTE}){_HERE}"),
    ("count_papers", rf"how many {PAPER_TYPES} (?:{_ARE} )?(?:there )?(?:written |published |authored )?(?:by|of|from) {_AUTHOR}"),
    ("count_papers", rf"how many {PAPER_TYPES} {_WROTE}? ?{_AUTHOR} {_WROTE}"),
    ("count_papers", rf"(?:how many {PAPER_TYPES}|what is the number of {PAPER_TYPES}|how (?:large|big) is {_THIS})(?: (?:are|do|does|is))?(?: {_THIS})?(?: (?:have|contain|hold|include|stored))?{_HERE}"),
    ("authors", rf"how many (?:different )?(?:authors|researchers|people|scientists)(?: (?:are|have|do|wrote|has))?(?: {_WROTE})?(?: {_THIS})?(?: have)?{_HERE}"),
    ("authors", rf"{_LIST} (?:authors|researchers|scientists|names of (?:the )?authors){_HERE}"),
    ("authors", rf"who (?:wrote|authored) {_THIS}"),
    ("authors", rf"(?:who|which (?:author|authors|researcher)) (?:wrote|has|have|published|has written|is the author of|has published) (?:the )?most {PAPER_TYPES}{_HERE}"),
    ("venues", rf"{_LIST} (?:venues|journals|conferences|journals and conferences){_HERE}"),
    ("venues", rf"(?:which|what|in which|in what) (?:venues|journals|conferences) (?:{_ARE} )?(?:the |these |they |{_THIS} )?(?:papers |articles )?(?:published|appear|appeared|represented|come from|covered)?(?: in)?{_HERE}"),
    ("count_cited_works", rf"how many (?:references|citations|{PAPER_TYPES}|sources) (?:does|do|did) {_PAPER} (?:have|cite|list|contain|reference|include)"),
    ("count_cited_works", rf"how many (?:references|citations) (?:are|were) (?:there )?in {_PAPER}"),
    ("citing_papers", rf"(?:which|what|how many)(?: other)? {PAPER_TYPES} (?:cite|cites|refer to|refers to|reference|have cited|cited) {_PAPER}"),
    ("citing_papers", rf"(?:who|what) (?:cites|cite|has cited|have cited) {_PAPER}"),
    ("citing_papers", rf"(?:by (?:whom|which {PAPER_TYPES}|what)|how often|how many times) (?:is|was|has|are) {_PAPER} (?:been )?cited(?: by)?"),
    ("citing_papers", rf"{_LIST} {PAPER_TYPES} (?:that|which) (?:cite|refer to|reference) {_PAPER}"),
    ("cited_works", rf"(?:which|what)(?: {PAPER_TYPES}| references| sources)? (?:does|do|did|are|were) {_PAPER} (?:cite|reference|refer to|cited by|build on)"),
    ("cited_works", rf"(?:which|what) (?:{PAPER_TYPES}|references|sources) (?:are|were) cited (?:by|in) {_PAPER}"),
    ("cited_works", rf"{_LIST} (?:references|bibliography|cited works|works cited|citations|reference list) (?:of|in|from|by) {_PAPER}"),
    ("coauthors", rf"who (?:are|were|is|was) (?:all )?(?:the )?(?:co-?authors?|collaborators?) of {_AUTHOR}"),
    ("coauthors", rf"{_LIST} (?:co-?authors?|collaborators?) of {_AUTHOR}"),
    ("coauthors", rf"with whom (?:did|has|does|have) {_AUTHOR} (?:{_WROTE}|work|worked|collaborate|collaborated)(?: (?:papers|with|together))?"),
    ("coauthors", rf"who (?:has |have )?(?:co-?)?(?:{_WROTE}|worked|collaborated|collaborates|writes|works)(?: (?:a )?{PAPER_TYPES})?(?: together)? with {_AUTHOR}"),
    ("coauthors", rf"who (?:did|has|does) {_AUTHOR} (?:{_WROTE}|work|worked|collaborate|collaborated)(?: papers)? with"),
    ("papers", rf"(?:which|what|{_LIST}) {PAPER_TYPES}(?: (?:that|which))? (?:{_ARE} )?(?:there )?(?:published |written |that are |dated |appeared |came out )?{_YEARS}{_HERE}"),
    ("papers", rf"(?:which|what) {PAPER_TYPES} {_ARE} {_AUTHOR} {_WROTE}{_HERE}"),
    ("papers", rf"(?:which|what) {PAPER_TYPES} (?:{_ARE} )?(?:written |published |authored |there )?by {_AUTHOR}"),
    ("papers", rf"(?:which|what) (?:{PAPER_TYPES} )?(?:did|has|have) {_AUTHOR} {_WROTE}"),
    ("papers", rf"(?:which|what) (?:is|are) the (?:titles? of the )?{PAPER_TYPES} (?:written |published |authored )?(?:by|of) {_AUTHOR}"),
    ("papers", rf"(?:{_LIST}|find|search for) (?:every )?{PAPER_TYPES} (?:written |published |authored |that were written )?(?:by|of|from) {_AUTHOR}"),
    ("papers", rf"(?:{_LIST}|find) {PAPER_TYPES} (?:that )?{_AUTHOR} (?:has |have )?{_WROTE}"),
    ("papers", rf"(?:{_LIST} )?{PAPER_TYPES} by {_AUTHOR}"),
    ("papers", rf"is there (?:a|any) {PAPER_TYPES} by {_AUTHOR}"),
    ("papers", rf"(?:which|what|{_LIST}) {PAPER_TYPES} (?:{_ARE} )?(?:published |that appeared |from |appeared |printed )+(?:in )?(?:the )?(?:journal )?(?P<venue>[^?\d]{{3,80}})"),
    ("papers", rf"(?:{_LIST} {PAPER_TYPES}|(?:which|what) {PAPER_TYPES}(?: (?:are|do|does|is))?(?: {_THIS}(?: (?:have|contain|hold|include))?)?){_HERE}"),
    ("authors_of_paper", rf"who (?:wrote|authored|published|co-?wrote|co-?authored|has written|have written) {_PAPER}"),
    ("authors_of_paper", rf"who (?:is|are|was|were) (?:the )?(?:first |lead |last |main |corresponding )?(?:authors?|writers?) (?:of|behind) {_PAPER}"),
    ("authors_of_paper", rf"(?:what|which) (?:is|are) the (?:names? of the )?authors? of {_PAPER}"),
    ("authors_of_paper", rf"{_LIST} (?:names of the )?authors? (?:of|behind) {_PAPER}"),
    ("authors_of_paper", rf"how many (?:authors|people) (?:does|do|did|has) {_PAPER} have"),
    ("authors_of_paper", rf"how many (?:authors|people) (?:wrote|are there of|authored) {_PAPER}"),
    ("authors_of_paper", rf"(?:by whom|by which authors) (?:is|was|were) {_PAPER} (?:written|published|authored)"),
    ("authors_of_paper", rf"authors of {_PAPER}"),
    ("year_of_paper", rf"(?:when|in (?:which|what) year|what year) (?:was|were|is|did|has) {_PAPER} (?:been )?(?:published|written|released|appear|come out|printed|published in|posted)"),
    ("year_of_paper", rf"(?:what|which) (?:is|was) the (?:publication |release )?(?:year|date)(?: of publication)? of {_PAPER}"),
    ("year_of_paper", rf"from (?:when|which year|what year) is {_PAPER}"),
    ("year_of_paper", rf"(?:what|which) year is {_PAPER} from"),
    ("year_of_paper", rf"how old is {_PAPER}"),
    ("venue_of_paper", rf"(?:where|in (?:which|what) (?:journal|venue|conference|proceedings)) (?:was|were|is|did|has) {_PAPER} (?:been )?(?:published|appear|printed|released|presented)"),
    ("venue_of_paper", rf"(?:what|which) (?:is|was) the (?:venue|journal|conference) of {_PAPER}"),
    ("venue_of_paper", rf"(?:which|what) (?:journal|venue|conference) (?:published|printed|is|was) {_PAPER}(?: (?:published )?in)?"),
    ("address_of_paper", rf"(?:what is the|(?:list|show|give)(?: me)? the) (?:doi|url|link|web address|arxiv (?:id|number|identifier)|identifier) (?:of|for|to) {_PAPER}"),
    ("address_of_paper", rf"where can i (?:read|find|download|get) {_PAPER}"),
    ("named_entities", rf"(?:{_LIST}|which|what) {_ENTITY}(?: (?:are|is|were))?(?: (?:used|mentioned|named|studied|in use|named or used|there))?(?: (?:in|by) {_THIS})?{_HERE}"),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(rf"(?:{rule})", re.IGNORECASE)) for name, rule in _RULES)
_OPENING = re.compile(
    r"\A(?:please|hi|hello|hey|ok(?:ay)?|so|and|now|well|can you|could you|would you|will you|tell me|tell us|do you know|"
    r"i (?:want|would like|need|'d like) to know|let me know|i wonder)\b[,:]?\s*",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\A(?:(?:the|a|an) )?(?:(?:paper|article|study|publication|preprint|work|document|vignette|manuscript|report) )?"
    r"(?:(?:titled|entitled|called|named|with the title) )?[\"“'‘]?(?P<name>.+?)[\"”'’]?"
    r"(?: (?:paper|article|study|publication|preprint|vignette|manuscript))?\Z",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    words_in(
        "it this that these those they them he she him her this paper the paper that paper the study this study paper "
        "papers the authors authors author who which what you we i everyone anybody someone us people researchers"
    )
)
_ON = re.compile(r"\A(?:the )?(?:paper|article|study|work)s? (?:on|about|of|by|from)\s+", re.IGNORECASE)
NEEDS_PAPER = frozenset(
    {"authors_of_paper", "year_of_paper", "venue_of_paper", "address_of_paper", "cited_works", "count_cited_works",
     "citing_papers"}
)  # fmt: skip


async def route(database: Database, question: str, collection: str) -> GraphQuestion | None:
    """Return a question as a named query, None where it is one to passages.

    Raises:
        DatabaseError: Neo4j failed.
    """
    text = _plain(question)
    tried: set[tuple[object, ...]] = set()
    for name, rule in _COMPILED:
        if (match := rule.fullmatch(text)) is None:
            continue
        asked = _read(name, match.groupdict())
        key = (asked.name, asked.paper, asked.author, asked.venue, asked.first_year, asked.type)
        if key not in tried and (found := await resolve(database, asked, collection)) is not None:
            return found
        tried.add(key)
    return None


async def resolve(database: Database, asked: GraphQuestion, collection: str) -> GraphQuestion | None:
    """Return a question with the ids that its names mean, None where a name is none of the collection's.

    Raises:
        DatabaseError: Neo4j failed.
    """
    paper_ids: list[str] = []
    author_ids: list[str] = []
    if asked.name in NEEDS_PAPER and not asked.paper:
        return None
    if asked.name == "coauthors" and not asked.author:
        return None
    if asked.paper is not None and not (paper_ids := await _papers(database, asked.paper, collection)):
        return None
    if asked.author is not None and not (author_ids := await _authors(database, asked.author, collection)):
        return None
    return replace(asked, paper_ids=tuple(paper_ids), author_ids=tuple(author_ids))


async def _papers(database: Database, name: str, collection: str) -> list[str]:
    for named in dict.fromkeys((name, _called(name), _ON.sub("", name))):
        if named.lower() not in _NO_NAME and (found := await match_papers(database, named, collection)):
            return found
    return []


async def _authors(database: Database, name: str, collection: str) -> list[str]:
    named = re.sub(r"\A(?:dr|prof|professor|mr|mrs|ms|the author)\.?\s+", "", name.strip(), flags=re.IGNORECASE)
    return [] if named.lower() in _NO_NAME else await match_authors(database, named, collection)


def entity_type(words: str) -> str | None:
    """Return the type of entities that words mean, such as ``dataset`` for "data sets"; None for all types."""
    joined = words.lower().replace(" ", "")
    return None if joined in ("entity", "entities") else joined.removesuffix("s")


def _called(name: str) -> str:
    match = _CALLED.match(" ".join(name.split()))
    return match["name"] if match else name


def _plain(question: str) -> str:
    text = " ".join(question.split()).strip(" ?.!")
    while (shorter := _OPENING.sub("", text, count=1)) != text:
        text = shorter
    return text


def _read(name: QueryName, found: Mapping[str, str | None]) -> GraphQuestion:
    """Return a question of a match's groups."""
    first = last = None
    if (year := found.get("y1")) is not None:
        first, last = _span(found.get("years") or "", int(year), found.get("y2"))
    order: Literal["title", "newest", "oldest"] = "title"
    if (word := found.get("order")) is not None:
        order = "newest" if word.lower() in ("newest", "latest", "most recent") else "oldest"
    kind = found.get("type")
    venue = found.get("venue")
    return GraphQuestion(
        name,
        paper=found.get("paper"),
        author=found.get("author"),
        venue=None if venue is None else venue.strip().lower(),
        first_year=first,
        last_year=last,
        order=order,
        type=None if kind is None else entity_type(kind),
    )


def _span(words: str, year: int, other: str | None) -> tuple[int | None, int | None]:
    word = words.lower()
    if other is not None:
        return min(year, int(other)), max(year, int(other))
    if word.startswith("since"):
        return year, None
    if word.startswith("after"):
        return year + 1, None
    if word.startswith("before"):
        return None, year - 1
    if word.startswith(("until", "up to")):
        return None, year
    return year, year
