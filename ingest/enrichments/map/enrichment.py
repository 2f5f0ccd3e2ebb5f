"""Map of papers: a place in two dimensions for each, and the topic of its chunks."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import DEADLINE_S, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError, install_command
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions.duplicates import slot_of
from papergraph.ingest.graph.batched_writes import Step, batches, run_steps
from papergraph.progress import Progress
from papergraph.schema.ids import enrichment_state_id, sha256
from papergraph.vector_slots import VectorSlot

# Vectors in two dimensions: by PCA at once, by UMAP with a fixed seed, and beside vectors that have a place


FEWEST_FOR_UMAP = 100
"""Papers from which UMAP is taken: among fewer, neighbourhoods are no more than what PCA shows."""

MOST_FITTED = 50_000
N_NEAREST = 5
ROWS_AT_ONCE = 2000
N_DIGITS = 4

Places = NDArray[np.float64]
"""Shape (n, 2); each coordinate in [-1, 1], to four digits."""


def pca(vectors: Floats) -> Places:
    """Return the first two principal components of vectors, shape (n, d), as places.

    Signs are fixed: the loading of largest magnitude is positive. The same vectors give the same places.
    """
    n, dimension = vectors.shape
    if n == 0:
        return np.zeros((0, 2))
    centred = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)  # ascending
    axes = axes[:, ::-1][:, : min(2, dimension)]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0.0, -1.0, 1.0)
    found = np.zeros((n, 2))
    found[:, : axes.shape[1]] = centred @ axes
    return _scaled(found)


def umap(vectors: Floats, *, n_neighbours: int, min_dist: float, seed: int) -> Places:
    """Return places by UMAP (McInnes, Healy and Melville 2018, arXiv:1802.03426), begun from those by PCA.

    Args:
        vectors: Shape (n, d), n at least 3, compared by their cosine.
        n_neighbours: Neighbours of each that count, at least 2.
        min_dist: Least distance between places before they are scaled, in [0, 1).
        seed: Of its random choices; the same vectors and seed give the same places.

    Raises:
        InputError: The extra ``map`` is not installed.
    """
    try:
        from umap import UMAP
    except ImportError as error:
        raise InputError(
            f"a map of {FEWEST_FOR_UMAP} papers or more needs UMAP: {install_command('map')}", field="map"
        ) from error

    n = len(vectors)
    reducer = UMAP(
        n_neighbors=min(n_neighbours, n - 1),
        min_dist=min_dist,
        metric="cosine",
        init=10.0 * pca(vectors),
        random_state=seed,
        n_jobs=1,  # what a seed demands; said, so that there is no warning
    )
    return _scaled(np.asarray(reducer.fit_transform(vectors), dtype=np.float64))


def beside(vectors: Floats, placed: Floats, places: Places) -> Places:
    """Return for each of some vectors the mean of the places of the five nearest, weighted by their similarity.

    Args:
        vectors: Shape (m, d), each of length 1.
        placed: Shape (n, d), each of length 1; n at least 1.
        places: Shape (n, 2).
    """
    found = np.zeros((len(vectors), 2))
    k = min(N_NEAREST, len(placed))
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        similar = vectors[start : start + ROWS_AT_ONCE] @ placed.T
        nearest = np.argpartition(-similar, k - 1, axis=1)[:, :k]
        found[start : start + ROWS_AT_ONCE] = mean_place(places[nearest], np.take_along_axis(similar, nearest, axis=1))
    return np.round(found, N_DIGITS)


def mean_place(places: NDArray[np.float64], similarities: NDArray[np.floating]) -> Places:
    """Return mean places, shape (m, 2), of k each, shape (m, k, 2), weighted by similarities, shape (m, k)."""
    weights = np.maximum(np.asarray(similarities, dtype=np.float64), 1e-3)
    return np.asarray((places * weights[..., None]).sum(axis=1) / weights.sum(axis=1, keepdims=True))


def _scaled(found: NDArray[np.float64]) -> Places:
    """Return places around their middle, the farthest coordinate at 1."""
    low, high = found.min(axis=0), found.max(axis=0)
    extent = max(float((high - low).max()) / 2.0, 1e-12)
    return np.asarray(np.round((found - (low + high) / 2.0) / extent, N_DIGITS) + 0.0)  # no negative zero


# The topic that a paper is shown under: the one that most of its chunks belong to, level by level


MOST_LEVELS = 20


async def topics_of_papers(database: Database, collection: str) -> dict[str, str]:
    """Return by id of a paper the id of its topic; papers whose chunks are in none are left out.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("graph/map_topics"), collection=collection, deadline_s=DEADLINE_S)
    if not records:
        return {}
    above = {record["id"]: record["above"] for record in records}
    found = {}
    async for page in pages(database, cypher.load("enrichments/topics_of_papers"), limit=500, collection=collection):
        for record in page:
            counts = {one["id"]: one["n"] for one in record["topics"]}
            if topic := main_topic(counts, above):
                found[record["id"]] = topic
    return found


def main_topic(counts: Mapping[str, int], above: Mapping[str, str | None]) -> str | None:
    """Return the topic of a paper: from the coarsest level down, the most frequent one within the chosen parent.

    Args:
        counts: Number of the paper's chunks by topic; each chunk counts at its finest topic.
        above: Parent of each topic; None for the coarsest. Other topics are ignored.
    """
    total: Counter[str] = Counter()
    below: dict[str | None, set[str]] = {}
    for topic, n in counts.items():
        at: str | None = topic
        for _ in range(MOST_LEVELS):
            if at is None or at not in above:
                break
            total[at] += n
            below.setdefault(above[at], set()).add(at)
            at = above[at]
    chosen: str | None = None
    while candidates := below.get(chosen):
        chosen = min(candidates, key=lambda one: (-total[one], one))
    return chosen


# Places of a collection's papers on a map, made of their vectors, and kept where the collection changes little


VERSION = "1"
PAPERS_AT_ONCE = 2000

FITTED = "placed"
"""Name under which is noted how papers were placed last."""


class PlacedBy(StrEnum):
    """Method that placed a paper."""

    UMAP = "umap"
    PCA = "pca"
    NEIGHBOURS = "neighbours"


@dataclass(frozen=True)
class MapPapers:
    """A collection's papers with vectors, in the order of ids.

    Attributes:
        ids: Their ids.
        vectors: Shape (n, d), each of length 1.
        places: Shape (n, 2); NaN where one has no place.
        placed_by: What gave each its place, or None.
        topics: Id of the topic that each bears, or None.
    """

    ids: tuple[str, ...]
    vectors: Floats
    places: Places
    placed_by: tuple[str | None, ...]
    topics: tuple[str | None, ...]


@dataclass(frozen=True)
class MapEnrichment:
    """The enrichment with its options.

    Attributes:
        method: ``umap``, from 100 papers on, or ``pca``.
        n_neighbours: Of UMAP: neighbours of each paper that count, 2 to 200.
        min_dist: Of UMAP: least distance between places, in [0, 1).
        seed: Of UMAP, 0 to 4,294,967,295.
        most_change: Share of new papers, above 0, from which all papers are placed again; a smaller share is placed
            beside others.
    """

    method: Literal["umap", "pca"] = "umap"
    n_neighbours: int = 15
    min_dist: float = 0.1
    seed: int = 0
    most_change: float = 0.25

    def __post_init__(self) -> None:
        if not (2 <= self.n_neighbours <= 200 and 0.0 <= self.min_dist < 1.0 and 0 <= self.seed < 2**32):
            must = "2 <= n_neighbours <= 200, 0 <= min_dist < 1 and 0 <= seed < 2^32"
            raise InputError(f"map: {must} must hold, got {self}", field="config")
        if not self.most_change > 0.0:
            raise InputError(f"map: most_change must be above 0, got {self.most_change:g}", field="config")

    @property
    def name(self) -> str:
        """The enrichment's name."""
        return "map"

    @property
    def config_hash(self) -> str:
        """sha-256 over the code's version and the options."""
        return sha256(self.name, VERSION, *(f"{one.name}={getattr(self, one.name)}" for one in fields(self)))

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Update places and topics to the collection's current papers.

        Returns:
            Number of papers with a place, of those with a topic, and of those written; 1 if all were placed again, else
            0.

        Raises:
            ModelChangedError: Another embedding model came into use meanwhile.
            DatabaseError: Neo4j failed; what was written stays, and the next call does the rest.
        """
        model = resources.embedder.card.sha256
        slot = await slot_of(database, model)
        papers = await read_map_papers(database, collection, model, slot, resources.embedder.card.dimension)
        by = PlacedBy.UMAP if self.method == "umap" and len(papers.ids) >= FEWEST_FOR_UMAP else PlacedBy.PCA
        way = sha256(self.config_hash, model, by)
        states = await database.read(cypher.load("enrichments/state"), collection=collection)
        as_before = (FITTED, way) in {(state["name"], state["config_hash"]) for state in states}
        is_fitted = not as_before or by is PlacedBy.PCA or self._has_changed(papers)
        progress.step(f"placing {len(papers.ids)} papers")
        places, placed_by = await asyncio.to_thread(self._place, papers, by if is_fitted else None)
        topics = await topics_of_papers(database, collection)
        rows = [
            {"id": id, "place": places[at].tolist(), "placed_by": placed_by[at], "topic": topics.get(id)}
            for at, id in enumerate(papers.ids)
            if not np.array_equal(places[at], papers.places[at])
            or placed_by[at] != papers.placed_by[at]
            or topics.get(id) != papers.topics[at]
        ]
        record = {
            "id": enrichment_state_id(collection, FITTED),
            "collection": collection,
            "name": FITTED,
            "config_hash": way,
            "input_hash": "",
        }
        steps = [
            *batches(cypher.load("enrichments/write_map"), rows),
            Step(cypher.load("enrichments/record"), record),  # last: a killed call starts again
        ]
        await run_steps(database, "write the map", model, steps)
        n_topics = sum(id in topics for id in papers.ids)
        return {"placed": len(papers.ids), "with_topic": n_topics, "written": len(rows), "anew": int(is_fitted)}

    def _has_changed(self, papers: MapPapers) -> bool:
        """Say whether by more than a share other numbers of papers would be placed together than were."""
        n_fitted = sum(by == PlacedBy.UMAP for by in papers.placed_by)
        wanted = len(papers.ids) / _every(len(papers.ids))
        return abs(wanted - n_fitted) > self.most_change * n_fitted

    def _place(self, papers: MapPapers, by: PlacedBy | None) -> tuple[Places, list[str]]:
        """Return places and their methods: all places by a method or, for None, the missing ones beside the others."""
        n = len(papers.ids)
        if by is PlacedBy.PCA:
            return pca(papers.vectors), [by] * n
        is_placed = ~np.isnan(papers.places[:, 0])
        places, placed_by = papers.places.copy(), [one or PlacedBy.NEIGHBOURS for one in papers.placed_by]
        if by is PlacedBy.UMAP:
            is_placed = np.arange(n) % _every(n) == 0  # ids are hashes: every k-th is a random sample
            options = {"n_neighbours": self.n_neighbours, "min_dist": self.min_dist, "seed": self.seed}
            places[is_placed] = umap(papers.vectors[is_placed], **options)  # type: ignore[arg-type]
            placed_by = [by if one else PlacedBy.NEIGHBOURS for one in is_placed]
        new = ~is_placed
        if new.any():
            places[new] = beside(papers.vectors[new], papers.vectors[is_placed], places[is_placed])
        return places, placed_by


def _every(n: int) -> int:
    """Return which of ``n`` papers are placed together: every first, second and so on."""
    return max(1, -(-n // MOST_FITTED))


async def read_map_papers(
    database: Database, collection: str, model_sha256: str, slot: VectorSlot, dimension: int
) -> MapPapers:
    """Read a collection's papers that have a vector of a model.

    Raises:
        DatabaseError: Neo4j failed.
    """
    statement = cypher.load("enrichments/map_papers", slot)
    ids: list[str] = []
    vectors, places = [np.zeros((0, dimension), dtype=np.float32)], [np.zeros((0, 2))]
    placed_by: list[str | None] = []
    topics: list[str | None] = []
    async for page in pages(database, statement, limit=PAPERS_AT_ONCE, collection=collection, model=model_sha256):
        ids += [record["id"] for record in page]
        vectors.append(np.array([record["embedding"] for record in page], dtype=np.float32))
        places.append(np.array([record["place"] or (np.nan, np.nan) for record in page], dtype=np.float64))
        placed_by += [record["placed_by"] for record in page]
        topics += [record["topic"] for record in page]
    return MapPapers(tuple(ids), np.concatenate(vectors), np.concatenate(places), tuple(placed_by), tuple(topics))
