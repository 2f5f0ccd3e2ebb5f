"""Earlier texts of papers: differences from the present one, their text, and quotes that the present one lacks."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.ingest.graph.versions import unpacked
from papergraph.ingest.originals import Originals
from papergraph.records import Id, Record, described
from papergraph.schema.records import Paper
from papergraph.server.answers.stored import answers_quoting, missing_quotes
from papergraph.server.auth.access import Principal
from papergraph.server.graph.export import WholePaper, whole_paper
from papergraph.server.graph.nodes import node_by_id
from papergraph.server.papers.annotations import Annotation, AnnotationKind, AnnotationQuery, find_annotations
from papergraph.server.retrieval.scope import AllowedCollections

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
MOST_HIGHLIGHTS = 10_000


class Change(StrEnum):
    """Change of a section."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


@dataclass(frozen=True)
class SectionChange(Record):
    """A section that differs between two texts of a paper."""

    change: Annotated[Change, described("added, removed, renamed (equal text) or changed.")]
    section: Annotated[str, described("Headings from the outermost on; of a renamed one the old, then the new ones.")]
    share: Annotated[float, described("Share of words in sentences of one text only, 0 to 1; 1 if added or removed.")]


@dataclass(frozen=True)
class PaperVersion(Record):
    """An earlier text of a paper."""

    number: Annotated[int, described("Number, from 1 for the oldest that is kept.")]
    title: Annotated[str, described("Title that it had.")]
    format: Annotated[str | None, described("Format of its document.")]
    arxiv_version: Annotated[int | None, described("Version at arXiv, from 1, if known.")]
    content_hash: Annotated[str, described("sha-256 hex of its document's bytes.")]
    replaced_at: Annotated[datetime, described("Time when another text took its place.")]
    n_sections: Annotated[int, described("Number of sections.")]
    share: Annotated[float, described("Share of words in sentences of only this or the present text, 0 to 1.")]
    changes: Annotated[tuple[SectionChange, ...], described("Sections that differ in the present text.")]


class QuoteKind(StrEnum):
    """Kind of a quote."""

    ANSWER = "answer"
    HIGHLIGHT = "highlight"


@dataclass(frozen=True)
class BrokenQuote(Record):
    """A quote that the present text of its paper lacks."""

    kind: Annotated[QuoteKind, described("answer (a stored answer) or highlight.")]
    id: Annotated[Id, described("Id of the stored answer or highlight.")]
    paper_id: Annotated[Id, described("Id of the paper.")]
    paper_title: Annotated[str, described("Title of the paper.")]
    about: Annotated[str, described("Question of the answer, or comment of the highlight; may be empty.")]
    quote: Annotated[str, described("The missing words.")]


async def paper_versions(database: Database, id: str, *, collections: AllowedCollections = None) -> list[PaperVersion]:
    """Return earlier texts of a paper, the oldest first, each compared with the present one.

    Raises:
        InputError: It is no id.
        NotFoundError: There is no such paper.
        DatabaseError: Neo4j failed.
    """
    paper = await node_by_id(database, id, Paper, collections=collections)
    stored = [record["version"] for record in await database.read(cypher.load("papers/versions"), id=paper.id)]
    if not stored:
        return []
    now = await whole_paper(database, paper.id, collection=paper.collection)
    return [_version(number, one, now) for number, one in enumerate(stored, start=1)]


async def version_of(database: Database, id: str, number: int, *, collections: AllowedCollections = None) -> WholePaper:
    """Return an earlier text of a paper.

    Raises:
        InputError: It is no id.
        NotFoundError: There is no such paper, or no such version of it.
        DatabaseError: Neo4j failed.
    """
    paper = await node_by_id(database, id, Paper, collections=collections)
    stored = await database.read(cypher.load("papers/versions"), id=paper.id)
    if not 1 <= number <= len(stored):
        message = f"The paper has {len(stored)} earlier versions, not {number}. papergraph papers versions lists them."
        raise NotFoundError("version", str(number), field="version", message=message)
    return WholePaper.of(unpacked(stored[number - 1]["version"]["text"]))


def file_of(originals: Originals | None, paper: Paper) -> Path:
    """Return the file that a text of a paper was read from.

    Raises:
        NotFoundError: It is not kept.
    """
    if originals is None or (place := originals.find(paper.content_hash)) is None:
        raise NotFoundError("file of paper", paper.id, field="id")
    return place


async def broken_quotes(
    database: Database, principal: Principal, *, collection: str, paper: str | None = None, first: int = 100
) -> list[BrokenQuote]:
    """Return quotes of stored answers, and highlights that the caller sees, that their papers no longer contain.

    Args:
        database: A prepared store.
        principal: The caller.
        collection: Collection whose papers with earlier texts are checked, those replaced last first.
        paper: Id of one paper to check instead; None for those.
        first: Most papers.

    Raises:
        InputError: It is no id.
        NotFoundError: There is no such paper.
        DatabaseError: Neo4j failed.
    """
    if paper is not None:
        ids = [(await node_by_id(database, paper, Paper, collections=principal.collections)).id]
    else:
        records = await database.read(cypher.load("papers/with_versions"), collection=collection, limit=first)
        ids = [record["id"] for record in records]
    if not ids:
        return []
    found = await _of_answers(database, ids, principal.collections)
    query = AnnotationQuery(collection, papers=ids, kinds=[AnnotationKind.HIGHLIGHT])
    for one in await find_annotations(
        database, query, owner=principal.viewer, limit=MOST_HIGHLIGHTS, collections=principal.collections
    ):
        mark = Annotation.of(one.record, owner=principal.viewer, is_admin=principal.is_admin)
        if mark.is_orphan:
            told = (mark.id, mark.paper_id, mark.paper_title, mark.text, mark.quote or "")
            found.append(BrokenQuote(QuoteKind.HIGHLIGHT, *told))
    return found


async def _of_answers(database: Database, ids: Sequence[str], collections: AllowedCollections) -> list[BrokenQuote]:
    answers = await answers_quoting(database, ids, collections=collections)
    cited = [(answer, one) for answer in answers for one in answer.citations if one.paper_id in answer.paper_ids]
    lost = await missing_quotes(database, {(one.paper_id, one.quote) for _, one in cited})
    told = (
        BrokenQuote(QuoteKind.ANSWER, answer.id, one.paper_id, one.paper_title, answer.question, one.quote)
        for answer, one in cited
        if (one.paper_id, one.quote) in lost
    )
    return list(dict.fromkeys(told))


def _version(number: int, stored: Mapping[str, Any], now: WholePaper) -> PaperVersion:
    old = WholePaper.of(unpacked(stored["text"]))
    before, after = sections_of(old), sections_of(now)
    return PaperVersion(
        number,
        stored["title"],
        stored.get("format"),
        stored.get("arxivVersion"),
        stored["contentHash"],
        stored["replacedAt"].to_native(),
        len(old.parts),
        changed_share("\n".join(before.values()), "\n".join(after.values())),
        tuple(compared(before, after)),
    )


def sections_of(whole: WholePaper) -> dict[str, str]:
    """Return the own text of each section by its headings; equal headings are numbered."""
    found: dict[str, str] = {}
    path: list[str] = []
    for part in whole.parts:
        path = [*path[: part.level - 1], part.title or "(untitled)"]
        name = base = " > ".join(path)
        number = 1
        while name in found:
            number += 1
            name = f"{base} ({number})"
        found[name] = "\n".join(piece.text for piece in part.pieces)
    return found


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> list[SectionChange]:
    """Return the sections that differ between two texts, those of the new one first, each in order."""
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    by_text = {before[name]: name for name in removed if before[name]}
    renamed = {name: by_text[after[name]] for name in added if after[name] in by_text}
    changes = []
    for name, text in after.items():
        if name in renamed:
            changes.append(SectionChange(Change.RENAMED, f"{renamed[name]} → {name}", 0.0))
        elif name not in before:
            changes.append(SectionChange(Change.ADDED, name, 1.0))
        elif share := changed_share(before[name], text):
            changes.append(SectionChange(Change.CHANGED, name, share))
    gone = [name for name in removed if name not in set(renamed.values())]
    return [*changes, *(SectionChange(Change.REMOVED, name, 1.0) for name in gone)]


def changed_share(before: str, after: str) -> float:
    """Return the share of words in sentences that only one of two texts has, 0 to 1, to three digits."""
    old, new = Counter(_sentences(before)), Counter(_sentences(after))
    n_words = _n_words(old) + _n_words(new)
    return round((_n_words(old - new) + _n_words(new - old)) / n_words, 3) if n_words else 0.0


def _sentences(text: str) -> Iterable[str]:
    return (" ".join(one.split()) for one in SENTENCE.split(text) if one.strip())


def _n_words(sentences: Counter[str]) -> int:
    return sum(len(sentence.split()) * n for sentence, n in sentences.items())
