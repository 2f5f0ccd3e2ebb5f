"""Our nodes and relationships as LlamaIndex's, and our model of the graph as its schema."""

from collections.abc import Iterable, Mapping
from typing import Any

from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, ChunkNode, EntityNode, LabelledNode, Relation
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from neo4j import Record

from papergraph.json_values import LEFT_OUT
from papergraph.schema.ids import ID, entity_id
from papergraph.schema.model import NODES, RELATIONSHIPS
from papergraph.schema.records import Chunk, Paper, Section

RELATION_TYPES = ("HAS_CHUNK", "RELATED_TO", "SAME_AS", "MENTIONS")
"""Relationships that triplets are made of, those first that say most."""

ENTITY_RELATIONS = ("RELATED_TO", "SAME_AS")
TOLD = ("Paper", "Author", "Section", "Chunk", "Reference", "Question", "Entity", "Cluster", "Summary")
"""Labels of what papers say; the others are our own bookkeeping."""

FOR_READERS = frozenset({"paper", "section", "year", "start_page", "end_page"})
"""Metadata of a passage that a language model is shown."""

Triplet = tuple[LabelledNode, Relation, LabelledNode]


def properties_of(*labels: str) -> frozenset[str]:
    """Return the names of the properties of some labels, vectors left out."""
    return frozenset(
        prop.name for node in NODES if node.label in labels for prop in node.properties if prop.name not in LEFT_OUT
    )


def node_of(label: str, properties: Mapping[str, Any], **more: Any) -> LabelledNode:
    """Return a chunk, an entity or a section; an entity's label is its type, and its name is its id to LlamaIndex."""
    kept = {name: value for name, value in properties.items() if value is not None} | more
    match label:
        case "Chunk":
            return ChunkNode(id_=kept["id"], text=kept.pop("text"), properties=kept)
        case "Section":
            return EntityNode(name=kept.pop("title"), label="Section", properties=kept)
        case _:
            return EntityNode(name=kept.pop("name"), label=kept.get("type") or "Entity", properties=kept)


def id_of(node: LabelledNode, collection: str) -> str:
    """Return the id that a node has in the graph, made of its name where it does not say one."""
    if isinstance(node, ChunkNode):
        return node.id
    id = node.properties.get("id")
    return id if isinstance(id, str) and ID.fullmatch(id) else entity_id(collection, getattr(node, "name", node.id))


def triplet_of(record: Record) -> Triplet:
    """Return a relationship with its ends; the first of them says which chunk it was read in."""
    labels, properties = (record["source_label"], record["target_label"]), record["relation"]
    source_chunk = (
        record["source"]["id"]
        if labels[0] == "Chunk"
        else record["target"]["id"]
        if labels[1] == "Chunk"
        else next(iter(properties.get("chunkIds") or ()), None)
    )
    told = {} if source_chunk is None else {TRIPLET_SOURCE_KEY: source_chunk}
    source = node_of(labels[0], record["source"], **told)
    target = node_of(labels[1], record["target"])
    type = properties.get("type") if record["type"] == "RELATED_TO" else None
    return (
        source,
        Relation(label=type or record["type"], source_id=source.id, target_id=target.id, properties=properties),
        target,
    )


def passage_of(record: Record) -> TextNode:
    """Return a chunk as a node of text that says which paper it stands in, and where."""
    chunk, paper = Chunk.of(record["chunk"]), Paper.of(record["paper"])
    section = Section.of(record["section"], path=record["path"], parent_id=record["parent_id"])
    metadata = {
        "paper": paper.title,
        "paper_key": paper.key,
        "year": paper.year,
        "section": " > ".join(section.path),
        "kind": chunk.kind,
        "start_char": chunk.start_char,
        "end_char": chunk.end_char,
        "start_page": chunk.start_page,
        "end_page": chunk.end_page,
    }
    known = {name: value for name, value in metadata.items() if value is not None}
    return TextNode(
        id_=chunk.id,
        text=chunk.text,
        metadata=known,
        excluded_llm_metadata_keys=sorted(known.keys() - FOR_READERS),
        excluded_embed_metadata_keys=sorted(known),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=paper.id)},
    )


def schema() -> dict[str, Any]:
    """Return the model of the graph in the form that LlamaIndex writes into prompts."""
    nodes = [node for node in NODES if node.label in TOLD]
    relationships = [
        {"start": start, "type": relationship.type, "end": end}
        for relationship in RELATIONSHIPS
        for start in relationship.starts
        for end in relationship.ends
        if start in TOLD and end in TOLD
    ]
    types = {one["type"] for one in relationships}
    return {
        "node_props": {node.label: _properties(node.properties) for node in nodes},
        "rel_props": {
            one.type: _properties(one.properties) for one in RELATIONSHIPS if one.type in types and one.properties
        },
        "relationships": relationships,
        "metadata": {"constraint": [], "index": []},
    }


def _properties(properties: Iterable[Any]) -> list[dict[str, str]]:
    return [{"property": one.name, "type": one.type} for one in properties if one.name not in LEFT_OUT]
