"""What a question about the graph asks for: the senses of its words, and which of its names stand where, decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from server.answers.graph_words import FUNCTION, Token, has, keys_of

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
MOST_BARE = 3
"""Words of a fragment such as "all authors", which needs no verb."""
_AMBIGUOUS = frozenset({"corpus", "graph", "archive", "store", "database", "repository", "knowledge"})
"""Words for the collection that papers use for their own things, unless "this" or "your" stands before them."""
_OF_A_TOOL = frozenset({"website", "websites", "webpage", "download", "homepage"})
"""Addresses that what a paper is about has, rather than the paper: "Which website offers VESPA?" goes to passages."""
_OWN = frozenset({"whole", "entire", "this", "your", "our", "my", "these"})
_HOLD = frozenset({"have", "know", "hold", "got", "store", "stored"})
_DEFINITE = frozenset({"the", "this", "that"})
_NOT_BEFORE_AUTHORS = frozenset(
    {"on", "about", "in", "at", "to", "regarding", "into", "like", "than", "for", "was", "were", "is", "are"}
)
_DANGLING = frozenset({"a", "an", "the", "and", "or", "between", "within"})
_COMMON = frozenset({"who", "what", "list", "papers", "paper", "collection", "stored", "you", "all"})
_ON_PAPERS = _COMMON | {"write", "appear", "authors", "people", "year"}
FITTING: Mapping[QueryName, frozenset[str]] = {
    "papers": _ON_PAPERS | {"newest", "oldest", "first", "venue", "where", "coauthor", "most", "per", "overview"},
    "count_papers": _ON_PAPERS | {"many", "venue", "coauthor"},
    "papers_per_year": _ON_PAPERS | {"many", "per", "when"},
    "authors_of_paper": _COMMON | {"write", "appear", "authors", "people", "coauthor", "first", "many"},
    "year_of_paper": _COMMON | {"write", "appear", "when", "year", "newest"},
    "venue_of_paper": _COMMON | {"write", "appear", "where", "venue"},
    "address_of_paper": _COMMON | {"address", "read", "where"},
    "cited_works": _COMMON | {"cite", "authors"},
    "count_cited_works": _COMMON | {"cite", "many"},
    "citing_papers": _COMMON | {"cite", "authors", "people", "many", "often"},
    "most_cited": _COMMON | {"cite", "most", "often", "many", "write", "appear"},
    "coauthors": _COMMON | {"write", "appear", "authors", "people", "coauthor", "many", "most", "often"},
    "authors": _COMMON | {"write", "appear", "authors", "people", "many", "most", "often", "prolific"},
    "venues": _COMMON | {"newest", "venue", "where", "write", "appear", "many", "most", "often"},
    "named_entities": _COMMON | {"entity", "mentioned", "most", "often"},
    "overview": _COMMON | {"overview", "topics", "areas", "sorts", "people", "mentioned"},
}
"""Senses that the words of a question may have beside its names; another sense makes it a question to passages."""


def fits(query: QueryName, outside: "Outside") -> bool:
    """Say whether no word of a question is about something else than a query."""
    fitting = FITTING[query]
    return all(not token.senses or token.key in FUNCTION or token.senses & fitting for token in outside.all)


@dataclass(frozen=True)
class Outside:
    """The words of a question that belong to no name.

    Attributes:
        before: Those before its name, or all where it has none.
        after: Those after it.
    """

    before: Sequence[Token]
    after: Sequence[Token] = ()

    @property
    def all(self) -> list[Token]:
        """All of them in order."""
        return [*self.before, *self.after]

    def has(self, *senses: str) -> bool:
        """Say whether a word has one of these senses."""
        return has(self.all, *senses)

    def says(self, *keys: str) -> bool:
        """Say whether one of these words is among them."""
        return not set(keys).isdisjoint(keys_of(self.all))

    @property
    def last_before(self) -> str:
        """The word before the name, without articles; empty where there is none."""
        keys = [key for key in keys_of(self.before) if key not in ("the", "a", "an", "dr", "prof", "professor")]
        return keys[-1] if keys else ""


def is_askable(outside: Outside, *, ends_with_name: bool = False) -> bool:
    """Say whether words can make a question about the graph: "how" asks for a number there, and nothing dangles."""
    keys = keys_of(outside.all)
    for place, key in enumerate(keys):
        following = keys[place + 1] if place + 1 < len(keys) else ""
        if key == "how" and following not in (
            "many",
            "much",
            "often",
            "old",
            "big",
            "large",
            "long",
            "frequently",
            "recent",
            "new",
        ):
            return False
    return ends_with_name or not keys or keys[-1] not in _DANGLING


def of_paper(outside: Outside) -> QueryName | None:
    """Return what is asked of a paper that is named."""
    if outside.has("cite"):
        return _cites(outside)
    if _OF_A_TOOL.intersection(keys_of(outside.all)) and not outside.has("paper"):
        return None
    if outside.has("address") or (outside.has("where") and outside.has("read")):
        return "address_of_paper"
    is_old = outside.says("old", "age") or outside.has("when") or (outside.says("how") and outside.has("newest"))
    if is_old or (outside.has("year") and not outside.has("per", "many")):
        return "year_of_paper"
    if outside.has("venue") or (outside.has("where") and outside.has("write", "appear")):
        return "venue_of_paper"
    is_people = outside.has("people") and outside.has("what", "list", "many")
    is_made = outside.has("write", "coauthor", "paper") or outside.says("done", "by")
    is_by_whom = (outside.has("who", "coauthor") or is_people) and is_made
    return "authors_of_paper" if outside.has("authors") or is_by_whom else None


def _cites(outside: Outside) -> QueryName | None:
    """Return which way citations of a paper go: the works that it cites, or the papers that cite it."""
    outgoing: QueryName = "count_cited_works" if outside.has("many") and not outside.has("often") else "cited_works"
    is_before = has(outside.before, "cite")
    side = outside.before if is_before else outside.after
    place = next(place for place, token in enumerate(side) if "cite" in token.senses)
    keys = keys_of(side)
    verb, following = keys[place], "".join(keys[place + 1 : place + 2])
    is_said_by = place > 0 and (keys[place - 1] in ("that", "who", "to") or has(side[place - 1 : place], "papers"))
    is_list = verb in ("references", "bibliography", "bibliographies") or (verb == "reference" and outside.has("list"))
    if is_list and not (verb == "references" and is_before and is_said_by and following not in ("of", "in")):
        return outgoing
    if verb == "reference" and is_before and not is_said_by:
        return None  # "the reference class"
    if verb == "citation" and is_before and not following and not outside.has("many"):
        return None  # "citation style in ..."
    if verb in ("citation", "citations"):
        return outgoing if following in ("in", "from") else "citing_papers"
    if verb == "cited" and is_before and following in ("for", "as"):
        return None  # "Who is cited for ...?"
    if verb in ("cited", "referenced", "referred"):
        return _passive(outside, keys[:place], following, outgoing, is_before=is_before)
    return "citing_papers" if is_before else outgoing


def _passive(
    outside: Outside, earlier: Sequence[str], following: str, outgoing: QueryName, *, is_before: bool
) -> QueryName:
    """Return what "cited" asks for: "works cited by P" and "works that P cited", or "P is cited" and "who cited P"."""
    if is_before:
        is_of_works = earlier[-1:] == ["works"] and following == ""
        return outgoing if following in ("by", "in", "from") or is_of_works else "citing_papers"
    is_passive = {"is", "are", "was", "were", "been", "being"} & {*keys_of(outside.before), *earlier}
    return "citing_papers" if outside.has("often") or is_passive else outgoing


def of_author(outside: Outside, *, n_authors: int = 1) -> QueryName | None:
    """Return what is asked of an author who is named."""
    if outside.has("cite"):
        return "most_cited" if outside.has("most") and outside.has("paper", "papers") else None
    if outside.has("overview") and not outside.has("write"):
        return None
    is_with = outside.last_before == "with" or outside.says("with")
    if n_authors > 1:
        of_both: QueryName = "count_papers" if outside.has("many") else "papers"
        return of_both if outside.has("papers", "paper", "write", "coauthor") else None
    if has([token for token in outside.all if "write" not in token.senses], "coauthor") or (
        is_with and outside.has("who", "write", "papers", "people", "authors")
    ):
        return "coauthors"
    is_of_them = outside.has("authors") or has(outside.after[:1], "papers")  # "are Zeileis's papers"
    if outside.last_before in _NOT_BEFORE_AUTHORS - ({"is", "was", "are", "were"} if is_of_them else set()):
        return None
    if outside.has("venue") or (outside.has("where") and outside.has("write", "appear")):
        return "venues"
    if (outside.has("year") and outside.has("per", "many", "what")) or (outside.has("when") and outside.has("write")):
        return "papers_per_year"
    if outside.has("many") and outside.has("papers", "paper", "write"):
        return "count_papers"
    is_asked = outside.has("papers", "paper", "write", "list", "authors") or outside.last_before == "by"
    is_asked = is_asked or (outside.all != [] and all(token.years for token in outside.all))  # "Hothorn 2006"
    return "papers" if is_asked and (outside.has("authors") or not outside.has("where")) else None


def of_venue(outside: Outside) -> QueryName | None:
    """Return what is asked of a venue that is named."""
    is_in = outside.last_before in ("in", "from", "at", "journal", "conference", "proceedings")
    is_asked = (is_in or has(outside.after, "venue")) and outside.has("papers", "paper", "write", "appear")
    if not is_asked or outside.has("who", "when", "cite", "authors"):
        return None
    return "count_papers" if outside.has("many") else "papers"


def of_collection(outside: Outside, *, has_years: bool) -> QueryName | None:
    """Return what is asked of the whole collection, where no name is left."""
    tokens = outside.all
    is_bare = len([token for token in tokens if token.key not in FUNCTION]) <= MOST_BARE
    is_there = names_collection(tokens)
    is_asking = outside.has("what", "list", "many", "all", "who") or is_there or is_bare
    is_extreme = order_of(outside) != "title" or ("first" in keys_of(tokens) and outside.has("paper", "papers"))
    if _is_one_paper(tokens) and not is_extreme and not outside.has("most"):
        return None
    if outside.has("cite"):
        is_most = outside.has("most") or outside.has("often")
        return "most_cited" if is_most and (outside.has("papers", "paper", "what") or is_there or is_bare) else None
    if is_extreme and outside.has("paper", "papers", "appear") and not outside.has("authors", "venue"):
        return "papers"
    if (people := _of_people(outside, is_asking=is_asking, is_there=is_there)) is not None:
        return people or None
    if outside.has("venue") or (outside.has("where") and outside.has("papers") and outside.has("write", "appear")):
        return "venues" if is_asking or outside.has("where") else None
    if (years := _of_years(outside, has_years=has_years, is_there=is_there)) is not None:
        return years
    return _of_contents(outside, is_asking=is_asking, is_there=is_there, is_bare=is_bare)


def _of_people(outside: Outside, *, is_asking: bool, is_there: bool) -> QueryName | Literal[""] | None:
    """Return what is asked of authors; empty where it is nothing that a query answers, None for other questions."""
    is_of_papers = outside.has("papers") and (outside.says("whose", "by") or outside.has("most"))
    is_who = outside.has("who") and (outside.has("write") or is_of_papers)
    is_people = outside.has("people") and (outside.has("write") or is_there) and not outside.has("paper")
    if not (outside.has("authors") or is_who or is_people or (outside.has("who") and outside.has("prolific"))):
        return None
    of_papers = _asks_for_papers(outside.all) and not outside.says("whose")
    return "" if of_papers or outside.has("coauthor") or not is_asking else "authors"


def _of_years(outside: Outside, *, has_years: bool, is_there: bool) -> QueryName | None:
    of_papers = outside.has("papers", "appear") or is_there
    is_spread = outside.has("per") or (outside.has("year") and outside.has("many", "what", "all"))
    if outside.has("year") and is_spread and of_papers and not has_years:
        return "papers_per_year"
    if outside.has("when") and outside.has("papers") and outside.has("write", "appear"):
        return "papers_per_year"
    if not has_years or not (of_papers or outside.has("paper")):
        return None
    if outside.has("year") and outside.has("per"):
        return "papers_per_year"
    return "count_papers" if outside.has("many") else "papers"


def _of_contents(outside: Outside, *, is_asking: bool, is_there: bool, is_bare: bool) -> QueryName | None:
    is_titled = outside.has("topics") and (is_there or outside.has("what", "list") or is_bare)
    is_told = outside.has("overview", "areas", "topics", "sorts") and (
        is_there or (outside.has("papers") and outside.has("what", "list"))
    )
    if outside.has("entity") and (outside.has("list", "mentioned") or is_there) and not outside.has("papers", "many"):
        return "named_entities"
    if (is_titled or is_told) and not outside.has("many"):
        return "overview"
    if outside.has("many") and (outside.has("papers", "paper") or (is_there and not outside.has("topics", "entity"))):
        return "count_papers" if not outside.has("per", "often") else None
    is_every = outside.has("paper") and outside.has("list") and outside.says("every", "each")
    if (is_every or outside.has("papers")) and is_asking and not outside.has("entity", "often"):
        return "papers"
    is_open = (
        is_there and outside.has("what") and not outside.has("paper", "entity", "most", "year", "people", "mentioned")
    )
    return "overview" if is_open else None


def order_of(outside: Outside) -> Order:
    """Return the order that the words ask for."""
    if outside.has("newest"):
        return "newest"
    is_first = outside.says("first") and not outside.has("authors") and outside.has("paper", "papers")
    is_oldest = outside.has("oldest") or (outside.says("old") and outside.has("most"))
    return "oldest" if is_oldest or is_first else "title"


def names_collection(tokens: Sequence[Token]) -> bool:
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


def _is_one_paper(tokens: Sequence[Token]) -> bool:
    """Say whether words mean one certain paper that they do not name: "the paper", "this study"."""
    keys = keys_of(tokens)
    return any(
        "paper" in token.senses
        and place
        and keys[place - 1] in _DEFINITE
        and not has(tokens[place + 1 :], "collection")
        for place, token in enumerate(tokens)
    )


def _asks_for_papers(tokens: Sequence[Token]) -> bool:
    """Say whether "which papers" opens the question, so that a word for persons only says which."""
    keys = keys_of(tokens)
    return any(
        key in ("what", "which") and has(tokens[place + 1 : place + 2], "papers") for place, key in enumerate(keys)
    )
