"""Names of papers and authors anywhere in a question: found by its words in the indexes of titles and names.

The router looks for names between the words that it knows. Here nothing is known of the other words: whatever stands
in a title of the collection, or is a last name of an author, is a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import cypher
from ingest.sources import format_of
from papergraph.database import Database
from schema.ids import collection_term
from server.answers.graph_names import (
    LEAST_MISSPELT,
    N_NAMES,
    N_TITLES,
    content_of,
    is_last_name,
    is_name_of,
)
from server.answers.graph_words import FUNCTION, Token, has
from server.retrieval.entity_linking import folded_words

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
    """Return where words of a title stand together, with nothing but words without content between them."""
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
