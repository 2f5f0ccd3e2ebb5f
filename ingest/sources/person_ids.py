"""Ids of persons, as sources state them: ORCID, OpenAlex and arXiv author ids."""

import re
from collections.abc import Mapping
from typing import Any

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
