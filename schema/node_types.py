"""What a label of the graph and its properties are, as data."""

from dataclasses import dataclass
from typing import Literal

Type = Literal["STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATETIME", "LIST<STRING>", "LIST<INTEGER>", "LIST<FLOAT>"]


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
    ("LIST<STRING>", ("categories", "affiliations", "affiliationIds", "venueIds")),
)
COLLECTION = (
    Property("collection", "STRING", "the collection that it stands in"),
    Property("collectionTerm", "STRING", "the collection as one word that no analyzer changes"),
)
STATED = (
    Property("authorIds", "LIST<STRING>", "ids of these persons, such as orcid:…, where it states any"),
    *(
        Property(name, type, "value of the paper's property of this name, as it says")
        for type, names in _OF_TYPE
        for name in names
    ),
)
"""What a source states, beside title, abstract and names of authors."""

PERSON = (
    Property("name", "STRING", "the first of the spellings in use: by alphabet, with a key the longest"),
    Property("key", "STRING", "orcid:…, openalex:…, arxiv:…, or as was decided; missing where it is the name"),
    Property("aliases", "LIST<STRING>", "with a key, the other spellings in use"),
)
"""What is known of an author."""

PLACE = (
    Property("name", "STRING", "the spelling that most of its papers use, the first by alphabet among equals"),
    Property("key", "STRING", "issn:…, ror:… or openalex:…, otherwise small letters and digits of the name"),
    Property("aliases", "LIST<STRING>", "the other spellings in use, by alphabet"),
)
"""What is known of a venue or an affiliation."""
