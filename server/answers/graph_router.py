"""Questions that the graph answers: recognised by a small vocabulary and the names of the store, without a model.

The words of a question without a sense in the vocabulary must be names of papers, authors or venues of the collection.
The senses of the others decide what is asked for (docs/decisions/0140-recognition-by-words.md). A question with other
words is given to the classifier. Everything else is a question to passages.
"""

import re
from collections.abc import Iterator, Sequence

from papergraph.database import Database
from papergraph.text.words import words_in
from server.answers import graph_intents as intents
from server.answers.graph_classifier import NO_QUERY, Word, likely
from server.answers.graph_intents import Outside, fits, is_askable, order_of
from server.answers.graph_likely import likely_question
from server.answers.graph_question import GraphQuestion, entity_type, entity_words, resolve
from server.answers.graph_words import FUNCTION, MOST_TOKENS, PRONOUNS, Token, corrected, has, tokens_of
from server.answers.graph_years import years_of

Span = tuple[int, int]
MOST_OF_AUTHOR = 5
"""Words of an author's name."""
_PARTICLES = frozenset(words_in("de von van der den la le di da bin al el"))
MOST_CUTS = 3
_OPENING = ("who", "what", "when", "where", "list", "papers", "paper", "many", "authors", "people", "most", "coauthor")
"""Senses of words that open a question, so that their capital tells nothing."""
_VERBS = ("write", "appear", "paper", "papers", "cite", "authors", "coauthor")
_SPLIT = frozenset(words_in("and with in from by or of on"))
_QUOTED = re.compile(r"[\"“«‘]([^\"“”«»‘’]{2,300})[\"”»’]|(?<!\w)'([^']{2,300})'(?!\w)")
_HOW_TO = re.compile(
    r"\bhow (?:can|do|could|would|might|to)(?: (?:i|we|one))? (?=find|get|see|read|download)", re.IGNORECASE
)
_UNKNOWN = re.compile(
    r"\bi (?:have no (?:idea|clue)|(?:don['’]?t|do not|can['’]?t|cannot) (?:know|remember|recall|find(?: out)?))\b",
    re.IGNORECASE,
)
_SELF_BEFORE = re.compile(
    r"(?P<self>(?=(?:[\w'’]+[\s,:;.!-]+){0,9}?(?:i|i['’]\w+|me|my|we|us|our|you)\b)(?:[\w'’]+[\s,:;.!-]+){1,12}?)"
    r"(?=(?:who|whom|whose|what|which|when|where|how)\b)",
    re.IGNORECASE,
)
"""Words with a first or second person before the question itself: "For my thesis I need to know"."""
_SELF_AFTER = re.compile(
    r"(?:[,;.?!]|\s[-–])\s*(?:(?:for|because|since|as|so that|so|to|and) )?"
    r"(?:i|i['’]\w+|my|we|thanks|thank you|cheers|please)\b[^,;?]{0,80}\Z",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<!\A)(?<![.!?] )\b[A-Z]\w+")
_JOINED = re.compile(r"\b[a-z]{3,}(?:_[a-z]{2,})+(?![\w.])")
_SENTENCE_END = re.compile(r"(?<=[.?!:;])\s+")
MOST_SENTENCES, MOST_ASIDE = 4, 2
_SIGNS = {">=": " since ", "<=": " until ", "==": " ", "=": " ", ">": " after ", "<": " before "}


async def route(database: Database, question: str, collection: str) -> GraphQuestion | None:
    """Return a question as a named query, None where it is one to passages.

    Where the classifier is sure, its query is taken. Otherwise the vocabulary decides, for the question as it is
    written and with its misspelt words put right, and then what the classifier holds for likely. A question without a
    name must be likely in any case.

    Raises:
        DatabaseError: Neo4j failed.
    """
    text = _core(" ".join(question.split()))
    if (found := await likely_question(database, text, collection, is_sure=True)) is not None:
        return found
    for one in dict.fromkeys((text, corrected(text), _SELF_AFTER.sub("", text), *_main_sentences(text))):
        tokens = tokens_of(one)
        if not tokens or len(tokens) > MOST_TOKENS:
            continue
        is_likely = likely([Word.of(token) for token in tokens]).query != NO_QUERY
        for asked in _readings(one, tokens):
            if not is_likely and not (asked.author or asked.paper or asked.venue):
                continue
            if (found := await resolve(database, asked, collection)) is not None:
                return found
    for one in dict.fromkeys((text, corrected(text))):
        if (found := await likely_question(database, one, collection)) is not None:
            return found
    return None


def _main_sentences(text: str) -> Iterator[str]:
    """Yield each of several sentences beside which the others say nothing, as "Thanks!" and "Task:" do."""
    sentences = [one for one in _SENTENCE_END.split(text) if one.strip()]
    if not 1 < len(sentences) <= MOST_SENTENCES:
        return
    for place, one in enumerate(sentences):
        others = [tokens_of(other) for number, other in enumerate(sentences) if number != place]
        if all(len(other) <= MOST_ASIDE or all(token.is_explained for token in other) for other in others):
            yield _core(one)


def _core(text: str) -> str:
    """Return a question without what its asker says of themselves before it, and without underscores."""
    text = _HOW_TO.sub("", _UNKNOWN.sub("", text))
    text = re.sub("[<>=]=?", lambda match: _SIGNS[match[0]], text)
    text = _JOINED.sub(lambda match: match[0].replace("_", " "), text)
    if (match := _SELF_BEFORE.match(text)) is not None and not _CAPITAL.search(match["self"]):
        text = text[match.end("self") :]
    return text


def _readings(text: str, tokens: Sequence[Token]) -> Iterator[GraphQuestion]:
    """Yield what a question may mean, the likeliest first; the names must still be found."""
    for spans in _name_spans(text, tokens):
        if len(spans) == 0:
            yield from _without_name(tokens)
        elif len(spans) == 1:
            yield from _with_name(text, tokens, spans[0])
        else:
            yield from _with_names(text, tokens, spans[0], spans[1])


def _name_spans(text: str, tokens: Sequence[Token]) -> Iterator[tuple[Span, ...]]:
    """Yield where the names of a question may be: none, one, or two."""
    if (match := _QUOTED.search(text)) is not None:
        within = [
            place for place, token in enumerate(tokens) if match.start() <= token.start and token.end <= match.end()
        ]
        rest = [token for place, token in enumerate(tokens) if place not in within]
        if within and all(token.is_explained for token in rest):
            yield ((within[0], within[-1] + 1),)
            return
    unknown = [place for place, token in enumerate(tokens) if not token.is_explained]
    if not unknown:
        yield ()
        return
    first, last = unknown[0], unknown[-1] + 1
    wide, begun = _widened(tokens, first, last), _begun_before(tokens, first)
    for span in dict.fromkeys((wide, (begun, last), (wide[0], len(tokens)), (first, len(tokens)), (first, last))):
        yield (span,)
    yield from _pairs(tokens, first, last)


def _widened(tokens: Sequence[Token], first: int, last: int) -> Span:
    """Return a span with the capitalised words beside it: a title may have words of the vocabulary."""
    while first > 0:
        step = 1 if tokens[first - 1].is_name_like else 2  # "Description of"
        beside = tokens[max(0, first - step) : first]
        if first < step or not beside[0].is_name_like or beside[0].years or (step > 1 and beside[-1].senses):
            break
        if first == step and (not beside[0].senses or has(beside[:1], *_OPENING)):
            break
        first -= step
    while last < len(tokens):
        step = 1 if tokens[last].is_name_like else 2  # "from Research Papers"
        beside = tokens[last : last + step]
        if len(beside) < step or not beside[-1].is_name_like or (step > 1 and beside[0].senses):
            break
        last += step
    return first, last


def _begun_before(tokens: Sequence[Token], first: int) -> int:
    """Return where a name begins whose first words also are words for a collection, as in "on knowledge graphs"."""
    while first > 0 and tokens[first - 1].senses and tokens[first - 1].senses <= {"collection", "entity"}:
        first -= 1
    return first


def _pairs(tokens: Sequence[Token], first: int, last: int) -> Iterator[tuple[Span, Span]]:
    """Yield two names for each word that may stand between them, the first three."""
    unknown = [place for place in range(first, last) if not tokens[place].is_explained]
    cuts = [place for place in range(first, last) if tokens[place].key in _SPLIT or has([tokens[place]], *_VERBS)]
    for cut in cuts[:MOST_CUTS]:
        left, right = [place for place in unknown if place < cut], [place for place in unknown if place > cut]
        if left and right:
            yield (left[0], left[-1] + 1), (right[0], right[-1] + 1)


def _without_name(tokens: Sequence[Token]) -> Iterator[GraphQuestion]:
    outside = Outside(tokens)
    first, last = years_of(tokens)
    has_years = any(token.years for token in tokens)
    if any(token.key in PRONOUNS for token in tokens) and not intents.names_collection(tokens):
        return
    if not is_askable(outside) or (has_years and (first, last) == (None, None)):
        return
    if (name := intents.of_collection(outside, has_years=has_years)) is not None and fits(name, outside):
        order = order_of(outside) if name == "papers" else "title"
        kind = entity_type(entity_words(tokens)) if name == "named_entities" else None
        yield GraphQuestion(name, first_year=first, last_year=last, order=order, type=kind)


def _with_name(text: str, tokens: Sequence[Token], span: Span) -> Iterator[GraphQuestion]:
    outside = Outside(tokens[: span[0]], tokens[span[1] :])
    first, last = years_of(outside.all)
    has_years = any(token.years for token in outside.all)
    if not is_askable(outside, ends_with_name=not outside.after) or (has_years and (first, last) == (None, None)):
        return
    if not all(token.is_explained for token in outside.all):
        return
    name = text[tokens[span[0]].start : tokens[span[1] - 1].end]
    if (
        _may_be_author(tokens[span[0] : span[1]])
        and (query := intents.of_author(outside)) is not None
        and fits(query, outside)
    ):
        order = order_of(outside) if query == "papers" else "title"
        yield GraphQuestion(query, author=name, first_year=first, last_year=last, order=order)
    if not has_years and (query := intents.of_paper(outside)) is not None and fits(query, outside):
        yield GraphQuestion(query, paper=name)
    if (query := intents.of_venue(outside)) is not None and fits(query, outside):
        yield GraphQuestion(query, venue=name.lower(), first_year=first, last_year=last, order=order_of(outside))


def _with_names(text: str, tokens: Sequence[Token], one: Span, two: Span) -> Iterator[GraphQuestion]:
    outside = Outside(tokens[: one[0]], [*tokens[one[1] : two[0]], *tokens[two[1] :]])
    of_second = Outside([*tokens[: one[0]], *tokens[one[1] : two[0]]], tokens[two[1] :])
    if not is_askable(outside, ends_with_name=True):
        return
    first, last = years_of(outside.all)
    names = [text[tokens[start].start : tokens[end - 1].end] for start, end in (one, two)]
    is_author = [_may_be_author(tokens[start:end]) for start, end in (one, two)]
    is_both = not {"and", "with"}.isdisjoint(token.key for token in tokens[one[1] : two[0]])
    if all(is_author) and is_both and (query := intents.of_author(outside, n_authors=2)) is not None:
        yield GraphQuestion(query, author=names[0], coauthor=names[1], first_year=first, last_year=last)
    if is_author[0] and (query := intents.of_venue(of_second)) is not None:
        yield GraphQuestion(query, author=names[0], venue=names[1].lower(), first_year=first, last_year=last)
    if is_author[0] and (query := intents.of_paper(of_second)) is not None:
        yield GraphQuestion(query, author=names[0], paper=names[1])
    if is_author[1] and (query := intents.of_paper(outside)) is not None:
        yield GraphQuestion(query, author=names[1], paper=names[0])


def _may_be_author(tokens: Sequence[Token]) -> bool:
    plain = [token for token in tokens if token.key not in _PARTICLES]
    return len(tokens) <= MOST_OF_AUTHOR and all(
        (token.key not in FUNCTION or (len(token.key) == 1 and token.is_name_like))
        and (not token.senses or token.is_name_like)
        and not any(map(str.isdigit, token.key))
        for token in plain
    )
