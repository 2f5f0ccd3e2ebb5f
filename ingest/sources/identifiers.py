"""Identifiers of persons, venues and affiliations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Ids of persons, as sources state them: ORCID, OpenAlex and arXiv author ids


SCHEMES: Mapping[str, re.Pattern[str]] = {
    "orcid": re.compile(r"(?:(?:https?://)?orcid\.org/|orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?", re.IGNORECASE),
    "openalex": re.compile(
        r"(?:(?:https?://)?(?:api\.)?openalex\.org/(?:authors/)?|openalex:)?(A\d{4,})", re.IGNORECASE
    ),
    "arxiv": re.compile(r"(?:(?:https?://)?arxiv\.org/a/|arxiv:)?([a-z][a-z-]*(?:_[a-z])+_\d+)", re.IGNORECASE),
}
"""Forms of ids by scheme, in the order of trust; the group is the id itself."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "orcid": ("orcid", "ORCID", "id"),
    "openalex": ("openalex_id", "openalex", "id"),
    "arxiv": ("arxiv_author_id", "arxiv", "id"),
}
"""Names under which records state them."""


def person_id(person: Mapping[str, Any]) -> str | None:
    """Return the most trusted id that a record states of a person, such as ``orcid:0000-0002-1825-0097``, if any."""
    for scheme, names in FIELDS.items():
        for name in names:
            stated = person.get(name)
            if isinstance(stated, str) and (id := as_person_id(stated, schemes=(scheme,))):
                return id
    return None


def as_person_id(text: str, *, schemes: tuple[str, ...] = tuple(SCHEMES)) -> str | None:
    """Return the id that ``text`` is, bare or as a link, with its scheme; None where it is none.

    An ORCID with a wrong check digit is none (ISO 7064, MOD 11-2).
    """
    for scheme in schemes:
        found = SCHEMES[scheme].fullmatch(text.strip())
        if found and (scheme != "orcid" or _is_orcid(found[1])):
            return f"{scheme}:{found[1].upper() if scheme != 'arxiv' else found[1].lower()}"
    return None


def _is_orcid(text: str) -> bool:
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == text[-1].upper()


# Venues and affiliations that records state, with their ids: ISSN, ROR and OpenAlex ids.
#
# The forms are those of OpenAlex (``authorships``, ``primary_location``), Crossref (``affiliation``, ``ISSN``), CSL-
# JSON and arXiv (``affiliations`` of each author).


ISSN = re.compile(
    r"(?:https?://(?:portal\.)?issn\.org/(?:resource/ISSN/)?|issn[: ]\s*)?(\d{4})-?(\d{3}[\dX])", re.IGNORECASE
)
ROR = re.compile(r"(?:(?:https?://)?ror\.org/|ror:)?(0[a-hj-km-np-tv-z0-9]{6}\d{2})/?", re.IGNORECASE)
OPENALEX = re.compile(r"(?:(?:https?://)?(?:api\.)?openalex\.org/(?:\w+/)?|openalex:)?([IS]\d{4,})", re.IGNORECASE)
LONGEST_NAME = 400
MOST = 1000


def venue_ids(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of a record's venue: ISSNs in order, or where it states none the OpenAlex id."""
    place = _venue(record)
    stated = [one for name in ("issn_l", "issn", "ISSN") for one in _texts(record.get(name) or place.get(name))]
    issns = sorted({id for text in stated for part in re.split(r"[,;\s]+", text) if (id := as_issn(part))})
    if issns:
        return tuple(issns)
    found = OPENALEX.fullmatch(str(place.get("id") or record.get("venue_id") or ""))
    return (f"openalex:{found[1].upper()}",) if found else ()


def venue_of(record: Mapping[str, Any]) -> str | None:
    """Return the name of the venue in the form of OpenAlex, if a record states it so."""
    name = _venue(record).get("display_name")
    return " ".join(name.split())[:LONGEST_NAME] or None if isinstance(name, str) else None


def _venue(record: Mapping[str, Any]) -> Mapping[str, Any]:
    location = record.get("primary_location")
    place = location.get("source") if isinstance(location, Mapping) else record.get("host_venue")
    return place if isinstance(place, Mapping) else {}


def as_issn(text: str) -> str | None:
    """Return an ISSN with its scheme, such as ``issn:1548-7660``; None where the check digit is wrong (ISO 3297)."""
    found = ISSN.fullmatch(text.strip())
    if not found:
        return None
    digits = (found[1] + found[2]).upper()
    total = sum(int(digit) * weight for digit, weight in zip(digits[:7], range(8, 1, -1), strict=True))
    return f"issn:{found[1]}-{found[2].upper()}" if "0123456789X"[-total % 11] == digits[7] else None


def affiliations(record: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the institutions of a record's authors, each once, and those ids, with names, that it states of them."""
    names: dict[str, None] = {}
    ids: dict[str, None] = {}
    for stated in _stated(record):
        name = stated if isinstance(stated, str) else stated.get("display_name") or stated.get("name")
        if not isinstance(name, str) or not (name := " ".join(name.split())[:LONGEST_NAME]):
            continue
        names.setdefault(name)
        if isinstance(stated, Mapping) and (id := _institution_id(stated)):
            ids.setdefault(f"{id} {name}")
    return tuple(names)[:MOST], tuple(ids)[:MOST]


def _stated(record: Mapping[str, Any]) -> Iterator[str | Mapping[str, Any]]:
    people = record.get("authors") or record.get("authorships") or ()
    for person in (record, *(people if isinstance(people, Sequence) else ())):
        if isinstance(person, Mapping):
            for name in ("affiliations", "affiliation", "institutions"):
                value = person.get(name)
                yield from (one for one in _list(value) if isinstance(one, str | Mapping))


def _institution_id(institution: Mapping[str, Any]) -> str | None:
    given = institution.get("id")
    texts = [institution.get("ror"), *(one.get("id") if isinstance(one, Mapping) else one for one in _list(given))]
    for scheme, form in (("ror", ROR), ("openalex", OPENALEX)):
        for text in texts:
            if isinstance(text, str) and (found := form.fullmatch(text.strip())):
                return f"{scheme}:{found[1].lower() if scheme == 'ror' else found[1].upper()}"
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _texts(value: Any) -> list[str]:
    return [one for one in _list(value) if isinstance(one, str)]
