"""A question about the graph: one of the named queries with its parameters, and what its names mean in the graph."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cypher
from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.text.words import words_in
from server.answers.graph_intents import Order, QueryName
from server.answers.graph_names import match_authors, match_papers
from server.answers.graph_words import Token, has, keys_of

NEEDS_PAPER: frozenset[QueryName] = frozenset(
    {"authors_of_paper", "year_of_paper", "venue_of_paper", "address_of_paper", "cited_works", "count_cited_works",
     "citing_papers"}
)  # fmt: skip
_CALLED = re.compile(
    r"\A(?:(?:the|a|an) )?(?:(?:paper|article|study|publication|preprint|work|document|vignette|manuscript|report) )?"
    r"(?:(?:titled|entitled|called|named|with the title) )?[\"“'‘]?(?P<name>.+?)[\"”'’]?"
    r"(?: (?:paper|article|study|publication|preprint|vignette|manuscript))?\Z",
    re.IGNORECASE,
)
_NO_NAME = frozenset(words_in("it this that these those they them he she him her you we i us"))


@dataclass(frozen=True)
class GraphQuestion:
    """A question as one of the named queries, with its parameters.

    Attributes:
        name: The query.
        paper: The paper as the question calls it.
        author, coauthor: Authors as the question calls them; with both, papers of both are meant.
        venue: Words of a venue.
        first_year, last_year: No earlier, no later papers.
        order: ``title``, ``newest`` or ``oldest``.
        type: Type of entities, such as ``dataset``.
        paper_ids, author_ids, coauthor_ids: What the names mean in the graph.
    """

    name: QueryName
    paper: str | None = None
    author: str | None = None
    coauthor: str | None = None
    venue: str | None = None
    first_year: int | None = None
    last_year: int | None = None
    order: Order = "title"
    type: str | None = None
    paper_ids: tuple[str, ...] = ()
    author_ids: tuple[str, ...] = ()
    coauthor_ids: tuple[str, ...] = ()

    def shown(self) -> dict[str, object]:
        """Return the parameters that were given, by name."""
        values = {
            "paper": self.paper,
            "author": self.author,
            "coauthor": self.coauthor,
            "venue": self.venue,
            "firstYear": self.first_year,
            "lastYear": self.last_year,
            "type": self.type,
            "order": None if self.order == "title" else self.order,
        }
        return {name: value for name, value in values.items() if value is not None}


async def resolve(database: Database, asked: GraphQuestion, collection: str) -> GraphQuestion | None:
    """Return a question with the ids that its names mean, None where a name is none of the collection's.

    No name is found while the index of titles or names is missing or being built.

    Raises:
        DatabaseError: Neo4j failed.
    """
    paper_ids: list[str] = []
    author_ids: list[str] = []
    coauthor_ids: list[str] = []
    if asked.name in NEEDS_PAPER and not asked.paper:
        return None
    if asked.name == "coauthors" and not asked.author:
        return None
    try:
        if asked.paper is not None and not (paper_ids := await _papers(database, asked.paper, collection)):
            return None
        if asked.author is not None and not (author_ids := await _authors(database, asked.author, collection)):
            return None
        if asked.coauthor is not None and not (coauthor_ids := await _authors(database, asked.coauthor, collection)):
            return None
    except IndexUnavailableError:
        return None
    if asked.venue is not None and not await _has_venue(database, asked.venue, collection):
        return None
    return replace(asked, paper_ids=tuple(paper_ids), author_ids=tuple(author_ids), coauthor_ids=tuple(coauthor_ids))


async def _has_venue(database: Database, words: str, collection: str) -> bool:
    """Say whether a paper of a collection was published in a venue with these words."""
    statement = cypher.load("graph_questions/papers")
    unset = dict.fromkeys(("author_ids", "coauthor_ids", "first_year", "last_year"))
    (record,) = await database.read(statement, collection=collection, venue=words, order="title", n_listed=1, **unset)
    return bool(record["n"])


async def _papers(database: Database, name: str, collection: str) -> list[str]:
    for named in dict.fromkeys((name, _called(name))):
        if named.lower() not in _NO_NAME and (found := await match_papers(database, named, collection)):
            return found
    return []


async def _authors(database: Database, name: str, collection: str) -> list[str]:
    named = re.sub(r"['’]s?\Z", "", name.strip())
    named = re.sub(r"\A([^,]+),\s*([^,]+)\Z", r"\2 \1", named)  # "Koenker, R."
    return [] if named.lower() in _NO_NAME else await match_authors(database, named, collection)


def entity_words(tokens: Sequence[Token]) -> str:
    """Return the words of a question for types of entities, such as "data" and "sets"."""
    return "".join(keys_of(token for token in tokens if has([token], "entity")))


def entity_type(words: str) -> str | None:
    """Return the type of entities that words mean, such as ``dataset`` for "data sets"; None for all types."""
    joined = words.lower().replace(" ", "")
    return None if joined in ("entity", "entities") else joined.removesuffix("s")


def _called(name: str) -> str:
    match = _CALLED.match(" ".join(name.split()))
    return match["name"] if match else name
