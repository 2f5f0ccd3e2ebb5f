"""Recognition of questions about the graph: a classifier or a language model chooses one of the named queries.

Names of papers and authors are found in the graph and masked; a linear classifier reads the other words. The query must
take exactly the names that the question has, so that no word of a question is passed over. Where a language model is
configured, it chooses what the classifier does not. docs/design/answers.md#questions-about-the-graph has figures.
"""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, cast

import numpy as np
from pydantic import BaseModel, Field

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding.model import Floats
from papergraph.errors import IndexUnavailableError, LanguageModelError
from papergraph.ingest.sources import format_of
from papergraph.language_model import LanguageModel
from papergraph.schema.ids import collection_term
from papergraph.server.answers import reader_prompts as reading
from papergraph.server.answers.graph_question import (
    LEAST_MISSPELT,
    N_NAMES,
    N_TITLES,
    NEEDS_PAPER,
    GraphQuestion,
    Order,
    QueryName,
    content_of,
    entity_type,
    entity_words,
    is_last_name,
    is_name_of,
    resolve,
)
from papergraph.server.answers.graph_words import FUNCTION, PRONOUNS, Token, has, keys_of, tokens_of, years_of
from papergraph.server.answers.tokens import stem
from papergraph.server.retrieval.entity_linking import folded_words
from papergraph.text.words import words_in

# Names of papers and authors anywhere in a question: found by its words in the indexes of titles and names.
#
# Names are words of the collection's titles and last names of its authors.


SURE_WORDS = 3
"""Words of content of a title that are one in any case; fewer must be much of it."""
LEAST_OF_TITLE = 0.4
MOST_FIRST_NAMES = 4
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True)
class Name:
    """A name in a question.

    Attributes:
        kind: What it may be the name of.
        start, end: The first of its tokens, and the one behind its last.
        n_words: Words of content in it; of two names with the same words, the longer one is meant.
    """

    kind: Literal["author", "paper"]
    start: int
    end: int
    n_words: int = 1

    def overlaps(self, other: "Name") -> bool:
        """Say whether a token belongs to both."""
        return self.start < other.end and other.start < self.end


async def names_in(database: Database, text: str, tokens: Sequence[Token], collection: str) -> list[Name]:
    """Return the names of papers and authors of a collection in a question, in order, without overlaps.

    Args:
        database: Where the collection is.
        text: The question.
        tokens: Its words.
        collection: Whose names they may be.

    Raises:
        DatabaseError: Neo4j failed.
    """
    words = [folded_words(text[token.start : token.end].removesuffix("'s").removesuffix("’s")) for token in tokens]
    found = [*await _papers(database, text, tokens, words, collection)]
    found += await _authors(database, tokens, words, collection)
    chosen: list[Name] = []
    for name in sorted(found, key=lambda one: (-one.n_words, one.start - one.end, one.kind, one.start)):
        if not any(name.overlaps(other) for other in chosen):
            chosen.append(name)
    return sorted(chosen, key=lambda one: one.start)


async def _papers(
    database: Database, text: str, tokens: Sequence[Token], words: Sequence[Sequence[str]], collection: str
) -> list[Name]:
    found = [
        Name("paper", place, place + 1, SURE_WORDS)
        for place, token in enumerate(tokens)
        if format_of(text[token.start : token.end]) is not None
    ]
    content = [[] if token.years else content_of(" ".join(of)) for token, of in zip(tokens, words, strict=True)]
    asked = sorted({word for of in content for word in of})
    if not asked:
        return found
    records = await database.read(
        cypher.load("graph_questions/titles"),
        fulltext_query=f"+collectionTerm:{collection_term(collection)}^0 +(title:({' OR '.join(asked)}))",
        k=N_TITLES,
    )
    titles = [str(record["title"]) for record in records]
    n_with = {word: sum(word in content_of(title) for title in titles) for word in asked}
    for title in titles:
        found += _runs(title, tokens, words, content, n_with)
    return found


def _runs(
    title: str,
    tokens: Sequence[Token],
    words: Sequence[Sequence[str]],
    content: Sequence[Sequence[str]],
    n_with: dict[str, int],
) -> list[Name]:
    """Return runs of a title's words, separated only by function words."""
    of_title = set(content_of(title))
    is_within = [bool(of) and of_title.issuperset(of) for of in content]
    found: list[Name] = []
    start = 0
    while start < len(tokens):
        if not is_within[start]:
            start += 1
            continue
        end = last = start + 1
        while end < len(tokens) and (is_within[end] or (not content[end] and not tokens[end].years)):
            end += 1
            last = end if is_within[end - 1] else last
        run = {word for of in content[start:last] for word in of}
        if _is_title(run, title, of_title, tokens, (start, last), n_with):
            first = start - 1 if start and words[start - 1] and words[start - 1][0] in _ARTICLES else start
            following = set(pairwise(folded_words(title)))
            while last < len(tokens) and words[last] and (words[last - 1][-1], words[last][0]) in following:
                last += 1  # "Papers", which is no word of content
            found.append(Name("paper", first, last, len(run)))
        start = max(end, last)
    return found


def _is_title(
    run: set[str],
    title: str,
    of_title: set[str],
    tokens: Sequence[Token],
    span: tuple[int, int],
    n_with: dict[str, int],
) -> bool:
    """Say whether words of a title are enough of it to name the paper."""
    start, end = span
    if len(run) >= SURE_WORDS or run == of_title:
        return True
    is_strange = not all(token.is_explained for token in tokens[start:end])
    if set(content_of(title.split(":")[0])) == run and is_strange:  # "partykit: A Toolkit for ..."
        return True
    is_called = has([*tokens[max(0, start - 1) : start], *tokens[end : end + 1]], "paper")  # "the vegan paper"
    if len(run) > 1:
        is_written = is_called or all(token.is_name_like or token.key in FUNCTION for token in tokens[start:end])
        return is_strange and is_written and len(run) >= LEAST_OF_TITLE * len(of_title)
    return is_strange and is_called and n_with[next(iter(run))] == 1


async def _authors(
    database: Database, tokens: Sequence[Token], words: Sequence[Sequence[str]], collection: str
) -> list[Name]:
    may_be_last = [
        place for place, of in enumerate(words) if of and not tokens[place].years and _may_be_last_name(tokens, place)
    ]
    asked = sorted({words[place][-1] for place in may_be_last if len(words[place][-1]) > 1})
    if not asked:
        return []
    wanted = " OR ".join(f"{word}~1" if len(word) >= LEAST_MISSPELT else word for word in asked)
    records = await database.read(
        cypher.load("filters/names"),
        fulltext_query=f"+collectionTerm:{collection_term(collection)}^0 +(name:({wanted}))",
        k=N_NAMES,
    )
    names = [folded_words(record["name"]) for record in records if record["label"] == "Author"]
    found = []
    for place in may_be_last:
        spans = [_with_first_names(name, tokens, words, place) for name in names if is_last_name(words[place], name)]
        if known := [span for span in spans if span is not None]:
            start, end = max(known, key=lambda span: span[1] - span[0])
            found.append(Name("author", start, end, end - start))
    return found


def _may_be_last_name(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a word may be a last name: one of the vocabulary must have a capital inside the question."""
    token = tokens[place]
    return not token.is_explained or (token.is_name_like and place > 0 and not any(map(str.isdigit, token.key)))


def _with_first_names(
    name: Sequence[str], tokens: Sequence[Token], words: Sequence[Sequence[str]], place: int
) -> tuple[int, int] | None:
    """Return where the name of an author stands whose last name is a word of the question.

    Args:
        name: The author's, in folded words.
        tokens: Those of the question.
        words: Theirs, folded.
        place: That of the last name.

    Returns:
        The span with the first names; None if another first name stands there.
    """
    is_other = [token.is_explained and not token.is_name_like for token in tokens]
    for start in range(max(0, place - MOST_FIRST_NAMES), place):
        if any(is_other[start:place]):
            continue
        first = [word for of in words[start:place] for word in of]
        if first and is_name_of([*first, *words[place]], name, may_be_misspelt=True):
            return start, place + 1
    for end in range(min(len(tokens), place + 3), place + 1, -1):  # "Koenker, Roger"
        if any(is_other[place + 1 : end]):
            continue
        first = [word for of in words[place + 1 : end] for word in of]
        if first and is_name_of([*first, *words[place]], name, may_be_misspelt=True):
            return place, end
    before = tokens[place - 1] if place else None
    has_other = before is not None and before.is_name_like and not before.is_explained  # "Anna Hothorn"
    return None if has_other or tokens[place].is_explained else (place, place + 1)


# Most likely named query of a question: a linear classifier over its words, with names masked.
#
# The words of a question count as stems, as senses of the vocabulary, as pieces of three letters (so that misspelt
# words are near right ones), and by what stands beside them. :mod:`scripts.phrasings` fits the weights to phrasings
# that a grammar generates.


WEIGHTS = Path(__file__).parent / "graph_classifier.npz"
NO_QUERY = "none"
AUTHOR, COAUTHOR, PAPER, YEAR = "{author}", "{coauthor}", "{paper}", "{year}"
"""Placeholders of names and years in a question."""
N_ROWS = 2**14
N_LETTERS = 3
OF_TRIPLE, OF_LETTERS = 0.7, 0.3
"""Values of features; all others have 1."""


@dataclass(frozen=True)
class Likely:
    """The likeliest query of a question.

    Attributes:
        query: Its name, ``none`` for questions to passages.
        probability: How likely it is, in [0, 1].
    """

    query: str
    probability: float


@dataclass(frozen=True)
class Word:
    """Word of a question, or placeholder of a name.

    Attributes:
        key: The word in lower case, or a placeholder.
        senses: Meanings in the vocabulary; empty if unknown.
        is_strange: True for an unknown content word.
    """

    key: str
    senses: str = ""
    is_strange: bool = False

    @classmethod
    def of(cls, token: Token) -> "Word":
        """Return a word of a question."""
        if token.years is not None:
            return cls(YEAR, YEAR)
        return cls(token.key, "/".join(sorted(token.senses)), not token.is_explained)

    @classmethod
    def mask(cls, mark: str) -> "Word":
        """Return the placeholder of a name."""
        return cls(mark, mark)


def likely(words: Sequence[Word]) -> Likely:
    """Return the likeliest query of a question whose names are masked."""
    queries, weights, bias = _weights()
    scores = bias + sum((value * weights[row] for row, value in rows_of(words).items()), np.zeros_like(bias))
    chances = np.exp(scores - scores.max())
    best = int(chances.argmax())
    return Likely(queries[best], float(chances[best] / chances.sum()))


def rows_of(words: Sequence[Word]) -> Mapping[int, float]:
    """Return the features of a question: rows of the weights with their values."""
    rows: dict[int, float] = {}
    for feature, value in _features(words):
        rows[zlib.crc32(feature.encode()) % N_ROWS] = value
    return rows


def _features(words: Sequence[Word]) -> Iterator[tuple[str, float]]:
    stems = ["<", *(word.key if word.senses == word.key else stem(word.key) for word in words), ">"]
    senses = ["<", *(word.senses or "_" for word in words), ">"]
    told = [sense for sense in senses if sense != "_"]
    for name, sequence in (("stem", stems), ("sense", senses), ("told", told)):
        yield from ((f"{name} {one}", 1.0) for one in sequence)
        yield from ((f"{name} {one} {two}", 1.0) for one, two in pairwise(sequence))
        triples = zip(sequence, sequence[1:], sequence[2:], strict=False)
        yield from ((f"{name} {one} {two} {three}", OF_TRIPLE) for one, two, three in triples)
    for word in words:
        if len(word.key) >= N_LETTERS and not word.key.startswith("{"):
            spelled = f"^{word.key}$"
            yield from (
                (f"letters {spelled[start : start + N_LETTERS]}", OF_LETTERS)
                for start in range(len(spelled) - N_LETTERS + 1)
            )
    yield f"strange {min(MOST_STRANGE, sum(word.is_strange for word in words))}", 1.0
    yield f"names {' '.join(sorted({word.key for word in words if word.key.startswith('{')}))}", 1.0


@cache
def _weights() -> tuple[Sequence[str], Floats, Floats]:
    """Return the names of the queries, the weights [features, queries] and the bias [queries]."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        queries = json.loads(str(stored["queries"]))
        return queries, stored["weights"].astype(np.float32), stored["bias"].astype(np.float32)


# Questions about the graph by likeness: their names are found in the graph, and a classifier reads the other words.


MOST_WORDS, MOST_CHARS = 40, 1000
"""Of a question about the graph; longer ones are put to passages."""
LEAST_NAMED, LEAST_BARE, LEAST_STRANGE = 0.6, 0.75, 0.9
"""Least probability of a query: for questions with a name, without a name, and without a name but with unknown words.
"""
MOST_STRANGE = 2
"""Words outside of names that the vocabulary does not have."""
NAMES: Mapping[QueryName, frozenset[str]] = {
    "papers": frozenset({"", "a", "aa"}),
    "count_papers": frozenset({"", "a", "aa"}),
    "papers_per_year": frozenset({"", "a"}),
    "most_cited": frozenset({"", "a"}),
    "venues": frozenset({"", "a"}),
    "coauthors": frozenset({"a"}),
    "authors": frozenset({""}),
    "named_entities": frozenset({""}),
    "overview": frozenset({""}),
    **dict.fromkeys(NEEDS_PAPER, frozenset({"p", "ap"})),
}
"""The names that each query takes: authors (a) and papers (p)."""
OF_YEARS: frozenset[QueryName] = frozenset({"papers", "count_papers", "papers_per_year", "authors"})
_CUES = (
    "who", "when", "many", "papers", "paper", "authors", "people", "write", "appear", "coauthor", "cite", "venue",
    "collection", "stored", "address", "year", "overview", "topics", "areas", "newest", "oldest", "entity",
)  # fmt: skip
"""Senses of which a question about the graph has one, so that the names of other questions are not looked up."""
_AMBIGUOUS = frozenset({"corpus", "graph", "archive", "store", "database", "repository", "knowledge"})
"""Words for the collection that papers use for their own things, unless "this" or "your" stands before them."""
_OWN = frozenset({"whole", "entire", "this", "your", "our", "my", "these"})
_HOLD = frozenset({"have", "know", "hold", "got", "store", "stored"})
_NEGATIONS = frozenset(words_in("not never without except excluding besides neither nor"))


async def route(database: Database, question: str, collection: str) -> GraphQuestion | None:
    """Return a question as the named query that it is likely to mean; None for a question to passages.

    A question with words that may be a name is one to passages while the index of titles or names is missing or being
    built.

    Raises:
        DatabaseError: Neo4j failed.
    """
    text = " ".join(question.split())
    tokens = tokens_of(text) if len(text) <= MOST_CHARS else []
    if not 0 < len(tokens) <= MOST_WORDS or not has(tokens, *_CUES):
        return None
    if not _NEGATIONS.isdisjoint(token.key for token in tokens):
        return None
    is_explained = all(token.is_explained for token in tokens)
    try:
        names = [] if is_explained else await names_in(database, text, tokens, collection)
    except IndexUnavailableError:  # it is being built: no name is found until then
        return None
    outside = _outside(tokens, names)
    strange = [token for token in outside if not token.is_explained]
    if len(strange) > MOST_STRANGE or any(token.is_name_like and token is not tokens[0] for token in strange):
        return None  # of unknown things, such as a journal that the collection does not have
    found = likely(_masked(tokens, names))
    least = LEAST_NAMED if names else LEAST_STRANGE if strange else LEAST_BARE
    if found.query == NO_QUERY or found.probability < least:
        return None
    asked = _question(cast(QueryName, found.query), text, tokens, names, outside)
    return None if asked is None else await resolve(database, asked, collection)


def _outside(tokens: Sequence[Token], names: Sequence[Name]) -> list[Token]:
    return [token for place, token in enumerate(tokens) if not any(name.start <= place < name.end for name in names)]


def _masked(tokens: Sequence[Token], names: Sequence[Name]) -> list[Word]:
    """Return the words of a question with its names masked."""
    words: list[Word] = []
    place = n_authors = 0
    for name in names:
        words += map(Word.of, tokens[place : name.start])
        mark = PAPER if name.kind == "paper" else COAUTHOR if n_authors else AUTHOR
        n_authors += name.kind == "author"
        words.append(Word.mask(mark))
        place = name.end
    return [*words, *map(Word.of, tokens[place:])]


def _question(
    query: QueryName, text: str, tokens: Sequence[Token], names: Sequence[Name], outside: Sequence[Token]
) -> GraphQuestion | None:
    """Return a query with the names and years of a question; None if they do not fit it."""
    if "".join(sorted(name.kind[0] for name in names)) not in NAMES[query]:
        return None
    if not names and _points_back(tokens):
        return None
    first, last = years_of(outside)
    has_years = any(token.years for token in outside)
    if has_years and ((first, last) == (None, None) or query not in OF_YEARS):
        return None
    if query == "named_entities" and not (has(tokens, "mentioned", "papers", "list") or _names_collection(tokens)):
        return None  # "What methods are available?"
    kinds = [place for place, token in enumerate(outside) if has([token], "entity")]
    if query == "named_entities" and kinds and kinds[-1] - kinds[0] >= len(kinds):
        return None  # words for two types, such as "methods" and "entities"
    texts = [(name.kind, text[tokens[name.start].start : tokens[name.end - 1].end]) for name in names]
    authors = [name for kind, name in texts if kind == "author"]
    return GraphQuestion(
        query,
        paper=next((name for kind, name in texts if kind == "paper"), None),
        author=authors[0] if authors else None,
        coauthor=authors[1] if len(authors) > 1 else None,
        first_year=first,
        last_year=last,
        order=_order_of(outside) if query == "papers" else "title",
        type=entity_type(entity_words(outside)) if query == "named_entities" else None,
    )


def _points_back(tokens: Sequence[Token]) -> bool:
    """Return whether a pronoun refers to an earlier question, as it has no antecedent in this one."""
    first = next((place for place, token in enumerate(tokens) if token.key in PRONOUNS), len(tokens))
    return first < len(tokens) and not has(tokens[:first], "papers", "authors") and not _names_collection(tokens)


def _order_of(tokens: Sequence[Token]) -> Order:
    """Return the order that the words outside of names ask for."""
    keys = set(keys_of(tokens))
    if has(tokens, "newest"):
        return "newest"
    is_first = "first" in keys and not has(tokens, "authors") and has(tokens, "paper", "papers")
    is_oldest = has(tokens, "oldest") or ("old" in keys and has(tokens, "most"))
    return "oldest" if is_oldest or is_first else "title"


def _names_collection(tokens: Sequence[Token]) -> bool:
    """Say whether words mean the whole collection: "this library", "here", "do you have"."""
    keys = keys_of(tokens)
    for place, token in enumerate(tokens):
        before = set(keys[max(0, place - 3) : place])
        if "collection" in token.senses and (token.key not in _AMBIGUOUS or before & _OWN):
            return True
        if token.key in ("knowledge", "database") and "the" in before:
            return True
        if token.key in ("you", "we") and set(keys[place + 1 : place + 3]) & _HOLD:
            return True
    return False


# A language model's choice among the named queries: typed parameters of a closed list, never Cypher


MOST_NAME_CHARS = 300
_MAY_BE = re.compile(
    r"\b(?:papers?|articles?|publications?|authors?|co-?authors?|wrote|written|writes?|published|publish|cites?|cited|"
    r"citing|citations?|references|bibliography|journals?|venues?|conferences?|collection|library|doi|topics|overview)\b",
    re.IGNORECASE,
)
QUERIES = """\
- papers: list papers, restricted by author, first_year, last_year or venue; order newest or oldest for the extremes
- count_papers: number of papers, restricted in the same way
- papers_per_year: number of papers of each year, restricted by author, first_year or last_year
- authors_of_paper, year_of_paper, venue_of_paper, address_of_paper: of the paper named by its title
- cited_works, count_cited_works: works that a paper cites, and their number
- citing_papers: papers that cite a paper
- most_cited: the papers of the collection that are cited most
- coauthors: of an author
- authors, venues: of the collection
- named_entities: things of a type that papers name, such as dataset or method
- overview: what the whole collection is about"""


class GraphChoice(BaseModel):
    """The query and its values."""

    query: QueryName | Literal["none"]
    paper: str | None = Field(default=None, max_length=MOST_NAME_CHARS)
    author: str | None = Field(default=None, max_length=MOST_NAME_CHARS)
    venue: str | None = Field(default=None, max_length=MOST_NAME_CHARS)
    first_year: int | None = Field(default=None, ge=1000, le=3000)
    last_year: int | None = Field(default=None, ge=1000, le=3000)
    order: Literal["title", "newest", "oldest"] = "title"
    type: str | None = Field(default=None, max_length=50)


async def choose(model: LanguageModel, database: Database, question: str, collection: str) -> GraphQuestion | None:
    """Return the query chosen by a model; None for no query, for unknown names, and for failures.

    The model is used only for questions with a word of metadata, such as "authors" or "cited".

    Raises:
        DatabaseError: Neo4j failed.
    """
    if not _MAY_BE.search(question):
        return None
    prompt = model.prompt("graph", frozenset({"question", "queries"}), folder=reading.PROMPTS)
    try:
        reply = await model.answer_json(prompt, {"question": question, "queries": QUERIES}, answer=GraphChoice)
    except LanguageModelError:
        return None
    choice = reply.value
    if choice.query == "none":
        return None
    asked = GraphQuestion(
        choice.query,
        paper=choice.paper or None,
        author=choice.author or None,
        venue=choice.venue.lower() if choice.venue else None,
        first_year=choice.first_year,
        last_year=choice.last_year,
        order=choice.order,
        type=entity_type(choice.type) if choice.type else None,
    )
    return await resolve(database, asked, collection)
