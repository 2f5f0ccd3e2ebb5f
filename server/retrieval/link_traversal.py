"""Follow links between passages: from the best candidates to what they name, as far as it is about the query too.

A question over several passages names one of them; the next one is told by a name that the first one holds. One step
along these links finds it, although it shares no words with the question.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from neo4j import Record

import cypher
from papergraph.database import Database
from papergraph.text.names import Named, Titles, phrases, possible_titles
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.candidates import Candidate, Via
from server.retrieval.lucene import is_text
from server.retrieval.scope import Scope

MOST_SEEDS, MOST_SHARED = 50, 100
LONGEST_QUERY = 2000
"""Characters of a query in which titles are looked for."""


class GraphPath(StrEnum):
    """What leads from one passage to another."""

    TITLE = "title"
    NAME = "name"
    MENTION = "mention"
    CITATION = "citation"


ALL_WAYS = tuple(GraphPath)


@dataclass(frozen=True)
class LinkOptions:
    """Which links are followed, and what they count.

    Attributes:
        seeds: From how many of the best candidates links are followed, 1 to 50.
        base: Share of its score that a passage hands on, at least 0.
        context: How much more of it the nearer it is to the query, at least 0.
        target: What a cosine of 1 with the query adds, at least 0.
        shared: How much less a link counts the more share it, at least 0.
        sibling: How much less what is further from the query counts of all that a link leads to, at least 0.
        most_shared: Names that more chunks, and titles that more papers share, are not followed; 1 to 100.
        ways: Which links are followed.

    Raises:
        ValueError: A number is out of its range.
    """

    seeds: int = 5
    base: float = 0.4
    context: float = 0.4
    target: float = 0.5
    shared: float = 0.1
    sibling: float = 0.3
    most_shared: int = 12
    ways: Collection[GraphPath] = ALL_WAYS

    def __post_init__(self) -> None:
        if not (1 <= self.seeds <= MOST_SEEDS and 1 <= self.most_shared <= MOST_SHARED):
            raise ValueError(
                f"1 <= seeds <= {MOST_SEEDS} and 1 <= most_shared <= {MOST_SHARED} must hold, got {self.seeds}, "
                f"{self.most_shared}"
            )
        weights = (self.base, self.context, self.target, self.shared, self.sibling)
        if min(weights) < 0:
            told = ", ".join(map(str, weights))
            raise ValueError(f"base, context, target, shared and sibling must be at least 0, got {told}")

    def score(self, seed: Candidate, rank: int, link: Record) -> float:
        """Return the score that a link gives its end; see :func:`follow_links`."""
        handed_on = seed.score * (self.base + self.context * max(0.0, link["seed_cosine"]))
        score = handed_on + self.target * max(0.0, link["cosine"])
        return float(score / (link["n"] ** self.shared * rank**self.sibling))


async def follow_links(
    database: Database,
    model: ActiveModel,
    query: str,
    candidates: Sequence[Candidate],
    scope: Scope,
    options: LinkOptions = LinkOptions(),
) -> list[Candidate]:
    """Add what the best candidates point at, or raise it.

    A passage t that the passage p points at by a link that n share has the score

        max(score(t), (score(p) (base + context cos(q, p)) + target cos(q, t)) / (n^shared rank^sibling))

    where the best candidate's score is 1, cosines below 0 count as 0, and t is the rank-th, from 1, of what p points at
    by this link, the nearest to the query first. Where neither the layer of links nor that of entities was made,
    citations alone are followed.

    Args:
        database: A prepared store.
        model: Its embedding model.
        query: The query.
        candidates: What was found, with scores of one scale, higher better.
        scope: Where the query looks; what links lead to stands there too.
        options: Which links are followed, and what they count.

    Returns:
        Candidates and added passages, best first, scaled so that the best candidate had 1; ``via`` of what a link
        raised is the chunk that it starts at, and the name, entity or paper that it leads by.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """
    scaled = _scaled(candidates)
    best = scaled[: options.seeds]
    if not best or best[0].score <= 0:
        return scaled

    async def ask(searched: Searched, vector: list[float]) -> list[Record]:
        return await database.read(
            cypher.gathered("retrieval/follow_links", searched.slot),
            query_vector=vector,
            model=searched.embedder.card.sha256,
            state=searched.state,
            chunk_ids=[seed.chunk_id for seed in best],
            kinds=list(scope.kinds),
            ways=sorted(options.ways),
            most=options.most_shared,
        )

    found = {candidate.chunk_id: candidate for candidate in scaled}
    by_id = {seed.chunk_id: seed for seed in best}
    for seed_id, rank, link in _ranked(_counting(await model.search(database, query, ask)), by_id, scope):
        score = options.score(by_id[seed_id], rank, link)
        known = found.get(link["chunk_id"])
        if known is None or score > known.score:
            via = (Via("Chunk", seed_id, link["seed_title"]), Via(link["label"], link["id"], link["name"]))
            found[link["chunk_id"]] = Candidate(link["chunk_id"], link["paper_id"], score, via)
    return sorted(found.values(), key=lambda one: (-one.score, one.chunk_id))


def _scaled(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates best first, each chunk once, with scores of which the best is 1 if it was above 0."""
    ordered = sorted(candidates, key=lambda one: (-one.score, one.chunk_id))
    once = {one.chunk_id: one for one in reversed(ordered)}
    highest = ordered[0].score if ordered else 0.0
    if highest <= 0:
        return [one for one in ordered if once[one.chunk_id] is one]
    return [replace(one, score=one.score / highest) for one in ordered if once[one.chunk_id] is one]


def _counting(links: Iterable[Record]) -> list[Record]:
    """Return the links without titles that their passage uses only inside longer ones."""
    found = list(links)
    spans: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for link in found:
        if link["spans"] is not None:
            spans[link["seed_id"]].update(zip(*link["spans"], strict=True))
    return [link for link in found if link["spans"] is None or _stands_alone(link, spans[link["seed_id"]])]


def _stands_alone(link: Record, spans: Set[tuple[int, int]]) -> bool:
    return any(_is_outermost(start, end, spans) for start, end in zip(*link["spans"], strict=True))


def _is_outermost(start: int, end: int, spans: Set[tuple[int, int]]) -> bool:
    return not any(a <= start and end <= b and b - a > end - start for a, b in spans)


def _ranked(links: Iterable[Record], seeds: Mapping[str, Candidate], scope: Scope) -> Iterator[tuple[str, int, Record]]:
    """Yield each link that leads elsewhere within the scope: where it starts, its rank among its siblings, itself."""
    siblings: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for link in links:
        seed, chunk_id, paper_id = seeds[link["seed_id"]], link["chunk_id"], link["paper_id"]
        leads_back = chunk_id == seed.chunk_id or (link["way"] == GraphPath.TITLE and paper_id == seed.paper_id)
        if not leads_back and scope.passes(chunk_id, paper_id):
            siblings[seed.chunk_id, link["way"], link["id"]].append(link)
    for (seed_id, _, _), group in siblings.items():
        nearest = sorted(group, key=lambda link: (-link["cosine"], link["chunk_id"]))
        for rank, link in enumerate(nearest, 1):
            yield seed_id, rank, link


async def name_matches(
    database: Database, query: str, scope: Scope, *, threshold: float = 4.0, most_shared: int = 12
) -> list[Candidate]:
    """Return passages that the query names: papers that are titled so, by their first chunks, and chunks that use it.

    A name weighs log(1 + (N - m + .5) / (m + .5)), where m of all N chunks use it, over the square root of how many
    share it: papers of a title, chunks of a name. Of titles the longest ones count, as far as the query writes them as
    names, with a capital letter, or a digit, that does not begin the query; a query without any is not looked at
    further. Other names that it writes with capitals count beside a title; where it names no title, there are none.
    Nor are there any for a query of over 70 words: that is a text which uses names, not a question after them.

    Args:
        database: A prepared store.
        query: The query, of which the first 2000 characters are read.
        scope: Where it looks.
        threshold: Weight that the best must reach, else there are none.
        most_shared: Titles that more papers, and names that more chunks share do not count, 1 to 100.

    Returns:
        Best first, with weights scaled so that the best is 1; ``via`` is the name.

    Raises:
        ValueError: ``most_shared`` is out of its range.
        DatabaseError: Neo4j failed.
    """
    if not 1 <= most_shared <= MOST_SHARED:
        raise ValueError(f"1 <= most_shared <= {MOST_SHARED} must hold, got {most_shared}")
    text = "" if is_text(query) else query[:LONGEST_QUERY]
    possible = [one for one in Titles(possible_titles(text)).in_text(text, capital=False) if _is_named(text, one)]
    if not possible:
        return []
    records = await database.read(
        cypher.gathered("retrieval/chunks_named"),
        collections=scope.collections,
        titles=sorted({one.key for one in possible}),
        names=sorted({one.key for one in phrases(text)}),
        kinds=list(scope.kinds),
        most=most_shared,
    )
    titles = _outermost(possible, {record["key"] for record in records if record["is_title"]})
    found: dict[str, Candidate] = {}
    for record in records if titles else ():
        chunk_id, paper_id = record["chunk_id"], record["paper_id"]
        if (record["is_title"] and record["key"] not in titles) or not scope.passes(chunk_id, paper_id):
            continue
        weight = math.log(1 + (record["n_chunks"] - record["n_used"] + 0.5) / (record["n_used"] + 0.5))
        score = weight / record["n"] ** 0.5
        if chunk_id not in found or score > found[chunk_id].score:
            found[chunk_id] = Candidate(chunk_id, paper_id, score, (Via("Name", record["id"], record["key"]),))
    if not found or max(one.score for one in found.values()) < threshold:
        return []
    return _scaled(list(found.values()))


def _outermost(possible: Sequence[Named], keys: Collection[str]) -> set[str]:
    """Return which of ``keys``, at the places where the query may use them, do not stand in longer ones alone."""
    spans = {(one.start, one.end) for one in possible if one.key in keys}
    return {one.key for one in possible if one.key in keys and _is_outermost(one.start, one.end, spans)}


def _is_named(text: str, title: Named) -> bool:
    """Say whether a query writes words as a name, with a capital letter, or a digit, that does not begin the query."""
    words = text[title.start : title.end].split()
    later = words if text[: title.start].strip() else words[1:]
    return any(word[0].isupper() or word[0].isdigit() for word in later)
