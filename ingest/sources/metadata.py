"""Metadata of papers as files state it, and identifiers of papers and people."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from papergraph.ingest.sources.csl import split_keywords
from papergraph.ingest.sources.source import Metadata
from papergraph.schema.ids import ARXIV, arxiv_key, doi_of, is_template_doi

T = TypeVar("T")


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
    """Return ``text``, an id or a link, as an id with its scheme; None if it is invalid.

    An ORCID with a wrong check digit is invalid (ISO 7064, MOD 11-2).
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


def affiliations_of(record: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
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


# Records of papers, such as lines of JSONL or entries of BibTeX, to metadata, checked field by field.
#
# The names of fields are those of arXiv's own interfaces and of the data sets that are made from them.


DOI_LINK = re.compile(r"doi\.org/", re.IGNORECASE)
NO_CHARACTER = re.compile(r"[\0\ud800-\udfff]")
PARAGRAPH_END = re.compile(r"\n\s*\n")
VERSION = re.compile(r"v?([1-9][0-9]{0,3})")
YEARS = range(1000, 3000)
LONGEST_FIELD = 100_000
MOST_REFERENCES, LONGEST_REFERENCES = 10_000, 5_000_000


class BadRecordError(ValueError):
    """A record that is not one of a paper; the message says why."""


def metadata_of(record: Any, *, needs_title: bool = True) -> Metadata:
    """Return what a record says of a paper; fields of other names are ignored, unreadable ones are named in remarks.

    Known are title, abstract or summary, authors (with orcid, openalex_id or arxiv_author_id), year, doi, arxiv_id (or
    id, where it is one), version or versions, primary_category, categories, license, published, updated or update_date,
    comment or comments, journal_ref, issn, affiliations (of an author or of the record), url or abs_url, references,
    and attached_file; of OpenAlex's works also authorships and primary_location. DOIs of templates are ignored.

    Raises:
        BadRecordError: It has no title though it needs one.
    """
    if not isinstance(record, Mapping):
        raise BadRecordError("is no object with names and values")
    title = _line(record, "title")
    if not title and needs_title:
        raise BadRecordError("has no title")
    field = _Fields(record)
    published, updated = field.line(_time, "published"), field.line(_time, "updated", "update_date")
    versions = record.get("versions")
    if isinstance(versions, list) and versions and all(isinstance(version, Mapping) for version in versions):
        published = published or field.read(lambda: _time(versions[0], "created"))
        updated = field.read(lambda: _time(versions[-1], "created")) or updated
    categories = field.line(_words, "categories") or ()
    primary = field.line(_line, "primary_category") or (categories[0] if categories else None)
    arxiv_id, authors = field.line(_arxiv_id), field.line(_authors) or ()
    journal_ref = field.line(_line, "journal_ref", "journal-ref") or venue_of(record)
    affiliations, affiliation_ids = affiliations_of(record)
    return Metadata(
        title=title,
        abstract=field.line(_paragraphs, "abstract", "summary"),
        authors=authors,
        author_ids=_author_ids(record, authors),
        year=field.line(_year) or (published.year if published else None),
        doi=field.line(_doi),
        arxiv_id=arxiv_id,
        arxiv_version=field.read(lambda: _version(record, versions)) if arxiv_id else None,
        primary_category=primary,
        categories=tuple(dict.fromkeys((*([primary] if primary else []), *categories))),
        license=field.line(_line, "license"),
        published=published,
        updated=updated,
        comment=field.line(_line, "comment", "comments"),
        journal_ref=journal_ref,
        venue_ids=field.line(_venue_ids) or () if journal_ref else (),
        affiliations=field.read(lambda: tuple(_checked(name, "affiliations") for name in affiliations)) or (),
        affiliation_ids=affiliation_ids,
        url=field.line(_line, "url", "abs_url"),
        references=field.line(_references) or (),
        file=field.line(_text, "attached_file"),
        keywords=tuple(dict.fromkeys(field.line(_strings, "keywords") or ())),
        cite_key=field.line(_line, "cite_key"),
        record=field.line(_text, "record"),
        remarks=(*(field.line(_strings, "reader_remarks") or ()), *field.remarks),
    )


class _Fields:
    """Reads the fields of a record one by one; one that cannot be read is left out, and a remark names it."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.remarks: list[str] = []
        self._record = record

    def line(self, reader: Callable[..., T], *names: str) -> T | None:
        return self.read(lambda: reader(self._record, *names))

    def read(self, reader: Callable[[], T]) -> T | None:
        try:
            return reader()
        except BadRecordError as error:
            self.remarks.append(f"{error}; left out")
            return None


def _value(record: Mapping[str, Any], *names: str) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", [])), None)


def _text(record: Mapping[str, Any], *names: str) -> str | None:
    value = _value(record, *names)
    return None if value is None else _checked(value, names[0])


def _checked(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadRecordError(f"{name} must be text, not {type(value).__name__}")
    if len(value) > LONGEST_FIELD:
        raise BadRecordError(f"{name} is longer than {LONGEST_FIELD:,} characters")
    return _checked_characters(value, name)


def _checked_characters(value: str, name: str) -> str:
    if NO_CHARACTER.search(value):
        raise BadRecordError(f"{name} holds what is no character")
    return value


def _line(record: Mapping[str, Any], *names: str) -> str | None:
    return " ".join((_text(record, *names) or "").split()) or None


def _paragraphs(record: Mapping[str, Any], *names: str) -> str | None:
    paragraphs = PARAGRAPH_END.split((_text(record, *names) or "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) or None


def _people(record: Mapping[str, Any]) -> Any:
    """Return who wrote it, as the record has it; persons of OpenAlex's authorships by their own fields."""
    people = _value(record, "authors", "authorships")
    if not isinstance(people, list):
        return people
    persons = [one.get("author") if isinstance(one, Mapping) else None for one in people]
    return [
        {**person, "name": person.get("display_name")} if isinstance(person, Mapping) else one
        for one, person in zip(people, persons, strict=True)
    ]


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    value = _people(record)
    parsed = record.get("authors_parsed")
    if isinstance(value, str) and isinstance(parsed, list):  # last name, first names, suffix
        value = [" ".join((*name[1:2], *name[:1], *name[2:3])) for name in parsed if isinstance(name, list)]
    elif isinstance(value, str):
        value = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", value)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRecordError("authors must be a list of names")
    names = [_checked(_name_of(item) if isinstance(item, Mapping) else item, "authors") for item in value]
    return tuple(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))


def _name_of(person: Mapping[str, Any]) -> Any:
    parts = [person.get(one) or person.get(other) for one, other in (("given", "first"), ("family", "last"))]
    return person.get("name") or " ".join(part for part in parts if isinstance(part, str)) or None


def _author_ids(record: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of ``names`` in the record, '' for unknown ones; empty if all are unknown."""
    value = _people(record)
    ids: dict[str, str] = {}
    for person in value if isinstance(value, list) else ():
        if isinstance(person, Mapping) and (id := person_id(person)):
            ids.setdefault(" ".join(str(person.get("name")).split()), id)
    return tuple(ids.get(name, "") for name in names) if ids else ()


def _words(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = _value(record, name)
    items = value.split() if isinstance(value, str) else value or []
    if not isinstance(items, list):
        raise BadRecordError(f"{name} must be a list of words")
    return tuple(" ".join(_checked(item, name).split()) for item in items)


def _strings(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = _value(record, name) or []
    if isinstance(value, str):
        value = split_keywords(value)
    if not isinstance(value, list):
        raise BadRecordError(f"{name} must be a list of texts")
    return tuple(" ".join(_checked(item, name).split())[:LONGEST_NAME] for item in value)[:MOST]


def _references(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    value = _value(record, "references")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise BadRecordError("references must be a list of objects, as CSL-JSON has them")
    told = json.dumps(value, ensure_ascii=False)
    if len(value) > MOST_REFERENCES or len(told) > LONGEST_REFERENCES:
        raise BadRecordError(f"there are more than {MOST_REFERENCES:,} references, or they are too long")
    _checked_characters(told.replace("\\u0000", "\0"), "references")
    return tuple(value)


def _year(record: Mapping[str, Any]) -> int | None:
    value = _value(record, "year")
    if value is None:
        return None
    if (isinstance(value, str) and value.isdecimal()) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if not isinstance(value, int) or value not in YEARS:
        raise BadRecordError(f"year {str(value)[:40]!r} is not a year")
    return value


def _time(record: Mapping[str, Any], *names: str) -> datetime | None:
    text = _line(record, *names)
    if text is None:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            time = read(text)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    raise BadRecordError(f"{names[0]} {text[:40]!r} is not a time such as 2026-01-07T15:29:52Z")


def _identifier(record: Mapping[str, Any], name: str, as_key: Callable[[str], str]) -> str | None:
    text = _line(record, name)
    if text is None:
        return None
    try:  # arXiv lists several DOIs of one paper with blanks between
        return as_key(text.split()[0]).partition(":")[2]
    except ValueError as error:
        raise BadRecordError(str(error)) from error


def _venue_ids(record: Mapping[str, Any]) -> tuple[str, ...]:
    if not (found := venue_ids(record)) and (stated := str(record.get("issn") or "")):
        raise BadRecordError(f"issn {stated[:40]!r} is not an ISSN")
    return found


def _doi(record: Mapping[str, Any]) -> str | None:
    """Return the DOI in a record's field ``doi``, or in its link; None without both.

    Raises:
        BadRecordError: The field holds another text, and there is no link with a DOI.
    """
    for name in ("doi", "url"):
        text = _line(record, name) or ""
        if name == "url" and not DOI_LINK.search(text):
            continue
        for part in (text, *text.split()[:1]):  # arXiv lists several DOIs of one paper with blanks between
            if doi := doi_of(part):
                return None if is_template_doi(part) else doi
    if stated := _value(record, "doi"):
        raise BadRecordError(f"doi {str(stated)[:80]!r} is not a DOI")
    return None


def _arxiv_id(record: Mapping[str, Any]) -> str | None:
    own = record.get("id")
    if _value(record, "arxiv_id") is None and isinstance(own, str) and ARXIV.fullmatch(own):
        return own
    return _identifier(record, "arxiv_id", arxiv_key)


def _version(record: Mapping[str, Any], versions: Any) -> int | None:
    value = _value(record, "version", "arxiv_version")
    if value is None and isinstance(versions, list) and versions:
        last = versions[-1]
        value = last.get("version") if isinstance(last, Mapping) else last
    if value is None:
        in_id = re.search(r"v([1-9][0-9]{0,3})$", str(record.get("arxiv_id", "")))
        return int(in_id[1]) if in_id else None
    match = VERSION.fullmatch(str(value))
    if not match:
        raise BadRecordError(f"version {str(value)[:40]!r} is not one such as v2")
    return int(match[1])
