"""CSL-JSON, and the JSON of Better BibTeX and Zotero, to records.

Source: the schema of CSL data (citation-style-language/schema, csl-data.json), and the export of Better BibTeX, whose
items have ``creators`` and ``attachments``.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from papergraph.ingest.sources.csl import keywords_of, stored
from papergraph.ingest.sources.metadata import BadRecordError, person_id
from papergraph.ingest.sources.names import names_of

YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
ARXIV = re.compile(r"arXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE)
NO_WORKS = frozenset({"attachment", "note", "annotation"})
LONGEST_CELL = 1_000_000
COLUMNS = {
    "key": "id",
    "item type": "type",
    "document type": "type",
    "title": "title",
    "article title": "title",
    "author full names": "author",
    "author": "author",
    "authors": "author",
    "publication year": "issued",
    "year": "issued",
    "date": "date",
    "publication title": "container-title",
    "source title": "container-title",
    "journal": "container-title",
    "doi": "DOI",
    "url": "URL",
    "link": "URL",
    "abstract note": "abstract",
    "abstract": "abstract",
    "issn": "ISSN",
    "isbn": "ISBN",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "page start": "page start",
    "page end": "page end",
    "publisher": "publisher",
    "manual tags": "keyword",
    "author keywords": "keyword",
    "keywords": "keyword",
    "file attachments": "attachments",
}
"""Columns of Zotero's and Scopus' CSV as fields of CSL; of several with one field, the first counts."""
PLACES = ("container-title", "publicationTitle", "proceedingsTitle", "bookTitle", "publisher")


def read_entries(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the number of each item, from 1, and the record that it makes, or what is wrong with it."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield 1, BadRecordError(f"is not JSON: {' '.join(str(error).split())[:200]}")
        return
    items = data.get("items") if isinstance(data, Mapping) else data
    if not isinstance(items, list):
        yield 1, BadRecordError("is neither a list of CSL items nor an export of Zotero")
        return
    for number, item in enumerate(items, start=1):
        if not isinstance(item, Mapping):
            yield number, BadRecordError("is no item with names and values")
        elif item.get("itemType", item.get("type")) not in NO_WORKS:
            yield number, entry_of(item)


def read_table(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each row of Zotero's or Scopus' CSV, from 1, and the record that it makes."""
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.DictReader(io.StringIO(text))
    if not any(COLUMNS.get(name.strip().lower()) == "title" for name in rows.fieldnames or ()):
        yield 1, BadRecordError("is no table of papers: a column Title is missing")
        return
    try:
        for row in rows:
            yield rows.line_num, entry_of(_item_of_row(row))
    except csv.Error as error:
        yield rows.line_num, BadRecordError(f"is not CSV: {error}")


def _item_of_row(row: Mapping[str | None, Any]) -> dict[str, Any]:
    cells = {(column or "").strip().lower(): value for column, value in row.items() if isinstance(value, str)}
    item: dict[str, Any] = {}
    for column in dict.fromkeys((*COLUMNS, *cells)):
        if column and (value := cells.get(column, "").strip()):
            item.setdefault(COLUMNS.get(column, column), value)
    if names := item.pop("author", ""):
        parts = [one.strip() for one in names.split(";")] if ";" in names else [names]
        people = [re.sub(r"\s*\(\d+\)$", "", one).partition(",") for one in parts if one]
        item["author"] = [
            {"family": family.strip(), "given": given.strip()} if given else {"literal": family}
            for family, _, given in people
        ]
    pages = "-".join(filter(None, (item.pop("page start", None), item.pop("page end", None))))
    paths = item.pop("attachments", "").split(";")
    item["attachments"] = [{"path": path.strip()} for path in paths if path.strip()]
    return item | ({"page": pages} if pages else {})


def entry_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record that an item makes."""
    record = {
        "id": _first(item, "citation-key", "citationKey", "citekey", "id", "key"),
        "type": _first(item, "type", "itemType"),
        "title": _first(item, "title"),
        "abstract": _first(item, "abstract", "abstractNote"),
        "doi": _first(item, "DOI", "doi"),
        "url": _first(item, "URL", "url"),
        "comment": _first(item, "note") if isinstance(item.get("note"), str) else None,
        "authors": [_author(one, name) for one in _people(item) if (name := _name(one))],
        "year": _year(item),
        "attachments": _attachments(item),
        "keywords": keywords_of(item),
        "record": stored("csl", {name: value for name, value in item.items() if name != "attachments"}),
    }
    record["cite_key"] = None if record["id"] is None else str(record["id"])
    if isinstance(record["title"], list):  # Crossref's form
        record["title"] = next((one for one in record["title"] if isinstance(one, str) and one), None)
    if isinstance(record["title"], int | float) and not isinstance(record["title"], bool):
        record["title"] = str(record["title"])
    told = " ".join(str(item.get(name, "")) for name in ("number", "archive_location", "extra", "note", *PLACES))
    place = _first(item, *PLACES)
    if preprint := ARXIV.search(told):
        record["arxiv_id"] = preprint[1]
    elif place:
        parts = (place, _first(item, "volume"), _first(item, "page", "pages"))
        record["journal_ref"] = ", ".join(str(part) for part in parts if part)
        record["issn"] = _first(item, "ISSN", "issn")
    return {name: value for name, value in record.items() if value not in (None, "", [])}


def _first(item: Mapping[str, Any], *names: str) -> Any:
    return next((item[name] for name in names if item.get(name) not in (None, "")), None)


def _people(item: Mapping[str, Any]) -> list[Any]:
    authors = item.get("author")
    if isinstance(authors, list):
        return authors
    if isinstance(authors, str):
        return names_of(authors) or [authors]
    creators = item.get("creators")
    people = creators if isinstance(creators, list) else []
    return [one for one in people if isinstance(one, Mapping) and one.get("creatorType", "author") == "author"]


def _name(person: Any) -> str:
    if not isinstance(person, Mapping):
        return str(person or "")
    whole = person.get("literal") or person.get("name")
    names = ("given", "firstName", "dropping-particle", "non-dropping-particle", "family", "lastName", "suffix")
    return str(whole or " ".join(str(person[name]) for name in names if person.get(name)))


def _author(person: Any, name: str) -> str | dict[str, Any]:
    """Return a name, with id and affiliation if the entry states them, as Crossref's and OpenAlex's do."""
    if not isinstance(person, Mapping):
        return name
    stated = {"id": person_id(person), "affiliations": person.get("affiliation")}
    known = {key: value for key, value in stated.items() if value}
    return {"name": name, **known} if known else name


def _year(item: Mapping[str, Any]) -> int | str | None:
    issued = item.get("issued")
    if isinstance(issued, Mapping):
        parts = issued.get("date-parts")
        said = issued.get("raw") or issued.get("literal") or issued.get("year") or ""
        told = parts[0] if isinstance(parts, list) and parts else [said]
        text = str((told[0] if told else "") if isinstance(told, list) else told)
    else:
        text = str(issued or item.get("date") or item.get("year") or "")
    found = YEAR.search(text)
    return int(found[0]) if found else text.replace("None", "")


def _attachments(item: Mapping[str, Any]) -> list[str]:
    attached = item.get("attachments")
    paths = [one.get("path") for one in attached if isinstance(one, Mapping)] if isinstance(attached, list) else []
    return [path for path in paths if isinstance(path, str) and path]
