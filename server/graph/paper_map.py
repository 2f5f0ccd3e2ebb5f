"""The map of a collection: places of its papers in two dimensions, as columns, and topics with their centres."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from neo4j import Record as DriverRecord

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.enrichments.map.enrichment import (
    MOST_LEVELS,
    N_DIGITS,
    PlacedBy,
    mean_place,
    pca,
    read_map_papers,
    topics_of_papers,
)
from papergraph.records import Id, Record, described
from papergraph.schema.embedding_models import stored_models
from papergraph.server.retrieval.scope import AllowedCollections, within

MOST_POINTS = 50_000
MOST_PLACED_AT_ONCE = 2000
"""Papers of a collection without a map that are placed by PCA at each request; more need the enrichment."""
MOST_BESIDE = 200
"""Papers that are new since the map was made, and stand beside their nearest."""
N_LOOKED_AT = 20
PAGE_ROWS = 5000
DEADLINE_S = 20.0


class MapMethod(StrEnum):
    """Method that gave the places of a map: UMAP by the enrichment, or principal components."""

    UMAP = "umap"
    PCA = "pca"


@dataclass(frozen=True)
class MapTopic(Record):
    """Topic of a map."""

    node_id: Annotated[Id, described("Id of the cluster.")]
    name: Annotated[str, described("Words that set it apart.")]
    level: Annotated[int, described("Level in the hierarchy, 0 for the finest.")]
    n: Annotated[int, described("Number of its points, those of topics below it included.")]
    x: Annotated[float, described("Centre of its points from left to right: their median.")]
    y: Annotated[float, described("Centre of its points from bottom to top.")]
    above: Annotated[int | None, described("Number of the topic above it in the list, from 0.")]


@dataclass(frozen=True)
class PaperMap(Record):
    """Places of papers in two dimensions, as columns of equal length, in the order of ids."""

    n_papers: Annotated[int, described("Papers of the collection.")]
    n_unplaced: Annotated[int, described("Papers without a place until the enrichment `map` runs again.")]
    truncated: Annotated[bool, described("True if the collection has more papers than were asked for.")]
    method: Annotated[MapMethod | None, described("Method that gave the places; null without points.")]
    topics: Annotated[list[MapTopic], described("Topics with points, the coarsest and largest first.")]
    ids: Annotated[list[Id], described("Ids of the papers.")]
    titles: Annotated[list[str], described("Titles, at most 200 characters each.")]
    years: Annotated[list[int | None], described("Years of publication, where known.")]
    x: Annotated[list[float], described("Coordinates from left to right, -1 to 1.")]
    y: Annotated[list[float], described("Coordinates from bottom to top, -1 to 1.")]
    topic_numbers: Annotated[
        list[int | None], described("Number of the finest topic of each paper in the list of topics, from 0.")
    ]


@dataclass(frozen=True)
class _Placed:
    """Places and topics by id of a paper, and what gave the places."""

    places: Mapping[str, Sequence[float]]
    topics: Mapping[str, str]
    method: MapMethod | None


async def paper_map(
    database: Database, *, collection: str, first: int = MOST_POINTS, collections: AllowedCollections = None
) -> PaperMap:
    """Return the map of a collection: that of the enrichment, or one computed now for at most 2,000 papers.

    Args:
        database: A prepared store.
        collection: Name of the collection.
        first: Papers at most, 1 to 50,000.
        collections: Allowed collections; None for all.

    Raises:
        InputError: ``first`` is out of range, or the collection's name is invalid.
        DatabaseError: Neo4j failed.
    """
    if not 1 <= first <= MOST_POINTS:
        raise InputError(f"first: {first} is not allowed; 1 to {MOST_POINTS:,} are.", field="first")
    looked_in = within(collection, collections)
    (counted,), rows, topics = await asyncio.gather(
        database.read(cypher.load("papers/count"), collection=looked_in),
        _read_points(database, looked_in, first),
        database.read(cypher.load("graph/map_topics"), collection=looked_in, deadline_s=DEADLINE_S),
    )
    placed = await _places_of(database, looked_in, rows, counted["n_papers"])
    return await asyncio.to_thread(_composed, rows, topics, placed, counted["n_papers"])


async def _read_points(database: Database, collection: str, first: int) -> list[DriverRecord]:
    rows: list[DriverRecord] = []
    while len(rows) < first:
        limit = min(PAGE_ROWS, first - len(rows))
        page = await database.read(
            cypher.load("graph/map_points"),
            collection=collection,
            after=rows[-1]["id"] if rows else "",
            limit=limit,
            deadline_s=DEADLINE_S,
        )
        rows += page
        if len(page) < limit:
            break
    return rows


async def _places_of(database: Database, collection: str, rows: Sequence[DriverRecord], n_papers: int) -> _Placed:
    places = {row["id"]: row["place"] for row in rows if row["place"]}
    active = (await stored_models(database)).active
    if places:
        by = {row["placed_by"] for row in rows}
        new = [row["id"] for row in rows if not row["place"]][:MOST_BESIDE]
        if new and active:
            near = await database.read(cypher.load("graph/map_near", active.slot), ids=new, k=N_LOOKED_AT)
            places |= {one["id"]: _beside(one["places"], one["scores"]) for one in near}
        topics = {row["id"]: row["topic"] for row in rows if row["topic"]}
        return _Placed(places, topics, MapMethod.UMAP if PlacedBy.UMAP in by else MapMethod.PCA)
    if active is None or n_papers > MOST_PLACED_AT_ONCE:
        return _Placed({}, {}, None)
    papers = await read_map_papers(database, collection, active.sha256, active.slot, active.dimension)
    found = await asyncio.to_thread(pca, papers.vectors)
    topics = await topics_of_papers(database, collection)
    return _Placed(dict(zip(papers.ids, found.tolist(), strict=True)), topics, MapMethod.PCA if papers.ids else None)


def _beside(places: Sequence[Sequence[float]], scores: Sequence[float]) -> list[float]:
    cosines = 2.0 * np.array([scores]) - 1.0
    return [round(value, N_DIGITS) for value in mean_place(np.array([places]), cosines)[0].tolist()]


def _composed(
    rows: Sequence[DriverRecord], stored_topics: Sequence[DriverRecord], placed: _Placed, n_papers: int
) -> PaperMap:
    points = [row for row in rows if row["id"] in placed.places]
    ids = [row["id"] for row in points]
    places = np.array([placed.places[id] for id in ids], dtype=np.float64).reshape(-1, 2)
    topics = _topics([placed.topics.get(id) for id in ids], places, {one["id"]: one for one in stored_topics})
    number = {topic.node_id: at for at, topic in enumerate(topics)}
    return PaperMap(
        n_papers,
        len(rows) - len(points),
        n_papers > len(rows),
        placed.method,
        topics,
        ids,
        [row["title"] for row in points],
        [row["year"] for row in points],
        places[:, 0].tolist(),
        places[:, 1].tolist(),
        [number.get(placed.topics.get(id, "")) for id in ids],
    )


def _topics(of_points: Sequence[str | None], places: Any, stored: Mapping[str, Mapping[str, Any]]) -> list[MapTopic]:
    """Return the topics that points have, those above them included, the coarsest and largest first."""
    members: dict[str, list[int]] = {}
    for at, topic in enumerate(of_points):
        for _ in range(MOST_LEVELS):
            if topic is None or topic not in stored:
                break
            members.setdefault(topic, []).append(at)
            topic = stored[topic]["above"]
    depths = {id: _depth(id, stored) for id in members}
    ordered = sorted(members, key=lambda id: (depths[id], -len(members[id]), id))
    number = {id: at for at, id in enumerate(ordered)}
    found = []
    for id in ordered:
        x, y = np.round(np.median(places[members[id]], axis=0), N_DIGITS).tolist()
        one = stored[id]
        found.append(MapTopic(id, one["name"], one["level"], len(members[id]), x, y, number.get(one["above"])))
    return found


def _depth(id: str, stored: Mapping[str, Mapping[str, Any]]) -> int:
    """Return how many topics are above one."""
    depth = 0
    while (above := stored[id]["above"]) in stored and depth < MOST_LEVELS:
        id, depth = above, depth + 1
    return depth
