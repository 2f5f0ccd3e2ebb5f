"""What a filter lets through in collections: sets of papers and chunks, found in Neo4j and combined here.

Each condition is one query, and sets of ids are combined by all, any and not; "all but these" is a set as well, so that
what is not in a small set is never listed.
"""

import asyncio
import operator
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date
from functools import reduce
from typing import Any
from weakref import WeakKeyDictionary

import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError
from schema.ids import (
    author_id,
    check_collection,
    collection_term,
    entity_id,
    metadata_cluster_id,
    possible_keys,
)
from server.retrieval.entity_linking import folded_words
from server.retrieval.filters.language import Dates, FieldValue, Filter, Years
from server.retrieval.filters.matches import (
    AppliedFilter,
    Ids,
    Passing,
    ResolvedFilter,
    all_of,
    both_of,
    only_kinds,
    only_papers,
)

MAX_CHUNKS = 200_000
"""Chunks that are listed where conditions on papers and on passages are mixed under any or not."""
MOST_KEPT, MOST_IDS_KEPT = 64, 1_000_000
"""Filters whose sets are kept, and ids of these sets, while nothing is committed."""
NAMES_PER_QUERY = 50
NODES_PER_NAME = 20
FIRST_YEAR, LAST_YEAR = 1, 9999


async def resolve(database: Database, filter: Filter, collections: tuple[str, ...]) -> ResolvedFilter:
    """Find what a filter lets through.

    A value that names nothing is no error: it lets nothing pass, like any other value that no paper has, and is told.
    What was found is found again at once for as long as nothing is committed.

    Raises:
        InputError: A collection has no valid name, or the filter mixes conditions on papers and passages so that
            more than 200,000 chunks would have to be listed.
        DatabaseError: Neo4j failed.
    """
    for collection in collections:
        check_collection(collection)
    state = await database.state()
    known = _known.setdefault(database, OrderedDict())
    found = known.get((collections, filter))
    if not state or found is None or found[0] != state:
        found = known[collections, filter] = state, await _resolve(database, filter, collections)
        while len(known) > MOST_KEPT or sum(resolved.passing.size for _, resolved in known.values()) > MOST_IDS_KEPT:
            known.popitem(last=False)
    else:
        known.move_to_end((collections, filter))
    return found[1]


_Asked = tuple[tuple[str, ...], Filter]
_known: WeakKeyDictionary[Database, OrderedDict[_Asked, tuple[str, ResolvedFilter]]] = WeakKeyDictionary()
"""What filters let through, with the state of the store that they were resolved in."""


async def _resolve(database: Database, filter: Filter, collections: tuple[str, ...]) -> ResolvedFilter:
    resolving = _Resolving(database, collections)
    passing, counted = await asyncio.gather(resolving.filter(filter), database.read(cypher.load("filters/counts")))
    passing = replace(resolving.narrowed(passing), **counted[0].data())
    return ResolvedFilter(AppliedFilter(str(filter), str(passing), tuple(sorted(resolving.unknown))), passing)


class _Resolving:
    def __init__(self, database: Database, collections: tuple[str, ...]) -> None:
        self._database = database
        self._collections = collections
        self._paper_of: dict[str, str] = {}
        self.unknown: set[str] = set()

    async def filter(self, filter: Filter) -> Passing:
        parts = await asyncio.gather(*(self._condition(name, value) for name, value in filter.conditions()))
        return all_of(parts)

    def narrowed(self, passing: Passing) -> Passing:
        """Return the same; where chunks are listed, without those of papers that do not pass, and with their papers."""
        if passing.chunks is None or passing.chunks.all_but:
            return passing
        papers = passing.papers or Ids(frozenset(), all_but=True)
        ids = frozenset(id for id in passing.chunks.ids if self._paper_of[id] in papers)
        return replace(passing, papers=Ids(frozenset(self._paper_of[id] for id in ids)), chunks=Ids(ids))

    def _condition(self, name: str, value: Any) -> Awaitable[Passing]:
        match name:
            case "all":
                return self.all_of(value)
            case "any":
                return self._any(value)
            case "not":
                return self._not(value)
            case "kinds":
                return both_of(Passing(kinds=frozenset(value)))
            case "papers":
                return self._papers(value)
            case "categories":
                return self._categories(value)
            case "languages":
                return self._languages(value)
            case "years":
                return self._years(value)
            case "dates":
                return self._dates(value)
            case "authors":
                return self._authors(value)
            case "entities":
                return self._entities(value)
            case _:
                return self._clusters(value)

    async def all_of(self, filters: Sequence[Filter]) -> Passing:
        return all_of(await asyncio.gather(*map(self.filter, filters)))

    async def _any(self, filters: Sequence[Filter]) -> Passing:
        parts = await asyncio.gather(*map(self.filter, filters))
        if all(only_papers(part) for part in parts):
            return Passing(papers=reduce(operator.or_, [part.papers for part in parts if part.papers is not None]))
        if all(only_kinds(part) for part in parts):
            return Passing(kinds=frozenset[str]().union(*(part.kinds or () for part in parts)))
        return Passing(chunks=reduce(operator.or_, [await self._as_chunks(part) for part in parts]))

    async def _not(self, filter: Filter) -> Passing:
        part = await self.filter(filter)
        if only_papers(part) and part.papers is not None:
            return Passing(papers=~part.papers)
        return Passing(chunks=~await self._as_chunks(part))

    async def _as_chunks(self, part: Passing) -> Ids:
        """Return the chunks of a part, listed, or those that it leaves out."""
        found = part.chunks
        for papers, kinds in ((part.papers, None), (None, part.kinds)):
            if papers is not None or kinds is not None:
                listed = await self._chunks_of(papers, kinds)
                found = listed if found is None else found & listed
        return found if found is not None else Ids(frozenset(), all_but=True)

    async def _chunks_of(self, papers: Ids | None, kinds: frozenset[str] | None) -> Ids:
        limit = MAX_CHUNKS + 1
        if papers is not None:
            statement = cypher.load("filters/chunks_of_papers")
            records = await self._database.read(statement, paper_ids=sorted(papers.ids), limit=limit)
        else:
            statement = cypher.load("filters/chunks_of_kinds")
            asked: dict[str, Any] = {"collections": self._collections, "kinds": sorted(kinds or ())}
            records = await self._database.read(statement, limit=limit, **asked)
        if len(records) == limit:
            raise InputError(
                "the filter mixes conditions on papers and on passages under any or not, and more than "
                f"{MAX_CHUNKS} passages would have to be listed; put the rarer condition beside it, in all",
                field="filter",
            )
        self._paper_of |= {record["chunk_id"]: record["paper_id"] for record in records}
        return Ids(frozenset(record["chunk_id"] for record in records), papers is not None and papers.all_but)

    async def _papers(self, names: Sequence[str]) -> Passing:
        records = await self._database.read(
            cypher.load("filters/papers_by_name"),
            collections=self._collections,
            named=[{"name": name, "keys": possible_keys(name)} for name in dict.fromkeys(names)],
        )
        found = {record["name"]: record["paper_ids"] for record in records}
        return Passing(papers=self._named("papers", {name: name for name in names}, found))

    async def _categories(self, names: Sequence[str]) -> Passing:
        written = {name.lower(): name for name in names}
        records = await self._database.read(
            cypher.load("filters/papers_of_categories"), collections=self._collections, categories=list(written)
        )
        self._tell("categories", written, {category for record in records for category in record["found"]})
        return Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))

    async def _languages(self, codes: Sequence[str]) -> Passing:
        written = {code.lower(): code for code in codes}
        records = await self._database.read(
            cypher.load("filters/papers_of_languages"), collections=self._collections, languages=list(written)
        )
        self._tell("languages", written, {record["language"] for record in records})
        return Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))

    async def _years(self, years: Years) -> Passing:
        first, last = years.ends()
        (record,) = await self._database.read(
            cypher.load("filters/papers_of_years"),
            collections=self._collections,
            first=first or FIRST_YEAR,
            last=last or LAST_YEAR,
        )
        if not record["paper_ids"]:
            undated = f" ({record['n_undated']:,} of {record['n_papers']:,} papers have no year)"
            self.unknown.add(str(Filter(years=years)) + undated * bool(record["n_undated"]))
        return Passing(papers=Ids(frozenset(record["paper_ids"])))

    async def _dates(self, dates: Dates) -> Passing:
        first, last = dates.ends()
        (record,) = await self._database.read(
            cypher.load("filters/papers_of_dates"),
            collections=self._collections,
            first=first or date.min,
            last=last or date.max,
        )
        if not record["paper_ids"]:
            self.unknown.add(str(Filter(dates=dates)))
        return Passing(papers=Ids(frozenset(record["paper_ids"])))

    async def _authors(self, names: Sequence[str]) -> Passing:
        ids_of = await self._ids_of("Author", names, of_name=author_id)
        records = await self._database.read(
            cypher.load("filters/papers_of_authors"),
            collections=self._collections,
            author_ids=sorted(frozenset().union(*ids_of.values())),
        )
        found = {record["id"]: record["paper_ids"] for record in records}
        self._tell("authors", {name: name for name in names}, {name for name in names if ids_of[name] & found.keys()})
        return Passing(papers=Ids(frozenset(id for ids in found.values() for id in ids)))

    async def _entities(self, names: Sequence[str]) -> Passing:
        ids_of = await self._ids_of("Entity", names, of_name=entity_id)
        records = await self._database.read(
            cypher.load("filters/chunks_of_entities"),
            collections=self._collections,
            entity_ids=sorted(frozenset().union(*ids_of.values())),
        )
        found = {record["id"]: dict(record["chunks"]) for record in records}
        self._tell("entities", {name: name for name in names}, {name for name in names if ids_of[name] & found.keys()})
        return self._chunks(found.values())

    async def _clusters(self, clusters: Sequence[str | FieldValue]) -> Passing:
        written = {
            id: f"{one.field}={one.value}" if isinstance(one, FieldValue) else one
            for one in clusters
            for id in self._ids_of_cluster(one)
        }
        records = await self._database.read(
            cypher.load("filters/members_of_clusters"), collections=self._collections, cluster_ids=sorted(written)
        )
        found = {written[record["id"]] for record in records}
        self._tell("clusters", {said: said for said in written.values()}, found)
        papers = Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))
        chunks = self._chunks([dict(record["chunks"]) for record in records])
        if chunks.chunks is None or not chunks.chunks.ids:
            return papers
        if papers.papers is None or not papers.papers.ids:
            return chunks
        return Passing(chunks=await self._as_chunks(papers) | chunks.chunks)

    def _ids_of_cluster(self, cluster: str | FieldValue) -> list[str]:
        """Return the id of a cluster; of one of metadata, its ids in the collections."""
        if isinstance(cluster, str):
            return [cluster]
        return [metadata_cluster_id(collection, cluster.field, cluster.value) for collection in self._collections]

    def _chunks(self, found: Iterable[Mapping[str, str]]) -> Passing:
        """Return chunks, each given with its paper."""
        ids: set[str] = set()
        for paper_of in found:
            self._paper_of |= paper_of
            ids |= paper_of.keys()
        return Passing(chunks=Ids(frozenset(ids)))

    async def _ids_of(
        self, label: str, names: Sequence[str], *, of_name: Callable[[str, str], str]
    ) -> dict[str, frozenset[str]]:
        """Return for each name the ids that it may stand for: itself, that of the name, those of names spelt like it.

        Case and accents do not count, nor does punctuation.
        """
        spelt: dict[tuple[str, ...], set[str]] = {tuple(folded_words(name)): set() for name in names}
        forms = [form for form in spelt if form]
        where = " ".join(map(collection_term, self._collections))
        for part in batches(forms, NAMES_PER_QUERY):
            phrases = " ".join(f'"{" ".join(form)}"' for form in part)
            wanted = " ".join(f"{field}:({phrases})" for field in ("name", "aliases"))
            records = await self._database.read(
                cypher.load("filters/names"),
                fulltext_query=f"+collectionTerm:({where})^0 +({wanted})",
                k=NODES_PER_NAME * len(part),
            )
            for record in records:
                for name in (record["name"], *record["aliases"]) if record["label"] == label else ():
                    if (form := tuple(folded_words(name))) in spelt:
                        spelt[form].add(record["id"])
        return {
            name: frozenset(
                {name, *(of_name(one, name) for one in self._collections), *spelt[tuple(folded_words(name))]}
            )
            for name in names
        }

    def _named(self, condition: str, written: Mapping[str, str], found: Mapping[str, Iterable[str]]) -> Ids:
        self._tell(condition, written, found.keys())
        return Ids(frozenset(id for ids in found.values() for id in ids))

    def _tell(self, condition: str, written: Mapping[str, str], found: Set[str]) -> None:
        self.unknown |= {f"{condition} {said!r}" for key, said in written.items() if key not in found}
