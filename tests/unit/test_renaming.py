"""A collection of a snapshot under another name: ids, vectors and what is left out."""

from pathlib import Path
from typing import Any

import pytest

from papergraph.vector_slots import VectorSlot
from schema.archive.manifest import FORMAT, Entry, Manifest, Model
from schema.archive.objects import Objects
from schema.archive.records import Part
from schema.archive.renaming import Renaming, Tally
from schema.ids import (
    chunk_id,
    cluster_id,
    collection_term,
    enrichment_state_id,
    entity_id,
    paper_id,
    papers_hash,
    review_id,
    sha256,
)

GONE = "0" * 64


def node(label: str, id: str, collection: str, **properties: Any) -> dict[str, Any]:
    return {
        "label": label,
        "labels": [label],
        "id": id,
        "properties": {"id": id, "collection": collection, **properties},
    }


def relationship(type: str, start: tuple[str, str], end: tuple[str, str], **properties: Any) -> dict[str, Any]:
    return {"type": type, "start": list(start), "end": list(end), "properties": properties}


def paper_part(collection: str) -> Part:
    """Return a paper of two chunks that a topic holds, and that name an entity."""
    paper = paper_id(collection, "file:a")
    chunks = [chunk_id(paper, number, text) for number, text in enumerate(("one", "two"))]
    topic = cluster_id(collection, "topic", 0, chunks)
    part = Part(
        [
            node("Chunk", chunks[0], collection, paperId=paper, ordinal=0, text="one"),
            node("Chunk", chunks[1], collection, paperId=paper, ordinal=1, text="two"),
            node(
                "Paper",
                paper,
                collection,
                key="file:a",
                contentHash="c",
                configHash="d",
                collectionTerm=collection_term(collection),
                mapTopic=topic,
            ),
        ],
        [relationship("IN_CLUSTER", ("Chunk", one), ("Cluster", topic)) for one in chunks]
        + [
            relationship(
                "RELATED_TO",
                ("Entity", entity_id(collection, "x")),
                ("Entity", entity_id(collection, "y")),
                paperId=paper,
                chunkIds=chunks,
            )
        ],
    )
    part.arrays["Chunk", chunks[0], "embedding"] = [1.0, 0.0]
    part.arrays["Chunk", chunks[0], "secondEmbedding"] = [0.0, 0.0, 1.0]
    part.arrays["Paper", paper, "structure"] = [0.5]
    return part


def shared_part(collection: str) -> Part:
    paper = paper_id(collection, "file:a")
    chunks = [chunk_id(paper, number, text) for number, text in enumerate(("one", "two"))]
    x, y = (entity_id(collection, name) for name in "xy")
    hash = papers_hash([(paper, "c", "d", ())])
    return Part(
        [
            node("Cluster", cluster_id(collection, "topic", 0, chunks), collection, kind="topic", level=0),
            node("Cluster", sha256("an", "older one", collection), collection, kind="topic", level=1),
            node("EnrichmentState", enrichment_state_id(collection, "links"), collection, name="links", inputHash=hash),
            node("EnrichmentState", enrichment_state_id(collection, "map"), collection, name="map", inputHash="old"),
            node("Entity", x, collection, name="x"),
            node("Entity", y, collection, name="y"),
            node("Review", review_id(collection, "entities", [x, y]), collection, kind="entities", about=[x, y]),
            node("Review", review_id(collection, "entities", [x, GONE]), collection, kind="entities", about=[x, GONE]),
            node("Summary", "s", collection),
        ]
    )


def renamed(folder: Path, parts: list[tuple[str, Part]], old: str, new: str, slot: VectorSlot) -> Renaming:
    objects = Objects(folder)
    entries = [
        Entry(
            kind,
            str(number),
            objects.put(part.lines()),
            objects.put(part.numbers()) if part.arrays else None,
            len(part.nodes),
            len(part.relationships),
        )
        for number, (kind, part) in enumerate(parts)
    ]
    objects.settle()
    models = [Model("first", "m", "a" * 64, 2, "active")]
    at = "2026-11-26T10:00:00+00:00"
    manifest = Manifest(FORMAT, "1", at, 1, models, entries, full_at=at)
    return Renaming(objects, manifest, old, new, slot=slot)


@pytest.fixture
def copy(tmp_path: Path) -> Renaming:
    parts = [("paper", paper_part("main")), ("paper", paper_part("other")), ("shared", shared_part("main"))]
    return renamed(tmp_path, parts, "main", "copy", VectorSlot.SECOND)


def test_ids_are_those_of_the_new_name(copy: Renaming):
    paper, shared = (copy.part(entry) for entry in copy.entries)
    wanted = paper_part("copy")

    assert sorted(paper.lines().splitlines()) == sorted(wanted.lines().splitlines())
    ids = {(one["label"], one["id"]) for one in shared.nodes}
    expected = {(one["label"], one["id"]) for one in shared_part("copy").nodes}
    older = ("Cluster", sha256("Cluster", "copy", sha256("an", "older one", "main")))
    assert ids - expected == {older}
    assert {label for label, _ in expected - ids} == {"Cluster", "Review", "Summary"}
    states = {
        one["properties"]["name"]: one["properties"]["inputHash"]
        for one in shared.nodes
        if "name" in one["properties"] and one["label"] == "EnrichmentState"
    }
    assert states == {"links": papers_hash([(paper_id("copy", "file:a"), "c", "d", ())]), "map": "old"}


def test_what_is_about_something_that_is_gone_is_left_out_and_counted(copy: Renaming):
    assert (copy.n_papers, copy.n_left_out) == (1, 1)


def test_vectors_of_the_model_in_use_stand_where_the_store_has_its_own(copy: Renaming):
    arrays = copy.part(copy.entries[0]).arrays

    assert {(label, name): numbers for (label, _, name), numbers in arrays.items()} == {
        ("Chunk", "secondEmbedding"): [1.0, 0.0],
        ("Paper", "structure"): [0.5],
    }


def test_a_tally_tells_other_content_and_no_other_order():
    first, second, other = Tally(), Tally(), Tally()
    parts = [paper_part("a"), shared_part("a"), paper_part("b")]
    for part in parts:
        first.add(part)
    for part in reversed(parts):
        second.add(part)
        other.add(part)
    other.add(Part([node("Name", "n", "a")]))
    changed = Tally()
    parts[0].arrays[next(iter(parts[0].arrays))] = [1.0, 0.001]
    for part in parts:
        changed.add(part)

    assert first == second
    assert first not in (other, changed)
