"""Venues and affiliations: their names and identities.

An identity is a function of the paper's own sources, like that of an author: the id in a record, otherwise the
normalised name. So it is independent of the order in which papers arrive.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from papergraph.schema.ids import collection_term, sha256, title_letters

Row = dict[str, Any]
LONGEST_NAME, MOST_AFFILIATIONS = 200, 100
VENUE, AFFILIATION = "Venue", "Affiliation"

_LOCATOR = re.compile(
    r"(?:[\s,;:(\[]+|(?<=\.))(?:(?:vol(?:ume)?|no|number|issue|pp?|pages?|art(?:icle)?|ser(?:ies)?|bd|band|heft)\b\.?\s*)?[(\[]?[A-Z]?\d.*",
    re.IGNORECASE | re.DOTALL,
)
_YEAR_INSIDE = re.compile(r"(?<![\w.])(?:1[6-9]|20)\d\d(?=\s+[^\W\d])|\b\d{1,3}(?:st|nd|rd|th)\b", re.IGNORECASE)
_LAST_WORDS = re.compile(r"(?:[\s,;:(]+(?:of|the|on|in|and|at|vol|no|pp|volume|issue|pages?))+\.?$", re.IGNORECASE)
_FIRST_WORDS = re.compile(r"^(?:to appear in|in press|accepted (?:by|at|in)|published in|in)[:\s]+", re.IGNORECASE)

_UNIVERSITY = re.compile(
    r"\buniv(?:\.|ersi\w*)|\buniwersytet|\byliopisto|\b(?:hoch|fachhoch|grande )schule\b|\bpolit[eé]cni\w+|"
    r"\bpolytechni\w+|\binstitute of technology|(?-i:\b(?:ETH|EPFL|CNRS|INRIA|MIT)\b)|大学",
    re.IGNORECASE,
)
_INSTITUTION = re.compile(
    r"\binstitut\w*|\bcolleges?\b|\bacadem\w+|\blaborator\w+|\blabs?\b|\bhospitals?\b|\bcent(?:re|er)s?\b|\bcouncil\b|"
    r"\bagency\b|\bministry\b|\bfoundation\b|\binc\b|\bltd\b|\bgmbh\b|\bcorporation\b|\bcorp\b|\bcompany\b|\bschool\b|"
    r"\bobservato\w+|\bmuseum\b|\bsociety\b|\bbureau\b|\bsurvey\b|\bresearch\b|\bécole\b|\bzentrum\b|\bclinic\w*|"
    r"\bconsort\w+|\bassociation\b|\borganization\b|\borganisation\b|研究所|学院",
    re.IGNORECASE,
)
_DEPARTMENT = re.compile(
    r"^(?:department|dept\b\.?|division|faculty|school|section|chair|unit|group|programme?|graduate school|"
    r"fakultät|abteilung|lehrstuhl|dipartimento|département|departamento)\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"^(?:[\d\s,∗*†‡§¶‖#()\[\].:]+|[a-z](?=\s?[A-Z]))+")
_OF_PLACE = re.compile(r"^.*?\b(?=universi\w+ (?:of|de|di|do|da|at|zu|für|degli)\b)", re.IGNORECASE)
_NO_INSTITUTION = re.compile(r"[@\\{}<>|=]|https?:|www\.|\b(?:1[6-9]|20)\d\d\b|^(?:fig(?:ure)?|table)\b", re.IGNORECASE)
MOST_WORDS_OF_BARE_NAME = 4


def venue_name(journal_ref: str) -> str:
    """Return the venue that a journal reference names, without volume, number, pages and year; '' for none.

    ``Phys. Rev. D 76, 013009 (2007)`` gives ``Phys. Rev. D``; years and ordinals between words are left out, so that
    all years of a conference are one venue.
    """
    text = _YEAR_INSIDE.sub("", _FIRST_WORDS.sub("", " ".join(journal_ref.split())))
    name = _LOCATOR.sub("", " ".join(text.split()), count=1)
    while (shorter := _LAST_WORDS.sub("", name)) != name:
        name = shorter
    name = name.strip(" .,;:()[]-–").replace(" ,", ",")
    return name[:LONGEST_NAME] if len(title_letters(name)) > 1 and any(map(str.isalpha, name)) else ""


def institution_name(affiliation: str) -> str:
    """Return the institution that a printed affiliation names, without department and address; '' for none.

    Of its parts between commas the first with a word for a university counts, otherwise the first with another word
    for an institution. Without such a word a short name alone is one, such as ``DESY``.
    """
    text = " ".join(unicodedata.normalize("NFKC", affiliation).split())
    parts = [_MARK.sub("", part.strip()).strip(" .;") for part in re.split(r"[,;]|\s[–-]\s", text)]
    parts = [part for part in parts if part and not _NO_INSTITUTION.search(part)]
    for words in (_UNIVERSITY, _INSTITUTION):
        for part in parts:
            if words.search(part) and not (_DEPARTMENT.match(part) and not _UNIVERSITY.search(part)):
                return _without_department(part)[:LONGEST_NAME]
    if len(parts) == 1 and parts[0] == text and len(text.split()) <= MOST_WORDS_OF_BARE_NAME and text[:1].isupper():
        return text[:LONGEST_NAME] if sum(map(str.isalpha, text)) > 2 else ""
    return ""


def _without_department(part: str) -> str:
    return _OF_PLACE.sub("", part) if _DEPARTMENT.match(part) else part


def name_key(name: str) -> str:
    """Return the key that all spellings of a venue or institution share: small letters and digits, no accents."""
    words = re.sub(r"^the\s+", "", name.lower()).replace("&", " and ")
    words = re.sub(r"\buniv\b\.?", "university", words)
    words = re.sub(r"^proc(?:eedings|\.)?(?: of(?: the)?)?\s+", "proceedings ", words)
    return title_letters(words)


def venue_row(collection: str, journal_ref: str | None, ids: Sequence[str] = ()) -> Row | None:
    """Return the venue of a paper as a row of :func:`_row`, or None."""
    name = venue_name(journal_ref or "")
    return _row(VENUE, collection, name, min(ids, default=None), 0) if name else None


def affiliation_rows(collection: str, affiliations: Iterable[str], ids: Iterable[str] = ()) -> list[Row]:
    """Return the institutions of a paper's authors, each once, in the order in which the paper names them.

    Args:
        collection: Where the paper stands.
        affiliations: As printed.
        ids: Ids with the names that they belong to, such as ``ror:05f950310 KU Leuven``.
    """
    stated = [one.partition(" ") for one in ids]
    known = {name_key(institution_name(name) or name): id for id, _, name in stated}
    whole = {name for _, _, name in stated}
    rows: dict[str, Row] = {}
    for affiliation in affiliations:
        name = institution_name(affiliation) or (affiliation if affiliation in whole else "")
        if not name:
            continue
        row = _row(AFFILIATION, collection, name, known.get(name_key(name)), len(rows))
        rows.setdefault(row["id"], row)
    return list(rows.values())[:MOST_AFFILIATIONS]


def _row(label: str, collection: str, name: str, id: str | None, position: int) -> Row:
    """Return a node's label, id and properties, with the name and position that its relationship has."""
    key = id or name_key(name)
    node_id = place_id(label, collection, key)
    properties = {"id": node_id, "collection": collection, "collectionTerm": collection_term(collection), "key": key}
    return {"label": label, "id": node_id, "name": name, "position": position, "properties": properties}


def place_id(label: str, collection: str, key: str) -> str:
    """Return the id of a venue or an affiliation."""
    return sha256(label, collection, key)


def place_rows(papers: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return for papers, given by records with their properties, the rows that ``ingest/write_places`` takes."""
    rows = []
    for paper in papers:
        collection = paper["collection"]
        venue = venue_row(collection, paper["journal_ref"], paper["venue_ids"] or ())
        affiliations = affiliation_rows(collection, paper["affiliations"] or (), paper["affiliation_ids"] or ())
        rows.append({"paper_id": paper["id"], "venues": [venue] if venue else [], "affiliations": affiliations})
    return rows
