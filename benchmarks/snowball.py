"""One round of snowballing in a library of 100,000 papers, beside a brute-force join in plain Python.

The library is generated, by seed. The numbers of works that a paper cites, and of papers that cite a work, are drawn
from the degrees of SNAP's cit-HepPh (its papers of 1992 to 1999: 19,514 that cite, 201,300 citations). 200,000 works
can be cited, of which 100,000 are papers of the library. A reference states DOI and title, one of them, arXiv id and
title, or nothing. The collections ``seeds1000`` and ``seeds10000`` are the starts; the other papers are in eight
collections. Gate: one round, both directions, from the thousand papers takes at most 5 s, and its works, citations and
order equal those of the join.

Usage: python -m benchmarks.snowball [PAPERS] [kept], the latter for the library of the run before. Writes
results/snowball.json.
"""

import asyncio
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import empty_store, kept_store, write_result
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import PackagedModel
from papergraph.ingest.fetch.citations import Find, gathered
from papergraph.ingest.fetch.works import Work, identities
from papergraph.schema.ids import sha256, title_key
from papergraph.schema.indexes import wait_until_built
from papergraph.schema.migrate import prepare
from papergraph.schema.model import CONSTRAINTS, RANGE_INDEXES, Constraint, RangeIndex
from papergraph.server.operations.inbox import Kept, keep_works
from papergraph.server.operations.snowball import Snowball, SnowballOptions
from papergraph.statement import Statement
from papergraph.store import Address

SEED, RUNS, LIMIT, GATE_S = 7, 5, 200, 5.0
STARTS = {"seeds1000": 1000, "seeds10000": 10_000}
OTHERS = 8
SHARES_OF_PAPERS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1)
CITING = (1, 1, 2, 4, 5, 7, 9, 11, 15, 23, 31, 56, 114, 242)
CITED = (0, 0, 0, 1, 2, 3, 5, 8, 13, 24, 39, 86, 191, 360)
"""Quantiles of cit-HepPh at these shares: works that a paper cites, and papers that cite a work."""
FORMS = (("doi", "title"), ("doi",), ("title",), ("arxiv", "title"), ())
SHARES = (0.5, 0.2, 0.2, 0.05, 0.05)
WORDS = [
    "tides",
    "harbour",
    "model",
    "method",
    "graph",
    "quantum",
    "learning",
    "analysis",
    "theory",
    "protein",
    "neural",
    "field",
    "survey",
    "dynamics",
]


def _listed(index: Constraint | RangeIndex) -> str:
    return ", ".join(f"n.{name}" for name in index.properties)


FORGET = Statement("forget the inbox", "CYPHER 25 MATCH (item:InboxItem) DETACH DELETE item")
PAPERS = Statement(
    "load papers",
    """CYPHER 25 UNWIND $rows AS row
    CREATE (paper:Paper {id: row.id}) SET paper += row.properties, paper.ingestedAt = datetime()
    CREATE (source:Source {id: row.id}) SET source += row.source
    CREATE (paper)-[:HAS_SOURCE]->(source)""",
)
REFERENCES = Statement(
    "load references",
    """CYPHER 25 UNWIND $rows AS row
    MATCH (paper:Paper {id: row.paperId})
    CREATE (reference:Reference) SET reference = row
    CREATE (paper)-[:HAS_REFERENCE]->(reference)""",
)
INDEXES = (
    *(
        (one.name, "CONSTRAINT", f"REQUIRE ({_listed(one)}) IS UNIQUE")
        for one in CONSTRAINTS
        if one.label == "Reference"
    ),
    *((one.name, "INDEX", f"ON ({_listed(one)})") for one in RANGE_INDEXES if one.label == "Reference"),
)
"""Name, kind and rest of the statement of each index of references."""


@dataclass(frozen=True)
class Reference:
    """A reference as it is stated; unknown fields are None."""

    doi: str | None
    arxiv_id: str | None
    title: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """Identities of the cited work."""
        return identities(self.doi, self.arxiv_id, title_key(self.title))


def title(work: int) -> str:
    """Return the title of a work."""
    return f"{WORDS[work % len(WORDS)]} {WORDS[work // 7 % len(WORDS)]} of the generated work number {work}"


def stated(work: int, form: Sequence[str]) -> Reference:
    """Return a work as a reference of a form states it."""
    return Reference(
        f"10.1000/work{work}" if "doi" in form else None,
        f"2401.{work:06}" if "arxiv" in form else None,
        title(work) if "title" in form else None,
    )


class Library:
    """A generated library: ``references`` and ``collections`` by number of the paper."""

    def __init__(self, n_papers: int) -> None:
        draw = np.random.default_rng(SEED)
        n_cited = _drawn(draw, CITING, n_papers)
        chances = np.cumsum(_drawn(draw, CITED, 2 * n_papers))
        works = np.searchsorted(chances, draw.integers(chances[-1], size=n_cited.sum()), side="right")
        forms = draw.choice(len(FORMS), size=len(works), p=SHARES)
        self.references: list[list[Reference]] = []
        ends = np.cumsum(n_cited)[:-1]
        for several, of in zip(np.split(works, ends), np.split(forms, ends), strict=True):
            once = dict(zip(several.tolist(), of.tolist(), strict=True))
            self.references.append([stated(work, FORMS[form]) for work, form in sorted(once.items())])
        numbers = draw.permutation(n_papers).tolist()
        self.collections = [f"other{number % OTHERS}" for number in range(n_papers)]
        for name, size in STARTS.items():
            for number in numbers[: size if size < n_papers // 4 else n_papers // 4]:
                self.collections[number] = name
            numbers = numbers[size:]

    def papers(self) -> Iterator[dict[str, Any]]:
        """Yield papers with their sources, as they are loaded."""
        for number, collection in enumerate(self.collections):
            known = stated(number, ("doi", "title"))
            told = {
                "collection": collection,
                "title": known.title,
                "titleKey": title_key(known.title),
                "doi": known.doi,
                "key": f"doi:{known.doi}",
            }
            yield {
                "id": paper_id(number),
                "properties": {
                    **told,
                    "abstract": "",
                    "contentHash": paper_id(number),
                    "nSections": 0,
                    "nChunks": 0,
                    "keys": [told["key"]],
                    "sources": [str(number)],
                },
                "source": {**told, "contentHash": paper_id(number), "name": str(number)},
            }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield references as they are loaded."""
        for number, references in enumerate(self.references):
            for ordinal, one in enumerate(references):
                yield {
                    "id": sha256("reference", str(number), str(ordinal)),
                    "paperId": paper_id(number),
                    "collection": self.collections[number],
                    "ordinal": ordinal,
                    "text": one.title or one.doi or "an entry",
                    "title": one.title,
                    "titleKey": title_key(one.title),
                    "doi": one.doi,
                    "arxivId": one.arxiv_id,
                }

    def join(self, collection: str) -> tuple[dict[frozenset[str], int], int]:
        """Return by brute force the works that citations connect with a collection, and the entries without identity.

        Works are sets of identities, connected where they share one; the value is the number of citations.
        """
        own = [number for number, name in enumerate(self.collections) if name == collection]
        seeds = {number: set(stated(number, ("doi", "title")).keys) for number in own}
        among: dict[str, int] = {key: number for number, keys in seeds.items() for key in keys}
        mentions: list[tuple[frozenset[str], int]] = []
        n_unnamed = 0
        for number, references in enumerate(self.references):
            if number in seeds:
                mentions += [(frozenset(one.keys), 1) for one in references if one.keys]
                n_unnamed += sum(not one.keys for one in references)
                continue
            hits = {(among[key], at) for at, one in enumerate(references) for key in one.keys if key in among}
            if hits:
                mentions.append((frozenset(stated(number, ("doi", "title")).keys), len(hits)))
        near: defaultdict[str, set[str]] = defaultdict(set)
        for keys, _ in mentions:
            for key in keys:
                near[key] |= keys
        group_of: dict[str, frozenset[str]] = {}
        for start in near:
            if start not in group_of:
                group, new = {start}, [start]
                while new:
                    new = [key for one in new for key in near[one] if key not in group]
                    group.update(new)
                group_of |= dict.fromkeys(group, frozenset(group))
        counts: Counter[frozenset[str]] = Counter()
        for keys, n in mentions:
            counts[group_of[next(iter(keys))]] += n
        return dict(counts), n_unnamed


def _drawn(draw: np.random.Generator, quantiles: Sequence[int], n: int) -> NDArray[np.int64]:
    """Return numbers of the distribution that has some quantiles."""
    return np.rint(np.interp(draw.random(n), SHARES_OF_PAPERS, quantiles)).astype(int)


def paper_id(number: int) -> str:
    """Return the id of a paper."""
    return sha256("paper", str(number))


def main() -> None:
    """Generate, load, measure and write."""
    is_kept = "kept" in sys.argv
    n_papers = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 100_000)
    library = Library(n_papers)
    with (kept_store if is_kept else empty_store)("snowball") as address:
        write_result("snowball", asyncio.run(measured(address, library, is_kept=is_kept)))


async def measured(address: Address, library: Library, *, is_kept: bool) -> dict[str, Any]:
    """Load a library unless it is kept, and return the figures."""
    embedder = PackagedModel()
    async with await address.connect() as database:
        if not is_kept:
            await prepare(database, embedder.card)
            await load(database, library)
        await database.run_alone(FORGET)
        rounds = {name: await round_of(database, embedder, library, name) for name in STARTS}
    gate = rounds["seeds1000"]
    return {
        "papers": len(library.references),
        "references": sum(map(len, library.references)),
        "seed": SEED,
        "rounds": rounds,
        "gate": {"s": GATE_S, "met": gate["medianS"] <= GATE_S and gate["equalsTheJoin"]},
    }


async def load(database: Database, library: Library) -> None:
    """Load papers and references, whose indexes are built at the end, which is faster."""
    begun = time.perf_counter()
    for some in batches(list(library.papers()), 2000):
        await database.run_alone(PAPERS, rows=list(some), deadline_s=120.0)
    for name, kind, _ in INDEXES:
        await database.run_alone(Statement("drop an index", f"CYPHER 25 DROP {kind} {name}"))
    for some in batches(list(library.rows()), 10_000):
        await database.run_alone(REFERENCES, rows=list(some), deadline_s=120.0)
    for name, kind, rest in INDEXES:
        made = f"CYPHER 25 CREATE {kind} {name} FOR (n:Reference) {rest}"
        await database.run_alone(Statement("create an index", made), deadline_s=300.0)
    await wait_until_built(database)
    print(f"loaded in {time.perf_counter() - begun:.0f} s")


async def round_of(database: Database, embedder: PackagedModel, library: Library, collection: str) -> dict[str, Any]:
    """Return the times of a round from a collection, and whether it equals the join; the inbox is filled at last."""
    seconds = []
    options = SnowballOptions(limit=LIMIT)
    for _ in range(RUNS):
        begun = time.perf_counter()
        ball = Snowball(database, collection, options)
        frontier = await ball.begin()
        links = await ball.links(frontier)
        finds = gathered(links)
        sorted_out = await ball.sort_out(finds)
        seconds.append(time.perf_counter() - begun)
    begun = time.perf_counter()
    expected, n_unnamed = library.join(collection)
    join_s = time.perf_counter() - begun
    kept = sorted_out.new[:LIMIT]
    begun = time.perf_counter()
    works, _ = await ball.works_of(kept)
    inbox = await kept_in_inbox(database, embedder, works, collection)
    own = {key for number, name in enumerate(library.collections) if name == collection for key in keys_of(number)}
    equal = (
        {frozenset(one.keys): one.n_links for one in finds} == expected
        and sum(link.n_links for link in links if not link.keys) == n_unnamed
        and sorted_out.n_papers == sum(any(key in own for key in keys) for keys in expected)
        and ranked(kept) == ranked_join(expected, own)
    )
    return {
        "seeds": len(frontier.paper_ids),
        "citations": sum(link.n_links for link in links),
        "works": len(finds),
        "papersOfTheCollection": sorted_out.n_papers,
        "new": len(sorted_out.new),
        "medianS": round(statistics.median(seconds), 2),
        "runsS": [round(one, 2) for one in seconds],
        "joinInPythonS": round(join_s, 2),
        f"inboxOf{LIMIT}S": round(time.perf_counter() - begun, 2),
        "putIntoTheInbox": len(inbox.new),
        "equalsTheJoin": equal,
    }


async def kept_in_inbox(database: Database, embedder: PackagedModel, works: Sequence[Work], name: str) -> Kept:
    """Put works into the inbox of a collection."""
    return await keep_works(database, embedder, works, collection=name, source="watch-benchmark")


def keys_of(number: int) -> tuple[str, ...]:
    """Return the identities of a paper."""
    return stated(number, ("doi", "title")).keys


def ranked(finds: Sequence[Find]) -> list[tuple[int, tuple[str, ...]]]:
    """Return works as they are compared with the join."""
    return [(one.n_links, one.keys) for one in finds]


def ranked_join(expected: dict[frozenset[str], int], own: set[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the new works of the join with most citations."""
    new = [(n, tuple(sorted(keys))) for keys, n in expected.items() if not keys & own]
    return sorted(new, key=lambda one: (-one[0], one[1]))[:LIMIT]


if __name__ == "__main__":
    main()
