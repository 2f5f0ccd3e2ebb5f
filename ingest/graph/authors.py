"""Manual decisions on authors: merge two, split one by papers, undo both.

Each decision is a ``Review`` node (:mod:`papergraph.ingest.graph.author_identity`). One transaction, which excludes
writers of
papers, writes it and rebuilds the affected papers from their sources.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.author_identity import MERGED, PARTED, AuthorDecisions, read_decisions, stated_identities
from papergraph.ingest.graph.paper_sources import PaperPlan, PaperSource, papers_of
from papergraph.ingest.graph.stored_papers import StoredPaper, lock_papers
from papergraph.ingest.graph.writer import LOOK_AGAIN, Rearrangement, hold_model
from papergraph.ingest.sources.metadata import as_person_id
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import ID, author_id, author_review_id, check_collection, normalise, possible_keys

DEADLINE_S = 300.0
MOST_PAPERS = 10_000
"""Papers of the authors of one decision; they are written again in one transaction."""


@dataclass(frozen=True)
class ListedAuthor:
    """An author of a collection.

    Attributes:
        id: Id of the node.
        name: The first of the spellings in use.
        key: What identifies the person beside the name; None where it is the name.
        aliases: The other spellings, where there is a key.
        papers: ``id``, ``key`` and ``title`` of each paper, by title.
    """

    id: str
    name: str
    key: str | None
    aliases: tuple[str, ...]
    papers: tuple[dict[str, str], ...]

    @property
    def identity(self) -> str:
        """The identity that the author has after all decisions."""
        return self.key or normalise(self.name)


async def list_authors(
    database: Database, *, collection: str, words: str = "", ids: Sequence[str] | None = None, limit: int = 50
) -> list[ListedAuthor]:
    """Return authors of a collection, those with most papers first.

    Args:
        database: A prepared store.
        collection: Collection of the papers.
        words: Letters that one of an author's spellings contains, in any case.
        ids: Only authors with these ids.
        limit: How many authors, at least 1.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(
        cypher.load("authors/list"),
        collection=check_collection(collection),
        words=words.lower(),
        ids=None if ids is None else list(ids),
        limit=limit,
    )
    return [
        ListedAuthor(one["id"], one["name"], one["key"], tuple(one["aliases"]), tuple(one["papers"])) for one in records
    ]


async def find_author(database: Database, name: str, *, collection: str) -> ListedAuthor:
    """Return an author by name (ignoring case), id of the graph, ORCID, or id of OpenAlex or arXiv.

    Raises:
        NotFoundError: The collection lacks the author.
        InputError: Several persons have the name.
        DatabaseError: Neo4j failed.
    """
    person = as_person_id(name)
    ids = [name] if ID.fullmatch(name) else [author_id(collection, person or name)]
    found = await list_authors(database, collection=collection, ids=ids)
    if not ID.fullmatch(name) and not person:
        alike = await list_authors(database, collection=collection, words=name, limit=1000)
        called = (one for one in alike if normalise(name) in map(normalise, (one.name, *one.aliases)))
        found = list({one.id: one for one in (*found, *called)}.values())
    if not found:
        raise NotFoundError(f"author in collection {collection!r} with name or id", name, field="author")
    if len(found) > 1:
        told = "; ".join(f"{one.id} ({len(one.papers)} papers)" for one in found)
        raise InputError(f"{len(found)} authors are called {name[:80]!r}. Give an id: {told}.", field="author")
    return found[0]


async def merge_authors(database: Database, one: str, into: str, *, collection: str) -> ListedAuthor:
    """Decide that two authors are one person, and return this person.

    Args:
        database: A prepared store.
        one: Name or id of an author.
        into: Name or id of the author whose identity the person has.
        collection: Where both stand.

    Raises:
        NotFoundError: There is no such author.
        InputError: Both are the same already, or a name is that of several.
        DatabaseError: The outcome is unknown.
    """
    first, second = [await find_author(database, name, collection=collection) for name in (one, into)]
    if first.identity == second.identity:
        raise InputError(f"{one[:80]!r} and {into[:80]!r} are one author already.", field="author")

    async def decide(transaction: Transaction, decisions: AuthorDecisions, papers: Sequence[StoredPaper]) -> None:
        about = sorted((first.identity, second.identity))
        await _write(transaction, collection, MERGED, about, second.identity)

    await _decide(database, collection, _keys((first, second)), decide)
    return (await list_authors(database, collection=collection, ids=[author_id(collection, second.identity)]))[0]


async def split_author(database: Database, author: str, papers: Sequence[str], *, collection: str) -> ListedAuthor:
    """Split the author of some papers from the author of the others; return the new person.

    Args:
        database: A prepared store.
        author: Name or id of an author.
        papers: Keys, DOIs, arXiv ids or graph ids of some of the author's papers.
        collection: Collection of the papers.

    Raises:
        NotFoundError: The author is missing, or has no such paper.
        InputError: No paper or all papers are given, or the name is ambiguous.
        DatabaseError: The outcome is unknown.
    """
    found = await find_author(database, author, collection=collection)
    chosen = [_paper_of(found, name) for name in papers]
    if not chosen or len(set(chosen)) == len(found.papers):
        raise InputError(f"Give some, not all, of the {len(found.papers)} papers of {found.name!r}.", field="papers")
    new = ""

    async def decide(transaction: Transaction, decisions: AuthorDecisions, held: Sequence[StoredPaper]) -> None:
        nonlocal new
        new = _unused(normalise(found.name), decisions)
        for plan in _plans(collection, held):
            if plan.key not in chosen:
                continue
            keys = [one.key for one in plan.sources]
            for stated in stated_identities(plan).values():
                if decisions.identity_in(stated, keys) == found.identity:
                    for key in sorted(set(keys)):
                        await _write(transaction, collection, PARTED, [stated, key], new)

    await _decide(database, collection, _keys((found,)), decide)
    return (await list_authors(database, collection=collection, ids=[author_id(collection, new)]))[0]


async def undo_author(database: Database, author: str, *, collection: str) -> int:
    """Take back all decisions by which an author is who it is; return how many there were.

    Raises:
        NotFoundError: There is no such author.
        InputError: The name is that of several.
        DatabaseError: It is not known to be undone.
    """
    found = await find_author(database, author, collection=collection)
    gone: list[str] = []

    async def decide(transaction: Transaction, decisions: AuthorDecisions, papers: Sequence[StoredPaper]) -> None:
        merged = [sorted(pair) for pair in decisions.merged.items() if decisions.resolve(pair[0]) == found.identity]
        parted = [list(pair) for pair, to in decisions.parted.items() if decisions.resolve(to) == found.identity]
        gone[:] = [author_review_id(collection, MERGED, about) for about in merged]
        gone.extend(author_review_id(collection, PARTED, about) for about in parted)
        await transaction.run(cypher.load("authors/forget"), ids=gone)

    await _decide(database, collection, _keys((found,)), decide)
    return len(gone)


Decide = Callable[[Transaction, AuthorDecisions, Sequence[StoredPaper]], Awaitable[None]]
"""Writes decisions, knowing those of before and the papers that they concern."""


async def _decide(database: Database, collection: str, keys: Sequence[str], decide: Decide) -> None:
    """Write decisions and rebuild the papers with some keys, under the writers' lock."""
    if len(keys) > MOST_PAPERS:
        raise InputError(f"These authors have {len(keys)} papers; at most {MOST_PAPERS} can change.", field="author")

    async def work(transaction: Transaction) -> bool:
        await transaction.run(cypher.load("reembed/close_gates"))
        model = await hold_model(transaction)
        probes = [PaperSource.named(key, key=key) for key in keys]
        papers = await lock_papers(transaction, collection, probes)
        papers = await lock_papers(transaction, collection, [one for paper in papers for one in paper.sources])
        await decide(transaction, await read_decisions(transaction, collection), papers)
        await Rearrangement(transaction, model, collection, papers).make(
            [one for paper in papers for one in paper.sources]
        )
        return True

    await database.transact_until_known("decide on authors", work, again_on=LOOK_AGAIN, deadline_s=DEADLINE_S)


async def _write(transaction: Transaction, collection: str, kind: str, about: Sequence[str], key: str) -> None:
    values: dict[str, Any] = {"collection": collection, "kind": kind, "about": list(about), "text": key}
    await transaction.run(
        cypher.load("enrichments/write_review"),
        id=author_review_id(collection, kind, about),
        decision="same" if kind == MERGED else "different",
        **values,
    )


def _keys(authors: Iterable[ListedAuthor]) -> list[str]:
    return sorted({paper["key"] for one in authors for paper in one.papers})


def _plans(collection: str, papers: Sequence[StoredPaper]) -> list[PaperPlan]:
    return papers_of(collection, [one for paper in papers for one in paper.sources])


def _paper_of(author: ListedAuthor, name: str) -> str:
    """Return the key of the paper of an author that is called ``name``."""
    wanted = {*possible_keys(name), f"file:{name}"}
    for paper in author.papers:
        if wanted & {paper["key"], paper["id"]}:
            return paper["key"]
    raise NotFoundError(f"paper of {author.name!r} with key", name, field="papers")


def _unused(name: str, decisions: AuthorDecisions) -> str:
    """Return a new identity: the name with a number from 2."""
    used = {*decisions.parted.values()}
    number = 2
    while f"{name} #{number}" in used:
        number += 1
    return f"{name} #{number}"
