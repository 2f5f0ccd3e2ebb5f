"""Names and keywords of clusters: what sets each apart."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np

from papergraph import cypher
from papergraph.database import Database
from papergraph.ingest.enrichments.clusters.communities import COMMUNITY, METADATA, TOPIC, Group
from papergraph.ingest.enrichments.clusters.similarity import Doubles, Ints
from papergraph.ingest.enrichments.clusters.stored_clusters import (
    Chunks,
    Entities,
    Papers,
    StoredCluster,
    paper_of,
    read_texts,
)
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.graph.batched_writes import batches, run_steps
from papergraph.schema.ids import text_hash
from papergraph.vector_slots import VectorSlot

# Keywords of clusters: the terms that set each apart from the others of its kind and level, by class-based TF-IDF.
#
# A term's weight in a cluster is how often it occurs there times log(1 + A / f): A is how many terms a cluster has on
# average, f how often the term occurs at all (Grootendorst 2022, BERTopic, arXiv:2203.05794). A term of several words
# counts once for each, since it never occurs more often than they do. What a single paper of a cluster uses says little
# about the others, nor does what a single member uses, and a number in a term is mostly one of a list: such terms are
# the last resort, and are excluded from names.


N_KEYWORDS, N_IN_NAME, FEWEST_USERS = 10, 3, 2
WORD = re.compile(r"[^\W\d_](?:[\w-]*\w)?")
SHORTEST_WORD, MOST_WORDS = 3, 3
_SCHOLARLY = """
able abstract achieve additional al allow also analysis approach apply based case compare consider data demonstrate
describe develop different discuss effect equation et example experiment figure fig find finding general given high
important improve include increase introduction investigate known large level low main may method model new non note
number obtain obtained often one paper perform performance possible present problem propose proposed provide recent
reference related require respectively result results section set several show shown significant similar simple
small specific state study system table technique theorem thus time two type use used useful using value various via
way well within without work
"""
SCHOLARLY = frozenset(_SCHOLARLY.split())
"""Words of any paper."""


@cache
def common_words() -> frozenset[str]:
    """Return stop words and the words of any paper; spaCy takes seconds to load, so only where they are needed."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return SCHOLARLY | STOP_WORDS


@dataclass(frozen=True)
class Terms:
    """Term frequencies of things (papers or chunks), as a sparse matrix.

    Attributes:
        names: The terms.
        things: Indexes of the things, shape (m,).
        terms: Indexes into ``names``, shape (m,).
        counts: Frequency of the term in the thing, shape (m,).
    """

    names: tuple[str, ...]
    things: Ints
    terms: Ints
    counts: Ints


def word_terms(texts: Iterable[str]) -> Terms:
    """Return the words and pairs of words that texts use, stop words aside, each pair where both stand side by side."""
    numbers: dict[str, int] = {}
    things, terms, counts = [], [], []
    for number, text in enumerate(texts):
        for term, n in Counter(_words_and_pairs(text)).items():
            things.append(number)
            terms.append(numbers.setdefault(term, len(numbers)))
            counts.append(n)
    arrays = (np.array(values, dtype=np.int64) for values in (things, terms, counts))
    return Terms(tuple(numbers), *arrays)


def _words_and_pairs(text: str) -> Iterable[str]:
    common, previous = common_words(), ""
    for word in WORD.findall(text.casefold()):
        if word in common or len(word) < SHORTEST_WORD:
            previous = ""
            continue
        yield word
        if previous:
            yield f"{previous} {word}"
        previous = word


@dataclass(frozen=True)
class Keywords:
    """The terms that set a group apart from others, the strongest first; whether its members share them."""

    words: tuple[str, ...] = ()
    are_shared: bool = False


def keywords(groups: Sequence[Sequence[int]], terms: Terms, papers: Ints | None = None) -> list[Keywords]:
    """Return the terms that distinguish each group of things from the others.

    Preferred are terms without digits that two papers of the group use; then those that two of its things use, those of
    one thing, and terms with digits. A term that contains a stronger one, or is part of it, is left out. At most ten
    are returned.

    Args:
        groups: Indexes of each group's things; groups may overlap.
        terms: Terms of all things.
        papers: Index of each thing's paper, shape (number of things,); None if one use in a group is enough.
    """
    if not len(terms.things):
        return [Keywords() for _ in groups]
    order = np.argsort(terms.things, kind="stable")
    things, used, used_counts = terms.things[order], terms.terms[order], terms.counts[order]
    users = [] if papers is None else [papers[things], things]
    n_things = int(things[-1]) + 1
    starts = np.searchsorted(things, np.arange(n_things + 1))
    n_words = np.array([min(MOST_WORDS, len(name.split())) for name in terms.names])
    overall = np.bincount(terms.terms, weights=terms.counts, minlength=len(terms.names))
    is_plain = np.array([not _has_number(name) for name in terms.names])
    sizes, counted = [], []
    for group in groups:
        at = [np.arange(starts[thing], starts[thing + 1]) for thing in group if thing < n_things]
        rows = np.concatenate(at) if at else np.empty(0, np.int64)
        found, of_row = np.unique(used[rows], return_inverse=True)
        counts = np.bincount(of_row, weights=used_counts[rows], minlength=len(found))
        plain = is_plain[found]
        shared = [plain & (_n_users(of[rows], of_row, len(found)) >= FEWEST_USERS) for of in users]
        chosen = next((some for some in (*shared, plain) if some.any()), np.ones_like(plain))
        counted.append((found[chosen], counts[chosen], any(some.any() for some in shared)))
        sizes.append(counts.sum())
    average = sum(sizes) / max(1, len(sizes))
    return [
        Keywords(
            tuple(_strongest(terms.names, found, n_words[found] * counts * np.log1p(average / overall[found]))),
            are_shared,
        )
        for found, counts, are_shared in counted
    ]


def _n_users(users: Ints, of_row: Ints, n: int) -> Ints:
    """Return how many different users each of ``n`` terms has, of pairs of a user and a term."""
    pairs = np.unique(users * n + of_row) % max(1, n)
    return np.bincount(pairs, minlength=n)


def _has_number(name: str) -> bool:
    return any(not any(letter.isalpha() for letter in word) for word in name.split())


def _strongest(names: Sequence[str], found: Ints, weights: Doubles) -> list[str]:
    weights = np.round(weights, 6)
    most = min(10 * N_KEYWORDS, len(weights))
    limit = np.partition(weights, len(weights) - most)[len(weights) - most] if most else 0.0
    ranked = sorted((-float(weights[at]), names[found[at]]) for at in np.flatnonzero(weights >= limit))
    kept: list[str] = []
    for _, name in ranked:
        words = f" {name.casefold()} "
        if not any(words in f" {other.casefold()} " or f" {other.casefold()} " in words for other in kept):
            kept.append(name)
        if len(kept) == N_KEYWORDS:
            break
    return kept


def name_of(found: Keywords, *, title: str, kind: str) -> str:
    """Return what a cluster is called: by its keywords if its members share them, else by the title of a paper."""
    shared = ", ".join(found.words[:N_IN_NAME]) if found.are_shared else ""
    return shared or title or f"{kind} without a name"


# Names, keywords and vectors of clusters, of metadata and of those that were found, written where they changed


@dataclass(frozen=True)
class Material:
    """Input of the clusters of a collection."""

    chunks: Chunks
    papers: Papers
    entities: Entities


async def write_names(
    database: Database,
    collection: str,
    material: Material,
    groups: dict[str, list[Group]],
    kept: dict[str, StoredCluster],
    resources: EnrichmentContext,
    slot: VectorSlot,
) -> int:
    """Name clusters, and give them vectors, where their name is another one than what stands; how many are named.

    Args:
        database: The store.
        collection: Whose clusters.
        material: Its chunks, papers, and entities, whose names are the terms where there are any.
        groups: Topics and communities.
        kept: Clusters that stand as they are, by id.
        resources: The embedding model.
        slot: The place of vectors in use.
    """
    chunks, papers, entities = material.chunks, material.papers, material.entities
    if len(entities.of_chunks):
        of_chunks = Terms(entities.names, entities.of_chunks, entities.chunks, np.ones_like(entities.chunks))
    else:
        texts = await read_texts(database, collection, chunks.ids)
        of_chunks = await asyncio.to_thread(word_terms, texts)
    named = await asyncio.to_thread(_named, chunks, papers, of_chunks, groups, kept)
    sha256_of_model = resources.embedder.card.sha256
    rows = [
        {"id": id, "name": name, "keywords": list(words)}
        for id, (name, words) in named.items()
        if id not in kept or (kept[id].name, kept[id].keywords) != (name, words)
    ]
    await run_steps(
        database, "name clusters", sha256_of_model, list(batches(cypher.load("enrichments/name_clusters"), rows))
    )
    without = {
        id: name
        for id, (name, _) in named.items()
        if id not in kept or kept[id].hash != text_hash(sha256_of_model, name)
    }
    vectors = await resources.embed(list(without.values()))
    with_vectors = [
        {"id": id, "vector": vectors[name].tolist(), "properties": resources.vector_properties(name, slot)}
        for id, name in without.items()
    ]
    await run_steps(
        database,
        "write clusters' vectors",
        sha256_of_model,
        list(batches(cypher.load("enrichments/write_cluster_vectors", slot), with_vectors)),
    )
    return len(rows)


def _named(
    chunks: Chunks,
    papers: Papers,
    of_chunks: Terms,
    groups: dict[str, list[Group]],
    kept: dict[str, StoredCluster],
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return name and keywords of each cluster; those of metadata keep the name that they have."""
    number, of, each = papers.numbers, paper_of(chunks, papers), np.arange(len(papers.ids))
    of_papers = Terms(of_chunks.names, of[of_chunks.things], of_chunks.terms, of_chunks.counts)
    named: dict[str, tuple[str, tuple[str, ...]]] = {}
    for kind, terms, of_thing, members_of in (
        (TOPIC, of_chunks, of, lambda group: np.array(group.members)),
        (COMMUNITY, of_papers, each, lambda group: np.flatnonzero(np.isin(of, group.members))),
    ):
        for _, same_level in groupby(groups[kind], key=lambda group: group.level):
            level = list(same_level)
            found = keywords([group.members for group in level], terms, of_thing)
            for group, words in zip(level, found, strict=True):
                title = "" if words.are_shared else _nearest_title(members_of(group), chunks, papers, of)
                named[group.id] = (name_of(words, title=title, kind=kind), words.words)
    of_metadata = sorted((c for c in kept.values() if c.kind == METADATA), key=lambda c: (c.field or "", c.id))
    for _, same_field in groupby(of_metadata, key=lambda cluster: cluster.field):
        values = list(same_field)
        members = [[number[paper] for paper in value.papers if paper in number] for value in values]
        for value, words in zip(values, keywords(members, of_papers, each), strict=True):
            named[value.id] = (value.name, words.words)
    return named


def _nearest_title(members: Ints, chunks: Chunks, papers: Papers, of: Ints) -> str:
    """Return the title of the paper whose chunk is nearest to the middle of some chunks; empty if there are none."""
    if not len(members):
        return ""
    vectors = chunks.vectors[members].astype(np.float64)
    nearest = members[np.argmax(np.round(vectors @ vectors.sum(axis=0), 6))]
    return papers.titles[int(of[nearest])]
