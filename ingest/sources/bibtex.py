"""BibTeX to records: each entry by itself, so that one that cannot be read does not take others with it."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from pybtex.bibtex.utils import split_name_list
from pybtex.database import Person
from pybtex.database.input.bibtex import LowLevelParser
from pybtex.exceptions import PybtexError
from pybtex.utils import CaseInsensitiveDict

from papergraph.ingest.sources.csl import split_keywords, stored
from papergraph.ingest.sources.latex_text import plain
from papergraph.ingest.sources.metadata import BadRecordError
from papergraph.ingest.sources.names import in_order, names_of
from papergraph.ingest.sources.uploads import paths_in
from papergraph.schema.ids import leading_doi

ENTRY = re.compile(r"^[ \t]*@[ \t]*(?P<kind>[A-Za-z]+)[ \t]*[{(]", re.MULTILINE)
NO_ENTRIES = frozenset({"string", "preamble", "comment"})
PREPRINT = re.compile(r"\barXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE)
ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
ARXIV_LINK = re.compile(r"\barxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
PUBLISHER_LINK = re.compile(r"/doi/(?:(?:abs|full|pdf|epdf|pdfdirect)/)?(10\.\d{4,9}/[^\s?#]+)")
"""DOI in the address of a paper's page at Wiley, ACM, Taylor & Francis and others."""


SEVERAL = re.compile(r"[;&/]|,.*,|\b(?:et|und|y|e|och|en)\b|(?<!\S)(?:\S+\s+){4}")
"""A text that may be a list of names: with separators, conjunctions of other languages, or many words."""
STRAY_COMMA = re.compile(r"(?<=\s)and, ")
SYNTAX_LINE = re.compile(r"(?<=syntax error) in line \d+")
BARE_WORD = re.compile(r"(=\s*)([^\W\d_][\w.-]*)(?=\s*[,})\n])")


class Macros(CaseInsensitiveDict):  # type: ignore[misc]  # pybtex has no types
    """Macros of BibTeX by name; the value of an undefined macro is its name, as in BibTeX, which only warns."""

    def __getitem__(self, name: str) -> str:
        return str(super().__getitem__(name)) if name in self else name


def read_entries(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each entry, from 1, and the record that it makes, or what is wrong with it.

    An entry begins on a line of its own. Commands of LaTeX become the characters that they stand for.
    """
    macros = Macros()
    starts = [match.start() for match in ENTRY.finditer(text)]
    line, counted = 1, 0
    for start, end in pairwise([*starts, len(text)] if starts else []):
        line, counted = line + text.count("\n", counted, start), start
        try:
            for kind, body in _parsed(text[start:end], macros):
                if kind.lower() not in NO_ENTRIES:
                    yield line, _record(kind.lower(), *body)
        except PybtexError as error:
            yield line, BadRecordError(f"is not BibTeX: {SYNTAX_LINE.sub('', ' '.join(str(error).split()))[:200]}")


def _parsed(text: str, macros: Macros) -> list[Any]:
    """Return the commands of a text; a bare word with letters outside ASCII, no name of a macro, is a value."""
    try:
        return list(LowLevelParser(text, macros=macros))
    except PybtexError:
        mended = BARE_WORD.sub(lambda found: found[0] if found[2].isascii() else f"{found[1]}{{{found[2]}}}", text)
        if mended == text:
            raise
        return list(LowLevelParser(mended, macros=macros))


def _record(kind: str, key: str, fields: list[tuple[str, list[str]]]) -> dict[str, Any] | BadRecordError:
    given = {name.lower(): " ".join("".join(parts).split()) for name, parts in fields}
    try:
        return entry_of(kind, key, given)
    except (PybtexError, ValueError) as error:
        return BadRecordError(f"{key}: {error}")


def entry_of(kind: str, key: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the record that the fields of an entry make."""
    record: dict[str, Any] = {"id": key, "type": kind, "cite_key": key}
    record["record"] = stored("bibtex", {"type": kind, "key": key, "fields": dict(given)})
    record["keywords"] = split_keywords(plain(given.get("keywords", given.get("keyword", ""))))
    if names := given.get("author") or given.get("editor"):
        group = [] if "," in names or "{" in names else names_of(plain(names))
        people = group if len(group) == 1 else split_name_list(STRAY_COMMA.sub("and ", names))
        record["authors"] = [name for one in people if one != "others" for name in _names(one)]
    for name in ("title", "abstract", "url", "doi"):
        if name in given:
            record[name] = _bare(given[name]) if name in ("url", "doi") else plain(given[name])
    if "doi" in record:
        record["doi"] = re.sub(r" (?=[./_])", "", record["doi"])  # of a line that ends within
    elif "doi.org/" not in given.get("url", ""):
        page = PUBLISHER_LINK.search(given.get("url", ""))
        notes = (leading_doi(given.get(name, "")) for name in ("howpublished", "note"))
        record["doi"] = page[1] if page else next(filter(None, notes), None)
    if stated := given.get("year") or given.get("date"):
        year = re.search(r"(?<!\d)\d{4}(?!\d)", stated)
        record["year"] = int(year[0]) if year else plain(stated)
    if _bare(given.get("archiveprefix", given.get("eprinttype", ""))).lower() == "arxiv" and "eprint" in given:
        record["arxiv_id"] = _bare(given["eprint"])
    elif match := ARXIV_DOI.fullmatch(_bare(given.get("doi", ""))):
        record["arxiv_id"] = match[1]
    elif linked := ARXIV_LINK.search(given.get("url", "")):
        record["arxiv_id"] = linked[1]
    place = given.get("journal") or given.get("journaltitle") or given.get("booktitle") or ""
    if preprint := PREPRINT.search(place):
        record.setdefault("arxiv_id", preprint[1])
    elif place:
        parts = (given.get("volume"), given.get("pages"))
        record["journal_ref"] = ", ".join((plain(place), *(plain(part) for part in parts if part)))
        record["issn"] = _bare(given.get("issn", ""))
    if "affiliation" in given:
        record["affiliations"] = [plain(one) for one in re.split(r"\s*;\s*|\s+and\s+", given["affiliation"])]
    if "primaryclass" in given:
        record["primary_category"] = _bare(given["primaryclass"])
    if "note" in given:
        record["comment"] = plain(given["note"])
    if files := given.get("file") or given.get("local-url"):
        record["attachments"] = paths_in(files)
    return record


def _bare(text: str) -> str:
    """Return the text of a field without the second braces of Web of Science."""
    return text.strip("{} ")


def _names(text: str) -> list[str]:
    """Return one name in BibTeX's form, or the names of a list that is written in another form."""
    if text.startswith(("family=", "given=")):  # biblatex's extended format
        stated = dict(part.strip().partition("=")[::2] for part in text.split(","))
        return [plain(" ".join(stated[name] for name in ("given", "prefix", "family", "suffix") if name in stated))]
    try:
        person = Person(text)
    except PybtexError:  # more than two commas
        return names_of(plain(text)) or [plain(text)]
    parts = (person.first_names, person.middle_names, person.prelast_names, person.last_names, person.lineage_names)
    name = plain(" ".join(word for part in parts for word in part))
    name = name if "," in text else in_order(name)
    may_be_several = SEVERAL.search(text) and not text.startswith("{")
    several = names_of(plain(text)) if may_be_several else []
    return several if len(several) > 1 else [name]
