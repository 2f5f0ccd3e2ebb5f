"""Questions about the graph by likeness: their names are found in the graph, and a classifier reads the other words.

A query must take exactly the names that the question has, so that no word of a question is passed over.
docs/decisions/0179-recognition-by-likeness.md has figures.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.text.words import words_in
from server.answers.graph_classifier import AUTHOR, COAUTHOR, NO_QUERY, PAPER, Word, likely
from server.answers.graph_intents import Outside, QueryName, names_collection, order_of
from server.answers.graph_question import NEEDS_PAPER, GraphQuestion, entity_type, entity_words, resolve
from server.answers.graph_slots import Name, names_in
from server.answers.graph_words import PRONOUNS, Token, has, tokens_of
from server.answers.graph_years import years_of

MOST_WORDS = 40
LEAST_NAMED, LEAST_BARE, LEAST_STRANGE, SURE = 0.6, 0.75, 0.9, 0.95
"""Probability from which on a query answers: with a name in the question, without, and without but with words that the
vocabulary does not have."""
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
_NEGATIONS = frozenset(words_in("not never without except excluding besides neither nor"))


async def likely_question(
    database: Database, text: str, collection: str, *, is_sure: bool = False
) -> GraphQuestion | None:
    """Return a question as the named query that it is likely to mean; None where it is likely one to passages.

    With words that may be a name it is one to passages while the index of titles or names is missing or being built.

    Args:
        database: Where the collection is.
        text: The question.
        collection: Whose names it may have.
        is_sure: Whether it must have a name and be very likely.

    Raises:
        DatabaseError: Neo4j failed.
    """
    tokens = tokens_of(text)
    if not 0 < len(tokens) <= MOST_WORDS or not has(tokens, *_CUES):
        return None
    if not _NEGATIONS.isdisjoint(token.key for token in tokens):
        return None
    is_explained = all(token.is_explained for token in tokens)
    try:
        names = [] if is_explained else await names_in(database, text, tokens, collection)
    except IndexUnavailableError:  # it is being built: no name is found until then
        return None
    if is_sure and not names:
        return None
    outside = _outside(tokens, names)
    strange = [token for token in outside if not token.is_explained]
    if len(strange) > MOST_STRANGE or any(token.is_name_like and token is not tokens[0] for token in strange):
        return None  # of unknown things, such as a journal that the collection does not have
    found = likely(_masked(tokens, names))
    least = SURE if is_sure else LEAST_NAMED if names else LEAST_STRANGE if strange else LEAST_BARE
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
    """Return a query with the names and years of a question, None where it does not take these."""
    if "".join(sorted(name.kind[0] for name in names)) not in NAMES[query]:
        return None
    if not names and _points_back(tokens):
        return None
    first, last = years_of(outside)
    has_years = any(token.years for token in outside)
    if has_years and ((first, last) == (None, None) or query not in OF_YEARS):
        return None
    if query == "named_entities" and not (has(tokens, "mentioned", "papers", "list") or names_collection(tokens)):
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
        order=order_of(Outside(outside)) if query == "papers" else "title",
        type=entity_type(entity_words(outside)) if query == "named_entities" else None,
    )


def _points_back(tokens: Sequence[Token]) -> bool:
    """Say whether a pronoun stands for what an earlier question named: nothing before it can be meant."""
    first = next((place for place, token in enumerate(tokens) if token.key in PRONOUNS), len(tokens))
    return first < len(tokens) and not has(tokens[:first], "papers", "authors") and not names_collection(tokens)
