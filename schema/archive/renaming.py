"""One collection of a snapshot under another name.

Ids are hashes over the name of the collection, some within hashes of hashes, so each is computed anew from what it is
made of: first those of papers, then of what is made of papers. Of a node whose id is made in another way, such as a
cluster that has lost a member since, the new id is a hash of the old one (docs/decisions/0177-renamed-collections.md).
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot
from schema.archive.backup import BackupOptions
from schema.archive.manifest import Entry, Manifest
from schema.archive.objects import Objects
from schema.archive.records import Part
from schema.ids import (
    ID,
    author_id,
    author_review_id,
    chunk_id,
    cluster_id,
    collection_term,
    enrichment_state_id,
    entity_id,
    metadata_cluster_id,
    name_id,
    paper_id,
    papers_hash,
    prototype_id,
    question_id,
    reference_id,
    review_id,
    section_id,
    sha256,
    source_id,
)
from schema.places import place_id

LEFT_OUT = ("EmbeddingModel", "Summary")
"""Labels of nodes that do not follow: the store has its own models, and summaries are made again on demand."""

LABELS = tuple(label for label in BackupOptions().labels if label not in LEFT_OUT)
"""Labels of the nodes that follow, beside papers and their parts."""

MADE_OF_OTHERS = ("Cluster", "Review", "AnswerRating")
"""Labels whose ids are made of ids of nodes that other parts of a snapshot may hold, in the order of computing."""

SYMMETRIC = ("SIMILAR", "SAME_AS")
"""Types of relationships that run from the lower to the higher id."""

COMPARED = "questions"
"""The enrichment that compares questions in the order of their ids; under other ids it does so again."""

_HASH = re.compile(r"\b[0-9a-f]{64}\b")
Node = Mapping[str, Any]
Follow = Callable[[str], str]
"""Returns the id that a node has in one of the collections; raises KeyError of one that is not there."""


class Renaming:
    """The papers of a collection of a snapshot, and what belongs to them, under another name; they stay if it is equal.

    Memory is in proportion to the number of nodes, about 300 bytes each.

    Attributes:
        entries: The parts of the snapshot that hold something of the collection.
        n_papers: Papers of the collection.
        n_left_out: Reviews that are about something that the snapshot does not hold any more.
    """

    def __init__(
        self,
        objects: Objects,
        manifest: Manifest,
        old: str,
        new: str,
        *,
        slot: VectorSlot = VectorSlot.FIRST,
    ) -> None:
        """Read the snapshot, and compute the new ids.

        Args:
            objects: The objects of the archive.
            manifest: The snapshot, whose schema has this version.
            old: The collection.
            new: Its new name.
            slot: Where vectors of the model in use stand in the store that the collection comes into.

        Raises:
            ArchiveError: An object is missing or damaged.
        """
        self._objects, self._old, self._new = objects, old, new
        before = VectorSlot(manifest.models[0].slot)
        names = ((before, name, slot.called(name)) for name in VECTOR_PROPERTIES)
        self._slots = {one.called(name): to for one, name, to in names}
        self._left = {before.other.called(name) for name in VECTOR_PROPERTIES}
        if old != new:
            self._left.add("comparisonConfigHash")
        self._ids: dict[tuple[str, str], str] = {}
        self._hashes: dict[str, str] = {}
        self._members: dict[str, list[str]] = defaultdict(list)
        self._finer: dict[str, list[str]] = defaultdict(list)
        self._papers: list[tuple[str, str, str, Sequence[str]]] = []
        self.n_left_out = 0
        self.entries = self._learn(manifest.entries)
        self.n_papers = len(self._papers)
        self._inputs = {papers_hash(sorted(self._papers)): self._papers_hash()}

    # Ids

    def _learn(self, entries: Iterable[Entry]) -> list[Entry]:
        found, later = [], []
        for entry in entries:  # those of papers come first
            nodes = self._nodes(entry)
            if not nodes:
                continue
            found.append(entry)
            for node in nodes:
                if node["label"] in MADE_OF_OTHERS:
                    later.append(node)
                else:
                    self._name(node)
        for node in sorted(later, key=lambda node: MADE_OF_OTHERS.index(node["label"])):
            self._name(node)
        return found

    def _nodes(self, entry: Entry) -> list[Node]:
        """Return the collection's nodes of a part, a paper first, and note what clusters and papers hold."""
        part = Part.read(self._objects.get(entry.lines), None)
        nodes = [node for node in part.nodes if self._is_of_collection(node)]
        if not nodes:
            return []
        for node in nodes:
            if node["label"] == "Paper":
                of = node["properties"]
                self._papers.append((node["id"], of["contentHash"], of["configHash"], of.get("enrichments") or ()))
        for one in part.relationships:
            if one["type"] == "IN_CLUSTER":
                self._members[one["end"][1]].append(one["start"][1])
            elif one["type"] == "PARENT_OF":
                self._finer[one["start"][1]].append(one["end"][1])
        return sorted(nodes, key=lambda node: node["label"] != "Paper")

    def _is_of_collection(self, node: Node) -> bool:
        return node["label"] not in LEFT_OUT and collection_of(node) == self._old

    def _name(self, node: Node) -> None:
        """Compute the new id of a node."""
        label, id = node["label"], node["id"]
        try:
            new = id if self._old == self._new else self._renamed(node)
        except KeyError:  # it is about a node that is gone
            self.n_left_out += 1
            return
        self._ids[label, id] = new
        if ID.fullmatch(id):
            self._hashes[id] = new

    def _renamed(self, node: Node) -> str:
        label: str = node["label"]
        id: str = node["id"]
        if label == "StoredAnswer":
            return f"answer-{sha256(self._new, id)[:16]}"
        if label == "AnswerRating":
            answer, space, rater = id.partition(" ")
            return self._ids["StoredAnswer", answer] + space + rater
        after = list(self._made(node, self._new, self._follow))
        before = self._made(node, self._old, lambda one: one)
        return next((new for old, new in zip(before, after, strict=True) if old == id), sha256(label, self._new, id))

    def _follow(self, id: str) -> str:
        return self._hashes[id] if ID.fullmatch(id) else id

    def _made(self, node: Node, collection: str, follow: Follow) -> Iterator[str]:
        """Yield the ids that a node may have in a collection, by what ids are made of."""
        label, of = node["label"], node["properties"]
        match label:
            case "Paper":
                yield paper_id(collection, of["key"])
            case "Section":
                yield section_id(follow(of["paperId"]), of["ordinal"], of["title"])
            case "Chunk":
                yield chunk_id(follow(of["paperId"]), of["ordinal"], of["text"])
            case "Reference":
                yield reference_id(follow(of["paperId"]), of["ordinal"])
            case "Question":
                yield question_id(follow(of["paperId"]), of["text"])
            case "Source":
                yield source_id(collection, of["name"])
            case "Author":
                yield author_id(collection, of.get("key") or of["name"])
            case "Venue" | "Affiliation":
                yield place_id(label, collection, of["key"])
            case "Entity":
                for name in (of["name"], *(of.get("aliases") or ())):
                    yield entity_id(collection, name)
            case "Name":
                yield name_id(collection, of["key"])
            case "Cluster" if of.get("field"):
                yield metadata_cluster_id(collection, of["field"], of["value"])
            case "Cluster":
                yield cluster_id(collection, of["kind"], of["level"], map(follow, self._members_of(node["id"])))
            case "Prototype":
                yield prototype_id(collection, of["kind"], of["ordinal"])
            case "Review":
                about = [follow(one) for one in of["about"]]
                yield review_id(collection, of["kind"], about)
                yield author_review_id(collection, of["kind"], about)
            case "EnrichmentState":
                yield enrichment_state_id(collection, of["name"])
            case "Collection":
                yield collection

    def _members_of(self, cluster: str) -> Iterator[str]:
        yield from self._members[cluster]
        for finer in self._finer[cluster]:
            yield from self._members_of(finer)

    def _papers_hash(self) -> str:
        return papers_hash(sorted((self._ids["Paper", id], *rest) for id, *rest in self._papers))  # type: ignore[misc]

    # Content

    def part(self, entry: Entry) -> Part:
        """Return what a part of the snapshot holds of the collection, under the new name.

        Relationships to nodes that do not follow, such as those of another collection, are left out. Under another name
        so are those of questions to earlier ones that ask the same: they are made in the order of ids.

        Raises:
            ArchiveError: An object is missing or damaged.
        """
        whole = Part.read(
            self._objects.get(entry.lines), None if entry.numbers is None else self._objects.get(entry.numbers)
        )
        return Part(
            [
                node | {"id": id, "properties": self._properties_of(node) | {"id": id}}
                for node in whole.nodes
                if (id := self._ids.get((node["label"], node["id"]))) is not None
            ],
            [one for one in map(self._relationship, whole.relationships) if one is not None],
            {
                (label, new, self._slots.get(name, name)): numbers
                for (label, id, name), numbers in whole.arrays.items()
                if (new := self._ids.get((label, id))) is not None and name not in self._left
            },
        )

    def _relationship(self, one: Mapping[str, Any]) -> dict[str, Any] | None:
        (start_label, start), (end_label, end) = one["start"], one["end"]
        first, last = self._ids.get((start_label, start)), self._ids.get((end_label, end))
        if first is None or last is None or (one["type"] == "DUPLICATE_OF" and self._old != self._new):
            return None
        if one["type"] in SYMMETRIC and first > last:
            first, last = last, first
        properties = self._properties(one["properties"])
        return {
            "type": one["type"],
            "start": [start_label, first],
            "end": [end_label, last],
            "properties": properties,
        }

    def _properties_of(self, node: Node) -> dict[str, Any]:
        properties = self._properties(node["properties"])
        if node["label"] == "EnrichmentState" and properties["name"] == COMPARED and self._old != self._new:
            properties["inputHash"] = ""
        return properties

    def _properties(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return {
            self._slots.get(name, name): self._value(name, value)
            for name, value in properties.items()
            if name not in self._left
        }

    def _value(self, name: str, value: Any) -> Any:
        match name:
            case "collection":
                return self._new
            case "collectionTerm":
                return collection_term(self._new)
            case "inputHash":
                return self._inputs.get(value, value)
            case "content":  # of a stored answer, as JSON
                return _HASH.sub(lambda found: self._hashes.get(found[0], found[0]), value)
        if isinstance(value, list):
            return [self._hashes.get(one, one) if isinstance(one, str) else one for one in value]
        return self._hashes.get(value, value) if isinstance(value, str) else value


def collection_of(node: Node) -> str | None:
    """Return the collection of a node as parts hold it; None where it is of none."""
    found: str | None = node["id"] if node["label"] == "Collection" else node["properties"].get("collection")
    return found


def of_collection(part: Part, collection: str) -> Part:
    """Return what nodes of a collection a part of a store holds that are part of no paper, with their relationships."""
    nodes = [node for node in part.nodes if collection_of(node) == collection]
    ids = {(node["label"], node["id"]) for node in nodes}
    relationships = [one for one in part.relationships if tuple(one["start"]) in ids]
    arrays = {key: numbers for key, numbers in part.arrays.items() if key[:2] in ids}
    return Part(nodes, relationships, arrays)


class Tally:
    """A sum over nodes, relationships and vectors, whatever parts they come in and in which order.

    Attributes:
        n_nodes: Nodes that were added.
        n_relationships: Relationships that were added.
    """

    def __init__(self) -> None:
        self.n_nodes = self.n_relationships = self._sum = 0

    def add(self, part: Part) -> None:
        """Add all of a part."""
        self.n_nodes += len(part.nodes)
        self.n_relationships += len(part.relationships)
        for line in part.lines().split(b"\n"):
            self._sum += int.from_bytes(hashlib.sha256(line).digest()) if line else 0
        for key, numbers in part.arrays.items():
            content = repr(key).encode() + np.asarray(numbers, dtype="<f8").tobytes()
            self._sum += int.from_bytes(hashlib.sha256(content).digest())

    def __eq__(self, other: object) -> bool:
        """Say whether the same was added to both."""
        return isinstance(other, Tally) and self._sum == other._sum

    __hash__ = None  # type: ignore[assignment]
