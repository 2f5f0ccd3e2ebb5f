"""Snowballing: works that papers of a collection cite, and works that cite them, round by round, into the inbox."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.fetch.citations import LIBRARY, Find, Link, catalogue_links, completed, gathered, united
from papergraph.ingest.fetch.works import Work, WorkCatalogues, identities
from papergraph.ingest.sources import Metadata
from papergraph.records import Record, described
from papergraph.schema.ids import title_key
from papergraph.schema.records import Paper, Reference
from papergraph.server.graph.nodes import nodes_by_id
from papergraph.server.graph.related import list_collections
from papergraph.server.operations.inbox import InboxState, Kept

Keep = Callable[[Sequence[Work]], Awaitable[Kept]]
KIND = "snowball"
MOST_ROUNDS, MOST_KEPT = 5, 2000
MOST_OF_CATALOGUE = 5000
"""Most works of one catalogue, direction and round."""
DESCRIPTIONS = 3
"""References or papers of the library that a work is described by, at most."""
TITLE_CHARS = 300
DEADLINE_S = 120.0
OPTION = re.compile(r"(rounds|limit)=(\d{1,4})")
FORM = "such as 'backward forward rounds=2 limit=200 offline'"


@dataclass(frozen=True)
class SnowballOptions:
    """Options of snowballing; as text they are the subject of its watch.

    Attributes:
        backward: Whether to look for what works cite.
        forward: Whether to look for what cites them.
        rounds: Number of rounds, 1 to 5.
        limit: Most new works of a round that the inbox keeps, those with most links; 1 to 2,000.
        offline: Whether to use the library only.
    """

    backward: bool = True
    forward: bool = True
    rounds: int = 2
    limit: int = 200
    offline: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise InputError(f"Pass 1 to {MOST_ROUNDS} rounds, not {self.rounds}.", field="rounds")
        if not 1 <= self.limit <= MOST_KEPT:
            raise InputError(f"Pass a limit of 1 to {MOST_KEPT:,}, not {self.limit}.", field="limit")

    def __str__(self) -> str:
        flags = {"backward": self.backward, "forward": self.forward, "offline": self.offline}
        told = [name for name in ("backward", "forward") if flags[name]]
        return " ".join([*told, f"rounds={self.rounds}", f"limit={self.limit}", *(["offline"] if self.offline else [])])

    @classmethod
    def read(cls, text: str) -> Self:
        """Return options of words; both directions if none is named.

        Raises:
            InputError: A word is unknown, or a number is out of range.
        """
        words = text.split()
        numbers = {found[1]: int(found[2]) for word in words if (found := OPTION.fullmatch(word))}
        flags = {word for word in words if not OPTION.fullmatch(word)}
        if unknown := sorted(flags - {"backward", "forward", "offline"}):
            raise InputError(f"{unknown[0][:40]!r} is no option of snowballing; write words {FORM}.", field="subject")
        both = not flags & {"backward", "forward"}
        return cls(both or "backward" in flags, both or "forward" in flags, offline="offline" in flags, **numbers)


def subject(text: str) -> str:
    """Return options as the subject of a watch.

    Raises:
        InputError: A word is unknown, or a number is out of range.
    """
    return str(SnowballOptions.read(text))


@dataclass(frozen=True)
class SnowballRound(Record):
    """A round of snowballing."""

    number: Annotated[int, described("Number of the round, from 1.")]
    n_seeds: Annotated[int, described("Works whose citations were followed.")]
    n_links: Annotated[int, described("Citations that were found: the records identified.")]
    n_works: Annotated[int, described("Works that they name, each once.")]
    n_unnamed: Annotated[int, described("Citations without DOI, arXiv id and long title, whose work is unknown.")]
    n_papers: Annotated[int, described("Works that the collection has.")]
    n_seen: Annotated[int, described("Works of earlier rounds.")]
    n_known: Annotated[int, described("Works that the inbox had before.")]
    n_new: Annotated[int, described("New works.")]
    n_kept: Annotated[int, described("New works that were put into the inbox, those with most links.")]
    share_new: Annotated[float, described("Yield: new works per work, 0 to 1.")]
    n_accepted: Annotated[int, described("Works of this round in the inbox that are accepted now.")] = 0
    n_refused: Annotated[int, described("Works of this round in the inbox that are rejected now.")] = 0
    n_waiting: Annotated[int, described("Works of this round in the inbox without a decision.")] = 0


@dataclass(frozen=True)
class RecordsOf(Record):
    """Records that one source gave."""

    source: Annotated[str, described("library, openalex or crossref.")]
    n_records: Annotated[int, described("Citations that it stated.")]


@dataclass(frozen=True)
class PrismaCounts(Record):
    """Counts for the part of a PRISMA 2020 diagram about citation searching."""

    sources: Annotated[tuple[RecordsOf, ...], described("Records by source.")]
    identified: Annotated[int, described("Records identified.")]
    duplicates: Annotated[int, described("Duplicate records removed, within a round and between rounds.")]
    unnamed: Annotated[int, described("Records removed because their work is unknown.")]
    in_library: Annotated[int, described("Works that the collection had.")]
    beyond_limit: Annotated[int, described("New works beyond the limit, which were not kept.")]
    screened: Annotated[int, described("Works with a decision.")]
    excluded: Annotated[int, described("Works that were rejected.")]
    included: Annotated[int, described("Works that were accepted.")]
    waiting: Annotated[int, described("Works without a decision.")]


@dataclass(frozen=True)
class SnowballReport(Record):
    """Result of the last snowballing of a collection with some options, with the decisions so far."""

    id: Annotated[str, described("Id of the watch that ran it; the source of its items in the inbox.")]
    collection: Annotated[str, described("The collection.")]
    options: Annotated[str, described("Directions, rounds, limit, and offline if only the library was used.")]
    finished_at: Annotated[str | None, described("End of the run, as ISO 8601; null before the first.")]
    rounds: Annotated[tuple[SnowballRound, ...], described("The rounds.")]
    counts: Annotated[PrismaCounts, described("Counts of all rounds.")]
    remarks: Annotated[tuple[str, ...], described("Sources that failed or were cut at a limit.")]


@dataclass(frozen=True)
class Frontier:
    """Works whose citations are followed in a round.

    Attributes:
        works: The works.
        paper_ids: Papers of the library that are these works.
        rows: Their identities as parameters of queries, with the number of the work.
    """

    works: Sequence[Work]
    paper_ids: Sequence[str]
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Sorted:
    """Works of a round by what is known of them; those of earlier rounds and papers are only counted."""

    n_papers: int
    n_seen: int
    known: list[Find]
    new: list[Find]


@dataclass
class Snowball:
    """Snowballing of a collection.

    Attributes:
        database: A prepared store.
        collection: The collection.
        options: The options.
        catalogues: OpenAlex and Crossref as far as they are enabled; None for the library only.
        papers: Identities of the papers of the collection.
        seen: Identities of works of earlier rounds.
        collections: All collections of the library.
    """

    database: Database = field(repr=False)
    collection: str
    options: SnowballOptions
    catalogues: WorkCatalogues | None = None
    papers: set[str] = field(default_factory=set, repr=False)
    seen: set[str] = field(default_factory=set, repr=False)
    collections: Sequence[str] = ()

    async def begin(self) -> Frontier:
        """Return the papers of the collection, from which the first round starts.

        Raises:
            InputError: The collection has no papers.
            DatabaseError: Neo4j failed.
        """
        self.collections = [one.name for one in await list_collections(self.database)]
        query = cypher.load("snowball/seeds")
        found = await self.database.rows(query, collection=self.collection, deadline_s=DEADLINE_S)
        if not found:
            raise InputError(f"Collection {self.collection!r} has no papers to start from.", field="collection")
        numbers: dict[str, int] = {}
        works, rows = [], []
        for paper_id, doi, arxiv_id, letters in found:
            number = numbers.setdefault(paper_id, len(numbers))
            self.papers.update(identities(doi, arxiv_id, letters))
            rows.append({"number": number, "doi": doi, "arxiv_id": arxiv_id, "title_key": letters})
            if doi or arxiv_id:
                works.append(Work(Metadata(doi=doi, arxiv_id=arxiv_id), LIBRARY))
        return Frontier(works, list(numbers), rows)

    async def links(self, frontier: Frontier) -> list[Link]:
        """Return the citations of a frontier, in the library and at the catalogues.

        Raises:
            DatabaseError: Neo4j failed.
        """
        found: list[Link] = []
        if self.options.backward:
            found += await self._read("snowball/references", ids=list(frontier.paper_ids))
        others = [name for name in self.collections if name != self.collection]
        if self.options.forward and others:  # papers of the collection are known
            found += await self._read("snowball/citing", works=list(frontier.rows), collections=others)
        if self.catalogues is not None:
            found += await asyncio.to_thread(
                catalogue_links,
                self.catalogues,
                frontier.works,
                backward=self.options.backward,
                forward=self.options.forward,
                limit=MOST_OF_CATALOGUE,
            )
        return found

    async def _read(self, name: str, **parameters: Any) -> list[Link]:
        rows = await self.database.rows(cypher.load(name), deadline_s=DEADLINE_S, **parameters)
        return [Link(identities(doi, arxiv, letters), n, LIBRARY, id=id) for doi, arxiv, letters, n, id in rows]

    async def sort_out(self, finds: Sequence[Find]) -> Sorted:
        """Sort the works of a round by what is known of them, and note them as seen.

        Raises:
            DatabaseError: Neo4j failed.
        """
        again = [any(key in self.seen for key in find.keys) for find in finds]
        papers = [any(key in self.papers for key in find.keys) for find in finds]
        rest = [find for find, *known in zip(finds, again, papers, strict=True) if not any(known)]
        items = await self._items(rest)
        self.seen.update(key for find in finds for key in find.keys)
        known = [find for find in rest if any(key in items for key in find.keys)]
        new = [find for find in rest if not any(key in items for key in find.keys)]
        n_seen = sum(again)
        return Sorted(len(finds) - n_seen - len(rest), n_seen, known, new)

    async def _items(self, finds: Sequence[Find]) -> dict[str, Mapping[str, Any]]:
        """Return the items of the inbox that are some works, by each of their identities."""
        keys = [key for find in finds for key in find.keys]
        if not keys:
            return {}
        records = await self.database.read(cypher.load("inbox/known"), collection=self.collection, keys=keys)
        return {key: record for record in records for key in record["keys"]}

    async def works_of(self, finds: Sequence[Find]) -> tuple[list[Work], list[list[str]]]:
        """Return works as the library and the catalogues describe them, and the ids of papers that are these works.

        Raises:
            DatabaseError: Neo4j failed.
        """
        chosen = [sorted(link.id for link in find.links if link.id)[:DESCRIPTIONS] for find in finds]
        stored = await self._stored([id for ids in chosen for id in ids])
        works = [
            united([*(link.work for link in find.links if link.work), *(stored[id] for id in ids if id in stored)])
            for find, ids in zip(finds, chosen, strict=True)
        ]
        papers: list[list[str]] = [[] for _ in works]
        query = cypher.load("snowball/papers_of")
        given: dict[str, Any] = {"works": _rows(works), "collections": list(self.collections)}
        for id, number in await self.database.rows(query, deadline_s=DEADLINE_S, **given):
            papers[number].append(id)
        stored = await self._stored([ids[0] for ids in papers if ids])
        works = [united([*(stored[id] for id in ids[:1]), work]) for work, ids in zip(works, papers, strict=True)]
        if self.catalogues is not None:
            works = await asyncio.to_thread(completed, self.catalogues, works)
        return works, papers

    async def _stored(self, ids: Sequence[str]) -> dict[str, Work]:
        nodes = [one for one in await nodes_by_id(self.database, ids) if isinstance(one, Paper | Reference)]
        papers = [one.id for one in nodes if isinstance(one, Paper)]
        names: dict[str, list[str]] = {}
        for record in await self.database.read(cypher.load("papers/authors"), paper_ids=papers, collections=None):
            names.setdefault(record["paper_id"], []).append(record["author"]["name"])
        return {one.id: _work_of(one, names.get(one.id, ())) for one in nodes}

    async def go_on(
        self, finds: Sequence[Find], works: Sequence[Work], papers: Sequence[Sequence[str]]
    ) -> tuple[list[str], Frontier]:
        """Return the items of the inbox that works have become, and the works to go on from: those not refused.

        Raises:
            DatabaseError: Neo4j failed.
        """
        items = await self._items(finds)
        of_find = [next((items[key] for key in find.keys if key in items), None) for find in finds]
        there = [one for one in zip(of_find, works, papers, strict=True) if one[0] is not None]
        followed = [one for one in there if one[0] and one[0]["state"] in (InboxState.NEW, InboxState.ACCEPTED)]
        chosen = [work for _, work, _ in followed]
        ids = list(dict.fromkeys(id for _, _, several in followed for id in several))
        return list(dict.fromkeys(item["id"] for item, _, _ in there if item)), Frontier(chosen, ids, _rows(chosen))


def _rows(works: Sequence[Work]) -> list[dict[str, Any]]:
    """Return the identities of works as parameters of queries."""
    return [
        {
            "number": number,
            "doi": work.metadata.doi,
            "arxiv_id": work.arxiv_id,
            "title_key": title_key(work.metadata.title),
        }
        for number, work in enumerate(works)
    ]


def _work_of(node: Paper | Reference, authors: Sequence[str]) -> Work:
    if isinstance(node, Reference):
        title = node.title or " ".join(node.text.split())[:TITLE_CHARS]
        told = Metadata(title=title, authors=node.authors, year=node.year, doi=node.doi, arxiv_id=node.arxiv_id)
        return Work(told, LIBRARY)
    told = Metadata(
        title=node.title,
        abstract=node.abstract,
        authors=tuple(authors),
        year=node.year,
        doi=node.doi,
        arxiv_id=node.arxiv_id,
        journal_ref=node.journal_ref,
    )
    return Work(told, LIBRARY)


async def run_snowball(
    database: Database,
    collection: str,
    options: SnowballOptions,
    *,
    catalogues: WorkCatalogues | None,
    keep: Keep,
) -> tuple[str, dict[str, Any]]:
    """Follow citations from the papers of a collection, put new works into its inbox, and return words and the state.

    Papers of all collections and their references are used, then OpenAlex and Crossref. The next round goes on
    from works of this one that are in the inbox and not refused. A second run keeps the next works beyond the limit.

    Args:
        database: A prepared store.
        collection: The collection.
        options: The options.
        catalogues: Catalogues to ask; None for the library only.
        keep: Puts works into the inbox of the collection.

    Raises:
        InputError: The collection has no papers.
        DatabaseError: Neo4j failed; works that were put in until then stay.
    """
    ball = Snowball(database, collection, options, catalogues)
    frontier = await ball.begin()
    rounds: list[dict[str, Any]] = []
    while len(rounds) < options.rounds and frontier.rows:
        made, frontier = await _round(ball, frontier, keep)
        rounds.append(made)
    remarks = list(dict.fromkeys(catalogues.failures)) if catalogues else []
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    works, new, kept = (sum(one[name] for one in rounds) for name in ("n_works", "n_new", "n_kept"))
    words = f"rounds: {len(rounds)}, {works} works, {new} new, {kept} put into the inbox"
    return "; ".join([words, *remarks[:1]]), {"rounds": rounds, "remarks": remarks, "finished": finished}


async def _round(ball: Snowball, frontier: Frontier, keep: Keep) -> tuple[dict[str, Any], Frontier]:
    """Carry out a round; return its state, and the works from which the next one starts."""
    limit = ball.options.limit
    links = await ball.links(frontier)
    finds = gathered(links)
    told = await ball.sort_out(finds)
    kept = [*told.known, *told.new[:limit]]
    works, papers = await ball.works_of(kept)
    await keep(works)
    items, following = await ball.go_on(kept, works, papers)
    origins = Counter[str]()
    for link in links:
        origins[link.origin] += link.n_links
    made = {
        "n_seeds": len({row["number"] for row in frontier.rows}),
        "n_links": sum(origins.values()),
        "n_works": len(finds),
        "n_unnamed": sum(link.n_links for link in links if not link.keys),
        "n_papers": told.n_papers,
        "n_seen": told.n_seen,
        "n_known": len(told.known),
        "n_new": len(told.new),
        "n_kept": min(len(told.new), limit),
        "origins": dict(origins),
        "items": items,
    }
    return made, following


async def snowball_reports(database: Database, collection: str) -> list[SnowballReport]:
    """Return what snowballing of a collection found last, the newest options first, with the decisions so far.

    Raises:
        DatabaseError: Neo4j failed.
    """
    reports = []
    for record in await database.read(cypher.load("snowball/runs"), collection=collection):
        watch = record["watch"]
        state = json.loads(watch["state"])
        ids = [id for one in state.get("rounds", ()) for id in one["items"]]
        rows = await database.rows(cypher.load("inbox/states"), ids=ids) if ids else []
        reports.append(_report(watch, state, {id: InboxState(told) for id, told in rows}))
    return reports


def _report(watch: Mapping[str, Any], state: Mapping[str, Any], decisions: Mapping[str, InboxState]) -> SnowballReport:
    rounds, origins = [], Counter[str]()
    for number, one in enumerate(state.get("rounds", ()), start=1):
        told = {name: value for name, value in one.items() if name.startswith("n_")}
        counts = Counter(decisions[id] for id in one["items"] if id in decisions)
        origins.update(one["origins"])
        made = SnowballRound(number=number, **told, share_new=one["n_new"] / max(one["n_works"], 1))
        rounds.append(
            replace(
                made,
                n_accepted=counts[InboxState.ACCEPTED],
                n_refused=counts[InboxState.REJECTED] + counts[InboxState.NEVER],
                n_waiting=counts[InboxState.NEW],
            )
        )
    return SnowballReport(
        watch["id"],
        watch["collection"],
        watch["subject"],
        state.get("finished"),
        tuple(rounds),
        _counts(rounds, origins),
        tuple(state.get("remarks", ())),
    )


def _counts(rounds: Sequence[SnowballRound], origins: Mapping[str, int]) -> PrismaCounts:
    def total(name: str) -> int:
        return sum(getattr(one, name) for one in rounds)

    named = total("n_links") - total("n_unnamed")
    return PrismaCounts(
        sources=tuple(RecordsOf(name, n) for name, n in sorted(origins.items())),
        identified=total("n_links"),
        duplicates=named - total("n_works") + total("n_seen"),
        unnamed=total("n_unnamed"),
        in_library=total("n_papers"),
        beyond_limit=total("n_new") - total("n_kept"),
        screened=total("n_accepted") + total("n_refused"),
        excluded=total("n_refused"),
        included=total("n_accepted"),
        waiting=total("n_waiting"),
    )
