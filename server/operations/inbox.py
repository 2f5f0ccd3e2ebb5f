"""Operations on the inbox: works that watches found, in an order that learns from decisions."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Protocol

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.fetch.works import Work, merged
from papergraph.ingest.graph.rows import paper_text
from papergraph.records import Id, Record, described
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import sha256, title_key
from papergraph.schema.records import NodeRecord
from papergraph.server.auth.access import Principal
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.operations.ingest import IngestRequest, IngestService, Upload, Uploads, in_use_by
from papergraph.server.papers.relevance import Relevance, Texts
from papergraph.server.retrieval.scope import AllowedCollections
from papergraph.vector_slots import VectorSlot

NEAREST = 3
MOST_RANKED, MOST_DECIDED, MOST_OWN = 2000, 1000, 200
"""Undecided items that are scored after a decision, decisions that train, and own papers that train beside them."""
AT_ONCE = 500


class InboxState(StrEnum):
    """State of an item: ``rejected`` returns if another source finds it, ``never`` does not."""

    NEW = "new"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEVER = "never"


@dataclass(frozen=True)
class NearPaper(Record):
    """A paper of the collection that is near to an item of the inbox."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    title: Annotated[str, described("Title of the paper.")]
    score: Annotated[float, described("Cosine of both vectors, to three digits.")]


@dataclass(frozen=True, kw_only=True)
class InboxItem(NodeRecord):
    """A work that a watch found."""

    id: Annotated[Id, described("Id of the item.")]
    collection: Annotated[str, described("Collection that it was found for.")]
    state: Annotated[InboxState, described("new, accepted, rejected or never.")]
    title: Annotated[str, described("Title.")]
    authors: Annotated[tuple[str, ...], described("Names in order.")] = ()
    year: Annotated[int | None, described("Year of publication.")] = None
    doi: Annotated[str | None, described("DOI in lower case.")] = None
    arxiv_id: Annotated[str | None, described("arXiv id without version.")] = None
    journal_ref: Annotated[str | None, described("Place of publication.")] = None
    abstract: Annotated[str, described("Abstract; may be empty.")] = ""
    sources: Annotated[tuple[str, ...], described("Ids of the watches that found it.")] = ()
    found_at: Annotated[datetime, described("Time when it was found first.")]
    decided_at: Annotated[datetime | None, described("Time of the decision.")] = None
    score: Annotated[float, described("How likely it is accepted, in [0, 1].")] = 0.0
    words: Annotated[
        tuple[str, ...], described("Words that moved the score most, each as +word or -word; empty without decisions.")
    ] = ()
    near: Annotated[tuple[NearPaper, ...], described("Nearest papers of the collection.")] = ()


@dataclass(frozen=True)
class InboxDecision(Record):
    """Items that were decided."""

    ids: Annotated[tuple[Id, ...], described("Their ids.")]
    state: Annotated[InboxState, described("Their state now.")]
    job_id: Annotated[str | None, described("Job that writes accepted papers; null if none does.")] = None


@dataclass(frozen=True)
class Kept:
    """What became of works that were found.

    Attributes:
        n_found: Works, each once.
        new: Ids of new items.
        n_returned: Rejected items that another source found again.
        n_papers: Works that the collection has.
        n_known: Works that the inbox had already, whatever was decided of them.
    """

    n_found: int
    new: tuple[str, ...]
    n_returned: int
    n_papers: int
    n_known: int

    @property
    def words(self) -> str:
        """Return the numbers in words."""
        known = self.n_papers + self.n_known
        return f"{self.n_found} found, {len(self.new) + self.n_returned} new in the inbox, {known} known"


async def keep_works(
    database: Database, embedder: Embedder, works: Sequence[Work], *, collection: str, source: str
) -> Kept:
    """Put works into the inbox of a collection, those that it knows aside, and order the inbox.

    Works are the same if they share a DOI, arXiv id, OpenAlex id or the letters of a long title. Nothing is deleted
    because a later answer of a catalogue lacks it.

    Args:
        database: A prepared store.
        embedder: The model of its vectors.
        works: Works that were found.
        collection: Collection that they are for.
        source: Id of the watch that found them.

    Raises:
        DatabaseError: Neo4j failed; works that were put in until then stay, and the same call continues.
    """
    found = merged(works)
    new: list[str] = []
    n_returned = n_papers = n_known = 0
    for some in batches(found, AT_ONCE):
        papers, items = await papers_of(database, some, collection), await _items_of(database, some, collection)
        rows = []
        for at, work in enumerate(some):
            item = items.get(at)
            if item is None and at in papers:
                n_papers += 1
                continue
            returns = item is not None and item["state"] == InboxState.REJECTED and source not in item["sources"]
            n_returned, n_known = n_returned + returns, n_known + (item is not None and not returns)
            rows.append(_row(work, item, collection=collection, source=source, returns=returns))
            new += [] if item else [rows[-1]["id"]]
        await _store(database, embedder, rows)
    await _measure(database, new)
    await rank_inbox(database, collection)
    return Kept(len(found), tuple(new), n_returned, n_papers, n_known)


async def papers_of(database: Database, works: Sequence[Work], collection: str) -> dict[int, str]:
    """Return by place in ``works`` the ids of the papers of a collection that are these works.

    Raises:
        DatabaseError: Neo4j failed.
    """
    entries = [
        {
            "number": at,
            "citeKey": None,
            "doi": work.metadata.doi,
            "arxivId": work.arxiv_id,
            "titleKey": title_key(work.metadata.title),
        }
        for at, work in enumerate(works)
    ]
    records = await database.read(cypher.load("papers/cited"), collection=collection, entries=entries)
    return {record["number"]: record["paper"]["id"] for record in records}


async def _items_of(database: Database, works: Sequence[Work], collection: str) -> dict[int, Mapping[str, Any]]:
    keys = sorted({key for work in works for key in work.keys})
    by_key: dict[str, Mapping[str, Any]] = {}
    for record in await database.read(cypher.load("inbox/known"), collection=collection, keys=keys):
        by_key |= dict.fromkeys(record["keys"], record)
    found = {at: next((by_key[key] for key in work.keys if key in by_key), None) for at, work in enumerate(works)}
    return {at: item for at, item in found.items() if item is not None}


def _row(work: Work, item: Mapping[str, Any] | None, *, collection: str, source: str, returns: bool) -> dict[str, Any]:
    told = work.metadata
    known: Mapping[str, Any] = item or {"keys": (), "sources": (), "state": InboxState.NEW.value}
    return {
        "id": item["id"] if item else sha256("InboxItem", collection, work.keys[0]),
        "keys": list(dict.fromkeys((*known["keys"], *work.keys))),
        "sources": list(dict.fromkeys((*known["sources"], source))),
        "state": InboxState.NEW.value if returns else known["state"],
        "abstract": told.abstract or "",
        "properties": {
            "collection": collection,
            "title": told.title or "",
            "authors": list(told.authors),
            "year": told.year,
            "doi": work.doi,
            "arxivId": work.arxiv_id,
            "openalexId": work.openalex,
            "journalRef": told.journal_ref,
            "abstract": told.abstract or "",
            "score": 0.0,
            "words": [],
        },
    }


async def _store(database: Database, embedder: Embedder, rows: list[dict[str, Any]]) -> None:
    texts = [paper_text(row["properties"]["title"], row["properties"]["abstract"]) for row in rows]
    if not rows:
        return
    vectors = await asyncio.to_thread(embedder.encode_documents, texts)
    for row, vector in zip(rows, vectors, strict=True):
        row["properties"] |= {"vector": vector.tolist(), "vectorModel": embedder.card.sha256}
    await database.run_alone(cypher.load("inbox/put"), rows=rows)


async def _slot(database: Database) -> VectorSlot:
    active = (await stored_models(database)).active
    return active.slot if active else VectorSlot.FIRST


async def nearest(database: Database, ids: Sequence[str]) -> dict[str, list[NearPaper]]:
    """Return the papers of the collection that are nearest to items of an inbox.

    Raises:
        DatabaseError: Neo4j failed.
    """
    found: dict[str, list[NearPaper]] = defaultdict(list)
    query = cypher.load("inbox/near", await _slot(database))
    for one in await database.read(query, ids=list(ids), k=NEAREST):
        score = round(2 * one["score"] - 1, 3)
        found[one["id"]].append(NearPaper(one["paper_id"], one["title"], score))
    return found


async def _measure(database: Database, ids: Sequence[str]) -> None:
    for some in batches(ids, AT_ONCE):
        near = await nearest(database, some)
        rows = [{"id": id, "nearness": sum(one.score for one in of) / len(of)} for id, of in near.items()]
        await database.run_alone(cypher.load("inbox/nearness"), rows=rows)


async def rank_inbox(database: Database, collection: str) -> None:
    """Score the undecided items of an inbox: by a model of the decisions, or by their nearness to papers before any.

    Accepted items and papers of the collection are examples of what is kept.

    Raises:
        DatabaseError: Neo4j failed.
    """
    query = cypher.load("inbox/to_rank")
    items = await database.read(query, collection=collection, n_new=MOST_RANKED, n_decided=MOST_DECIDED)
    if not any(item["state"] == InboxState.NEW for item in items):
        return
    own: Sequence[Mapping[str, Any]] = ()
    if any(item["state"] in (InboxState.REJECTED, InboxState.NEVER) for item in items):
        query = cypher.load("inbox/own", await _slot(database))
        own = await database.read(query, collection=collection, limit=MOST_OWN)
    rows = await asyncio.to_thread(scored, items, own)
    await database.run_alone(cypher.load("inbox/score"), rows=rows)


def scored(items: Sequence[Mapping[str, Any]], own: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the score and the words of each undecided item, from rows of ``inbox/to_rank`` and ``inbox/own``."""
    undecided = [at for at, item in enumerate(items) if item["state"] == InboxState.NEW]
    decided = [at for at, item in enumerate(items) if item["state"] != InboxState.NEW]
    kept = [items[at]["state"] == InboxState.ACCEPTED for at in decided]
    rows = [*decided, *range(len(items), len(items) + len(own))]
    labels = [*kept, *(True for _ in own)]
    if len(set(labels)) < 2:
        return [
            {"id": items[at]["id"], "score": max(0.0, items[at]["nearness"] or 0.0), "words": []} for at in undecided
        ]
    both = [*items, *own]
    texts = Texts.of([one["text"] for one in both], [one["vector"] for one in both])
    model = Relevance.trained(texts, rows, labels)
    scores = model.scores()
    return [{"id": items[at]["id"], "score": float(scores[at]), "words": model.words_of(at)} for at in undecided]


async def list_inbox(
    database: Database,
    collection: str,
    *,
    states: Sequence[InboxState] = (InboxState.NEW,),
    source: str | None = None,
    after: str | None = None,
    first: int = 20,
    newest: bool = False,
) -> list[InboxItem]:
    """Return items of an inbox with their nearest papers, the best first.

    Args:
        database: A prepared store.
        collection: Collection, which the caller may read.
        states: States of the items.
        source: Id of the watch that found them; None for any.
        after: Id of the last item of the page before.
        first: Number of items.
        newest: True for the newest first; then ``after`` has no effect.

    Raises:
        NotFoundError: There is no item ``after``.
        DatabaseError: Neo4j failed.
    """
    last = await items_by_id(database, [after], collections=[collection]) if after is not None else []
    records = await database.read(
        cypher.load("inbox/find"),
        collection=collection,
        states=[one.value for one in states],
        source=source,
        after_score=last[0].score if last else None,
        after_id=after,
        newest=newest,
        limit=first,
    )
    items = [InboxItem.of(record["item"], near=()) for record in records]
    near = await nearest(database, [item.id for item in items])
    return [replace(item, near=tuple(near.get(item.id, ()))) for item in items]


async def items_by_id(
    database: Database, ids: Sequence[str], *, collections: AllowedCollections = None
) -> list[InboxItem]:
    """Return items by their ids, in their order.

    Raises:
        NotFoundError: One is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    reached = None if collections is None else list(collections)
    records = await database.read(cypher.load("inbox/by_id"), ids=list(ids), collections=reached)
    found = [InboxItem.of(record["item"], near=()) for record in records]
    if missing := [id for id in ids if id not in {item.id for item in found}]:
        raise NotFoundError("item of the inbox with id", missing[0][:100], field="id")
    return found


async def decide_inbox(
    database: Database, ids: Sequence[str], state: InboxState, *, collections: AllowedCollections = None
) -> InboxDecision:
    """Note a decision about items, and order their inboxes anew; ``new`` takes a decision back.

    Raises:
        InputError: There are no ids, or more than 100.
        NotFoundError: An item is missing or forbidden; nothing was decided.
        DatabaseError: Neo4j failed.
    """
    items = await _chosen(database, ids, collections)
    return await _decide(database, items, state)


async def _chosen(database: Database, ids: Sequence[str], collections: AllowedCollections) -> list[InboxItem]:
    if not 1 <= len(ids) <= MAX_PAGE:
        raise InputError(f"Pass 1 to {MAX_PAGE} ids, not {len(ids)}.", field="ids")
    return await items_by_id(database, list(dict.fromkeys(ids)), collections=collections)


async def _decide(
    database: Database, items: Sequence[InboxItem], state: InboxState, *, job_id: str | None = None
) -> InboxDecision:
    ids = [item.id for item in items]
    await database.run_alone(cypher.load("inbox/decide"), ids=ids, state=state.value)
    for name in sorted({item.collection for item in items}):
        await rank_inbox(database, name)
    return InboxDecision(tuple(ids), state, job_id)


@dataclass(frozen=True)
class Acceptance:
    """Accepted items as documents to ingest.

    Attributes:
        items: The items.
        collection: Their collection.
        upload: File with their records.
        texts: Names of their texts, such as ``arxiv:2401.01234``, if these are wanted.
    """

    items: tuple[InboxItem, ...]
    collection: str
    upload: Upload
    texts: tuple[str, ...]


async def prepare_acceptance(
    database: Database,
    uploads: Uploads | None,
    principal: Principal,
    ids: Sequence[str],
    *,
    with_text: bool,
) -> Acceptance:
    """Store the records of items as an upload of the caller, to be ingested.

    Raises:
        InputError: There are no ids, more than 100, or those of several collections, or uploads are refused.
        NotFoundError: An item is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    items = await _chosen(database, ids, principal.collections)
    if len(names := sorted({item.collection for item in items})) > 1:
        raise InputError(f"The items are of several collections: {', '.join(names)}. Accept those of one.", field="ids")
    if uploads is None:
        raise InputError("This server accepts no uploads, so it cannot write records.", field="ids")
    data = json.dumps([record_of(item) for item in items], ensure_ascii=False).encode()

    async def pieces() -> AsyncIterator[bytes]:
        yield data

    upload = await uploads.take(principal, "inbox.json", pieces(), in_use=in_use_by(database))
    texts = tuple(filter(None, map(text_name, items))) if with_text else ()
    return Acceptance(tuple(items), names[0], upload, texts)


def text_name(item: InboxItem) -> str | None:
    """Return the name under which ingestion fetches the text of an item: from arXiv, or an open-access PDF by DOI."""
    if item.arxiv_id:
        return f"arxiv:{item.arxiv_id}"
    return f"pdf:doi:{item.doi}" if item.doi else None


class ListedWork(Protocol):
    """Work of an inbox or a screening."""

    @property
    def title(self) -> str: ...

    @property
    def authors(self) -> tuple[str, ...]: ...

    @property
    def abstract(self) -> str: ...

    @property
    def year(self) -> int | None: ...

    @property
    def doi(self) -> str | None: ...

    @property
    def arxiv_id(self) -> str | None: ...

    @property
    def journal_ref(self) -> str | None: ...


def record_of(item: ListedWork) -> dict[str, Any]:
    """Return the record of a work as CSL-JSON."""
    record = {
        "type": "article-journal" if item.journal_ref else "article",
        "title": item.title,
        "author": [{"literal": name} for name in item.authors],
        "abstract": item.abstract,
        "issued": {"date-parts": [[item.year]]} if item.year else None,
        "DOI": item.doi,
        "number": f"arXiv:{item.arxiv_id}" if item.arxiv_id else None,
        "container-title": item.journal_ref,
    }
    return {name: value for name, value in record.items() if value}


async def finish_acceptance(database: Database, accepted: Acceptance, *, job_id: str | None) -> InboxDecision:
    """Note that items were accepted, once their papers are written or a job is open for it.

    Raises:
        DatabaseError: Neo4j failed.
    """
    return await _decide(database, accepted.items, InboxState.ACCEPTED, job_id=job_id)


async def accept_inbox(
    database: Database,
    embedder: Embedder,
    intake: IngestService,
    principal: Principal,
    ids: Sequence[str],
    *,
    with_text: bool = False,
) -> InboxDecision:
    """Accept items: a job makes papers of their records.

    Args:
        database: A prepared store.
        embedder: The model of its vectors.
        intake: Ingestion of the service.
        principal: The caller.
        ids: 1 to 100 items of one collection.
        with_text: True to fetch texts, too: from arXiv, or open-access PDFs by DOI.

    Raises:
        InputError: There are no ids, too many, or those of several collections.
        NotFoundError: An item is missing or forbidden; nothing was accepted.
        ConflictError: The account has too many waiting uploads or unfinished jobs.
        DatabaseError: Neo4j failed; the same call continues.
    """
    accepted = await prepare_acceptance(database, intake.uploads, principal, ids, with_text=with_text)
    request = IngestRequest(sources=accepted.texts, uploads=(accepted.upload.id,), collection=accepted.collection)
    job = await intake.open_job(principal, database, embedder, request)
    return await finish_acceptance(database, accepted, job_id=job.id)


async def find_ids(database: Database, collection: str, names: Sequence[str]) -> list[str]:
    """Return the ids of items of an inbox by their beginnings.

    Raises:
        NotFoundError: None, or several, begin so.
        DatabaseError: Neo4j failed.
    """
    found = []
    for name in names:
        records = await database.read(cypher.load("inbox/beginning"), collection=collection, name=name)
        if len(records) != 1:
            told = "Several items of the inbox begin with" if records else "There is no item of the inbox"
            message = f"{told} {name[:100]!r} in collection {collection!r}; papergraph inbox list shows their ids."
            raise NotFoundError("item of the inbox", name[:100], field="ids", message=message)
        found.append(str(records[0]["id"]))
    return found
