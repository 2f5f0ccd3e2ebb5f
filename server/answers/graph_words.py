"""Words and years of questions about the graph: each known word has one or more senses, all others belong to names."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from papergraph.text.words import words_in

SENSES: Mapping[str, frozenset[str]] = {
    sense: frozenset(words_in(words))
    for sense, words in {
        "who": "who whom whose whos",
        "what": "what which whats wich wat whch",
        "when": "when whens",
        "where": "where wheres",
        "many": "many much number numbers count counts counted total amount quantity size large big long length "
        "extent tally",
        "often": "often times frequently frequency",
        "list": "list lists show give name display enumerate print find search get fetch retrieve return see "
        "provide send output look looking need want view pull bring listing identify determine furnish "
        "supply indicate specify compile obtain locate remind request index register deliver select pick "
        "choose catalogue inventory enumeration wanting listed wish tabulate overviewing rank",
        "papers": "papers articles publications documents studies preprints works titles manuscripts vignettes "
        "reports pdfs files items entries writings everything anything something stuff literature docs "
        "writeups holdings books pubs texts",
        "paper": "paper article publication document study preprint work title manuscript vignette report pdf file "
        "item entry text book chapter doc writeup pub",
        "authors": "author authors writer writers researcher researchers scientist scientists contributor "
        "contributors scholar scholars academic academics authorship creator creators",
        "people": "people person persons team names humans folks individuals anyone anybody somebody someone "
        "everyone everybody",
        "write": "write wrote written writes writing writen authored publish published publishes publishing "
        "coauthored cowrote cowritten contribute contributed contributes contributing contribution "
        "contributions produced penned composed behind responsible created involved done attributed "
        "credited ascribed signed drafted",
        "appear": "publish published publication appear appeared appears appearing came come comes out printed "
        "issued released release posted presented dated",
        "coauthor": "coauthor coauthors cowriter cowriters collaborator collaborators collaborate collaborated "
        "collaborates collaborating collaboration collaborations colleague colleagues partner partners "
        "together joint jointly teamed cooperate cooperated cooperates coauthored cowrote worked "
        "working cooperation",
        "cite": "cite cites cited citing citation citations reference references referenced referencing refer "
        "refers referred referring bibliography bibliographies citedby",
        "venue": "journal journals venue venues conference conferences proceedings magazine magazines periodical "
        "periodicals outlet outlets",
        "collection": "collection collections library libraries repository catalogue catalog holdings here base "
        "knowledge database corpus graph archive store thing system",
        "stored": "stored available indexed ingested uploaded hold holds held have has got contain contains "
        "contained containing include includes included there exist exists inside represented present "
        "comprise comprises comprised",
        "you": "you we your our my i",
        "address": "doi dois url urls link links address identifier arxiv download hyperlink website webpage",
        "read": "read download downloaded find get access obtain located",
        "most": "most top highest largest greatest biggest maximum maximal",
        "prolific": "prolific productive active",
        "newest": "newest latest recent recently new",
        "oldest": "oldest earliest",
        "first": "first last lead senior corresponding",
        "year": "year years date dates annual annually yearly old age time timeline decade decades",
        "per": "per each every distribution breakdown histogram broken split grouped by over annual annually yearly "
        "timeline distributed",
        "overview": "overview summary summarise summarize summarised describe description about cover covers "
        "covered coverage contents content deal deals dealing treat treats treated scope focus gist "
        "outline ",
        "sorts": "kind kinds sort sorts type types",
        "topics": "topic topics subject subjects theme themes",
        "areas": "area areas field fields domain domains discipline disciplines",
        "mentioned": "mentioned named mention",
        "entity": "datasets data sets methods tasks metrics materials entities algorithms tools diseases genes "
        "chemicals organisms software models",
        "all": "all whole entire complete full",
    }.items()
}
"""Words of each sense, in small letters without hyphens."""
FUNCTION = frozenset(
    words_in(
        "gets getting youve weve am kind an the of in on at from to for by with within and or is are was were be "
        "been being do does did done have a has had having can could will would shall may might that this these "
        "those there here any some such if how whether so just only also ever please pls plz kindly me us i you we "
        "our your my mine one ones other others another else et al dr prof professor mr mrs ms sir madam hi hello "
        "hey dear ok okay well now then than as thanks thank tell know knows like wonder wondering curious help "
        "helping interested trying figure remember recall forgot idea possible question quick quickly exactly "
        "actually currently altogether overall into about since after before until till between through up down "
        "later earlier newer older prior onwards onward research scientific academic scholarly different distinct "
        "unique various every each own sorted ordered order chronologically alphabetically brief short briefly "
        "named called titled entitled d im ive id s whats lets let go going check asked asks ask wants wanted "
        "asking supervisor student boss advisor patron patrons more details detail info information record records "
        "exist both main major central te teh hte adn make made it he she they them his her their its him roughly "
        "approximately nearly around precisely highlevel general existing existent present concerning regarding "
        "must cannot cant couldnt dont didnt doesnt isnt arent really again second still yet either good nice great "
        "which today tomorrow urgently asap honest simply certain given morning afternoon evening greetings "
        "sincerely regards best cheers bye sorry excuse pardon enough grateful appreciate appreciated appreciates "
        "obliged trouble bother mind favour favor useful helpful handy preparing prepare group thesis essay "
        "homework assignment seminar meeting lecture project librarian teacher classmate friend manager client "
        "customer visitor able offer offers offered carry carries carrying bear bears bearing stem stems stemming "
        "draws draw drawn relies task query step json csv format expressed terms presently right moment shelf "
        "shelves anywhere somewhere everywhere already previously formerly perhaps maybe possibly apparently seems "
        "seem supposed believe think guess suppose assume sure hope hear heard seen saw across talking speak talk "
        "known particular specific special single sole individual several few lots bunch couple plenty dozens az "
        "alphabetical alphabetic chronological try tried start begin third back soon necessary required needed "
        "require requires needs following above below respectively etc eg ie vs aka re fyi btw sub lol haha um uh "
        "hmm er yeah yes yep nope ya ah oh guys man dude mate bro makes making take takes taking giving put goes "
        "went gone keep under se respective connected belonging belong belongs attached credit credits happen "
        "happens happened far end"
    )
)
"""Words that explain nothing: those of grammar, of politeness, and of what askers say about themselves."""
PRONOUNS = frozenset(words_in("it he she they them his her their its him"))
"""Pronouns for a name in an earlier question; a question with pronouns only is not about the graph."""
_TOKEN = re.compile(r"\w(?:[\w.\-–/:+’'@]*\w)?")
_PART = re.compile(r"[^-]+")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_YEARS = re.compile(rf"({_YEAR.pattern})(?:[-–/]({_YEAR.pattern}))?")
_DECADE = re.compile(r"((?:1[5-9]|20)\d)0['’]?s")
_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True)
class Token:
    """A word of a question.

    Attributes:
        key: In small letters, without accents, hyphens and possessive endings.
        start, end: Its place.
        senses: What it may mean in a question about the graph.
        years: First and last year, where it is one or a range.
        is_name_like: Whether it begins with a capital letter.
    """

    key: str
    start: int
    end: int
    senses: frozenset[str]
    years: tuple[int, int] | None
    is_name_like: bool

    @property
    def is_explained(self) -> bool:
        """True if it is in the vocabulary."""
        return bool(self.senses) or self.key in FUNCTION or self.years is not None


def tokens_of(text: str) -> list[Token]:
    """Return the words of a question in order."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        token = _token(match)
        parts = [_token(part, match.start()) for part in _PART.finditer(match[0])] if "-" in match[0] else []
        is_split = len(parts) > 1 and not token.is_explained and all(part.is_explained for part in parts)
        tokens += parts if is_split else [token]  # "most-cited"
    return tokens


def has(tokens: Iterable[Token], *senses: str) -> bool:
    """Say whether a token has one of these senses."""
    return any(not token.senses.isdisjoint(senses) for token in tokens)


def keys_of(tokens: Iterable[Token]) -> list[str]:
    """Return the keys of tokens."""
    return [token.key for token in tokens]


def _token(match: re.Match[str], offset: int = 0) -> Token:
    text = match[0]
    key = _key(text)
    return Token(key, offset + match.start(), offset + match.end(), _senses(key), _years(text), text[:1].isupper())


def _key(text: str) -> str:
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))
    return re.sub("[-'’]", "", _POSSESSIVE.sub("", plain))


@lru_cache(maxsize=4096)
def _senses(key: str) -> frozenset[str]:
    return frozenset(sense for sense, words in SENSES.items() if key in words)


def _years(text: str) -> tuple[int, int] | None:
    if match := _YEARS.fullmatch(text):
        first, last = int(match[1]), int(match[2] or match[1])
        return min(first, last), max(first, last)
    if match := _DECADE.fullmatch(text):
        return int(match[1]) * 10, int(match[1]) * 10 + 9
    return None


# Years in questions about the graph: single ones, ranges, decades, and words such as "since" beside them


Years = tuple[int | None, int | None]
N_BEFORE, N_AFTER = 4, 2
"""Words before and after a year that may say how it is meant."""


def years_of(tokens: Sequence[Token]) -> Years:
    """Return (first, last) year of a question; (None, None) without years, or with three."""
    places = [place for place, token in enumerate(tokens) if token.years is not None]
    if not places or len(places) > 2:
        return None, None
    found = [years for token in tokens if (years := token.years) is not None]
    if len(places) == 2:
        return min(first for first, _ in found), max(last for _, last in found)
    first, last = found[0]
    keys = [token.key for token in tokens]
    before = keys[max(0, places[0] - N_BEFORE) : places[0]]
    after = keys[places[0] + 1 : places[0] + 1 + N_AFTER]
    return _bounded(first, last, before, after)


def _bounded(first: int, last: int, before: Sequence[str], after: Sequence[str]) -> Years:
    near = set(before)
    if (
        near & {"since"}
        or "onwards" in after
        or "onward" in after
        or list(after) in (["or", "later"], ["and", "later"])
    ):
        return first, None
    if list(after) in (["or", "newer"], ["and", "newer"], ["and", "after"], ["or", "after"]):
        return first, None
    if "after" in near or ("than" in near and near & {"later", "newer"}) or "past" in near:
        return last + 1, None
    if "before" in near or "prior" in near or ("than" in near and near & {"earlier", "older"}):
        return None, first - 1
    if near & {"until", "till", "through"} or before[-2:] == ["up", "to"]:
        return None, last
    if list(after) in (["or", "earlier"], ["and", "earlier"], ["or", "before"], ["or", "older"], ["and", "before"]):
        return None, last
    return first, last
