"""Records of papers, such as lines of JSONL or entries of BibTeX, to metadata, checked field by field.

The names of fields are those of arXiv's own interfaces and of the data sets that are made from them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ingest.sources import identifiers
from ingest.sources.identifiers import person_id
from ingest.sources.source import Metadata
from schema.ids import ARXIV, arxiv_key, doi_key, is_template_doi

PARAGRAPH_END = re.compile(r"\n\s*\n")
VERSION = re.compile(r"v?([1-9][0-9]{0,3})")
YEARS = range(1000, 3000)
LONGEST_FIELD = 100_000
MOST_REFERENCES, LONGEST_REFERENCES = 10_000, 5_000_000


class BadRecordError(ValueError):
    """A record that is not one of a paper; the message says why."""


def metadata_of(record: Any, *, needs_title: bool = True) -> Metadata:
    """Return what a record says of a paper; fields of other names are passed over.

    Known are title, abstract or summary, authors (with orcid, openalex_id or arxiv_author_id), year, doi, arxiv_id (or
    id, where it is one), version or versions, primary_category, categories, license, published, updated or update_date,
    comment or comments, journal_ref, issn, affiliations (of an author or of the record), url or abs_url, references,
    and attached_file; of OpenAlex's works also authorships and primary_location. DOIs of templates are passed over.

    Raises:
        BadRecordError: It has no title though it needs one, or a field says what cannot be so.
    """
    if not isinstance(record, Mapping):
        raise BadRecordError("is no object with names and values")
    title = _line(record, "title")
    if not title and needs_title:
        raise BadRecordError("has no title")
    published, updated = _time(record, "published"), _time(record, "updated", "update_date")
    versions = record.get("versions")
    if isinstance(versions, list) and versions and all(isinstance(version, Mapping) for version in versions):
        published = published or _time(versions[0], "created")
        updated = _time(versions[-1], "created") or updated
    categories = _words(record, "categories")
    primary = _line(record, "primary_category") or (categories[0] if categories else None)
    arxiv_id, authors = _arxiv_id(record), _authors(record)
    journal_ref = _line(record, "journal_ref", "journal-ref") or identifiers.venue_of(record)
    affiliations, affiliation_ids = identifiers.affiliations(record)
    return Metadata(
        title=title,
        abstract=_paragraphs(record, "abstract", "summary"),
        authors=authors,
        author_ids=_author_ids(record, authors),
        year=_year(record) or (published.year if published else None),
        doi=None if is_template_doi(_line(record, "doi") or "") else _identifier(record, "doi", doi_key),
        arxiv_id=arxiv_id,
        arxiv_version=_version(record, versions) if arxiv_id else None,
        primary_category=primary,
        categories=tuple(dict.fromkeys((*([primary] if primary else []), *categories))),
        license=_line(record, "license"),
        published=published,
        updated=updated,
        comment=_line(record, "comment", "comments"),
        journal_ref=journal_ref,
        venue_ids=identifiers.venue_ids(record) if journal_ref else (),
        affiliations=tuple(_checked(name, "affiliations") for name in affiliations),
        affiliation_ids=affiliation_ids,
        url=_line(record, "url", "abs_url"),
        references=_references(record),
        file=_text(record, "attached_file"),
    )


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
    if any(unicodedata.category(character) == "Cs" or character == "\0" for character in value):
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
    names = [_checked(item.get("name") if isinstance(item, Mapping) else item, "authors") for item in value]
    return tuple(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))


def _author_ids(record: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the id of each of ``names`` that the record states, else ''; nothing where it states none."""
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
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or value not in YEARS:
        raise BadRecordError(f"year {str(value)[:40]} is not a year")
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
