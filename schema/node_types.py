"""What a label of the graph and its properties are, as data."""

from dataclasses import dataclass
from typing import Literal

Type = Literal["STRING", "INTEGER", "FLOAT", "DATETIME", "LIST<STRING>", "LIST<INTEGER>", "LIST<FLOAT>"]


@dataclass(frozen=True)
class Property:
    """A property of a node or relationship; ``derived`` ones change without the content changing."""

    name: str
    type: Type
    meaning: str
    derived: bool = False


@dataclass(frozen=True)
class NodeType:
    """A label with its properties; ``also`` are labels that each such node has beside it."""

    label: str
    meaning: str
    properties: tuple[Property, ...]
    also: tuple[str, ...] = ()


_OF_TYPE: tuple[tuple[Type, tuple[str, ...]], ...] = (
    ("STRING", ("doi", "arxivId", "license", "primaryCategory", "comment", "journalRef", "url")),
    ("INTEGER", ("year", "arxivVersion")),
    ("DATETIME", ("published", "updated")),
    ("LIST<STRING>", ("categories",)),
)
COLLECTION = (
    Property("collection", "STRING", "the collection that it stands in"),
    Property("collectionTerm", "STRING", "the collection as one word that no analyzer changes"),
)
STATED = tuple(
    Property(name, type, "value of the paper's property of this name, as it says")
    for type, names in _OF_TYPE
    for name in names
)
"""Fields that a source states, beside title, abstract and authors."""
