"""Resolution of entities: pairs of names of the same thing, computed from a collection's names and reversible.

Same are names that differ only in plural, hyphens, spaces and points; short forms and their most common long form; and
names that differ in one letter of a long word and have similar vectors. Groups are made by complete linkage within each
connected component, so that a chain of similar names is not joined. Manual decisions take precedence.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from papergraph import cypher
from papergraph.batches import batches, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import normalise, review_id
from papergraph.text.words import singular
from papergraph.vector_slots import VectorSlot

DEADLINE_S = 60.0
SHORTEST_MISSPELT = 6
"""Letters of a word from which one may differ."""
PREFIX = 3
MOST_COMPARED = 2000
"""Words that begin alike; where there are more of them, they are not compared by letters."""

BY_NAME, BY_ABBREVIATION, BY_VECTOR, BY_REVIEW = "name", "abbreviation", "vector", "review"
SAME, DIFFERENT = "same", "different"
Pair = tuple[str, str]


@dataclass(frozen=True)
class SameOptions:
    """Thresholds for names of the same thing.

    Attributes:
        abbreviation_share: Least share of the papers explaining a short form that give this long form, in [0, 1].
        cosine: Least cosine of two names that differ by a letter, in [-1, 1].
    """

    abbreviation_share: float = 0.6
    cosine: float = 0.88


@dataclass(frozen=True)
class Named:
    """An entity, with other names that papers give it and how many do."""

    id: str
    name: str
    explained: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Same:
    """Pair of entities that are the same thing; the lower id first."""

    start_id: str
    end_id: str
    score: float
    evidence: str


Cosine = Callable[[Sequence[Pair]], Sequence[float]]


def normal(name: str) -> str:
    """Return a name without case, plural, hyphens, spaces and points, except points and signs that tell apart."""
    *front, last = re.split(r"[\s\-_/–—]+", normalise(name)) or [""]
    joined = "".join([*front, singular(last)])
    return re.sub(r"(?<!\d)\.|\.(?!\d)|[^\w.+#@]", "", joined) or normalise(name)


def same(
    entities: Iterable[Named],
    *,
    reviews: Mapping[Pair, str],
    cosine: Cosine,
    options: SameOptions = SameOptions(),
) -> list[Same]:
    """Return pairs of entities that are the same thing, in the order of ids.

    Args:
        entities: All entities of a collection, in any order.
        reviews: Manual decisions on pairs, the lower id first: same or different.
        cosine: Returns the cosine of the names' vectors for pairs of ids.
        options: Thresholds.
    """
    by_id = {entity.id: entity for entity in sorted(entities, key=lambda entity: entity.id)}
    classes: dict[str, list[str]] = defaultdict(list)
    for entity in by_id.values():
        classes[normal(entity.name)].append(entity.id)
    links: dict[Pair, tuple[float, str]] = {}
    for between, score, evidence in [
        *_abbreviations(by_id.values(), classes, options),
        *_misspellings(by_id, classes, cosine, options),
    ]:
        for one in classes[between[0]]:
            for other in classes[between[1]]:
                links.setdefault(_pair(one, other), (score, evidence))
    for ids in classes.values():
        for number, one in enumerate(ids):
            for other in ids[number + 1 :]:
                links[one, other] = (1.0, BY_NAME)
    for pair, decision in reviews.items():
        links.pop(pair, None)
        if decision == SAME and pair[0] in by_id and pair[1] in by_id:
            links[pair] = (1.0, BY_REVIEW)
    groups = complete_link(links)
    return [
        Same(*pair, score, evidence)
        for pair, (score, evidence) in sorted(links.items())
        if groups[pair[0]] == groups[pair[1]] or evidence == BY_REVIEW
    ]


def complete_link(links: Mapping[Pair, tuple[float, str]]) -> dict[str, int]:
    """Return the group of each id. Two groups are joined if all pairs between them are linked; best links go first.

    Among equal links, manual decisions go first, then lower ids.
    """
    group = {id: number for number, id in enumerate(sorted({id for pair in links for id in pair}))}
    members = {number: [id] for id, number in group.items()}
    seen: dict[tuple[int, int], int] = defaultdict(int)
    for (one, other), (_, evidence) in sorted(links.items(), key=lambda link: _turn(*link)):
        a, b = sorted((group[one], group[other]))
        if a == b:
            continue
        seen[a, b] += 1
        if seen[a, b] < len(members[a]) * len(members[b]) and evidence != BY_REVIEW:
            continue
        for id in members.pop(b):
            group[id] = a
            members[a].append(id)
        for pair in [pair for pair in seen if b in pair]:
            n = seen.pop(pair)
            third = pair[0] if pair[1] == b else pair[1]
            if third != a:
                seen[min(a, third), max(a, third)] += n
    return group


def _turn(pair: Pair, link: tuple[float, str]) -> tuple[float, bool, Pair]:
    score, evidence = link
    return -score, evidence != BY_REVIEW, pair


def _abbreviations(
    entities: Iterable[Named], classes: Mapping[str, Sequence[str]], options: SameOptions
) -> Iterator[tuple[Pair, float, str]]:
    """Yield forms of names of which the one is mostly explained by the other, with the share of papers that do."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for entity in entities:
        for alias, n in entity.explained:
            counts[normal(entity.name)][normal(alias)] += n
    shares = {(form, other): n / sum(others.values()) for form, others in counts.items() for other, n in others.items()}
    for form, other in sorted({_pair(*pair) for pair in shares}):
        share = min(shares.get((form, other), 1.0), shares.get((other, form), 1.0))
        if form != other and form in classes and other in classes and share >= options.abbreviation_share:
            yield (form, other), round(share, 3), BY_ABBREVIATION


def _misspellings(
    by_id: Mapping[str, Named], classes: Mapping[str, Sequence[str]], cosine: Cosine, options: SameOptions
) -> list[tuple[Pair, float, str]]:
    """Return forms of names that differ by one letter of a long word, where their vectors agree."""
    names = {form: normalise(by_id[ids[0]].name) for form, ids in classes.items()}
    blocks: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for form, name in names.items():
        parts = re.split(r"[\s\-]+", name)
        for number, word in enumerate(parts):
            if len(word) >= SHORTEST_MISSPELT and word.isalpha():
                blocks[*parts[:number], f"{word[:PREFIX]}*", *parts[number + 1 :]][word] = form
    pairs = set()
    for block in blocks.values():
        if 1 < len(block) <= MOST_COMPARED:
            words = sorted(block)
            near = process.cdist(words, words, scorer=Levenshtein.distance, score_cutoff=1) <= 1
            pairs |= {
                _pair(block[words[i]], block[words[j]]) for i, j in zip(*np.nonzero(np.triu(near, 1)), strict=True)
            }
    ordered = sorted(pair for pair in pairs if pair[0] != pair[1])
    agree = cosine([(classes[one][0], classes[other][0]) for one, other in ordered])
    return [
        ((one, other), round(fuzz.ratio(names[one], names[other]) / 100, 3), BY_VECTOR)
        for (one, other), value in zip(ordered, agree, strict=True)
        if value >= options.cosine
    ]


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


# In the graph


async def resolve(
    database: Database, collection: str, options: SameOptions, *, progress: Progress
) -> dict[str, int | float]:
    """Bring ``SAME_AS`` of a collection to what its names say; only what changed is written.

    Raises:
        DatabaseError: Neo4j failed; the next call does the rest.
    """
    progress.step("comparing the names of entities")
    entities = [
        Named(record["id"], record["name"], tuple((alias, n) for alias, n in record["explained"]))
        async for page in pages(database, cypher.load("enrichments/entities"), collection=collection)
        for record in page
    ]
    candidates: list[Pair] = []

    def collect(pairs: Sequence[Pair]) -> list[float]:
        candidates.extend(pairs)
        return [0.0] * len(pairs)

    reviews = await read_reviews(database, collection)
    same(entities, reviews=reviews, cosine=collect, options=options)
    cosines = await _cosines(database, candidates)
    wanted = {
        (one.start_id, one.end_id): one
        for one in same(
            entities,
            reviews=reviews,
            cosine=lambda pairs: [cosines.get(pair, 0.0) for pair in pairs],
            options=options,
        )
    }
    standing = {
        (record["start_id"], record["end_id"]): (record["score"], record["evidence"])
        async for page in pages(database, cypher.load("enrichments/same_as"), collection=collection)
        for record in page
    }
    gone = [{"start_id": start, "end_id": end} for start, end in sorted(standing.keys() - wanted.keys())]
    new = [
        {"start_id": start, "end_id": end, "score": one.score, "evidence": one.evidence}
        for (start, end), one in sorted(wanted.items())
        if standing.get((start, end)) != (one.score, one.evidence)
    ]
    for statement, rows in (
        (cypher.load("enrichments/delete_same_as"), gone),
        (cypher.load("enrichments/write_same_as"), new),
    ):
        for batch in batches(rows):
            await database.run_alone(statement, rows=batch, deadline_s=DEADLINE_S)
    return {"n_entities": len(entities), "n_same": len(wanted), "n_written": len(new), "n_deleted": len(gone)}


async def review(database: Database, collection: str, one: str, other: str, decision: str) -> None:
    """Keep that a person holds two entities to be ``same`` or ``different``, and bring their relation to it.

    The ids may be of entities that are not there at the moment: the review waits for them. What follows for other
    entities is up to :func:`resolve`.

    Raises:
        InputError: Both are one entity, or the decision is another word.
        DatabaseError: Neo4j failed.
    """
    if decision not in (SAME, DIFFERENT):
        raise InputError(f"Decision {decision!r} does not exist. Choose same or different.", field="decision")
    if one == other:
        raise InputError("Both names belong to one entity already. Name two entities.", field="entity")
    pair = _pair(one, other)
    ends = {"start_id": pair[0], "end_id": pair[1]}

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            cypher.load("enrichments/review_entities"),
            id=review_id(collection, "entities", pair),
            collection=collection,
            about=list(pair),
            decision=decision,
        )
        if decision == SAME:
            row = ends | {"score": 1.0, "evidence": BY_REVIEW}
            await transaction.run(cypher.load("enrichments/write_same_as"), rows=[row])
        else:
            await transaction.run(cypher.load("enrichments/delete_same_as"), rows=[ends])

    await database.transact("enrichments/review_entities", work)


async def read_reviews(database: Database, collection: str) -> dict[Pair, str]:
    """Return what was decided of pairs of entities, the lower id first."""
    records = await database.read(cypher.load("enrichments/entity_reviews"), collection=collection)
    return {_pair(*record["about"]): record["decision"] for record in records}


async def _cosines(database: Database, pairs: Sequence[Pair]) -> dict[Pair, float]:
    """Return the cosine of each pair's vectors in use, where both have one."""
    models = await stored_models(database)
    slot = models.active.slot if models.active else VectorSlot.FIRST
    ids = sorted({id for pair in pairs for id in pair})
    vectors: dict[str, Floats] = {}
    for batch in batches(ids):
        records = await database.read(cypher.load("enrichments/entity_vectors", slot), ids=batch, deadline_s=DEADLINE_S)
        vectors |= {record["id"]: np.asarray(record["vector"], dtype=np.float32) for record in records}
    return {
        pair: float(vectors[pair[0]] @ vectors[pair[1]]) for pair in pairs if pair[0] in vectors and pair[1] in vectors
    }
