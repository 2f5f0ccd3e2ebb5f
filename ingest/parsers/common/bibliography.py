"""What the parsers share about entries of a list of references: identifiers, years, and labels that tell them apart."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.parsers.document import Reference
from schema.ids import arxiv_key, doi_key

DOI_IN_TEXT = re.compile(r"(?:doi:?\s*|doi\.org/)(10\.[0-9]{4,9}/[^\s\"<>]+)", re.IGNORECASE)
DOI_OF_ARXIV = re.compile(r"10\.48550/arxiv\.(\S+)", re.IGNORECASE)
ARXIV_IN_TEXT = re.compile(
    r"(?:arxiv:\s*|arxiv\.org/(?:abs|pdf)/|arxiv preprint\s+(?:arxiv:)?)"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?/[0-9]{7})",
    re.IGNORECASE,
)
YEAR_IN_TEXT = re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")
LONGEST_LABEL = 100
LONGEST_ENTRY = 4000


def doi_of(text: str | None) -> str | None:
    """Return the DOI that ``text`` is, in lower case; None if it is none."""
    try:
        return doi_key(text).partition(":")[2].rstrip(".,;") if text and text.strip() else None
    except ValueError:
        return None


def arxiv_of(text: str | None) -> str | None:
    """Return the arXiv id that ``text`` is, without version; None if it is none."""
    try:
        return arxiv_key(text).partition(":")[2] if text and text.strip() else None
    except ValueError:
        return None


def year_of(text: str | None) -> int | None:
    """Return the first year from 1500 to 2099 that ``text`` has."""
    found = YEAR_IN_TEXT.search(text or "")
    return int(found[0]) if found else None


def reference(
    *,
    label: str,
    text: str,
    title: str | None = None,
    authors: Sequence[str] = (),
    year: int | None = None,
    doi: str | None = None,
    arxiv_id: str | None = None,
) -> Reference:
    """Return an entry; a DOI or arXiv id that stands in its text only is found there, and arXiv's DOIs are its ids."""
    text = " ".join(text.split())[:LONGEST_ENTRY]
    if doi is None and (in_text := DOI_IN_TEXT.search(text)):
        doi = doi_of(in_text[1].rstrip(").,;]"))
    if arxiv_id is None and (of_arxiv := DOI_OF_ARXIV.fullmatch(doi or "")):
        arxiv_id = arxiv_of(of_arxiv[1])
    if arxiv_id is None and (in_text := ARXIV_IN_TEXT.search(text)):
        arxiv_id = arxiv_of(in_text[1])
    title = " ".join((title or "").split()).rstrip(".")[:LONGEST_ENTRY] or None
    names = tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in authors))))
    return Reference(label[:LONGEST_LABEL], text, title, names, year, doi, arxiv_id)


def with_own_labels(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the entries, each with a label that no other has: one that has none, or another's, gets its number."""
    taken = {entry.label for entry in references}
    seen: set[str] = set()
    labelled = []
    for number, entry in enumerate(references, start=1):
        label = entry.label
        if not label or label in seen:
            label = next(name for name in _names(number, entry.label) if name not in taken | seen)
        seen.add(label)
        labelled.append(replace(entry, label=label))
    return tuple(labelled)


def _names(number: int, label: str) -> Iterator[str]:
    yield f"#{number}"
    for further in itertools.count(number):
        yield f"{label}#{further}"
