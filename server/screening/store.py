"""Screenings as they are stored: their records, decisions, order and imported files."""

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import DEADLINE_S, batches
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import NotFoundError
from papergraph.ingest.graph.rows import paper_text
from papergraph.progress import Progress, silent
from papergraph.records import Id, Record, described
from papergraph.server.papers.relevance import Relevance, Texts
from papergraph.server.retrieval.scope import AllowedCollections
from papergraph.server.screening.decisions import Judgement, RaterDecision, ScreeningStage, judged
from papergraph.server.screening.duplicates import Identity

VECTORS_AT_ONCE = 64


@dataclass(frozen=True)
class ImportedFile(Record):
    """File of search results that was imported."""

    source: Annotated[str, described("Database that was searched.")]
    name: Annotated[str, described("Name of the file.")]
    sha256: Annotated[str, described("sha-256 hex of its bytes.")]
    n_records: Annotated[int, described("Number of its records.")]
    n_refused: Annotated[int, described("Number of entries that could not be read.")]
    refused: Annotated[tuple[str, ...], described("The first of these, each with line and reason.")]
    at: Annotated[datetime, described("Time of the import.")]


@dataclass(frozen=True)
class StoredScreening:
    """A screening as it is stored.

    Attributes:
        n_ranked: Decided records when the order was computed last; None before that.
    """

    id: str
    collection: str
    name: str
    reasons: tuple[str, ...]
    raters: int
    imports: tuple[ImportedFile, ...]
    n_records: int
    n_duplicates: int
    n_ranked: int | None
    created_at: datetime

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "StoredScreening":
        """Return a screening from a record of ``screening/list``."""
        node = record["screening"]
        imports = (json.loads(one) for one in node["imports"])
        return cls(
            node["id"],
            node["collection"],
            node["name"],
            tuple(node["reasons"]),
            node["raters"],
            tuple(
                ImportedFile(**one | {"refused": tuple(one["refused"]), "at": datetime.fromisoformat(one["at"])})
                for one in imports
            ),
            record["n_records"],
            record["n_duplicates"],
            node.get("nRanked"),
            node["createdAt"].to_native(),
        )


@dataclass(frozen=True)
class ScreenedRecord:
    """A record that repeats no other one, with its decisions."""

    id: str
    score: float | None
    decisions: tuple[RaterDecision, ...]

    def judged(self, screening: StoredScreening, stage: ScreeningStage) -> Judgement:
        """Return what was decided of it at a stage."""
        return judged(self.decisions, stage, raters=screening.raters, reasons=screening.reasons)


async def find_screenings(
    database: Database, collection: str, *, name: str | None = None, collections: AllowedCollections = None
) -> list[StoredScreening]:
    """Return the screenings of a collection, by name.

    Raises:
        DatabaseError: Neo4j failed.
    """
    reached = None if collections is None else list(collections)
    query = cypher.load("screening/list")
    return [
        StoredScreening.of(one)
        for one in await database.read(query, collection=collection, name=name, collections=reached)
    ]


async def find_screening(
    database: Database, collection: str, name: str, *, collections: AllowedCollections = None
) -> StoredScreening:
    """Return a screening by name or id.

    Raises:
        NotFoundError: It is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    found = await find_screenings(database, collection, name=name, collections=collections)
    if not found:
        raise NotFoundError("screening", name[:80], field="screening")
    return found[0]


async def identities_of(database: Database, screening: str) -> list[tuple[Identity, Mapping[str, Any]]]:
    """Return all records with what tells whether two are the same work, and the record of ``screening/identities``.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("screening/identities"), screening=screening, deadline_s=DEADLINE_S)
    names = ("id", "title", "doi", "pmid", "year", "authors")
    return [(Identity(**{name: one[name] for name in names}), one) for one in records]


async def screened_records(database: Database, screening: str) -> list[ScreenedRecord]:
    """Return the records that repeat no other one, in order of id, which is a random order.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("screening/states"), screening=screening, deadline_s=DEADLINE_S)
    return [ScreenedRecord(one["id"], one["score"], tuple(map(RaterDecision.of, one["decisions"]))) for one in records]


async def note_import(database: Database, screening: str, entry: ImportedFile) -> None:
    """Add a file to the ledger of a screening.

    Raises:
        DatabaseError: Neo4j failed.
    """
    told = json.dumps(asdict(entry) | {"at": entry.at.isoformat()}, ensure_ascii=False)
    await database.run_alone(cypher.load("screening/note_import"), screening=screening, entry=told)


async def add_decision(database: Database, record: str, decision: RaterDecision) -> None:
    """Store a decision on a record.

    Raises:
        DatabaseError: Neo4j failed; nothing or the decision is stored.
    """
    values = ("stage", "rater", "verdict", "reason", "note", "resolves")
    properties = {name: getattr(decision, name) for name in values}
    properties |= {"stage": decision.stage.value, "verdict": decision.verdict.value}
    query = cypher.load("screening/decide")
    await database.run_alone(query, record=record, id=secrets.token_hex(32), properties=properties)


async def embed_records(
    database: Database, embedder: Embedder, screening: str, *, most: int | None = None, progress: Progress = silent
) -> int:
    """Compute vectors of records that have none of the model; return how many.

    Args:
        database: A prepared store.
        embedder: The model of its vectors.
        screening: Id of the screening.
        most: Most records; None for all.
        progress: Told of the records.

    Raises:
        DatabaseError: Neo4j failed; vectors that were made stay, and the same call continues.
    """
    query, model = cypher.load("screening/without_vector"), embedder.card.sha256
    limit = most if most is not None else 1_000_000
    found = await database.read(query, screening=screening, model=model, limit=limit)
    n_made = 0
    for some in batches(found, VECTORS_AT_ONCE):
        texts = [paper_text(one["title"], one["abstract"]) for one in some]
        vectors = await asyncio.to_thread(embedder.encode_documents, texts)
        rows = [{"id": one["id"], "vector": vector.tolist()} for one, vector in zip(some, vectors, strict=True)]
        await database.run_alone(cypher.load("screening/set_vectors"), rows=rows, model=model)
        n_made += len(rows)
        progress.advance("vectors", n_made, len(found))
    return n_made


async def rank_records(database: Database, screening: StoredScreening, records: Sequence[ScreenedRecord]) -> None:
    """Score the records without any decision by a model of the decided ones; nothing changes before both kinds exist.

    A record keeps the score that it had when its first decision was made: a later one would tell a second rater of it.

    Raises:
        DatabaseError: Neo4j failed.
    """
    judgements = {one.id: one.judged(screening, ScreeningStage.ABSTRACT) for one in records}
    labels = {id: one.label for id, one in judgements.items() if one.label is not None}
    if len(set(labels.values())) < 2:
        return
    texts = await database.read(cypher.load("screening/texts"), screening=screening.id, deadline_s=DEADLINE_S)
    rows = await asyncio.to_thread(scored, texts, judgements, labels)
    for some in batches(rows, 2000) if rows else [[]]:
        await database.run_alone(
            cypher.load("screening/score"), screening=screening.id, rows=list(some), n_decided=len(labels)
        )


def scored(
    texts: Sequence[Mapping[str, Any]], judgements: Mapping[str, Judgement], labels: Mapping[str, bool]
) -> list[dict[str, Any]]:
    """Return the score and words of each record without votes, from records of ``screening/texts``."""

    def latest(at: int) -> datetime:
        votes = judgements[texts[at]["id"]].votes
        return max((vote.decided_at for vote in votes), default=datetime.min.replace(tzinfo=UTC))

    decided = sorted((at for at, one in enumerate(texts) if one["id"] in labels), key=latest, reverse=True)
    numbers = Texts.of([one["text"] for one in texts], [one["vector"] for one in texts])
    model = Relevance.trained(numbers, decided, [labels[texts[at]["id"]] for at in decided])
    scores = model.scores()
    return [
        {"id": one["id"], "score": float(scores[at]), "words": model.words_of(at)}
        for at, one in enumerate(texts)
        if one["id"] in judgements and not judgements[one["id"]].votes
    ]


@dataclass(frozen=True)
class DuplicatePair(Record):
    """Record that repeats another one, or may do so."""

    id: Annotated[Id, described("Id of the record that repeats.")]
    title: Annotated[str, described("Its title.")]
    source: Annotated[str, described("Its database.")]
    line: Annotated[int, described("Its line in its file.")]
    doi: Annotated[str | None, described("Its DOI, if any.")]
    year: Annotated[int | None, described("Its year, if known.")]
    kept_id: Annotated[Id, described("Id of the record that is kept.")]
    kept_title: Annotated[str, described("Its title.")]
    kept_source: Annotated[str, described("Its database.")]
    kept_line: Annotated[int, described("Its line in its file.")]
    kept_doi: Annotated[str | None, described("Its DOI, if any.")]
    kept_year: Annotated[int | None, described("Its year, if known.")]
    by: Annotated[str, described("What is equal: doi, pmid, title; person; or possible: they were not joined.")]

    @classmethod
    def of(cls, one: Mapping[str, Any], kept: Mapping[str, Any], by: str) -> "DuplicatePair":
        """Return a pair of records of ``screening/identities``."""
        names = ("id", "title", "source", "line", "doi", "year")
        of_kept = {f"kept_{name}": kept[name] for name in names}
        return cls(**{name: one[name] for name in names}, **of_kept, by=by)
