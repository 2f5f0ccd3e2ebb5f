"""A question about the graph: one of the named queries with its parameters, and what its names mean in the graph."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.schema.ids import collection_term, possible_keys
from papergraph.server.answers.graph_words import Token, has, keys_of
from papergraph.server.answers.tokens import STOP
from papergraph.server.retrieval.entity_linking import folded_words
from papergraph.text.words import words_in

# Names in questions matched to papers and authors of the graph


N_TITLES, N_NAMES = 50, 50
LEAST_MISSPELT = 5
"""Letters of a last name from which on one of them may be wrong."""
LEAST_ALIKE = 0.8
_FILE = re.compile(r"[^\s/]+\.\w{1,10}")
_SAY_NOTHING = STOP | frozenset(
    words_in("the a an on of for and in to with by paper papers article study titled called")
)


async def match_papers(database: Database, name: str, collection: str) -> list[str]:
    """Return the ids of the papers of a name (key, file name, or words of the title), best first.

    The title must contain all content words of the name. The papers with the fewest further words in the title are
    returned.
    """
    records = await database.read(
        cypher.load("filters/papers_by_name"),
        collections=[collection],
        named=[{"name": name, "keys": possible_keys(name)}],
    )
    if records:
        return sorted(records[0]["paper_ids"])
    if _FILE.fullmatch(name):
        statement = cypher.load("graph_questions/papers_of_file")
        found = await database.read(statement, collection=collection, file=name)
        if found:
            return [record["id"] for record in found]
    return await _match_title(database, content_of(name), collection)


async def _match_title(database: Database, wanted: Sequence[str], collection: str) -> list[str]:
    if not wanted:
        return []
    words = " AND ".join([word for word in wanted if len(word) > 1] or wanted)
    records = await database.read(
        cypher.load("graph_questions/titles"),
        fulltext_query=f"+collectionTerm:{collection_term(collection)}^0 +(title:({words}))",
        k=N_TITLES,
    )
    titles = {record["id"]: set(content_of(record["title"])) for record in records}
    n_others = {id: len(words) - len(set(wanted)) for id, words in titles.items() if words >= set(wanted)}
    if not n_others:
        return []
    least = min(n_others.values())
    if len(n_others) > 1 and len(wanted) < 2 and least > 1:
        return []  # one word that several titles have names none of them
    return sorted(id for id, n in n_others.items() if n == least)


async def match_authors(database: Database, name: str, collection: str) -> list[str]:
    """Return the ids of the authors that a name means: first names may be initials or missing, accents do not count."""
    wanted = folded_words(name)
    if not wanted or len(wanted) > 6 or not any(len(word) > 1 for word in wanted):
        return []
    words = " AND ".join(word for word in wanted if len(word) > 1)
    misspelt = f"{wanted[-1]}~1" if len(wanted[-1]) >= LEAST_MISSPELT else wanted[-1]
    # the last name alone: "Achim Zeileis" may be "A. Zeileis"; one letter of it may be wrong, as in "Gruen" for "Grün"
    # "O'Connell" is one word of the index: of such names the first ones are looked up
    for searched in dict.fromkeys((words, wanted[-1], misspelt, words.replace("AND", "OR"))):
        records = await database.read(
            cypher.load("filters/names"),
            fulltext_query=f"+collectionTerm:{collection_term(collection)}^0 +(name:({searched}))",
            k=N_NAMES,
        )
        found = [
            (record["name"], record["id"])
            for record in records
            if record["label"] == "Author"
            and is_name_of(wanted, folded_words(record["name"]), may_be_misspelt=searched.endswith("~1"))
        ]
        if found:
            return [id for _, id in sorted(found)]
    return []


def is_name_of(wanted: Sequence[str], name: Sequence[str], *, may_be_misspelt: bool = False) -> bool:
    """Say whether a name may stand for another: the last names are equal, first names too, or one is an initial.

    Args:
        wanted: Folded words of the one, the last name at their end.
        name: Folded words of the other.
        may_be_misspelt: Whether a letter of the last name may be wrong.
    """
    if may_be_misspelt:
        meant = get_close_matches(wanted[-1], name[-1:], n=1, cutoff=LEAST_ALIKE)
        wanted = [*wanted[:-1], *meant] if meant else wanted
    if not name or wanted[-1] not in name:
        return False
    left = [word for word in name if word != wanted[-1]]
    for word in wanted[:-1]:
        match = next((one for one in left if one == word or (one[:1] == word[:1] and 1 in (len(one), len(word)))), None)
        if match is None:
            return False
        left.remove(match)
    return True


def is_last_name(words: Sequence[str], name: Sequence[str]) -> bool:
    """Say whether folded words end with the last word of a name; of long ones a letter may be wrong."""
    if not name:
        return False
    near = len(words[-1]) >= LEAST_MISSPELT and words[-1][0] == name[-1][0]
    return words[-1] == name[-1] or (near and bool(get_close_matches(words[-1], name[-1:], n=1, cutoff=LEAST_ALIKE)))


def content_of(text: str) -> list[str]:
    """Return the folded words of a text that may tell one title from another, in order."""
    return [word for word in folded_words(text) if word not in _SAY_NOTHING]


QueryName = Literal[
    "papers",
    "count_papers",
    "papers_per_year",
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
Order = Literal["title", "newest", "oldest"]
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
    """Question as a named query with parameters.

    Attributes:
        name: The query.
        paper: Name of the paper in the question.
        author, coauthor: Names of authors in the question; with both, papers by both.
        venue: Words of the venue.
        first_year, last_year: Range of years.
        order: ``title``, ``newest`` or ``oldest``.
        type: Type of entities, such as ``dataset``.
        paper_ids, author_ids, coauthor_ids: Ids of the names in the graph.
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
    """Return a question with the ids of its names; None if the collection lacks a name.

    Names are unknown while the index of titles or names is missing or being built.

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
