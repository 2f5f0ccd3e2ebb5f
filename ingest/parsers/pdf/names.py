"""Names of people as papers print them: told from places and institutions by their words."""

import re
import unicodedata
from collections.abc import Iterator

from ingest.parsers.document import LONGEST_NAME

PARTICLES = frozenset(
    "van von der den de del della di da dos du la le el al bin ibn ter ten zu zur af y e do das 't und vom".split()  # noqa: SIM905
)
SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
DEGREE = re.compile(
    r"\b(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|d\.?phil|dipl\.?-?\s?ing|prof|dr|mr|mrs|ms|frs|msc|phd)\b\.?|"
    r"\b(?:senior |student |associate )?(?:member|fellow),?\s+(?:ieee|asme|acm|aiaa|spie|osa|siam)\b|\bIEEE\b",
    re.IGNORECASE,
)
SEPARATOR = re.compile(r"[,;·•|&\x1f†‡§¶∗*★⋆]|\b(?:and|und|et|with)\b|\s{3,}")
LEAD = re.compile(r"(?:by|authors?|written by|edited by|autor(?:es)?|par|por)\b:?\s+", re.IGNORECASE)
GLUED_MARK = re.compile(r"(?<=[^\W\d_])\s?\d{1,2}(?:\s?,\s?\d{1,2}){0,6}(?=[\s,;&]|$)")
"""The number of an affiliation right after a name, not raised."""

MAIL = re.compile(r"[<(\[{]?[^\s<>()]{1,80}@[^\s<>()]{1,80}[>)\]}]?|<[^<>]{0,80}>")
OPTIONS = re.compile(r"\[[^\[\]]{0,40}\]")
PLACE_OR_INSTITUTION = re.compile(
    r"universi|institut|istitut|departe?a?ment|d[ée]partement|\bdept|\blaborator|\blabs?\b|\bcollege|"
    r"\bschool|\bacadem|\bcent(?:er|re|ro)\b|"
    r"\bhospital|\bfacult|fakult|\bresearch\b|\binc\b|\bltd\b|\bllc\b|\bgmbh\b|\bcorp|\bcompany|\bgroup\b|"
    r"\bdivision\b|\bnational\b|"
    r"\bscien[ct]|technolog|technik|politec|polytech|engineering|hochschule|\b[ée]cole\b|\bescola\b|"
    r"\bescuela\b|\bministr|\bfoundation|\bagency|\bbureau|"
    r"\bobservator|\bmuseum|\blibrary\b|\bclinic\b|\bsociety|\bassociation|\bconsortium|\bteam\b|"
    r"\bcouncil|\bcommittee|\bproject\b|"
    r"\bmathemat|\bstatisti|\bphysics|\bbiolog|\bchemi|\bmedicin|\bcomput|\bsoftware|\bsystems\b|"
    r"\bsolutions\b|\bservices\b|"
    r"\babstract|\bpublished|\breceived|\baccepted|\brevised|\bcorrespond|\bauthors?\b|\be-?mail|"
    r"\bcopyright|\blicen[cs]e|\bjournal|"
    r"\bproceedings|\bconference|\bvolume|\beditor|\barticle|\bversion|\barxiv|\bdoi\b|\bkeywords?|"
    r"\bindex terms|\bcontents\b|"
    r"\bjanuary|\bfebruary|\bmarch\b|\bapril\b|\bmay \d|\bjune\b|\bjuly\b|\baugust\b|\bseptember|"
    r"\boctober|\bnovember|\bdecember|"
    r"\bstreet\b|\bavenue\b|\broad\b|\bbox\b|\bstra(?:ß|ss)e|\brue\b|\bunited\b|\bchina\b|\busa\b|"
    r"\bu\.s\.a|\bgermany\b|\bfrance\b|"
    r"\bcanada\b|\bitaly\b|\bkingdom\b|\bamerica\b|\bjapan\b|\bindia\b|\bspain\b|\baustria\b|"
    r"\baustralia\b|\bswitzerland\b|\bbrazil\b|"
    r"\bnetherlands\b|\bsweden\b|\bdenmark\b|\bnorway\b|\bbelgium\b|\bpoland\b|\bkorea\b|\biceland\b|"
    r"\btaiwan\b|\bnew york\b|"
    r"\bopen access|\breviewed|\bassociates|\bthis\b|\busing\b|\bfor\b|\bpackage\b|\bvignette|\bmanual\b|"
    r"\bguide\b|\bintroduction\b",
    re.IGNORECASE,
)
"""Words of affiliations, addresses, dates and mastheads, in no name of a person."""

LONG_NUMBER = re.compile(r"\d{3}|\b[A-Z]{1,2}\d|\d[A-Z]")
MOST_WORDS = 6


def names_in(text: str) -> Iterator[str]:
    """Yield the names at the beginning of a line of authors, up to what is no name.

    Args:
        text: The line; raised marks are replaced by U+001F.
    """
    bare = OPTIONS.sub(" ", DEGREE.sub(" ", MAIL.sub(",", text)))
    bare = bare.strip()
    lead = LEAD.match(bare)
    bare = GLUED_MARK.sub(",", bare[lead.end() :] if lead else bare)
    capitals: bool | None = None
    last = ""
    for part in SEPARATOR.split(bare):
        words = part.strip(" .,:;()\ufffd").split()
        if not words or not any(character.isalpha() for character in part):
            continue
        piece = " ".join(words)
        if last and SUFFIX.fullmatch(piece):
            last = f"{last} {piece}"
            continue
        if not is_name(part.strip(" ,:;()\ufffd").split()) or (capitals and not piece.isupper()):
            if len(words) == 1 and len(piece) < 4:
                continue
            break
        if last:
            yield in_mixed_case(last)
        capitals = piece.isupper() if capitals is None else capitals
        last = piece
    if last:
        yield in_mixed_case(last)


def is_name(words: list[str]) -> bool:
    """Say whether words are the name of a person: two to six, each an initial, a capitalised word or a particle."""
    text = " ".join(words)
    if not 2 <= len(words) <= MOST_WORDS or len(text) > LONGEST_NAME or PLACE_OR_INSTITUTION.search(text):
        return False
    n_long = 0
    for word in words:
        if word.casefold() in PARTICLES:
            continue
        letters = word.replace("-", "").replace("’", "").replace("'", "").replace(".", "").replace("‐", "")
        letters = unicodedata.normalize("NFC", letters)
        if not letters.isalpha() or not word[0].isupper():
            return False
        n_long += len(letters) > 1
    return n_long > 0 and words[-1].casefold() not in PARTICLES


def in_mixed_case(name: str) -> str:
    """Return a name that is printed in capitals as it is written elsewhere."""
    words = name.split()
    if not name.isupper() or all(len(word) < 4 for word in words):
        return name
    return " ".join(word if "." in word else _capitalised(word) for word in words)


def _capitalised(word: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), word)
