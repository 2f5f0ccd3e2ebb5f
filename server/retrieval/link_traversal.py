"""Traversal of links between passages: from the best candidates to passages they name that fit the query too.

A question over several passages names one of them; a name in the first passage leads to the next. One step along these
links finds it, although it shares no words with the question.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, Via
from papergraph.server.retrieval.lucene import is_text
from papergraph.server.retrieval.scope import Scope
from papergraph.text.names import Named, Titles, phrases, possible_titles

MOST_SEEDS, MOST_SHARED = 50, 100
LONGEST_QUERY = 2000
"""Characters of a query in which titles are looked for."""


class GraphPath(StrEnum):
    """Kind of a link between passages."""

    TITLE = "title"
    NAME = "name"
    MENTION = "mention"
    CITATION = "citation"


ALL_WAYS = tuple(GraphPath)


@dataclass(frozen=True)
class LinkOptions:
    """Options of following links.

    Attributes:
        seeds: Number of best candidates whose links are followed, 1 to 50.
        base: Share of its score that a passage passes on, at least 0.
        context: Additional share per cosine of the passage and the query, at least 0.
        target: Addition per cosine of the target and the query, at least 0.
        shared: Exponent of the penalty for shared links, at least 0.
        sibling: Exponent of the penalty for a link's targets further from the query, at least 0.
        most_shared: Most chunks of a name, or papers of a title, that is followed; 1 to 100.
        ways: Kinds of links to follow.

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

    def score(self, seed: Candidate, rank: int, link: Record, *, chance: float) -> float:
        """Return the score of a link's target; see :func:`follow_links`."""
        passed_on = seed.score * (self.base + self.context * above(chance, link["seed_cosine"]))
        score = passed_on + self.target * above(chance, link["cosine"])
        return float(score / (link["n"] ** self.shared * rank**self.sibling))


def above(chance: float, cosine: float) -> float:
    """Return a cosine on a scale from 0, that of unrelated texts, to 1."""
    return max(0.0, (cosine - chance) / (1.0 - chance))


async def follow_links(
    database: Database,
    model: ActiveModel,
    query: str,
    candidates: Sequence[Candidate],
    scope: Scope,
    options: LinkOptions = LinkOptions(),
) -> list[Candidate]:
    """Add the targets of the best candidates' links, or raise their scores.

    A passage t, target of passage p by a link that n share, has the score

        max(score(t), (score(p) (base + context cos(q, p)) + target cos(q, t)) / (n^shared rank^sibling))

    where the best candidate's score is 1, cosines are scaled so that unrelated texts have 0, and rank is the position
    of t, from 1, among the targets of p by this link, nearest to the query first. Without the enrichments of links and
    entities, only citations are followed.

    Args:
        database: A prepared store.
        model: Its embedding model.
        query: The query.
        candidates: Candidates with scores of one scale, higher better.
        scope: Scope of the query and of the targets.
        options: Options of following links.

    Returns:
        Candidates and added passages, best first, scaled so that the best candidate had 1; ``via`` of a raised passage
        is the link's first chunk, and its name, entity or paper.

    Raises:
        EmbeddingError: Embedding the query failed.
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
    by_id, chance = {seed.chunk_id: seed for seed in best}, await model.chance_cosine()
    for seed_id, rank, link in _ranked(_counting(await model.search(database, query, ask)), by_id, scope):
        score = options.score(by_id[seed_id], rank, link, chance=chance)
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
    """Return passages that the query names: first chunks of papers with this title, and chunks that use the name.

    The weight of a name is log(1 + (N - m + .5) / (m + .5)), where m of all N chunks use it, divided by the square root
    of the number of papers (for a title) or chunks (for a name) that share it. The longest titles count if the query
    writes them as names: with a capital letter or digit that is not the query's first. Other capitalised names count
    only beside a title. Queries of over 70 words are texts, so the result is empty.

    Args:
        database: A prepared store.
        query: The query; its first 2000 characters are read.
        scope: Scope of the query.
        threshold: Least weight of the best name; below it the result is empty.
        most_shared: Most papers of a title, or chunks of a name, that counts; 1 to 100.

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
    """Return the ``keys`` that occur in the query outside longer ones."""
    spans = {(one.start, one.end) for one in possible if one.key in keys}
    return {one.key for one in possible if one.key in keys and _is_outermost(one.start, one.end, spans)}


def _is_named(text: str, title: Named) -> bool:
    """Say whether a query writes words as a name, with a capital letter, or a digit, that does not begin the query."""
    words = text[title.start : title.end].split()
    later = words if text[: title.start].strip() else words[1:]
    return any(word[0].isupper() or word[0].isdigit() for word in later)
