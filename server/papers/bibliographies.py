"""Papers as entries of a bibliography: BibTeX, CSL-JSON and RIS, as ``papergraph ingest`` reads them again.

Formats: BibTeX as pybtex and biber read it, https://citation-style-language.org for CSL-JSON, and the RIS specification
of Research Information Systems.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from papergraph.database import Database
from papergraph.errors import InputError
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


class ExportFormat(StrEnum):
    """Format of exported papers."""

    MARKDOWN = "md"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    RIS = "ris"

    @property
    def ending(self) -> str:
        """Ending of the names of its files."""
        return {self.MARKDOWN: ".md", self.BIBTEX: ".bib", self.CSL_JSON: ".json", self.RIS: ".ris"}[self]


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


def to_bibtex(papers: Iterable[ListedPaper]) -> str:
    """Write papers as BibTeX; keys are made of first author, year and title, and are unique.

    Titles are enclosed in double braces, which protects their case; letters outside ASCII stay.
    """
    listed = list(papers)
    entries = []
    for one, key in zip(listed, cite_keys(listed), strict=True):
        fields = {name: value for name, value in _bibtex_fields(one).items() if value}
        lines = "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items())
        entries.append(f"@{'article' if one.paper.journal_ref else 'misc'}{{{key}{lines}\n}}\n")
    return "\n".join(entries)


def _bibtex_fields(one: ListedPaper) -> dict[str, str]:
    paper = one.paper
    arxiv = {"eprint": paper.arxiv_id, "archiveprefix": "arXiv", "primaryclass": paper.primary_category}
    return {
        "title": f"{{{_latex(paper.title)}}}",
        "author": " and ".join(_latex(_last_first(name)) for name in one.authors),
        "journal": _latex(paper.journal_ref or ""),
        "year": str(paper.year or ""),
        "doi": paper.doi or "",
        **{name: value or "" for name, value in (arxiv if paper.arxiv_id else {}).items()},
        "url": paper.url or "",
        "abstract": _latex(paper.abstract),
    }


def to_csl_json(papers: Iterable[ListedPaper]) -> str:
    """Write papers as a list of CSL-JSON items."""
    listed = list(papers)
    items = [_csl_item(one, key) for one, key in zip(listed, cite_keys(listed), strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def _csl_item(one: ListedPaper, key: str) -> dict[str, Any]:
    paper = one.paper
    item = {
        "id": key,
        "type": "article-journal" if paper.journal_ref else "article",
        "title": paper.title,
        "author": [_csl_name(name) for name in one.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.journal_ref,
        "DOI": paper.doi,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id and not paper.journal_ref else None,
        "archive_location": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id and paper.journal_ref else None,
        "URL": paper.url,
        "abstract": paper.abstract,
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(name: str) -> dict[str, str]:
    first, last = _parts(name)
    return {"family": last, "given": first} if first else {"literal": last}


def to_ris(papers: Iterable[ListedPaper]) -> str:
    """Write papers as RIS."""
    return "\n".join("".join(f"{tag}  - {value}\n" for tag, value in _ris_lines(one)) for one in papers)


def _ris_lines(one: ListedPaper) -> list[tuple[str, str]]:
    paper = one.paper
    place = paper.journal_ref or (f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "")
    lines = [
        ("TY", "JOUR" if paper.journal_ref else "GEN"),
        ("TI", paper.title),
        *(("AU", _last_first(name)) for name in one.authors),
        ("PY", str(paper.year or "")),
        ("JO", place),
        ("DO", paper.doi or ""),
        ("UR", paper.url or (f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else "")),
        ("AB", " ".join(paper.abstract.split())),
    ]
    return [*((tag, value) for tag, value in lines if value), ("ER", "")]


BIBLIOGRAPHIES: Mapping[str, Callable[[Iterable[ListedPaper]], str]] = {
    ExportFormat.BIBTEX: to_bibtex,
    ExportFormat.CSL_JSON: to_csl_json,
    ExportFormat.RIS: to_ris,
}
"""Writers of bibliographies by format."""


def cite_keys(papers: Sequence[ListedPaper]) -> list[str]:
    """Return a key for each paper, such as ``bates2015fitting``; equal ones end in a, b, c in the order of ids."""
    wanted = [_cite_key(one.paper, one.authors) for one in papers]
    keys = list(wanted)
    for key in {key for key in wanted if wanted.count(key) > 1}:
        places = sorted((n for n, other in enumerate(wanted) if other == key), key=lambda n: papers[n].paper.id)
        for number, place in enumerate(places):
            keys[place] = key + _letters(number)
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


def _last_first(name: str) -> str:
    """Return a name as "Last, First"; one word stays as it is."""
    first, last = _parts(name)
    return f"{last}, {first}" if first else last


def _parts(name: str) -> tuple[str, str]:
    """Return first and last names; particles in small letters and suffixes belong to the last one."""
    words = name.split()
    start = len(words) - (2 if len(words) > 2 and SUFFIX.fullmatch(words[-1]) else 1)
    while start > 1 and words[start - 1].lower() == words[start - 1] and words[start - 1] in PARTICLES:
        start -= 1
    return " ".join(words[:start]), " ".join(words[start:])
