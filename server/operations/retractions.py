"""Check of a collection's papers for retractions, concerns, corrections and reinstatements."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import pages
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.ingest.sources.editorial import Found, Notice, RetractionWatch, decisive, find_notices
from papergraph.neo4j_errors import Transaction
from papergraph.records import Id, Record, described
from papergraph.server.answers.stored import QuotingAnswer, answers_quoting
from papergraph.server.operations.collections import check_reached
from papergraph.server.retrieval.scope import AllowedCollections

DOIS_AT_ONCE = 200
NOTHING_TO_ASK = (
    "No source of retractions is enabled. Set PAPERGRAPH_FETCH_CATALOGUES=true to ask Crossref and OpenAlex, or run "
    "papergraph check retractions --csv with the table of Retraction Watch."
)


@dataclass(frozen=True)
class PaperWithStatus(Record):
    """A paper with notices about it."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    doi: Annotated[str, described("DOI of the paper.")]
    title: Annotated[str, described("Title.")]
    status: Annotated[str, described("retracted, concern, corrected or reinstated.")]
    date: Annotated[str, described("Day of the deciding notice; empty if unknown.")]
    notices: Annotated[
        tuple[str, ...], described("Notices, each as: status | day | source | DOI of the notice | reason.")
    ]
    is_new: Annotated[bool, described("True if the status is another one than before.")]


@dataclass(frozen=True)
class RetractionReport(Record):
    """Result of a check for retractions."""

    collection: Annotated[str, described("Collection of the papers.")]
    n_checked: Annotated[int, described("Number of DOIs that were checked.")]
    papers: Annotated[tuple[PaperWithStatus, ...], described("Papers with a status, by DOI.")]
    cleared: Annotated[tuple[Id, ...], described("Papers whose status was removed: no source states it any more.")]
    answers: Annotated[tuple[QuotingAnswer, ...], described("Stored answers that quote these papers.")]
    failures: Annotated[tuple[str, ...], described("Sources that failed; what they stated before is kept.")]
    next_after: Annotated[str | None, described("Value of after for the next call; null at the end.")]


async def check_retractions(
    database: Database,
    collection: str,
    *,
    catalogues: Catalogues | None,
    table: RetractionWatch | None = None,
    after: str = "",
    first: int | None = None,
    collections: AllowedCollections = None,
) -> RetractionReport:
    """Look up papers by DOI, and store the status of each.

    Args:
        database: A prepared store.
        collection: Collection of the papers.
        catalogues: Crossref and OpenAlex; None to ask neither.
        table: Table of Retraction Watch; None without one.
        after: DOI to begin after; empty for the first.
        first: Number of DOIs; None for all.
        collections: Allowed collections; None for all.

    Raises:
        NotFoundError: The collection is forbidden.
        InputError: There is no source to ask, or ``first`` is out of range.
        DatabaseError: Neo4j failed; papers before that are stored.
    """
    check_reached(collection, collections)
    if catalogues is None and table is None:
        raise InputError(NOTHING_TO_ASK, field="csv")
    if first is not None and not 1 <= first <= DOIS_AT_ONCE:
        raise InputError(f"Pass 1 to {DOIS_AT_ONCE} as first, not {first}.", field="first")
    papers: list[PaperWithStatus] = []
    cleared: list[str] = []
    failures: dict[str, None] = {}
    n_checked, last = 0, ""
    query, limit = cypher.load("papers/with_dois"), min(first or DOIS_AT_ONCE, DOIS_AT_ONCE)
    async with aclosing(pages(database, query, limit=limit, after=after, collection=collection)) as found:
        async for records in found:
            last = records[-1]["id"] if len(records) == limit else ""
            dois = [record["id"] for record in records]
            told = await asyncio.to_thread(find_notices, dois, catalogues=catalogues, table=table)
            n_checked, failures = n_checked + len(dois), failures | dict.fromkeys(told.failures)
            rows = [_row(doi, paper, told) for doi, several in _by_doi(records) for paper in several]
            await _store(database, rows)
            cleared += [row["id"] for row in rows if row["was"] and not row["status"]]
            papers += [_listed(row) for row in rows if row["status"]]
            if first:
                break
    answers = await answers_quoting(database, [one.paper_id for one in papers], collections=collections)
    return RetractionReport(
        collection,
        n_checked,
        tuple(papers),
        tuple(cleared),
        tuple(answers),
        tuple(failures),
        (last or None) if first else None,
    )


def _by_doi(records: Iterable[Any]) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    return ((record["id"], record["papers"]) for record in records)


def _row(doi: str, paper: Mapping[str, Any], told: Found) -> dict[str, Any]:
    """Return the new state of a paper; notices of sources that did not answer are kept."""
    kept = (one for one in map(Notice.read, paper["notices"]) if one.source not in told.answered)
    notices = sorted({*kept, *told.notices[doi]})
    one = decisive(notices)
    return {
        "id": paper["id"],
        "doi": doi,
        "title": paper["title"],
        "was": paper["status"],
        "before": list(paper["notices"]),
        "status": one.status.value if one else None,
        "date": (one.date or None) if one else None,
        "notices": list(map(str, notices)) or None,
    }


async def _store(database: Database, rows: list[dict[str, Any]]) -> None:
    changed = [
        {name: row[name] for name in ("id", "status", "date", "notices")}
        for row in rows
        if (row["notices"] or []) != row["before"]
    ]

    async def write(transaction: Transaction) -> None:
        await transaction.run(cypher.load("papers/write_status"), rows=changed)

    if changed:
        await database.transact("papers/write_status", write)


def _listed(row: Mapping[str, Any]) -> PaperWithStatus:
    return PaperWithStatus(
        row["id"],
        row["doi"],
        row["title"],
        row["status"],
        row["date"] or "",
        tuple(row["notices"] or ()),
        row["status"] != row["was"],
    )
