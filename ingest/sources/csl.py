"""Bibliographic records as their files state them, and the same as items of CSL-JSON.

A record is stored as JSON in one of three forms: ``{"bibtex": {"type", "key", "fields"}}`` with the fields as written,
``{"ris": [[tag, value], …]}``, or ``{"csl": item}``. All fields stay, also those that papergraph does not use.

Sources: the BibTeX and biblatex manuals, the RIS specification of Research Information Systems, and the schema of CSL
data, citation-style-language/schema (csl-data.json).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pybtex.bibtex.utils import split_name_list
from pybtex.database import Person
from pybtex.exceptions import PybtexError

from papergraph.ingest.sources.latex_text import plain

Item = dict[str, Any]

BIBTEX_TYPES: dict[str, str] = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "proceedings": "book",
    "book": "book",
    "mvbook": "book",
    "collection": "book",
    "inbook": "chapter",
    "incollection": "chapter",
    "booklet": "pamphlet",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "manual": "report",
    "online": "webpage",
    "electronic": "webpage",
    "www": "webpage",
    "unpublished": "manuscript",
    "patent": "patent",
    "dataset": "dataset",
    "software": "software",
    "misc": "document",
}
BIBTEX_FIELDS: dict[str, str] = {
    "title": "title",
    "shorttitle": "title-short",
    "journal": "container-title",
    "journaltitle": "container-title",
    "booktitle": "container-title",
    "series": "collection-title",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "publisher": "publisher",
    "institution": "publisher",
    "organization": "publisher",
    "school": "publisher",
    "address": "publisher-place",
    "location": "publisher-place",
    "edition": "edition",
    "chapter": "chapter-number",
    "isbn": "ISBN",
    "issn": "ISSN",
    "doi": "DOI",
    "url": "URL",
    "pmid": "PMID",
    "pmcid": "PMCID",
    "abstract": "abstract",
    "note": "note",
    "annote": "annote",
    "annotation": "annote",
    "keywords": "keyword",
    "language": "language",
    "langid": "language",
    "howpublished": "medium",
    "eventtitle": "event-title",
    "venue": "event-place",
}
"""Fields of BibTeX and biblatex as variables of CSL; the first name is the one that is written."""
AS_WRITTEN = frozenset({"doi", "url", "isbn", "issn", "pmid", "pmcid"})
PEOPLE = ("author", "editor", "translator")

RIS_TYPES: dict[str, str] = {
    "JOUR": "article-journal",
    "JFULL": "article-journal",
    "EJOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "THES": "thesis",
    "RPRT": "report",
    "ELEC": "webpage",
    "WEB": "webpage",
    "BLOG": "post-weblog",
    "UNPB": "manuscript",
    "PAT": "patent",
    "DATA": "dataset",
    "COMP": "software",
    "STAND": "standard",
    "GEN": "document",
}
RIS_FIELDS: dict[str, str] = {
    "TI": "title",
    "T1": "title",
    "ST": "title-short",
    "T2": "container-title",
    "JF": "container-title",
    "JO": "container-title",
    "BT": "container-title",
    "JA": "container-title-short",
    "J2": "container-title-short",
    "T3": "collection-title",
    "VL": "volume",
    "IS": "issue",
    "PB": "publisher",
    "CY": "publisher-place",
    "PP": "publisher-place",
    "ET": "edition",
    "DO": "DOI",
    "DOI": "DOI",
    "UR": "URL",
    "AB": "abstract",
    "N2": "abstract",
    "N1": "note",
    "LA": "language",
    "DB": "source",
    "CN": "call-number",
    "SE": "section",
}
"""Tags of RIS as variables of CSL; the first tag is the one that is written."""
RIS_PEOPLE: dict[str, str] = {"AU": "author", "A1": "author", "ED": "editor", "A2": "editor", "A4": "translator"}
ZOTERO_TYPES: dict[str, str] = {
    "journalArticle": "article-journal",
    "conferencePaper": "paper-conference",
    "bookSection": "chapter",
    "preprint": "article",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "computerProgram": "software",
    "blogPost": "post-weblog",
}
ZOTERO_FIELDS: dict[str, str] = {
    "publicationTitle": "container-title",
    "proceedingsTitle": "container-title",
    "bookTitle": "container-title",
    "journalAbbreviation": "container-title-short",
    "shortTitle": "title-short",
    "abstractNote": "abstract",
    "pages": "page",
    "place": "publisher-place",
    "institution": "publisher",
    "university": "publisher",
    "series": "collection-title",
    "url": "URL",
    "extra": "note",
    "libraryCatalog": "source",
    "callNumber": "call-number",
}
ZOTERO_OWN = frozenset(
    {"itemType", "itemID", "itemKey", "key", "version", "uri", "select", "creators", "attachments", "notes", "tags"}
    | {"collections", "relations", "dateAdded", "dateModified", "citationKey", "citekey", "date", "accessDate"}
)
"""Fields of Zotero that are read by themselves, or say nothing of the work."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = re.compile(r"(?<!\d)(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)")
ARXIV_NUMBER = re.compile(r"arXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)


def stored(form: str, content: Any) -> str:
    """Return a record as it is stored: JSON of one of the three forms."""
    return json.dumps({form: content}, ensure_ascii=False)


def item_of(record: str) -> Item:
    """Return a stored record as an item of CSL-JSON; fields without a variable stand in ``custom``."""
    ((form, content),) = json.loads(record).items()
    match form:
        case "bibtex":
            return bibtex_item(content["type"], content["key"], content["fields"])
        case "ris":
            return ris_item(content)
    return csl_item(content)


def bibtex_item(kind: str, key: str, fields: Mapping[str, str]) -> Item:
    """Return an entry of BibTeX, its fields as written, as an item of CSL-JSON."""
    item: Item = {"id": key, "type": BIBTEX_TYPES.get(kind.lower(), "document")}
    custom: dict[str, str] = {} if kind.lower() in BIBTEX_TYPES else {"bibtex-type": kind}
    for name, value in fields.items():
        variable = BIBTEX_FIELDS.get(name)
        if name in PEOPLE:
            item[name] = [
                person for one in split_name_list(value) if one != "others" for person in [bibtex_person(one)]
            ]
        elif name in ("year", "month", "day", "date"):
            continue
        elif name == "number":
            item["issue" if item["type"].startswith(("article", "paper")) else "number"] = plain(value)
        elif variable and variable not in item:
            item[variable] = value if name in AS_WRITTEN else plain(value)
        else:
            custom[name] = value
    if "page" in item:
        item["page"] = re.sub(r"\s*[-–—]+\s*", "-", item["page"])
    arxiv = fields.get("archiveprefix", fields.get("eprinttype", "")).lower() == "arxiv" and fields.get("eprint")
    if arxiv:
        item["number"] = f"arXiv:{arxiv}"
        for name in ("archiveprefix", "eprinttype", "eprint"):
            custom.pop(name, None)
    if date := _bibtex_date(fields):
        item["issued"] = {"date-parts": [date]}
    return item | ({"custom": custom} if custom else {})


def bibtex_person(text: str) -> Item:
    """Return one name of BibTeX as CSL has it; a name in braces is one of an institution."""
    stripped = text.strip()
    if stripped.startswith("{") and stripped.endswith("}") and _closes_at_end(stripped):
        return {"literal": plain(stripped)}
    try:
        person = Person(stripped)
    except PybtexError:  # more than two commas
        return {"literal": plain(stripped)}
    parts = {
        "family": person.last_names,
        "given": [*person.first_names, *person.middle_names],
        "non-dropping-particle": person.prelast_names,
        "suffix": person.lineage_names,
    }
    name = {part: plain(" ".join(words)) for part, words in parts.items() if words}
    return name if len(name) > 1 or "family" not in name else {"literal": name["family"]}


def _closes_at_end(text: str) -> bool:
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return place == len(text) - 1
    return False


def _bibtex_date(fields: Mapping[str, str]) -> list[int]:
    found = DATE.search(fields.get("date", "")) or DATE.search(fields.get("year", ""))
    if found is None:
        return []
    date = [int(part) for part in found.groups() if part]
    month = month_number(fields.get("month", ""))
    if len(date) == 1 and month:
        date.append(month)
        if (day := fields.get("day", "")).isdecimal():
            date.append(int(day))
    return date


def month_number(text: str) -> int | None:
    """Return the number of a month that is written as a number or an English name, or its beginning."""
    word = re.sub(r"[^a-z0-9]", "", text.lower())
    if word.isdecimal():
        return int(word) if 1 <= int(word) <= len(MONTHS) else None
    return MONTHS.index(word[:3]) + 1 if word[:3] in MONTHS else None


def ris_item(lines: Sequence[Sequence[str]]) -> Item:
    """Return the tagged lines of a RIS record as an item of CSL-JSON."""
    item: Item = {}
    custom: dict[str, str] = {}
    pages: dict[str, str] = {}
    keywords: list[str] = []
    for tag, value in lines:
        variable = RIS_FIELDS.get(tag)
        if not value:
            continue
        if tag == "TY":
            item["type"] = RIS_TYPES.get(value, "document")
            if value not in RIS_TYPES:
                custom["ris-type"] = value
        elif tag == "ID":
            item["id"] = value
        elif tag in RIS_PEOPLE:
            item.setdefault(RIS_PEOPLE[tag], []).append(inverted_person(value))
        elif tag in ("SP", "EP"):
            pages[tag] = value
        elif tag == "KW":
            keywords.append(value)
        elif tag == "SN":
            item["ISBN" if item.get("type") in ("book", "chapter") else "ISSN"] = value
        elif tag in ("PY", "Y1", "DA", "YR") and (found := DATE.search(value)):
            date = [int(part) for part in found.groups() if part]
            before = item.get("issued", {}).get("date-parts", [[]])[0]
            item["issued"] = {"date-parts": [max(before, date, key=len)]}
        elif variable and variable not in item:
            item[variable] = value
        elif not variable or item[variable] != value:
            custom[tag] = f"{custom[tag]}; {value}" if tag in custom else value
    if pages:
        item["page"] = "-".join(pages[tag] for tag in ("SP", "EP") if tag in pages)
    if keywords:
        item["keyword"] = ", ".join(keywords)
    return item | ({"custom": custom} if custom else {})


def inverted_person(text: str) -> Item:
    """Return "Family, Given, Suffix" as CSL has it; without a comma it is one name."""
    family, *rest = (part.strip() for part in text.split(","))
    if not rest or not rest[0]:
        return {"literal": family}
    return {"family": family, "given": rest[0]} | ({"suffix": rest[1]} if len(rest) > 1 and rest[1] else {})


def csl_item(given: Mapping[str, Any]) -> Item:
    """Return an item of CSL-JSON, or of Zotero's own JSON, as one of CSL-JSON."""
    if "itemType" not in given:
        return dict(given)
    item: Item = {"id": str(given.get("citationKey") or given.get("citekey") or given.get("key") or "")}
    item["type"] = ZOTERO_TYPES.get(given["itemType"], given["itemType"])
    creators = given.get("creators")
    for one in creators if isinstance(creators, list) else ():
        if isinstance(one, Mapping):
            parts = {"family": one.get("lastName"), "given": one.get("firstName"), "literal": one.get("name")}
            person = {part: value for part, value in parts.items() if value}
            item.setdefault(str(one.get("creatorType") or "author"), []).append(person)
    if found := DATE.search(str(given.get("date") or "")):
        item["issued"] = {"date-parts": [[int(part) for part in found.groups() if part]]}
    if keywords := keywords_of(given):
        item["keyword"] = ", ".join(keywords)
    custom: Item = {}
    for name, value in given.items():
        variable = ZOTERO_FIELDS.get(name, name)
        if name not in ZOTERO_OWN and value not in (None, "", [], {}) and variable not in item:
            (item if isinstance(value, str | int) else custom)[variable] = value
    return item | ({"custom": custom} if custom else {})


def keywords_of(given: Mapping[str, Any]) -> list[str]:
    """Return the keywords of an item of CSL-JSON or Zotero."""
    tags = given.get("tags")
    if isinstance(tags, list):
        return [str(one.get("tag") if isinstance(one, Mapping) else one) for one in tags]
    told = given.get("keyword")
    return [str(one) for one in told if one] if isinstance(told, list) else split_keywords(told)


def split_keywords(text: Any) -> list[str]:
    """Return keywords that are parted by semicolons, or else by commas."""
    if not isinstance(text, str):
        return []
    return list(
        dict.fromkeys(word for part in re.split(";" if ";" in text else ",", text) if (word := " ".join(part.split())))
    )


def people_of(item: Mapping[str, Any], role: str = "author") -> Iterable[Mapping[str, Any]]:
    """Return the persons of a role that an item names."""
    people = item.get(role)
    return [one for one in people if isinstance(one, Mapping)] if isinstance(people, list) else []
