"""Papers, sections, chunks and other nodes of the graph as records, which every layer and interface passes on."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Annotated, Any, Self, get_origin, get_type_hints

from pydantic.alias_generators import to_camel

from papergraph.records import NOT_IN_GRAPHQL, Id, Record, described, internal
from papergraph.schema.ids import public_key, public_name


class NodeRecord(Record):
    """Base class of records of nodes."""

    @classmethod
    def of(cls, properties: Mapping[str, Any], **beside: Any) -> Self:
        """Return the record of a node.

        Args:
            properties: Properties of the node, as queries of ``cypher/`` return them; names are camelCase.
            beside: Fields that are no properties of the node.
        """
        record: type = cls
        defaults, fields_of = _fields(record)
        values = dict(defaults)
        for key, value in properties.items():
            if value is not None and key in fields_of:
                name, kind = fields_of[key]
                values[name] = _read(value) if kind is None else kind(value)
        values |= {name: _read(value) for name, value in beside.items()}
        return cls(**values)


@cache
def _fields(record: Any) -> tuple[dict[str, Any], dict[str, tuple[str, type[Enum] | None]]]:
    """Return the default of each field, and by property the name of its field, with the enum of its values if any."""
    hints = get_type_hints(record)
    defaults, fields_of = {}, {}
    for one in fields(record):
        hint = hints[one.name]
        defaults[one.name] = () if get_origin(hint) is tuple else None if one.default is MISSING else one.default
        kind = hint if isinstance(hint, type) and issubclass(hint, Enum) else None
        fields_of[to_camel(one.name)] = one.name, kind
    return defaults, fields_of


def _read(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list):
        return tuple(value)
    return value.to_native() if hasattr(value, "to_native") else value


@dataclass(frozen=True, kw_only=True)
class Author(NodeRecord):
    """Author of papers of a collection."""

    id: Annotated[Id, described("sha-256 hex of collection and key.")]
    name: Annotated[str, described("Name as the papers print it.")]
    collection: Annotated[str, described("Collection of the papers.")]


@dataclass(frozen=True, kw_only=True)
class Paper(NodeRecord):
    """A research paper in a collection."""

    id: Annotated[Id, described("sha-256 hex of collection and key.")]
    key: Annotated[str, described("doi:…, arxiv:… without version, upload:…, or file:… or another URL.")]
    collection: Annotated[str, described("Collection of the paper.")]
    title: Annotated[str, described("Title.")]
    abstract: Annotated[str, described("Abstract; empty if the source has none.")]
    keys: Annotated[tuple[str, ...], described("All keys of this content.")]
    sources: Annotated[tuple[str, ...], described("Sources of the content, one per key.")]
    categories: Annotated[tuple[str, ...], described("Categories, such as cs.CL.")]
    content_hash: Annotated[str, described("sha-256 hex of the source's bytes.")]
    n_sections: Annotated[int, described("Number of sections."), NOT_IN_GRAPHQL]
    n_chunks: Annotated[int, described("Number of chunks."), NOT_IN_GRAPHQL]
    ingested_at: Annotated[datetime, described("Time of the last write.")]
    year: Annotated[int | None, described("Year of publication, if known.")] = None
    doi: Annotated[str | None, described("DOI, if known.")] = None
    arxiv_id: Annotated[str | None, described("arXiv id without version, if known.")] = None
    license: Annotated[str | None, described("Licence as the source states it, if it does.")] = None
    language: Annotated[str | None, described("Language of the text as ISO 639-1 code, if certain.")] = None
    format: Annotated[
        str | None,
        described(
            "Format of the source: markdown, text, pdf, jats, tei, latex, docx, odt, epub, pptx, rtf, html or record."
        ),
    ] = None
    heading_source: Annotated[
        str | None, described("Source of the headings: markup, outline, fonts, keywords, a service or none.")
    ] = None
    body_coverage: Annotated[
        float | None, described("Fraction of the body text, without dropped sections, in chunks, 0 to 1.")
    ] = None
    chunker: Annotated[str | None, described("Name of the chunker.")] = None
    cleaning: Annotated[tuple[str, ...], described("Cleaning steps: drop-back-matter, mask-urls, trim-stops.")] = ()
    n_pages: Annotated[int | None, described("Number of pages, if the source has pages.")] = None
    n_pages_without_text: Annotated[int | None, described("Number of pages without text.")] = None
    notes: Annotated[tuple[str, ...], described("Losses and repairs while reading the source.")] = ()
    is_partial: Annotated[
        bool, described("True if more pages or letters were lost than the setting partial_share allows.")
    ] = False
    arxiv_version: Annotated[int | None, described("Version at arXiv, from 1.")] = None
    primary_category: Annotated[str | None, described("First category at arXiv.")] = None
    published: Annotated[datetime | None, described("Publication time of the first version.")] = None
    updated: Annotated[datetime | None, described("Publication time of this version.")] = None
    comment: Annotated[str | None, described("The authors' comment at arXiv, such as the number of pages.")] = None
    journal_ref: Annotated[str | None, described("Journal reference.")] = None
    url: Annotated[str | None, described("Landing page.")] = None
    editorial_status: Annotated[
        str | None, described("retracted, concern, corrected or reinstated, if a notice about the paper is known.")
    ] = None
    editorial_date: Annotated[str | None, described("Day of the deciding notice, such as 2010-02-06.")] = None
    editorial_notices: Annotated[
        tuple[str, ...], described("Notices, each as: status | day | source | DOI of the notice | reason.")
    ] = ()
    keywords: Annotated[tuple[str, ...], described("Keywords of its bibliography or PDF.")] = ()
    cite_key: Annotated[str | None, described("Citation key in a bibliography.")] = None
    record: Annotated[str | None, internal("Record of a bibliography as it was written, as JSON.")] = None

    @classmethod
    def of(cls, properties: Mapping[str, Any], **beside: Any) -> Self:
        """Return the record of a node; of files of this machine it has the names, not the paths."""
        id = properties["id"]
        shown = {
            "key": public_key(properties["key"], id),
            "keys": tuple(public_key(key, id) for key in properties["keys"]),
            "sources": tuple(map(public_name, properties["sources"])),
        }
        return super().of(properties, **shown, **beside)


@dataclass(frozen=True, kw_only=True)
class Venue(NodeRecord):
    """Journal, conference or book series in which papers of a collection appeared."""

    id: Annotated[Id, described("sha-256 hex of collection and key.")]
    collection: Annotated[str, described("Collection of the papers.")]
    name: Annotated[str, described("Most frequent spelling.")]
    key: Annotated[str, described("issn:… or openalex:… where stated; otherwise letters of the name.")]
    aliases: Annotated[tuple[str, ...], described("Other spellings, by alphabet.")]


@dataclass(frozen=True, kw_only=True)
class Affiliation(NodeRecord):
    """Institution where authors of papers of a collection work."""

    id: Annotated[Id, described("sha-256 hex of collection and key.")]
    collection: Annotated[str, described("Collection of the papers.")]
    name: Annotated[str, described("Most frequent spelling.")]
    key: Annotated[str, described("ror:… or openalex:… where stated; otherwise letters of the name.")]
    aliases: Annotated[tuple[str, ...], described("Other spellings, by alphabet.")]


@dataclass(frozen=True, kw_only=True)
class Section(NodeRecord):
    """A heading with the text up to the next one."""

    id: Annotated[Id, described("sha-256 hex of paper and place.")]
    paper_id: Annotated[Id, described("Id of the paper."), NOT_IN_GRAPHQL]
    parent_id: Annotated[Id | None, described("The section above it, if any."), NOT_IN_GRAPHQL] = None
    collection: Annotated[str, described("Collection of the paper.")]
    title: Annotated[str, described("Heading; empty for text before the first one.")]
    level: Annotated[int, described("Depth in the section tree, from 1.")]
    ordinal: Annotated[int, described("Position within the paper, from 0.")]
    kind: Annotated[str, described("front, abstract, body, references, acknowledgements or appendix.")]
    path: Annotated[tuple[str, ...], described("Headings above it and its own, outermost first.")]
    start_page: Annotated[int | None, described("First page of its own text, from 1, if there are pages.")] = None
    end_page: Annotated[int | None, described("Last page of its own text, if there are pages.")] = None


@dataclass(frozen=True, kw_only=True)
class Chunk(NodeRecord):
    """Chunk of the text of a section."""

    id: Annotated[Id, described("sha-256 hex of section and place.")]
    paper_id: Annotated[Id, described("Id of the paper."), NOT_IN_GRAPHQL]
    section_id: Annotated[Id, described("Id of the section."), NOT_IN_GRAPHQL]
    collection: Annotated[str, described("Collection of the paper.")]
    ordinal: Annotated[int, described("Position within the paper, from 0.")]
    kind: Annotated[str, described("table, equation, caption or parent; for running text, the kind of its section.")]
    level: Annotated[int, described("Level in a hierarchy of chunks; 0 is the finest.")] = 0
    text: Annotated[str, described("Text of the chunk.")]
    n_tokens: Annotated[int, described("Length in tokens of the embedding model.")]
    start_char: Annotated[int, described("First character in the source text, from 0.")]
    end_char: Annotated[int, described("Character after the last one in the source text.")]
    start_page: Annotated[int | None, described("First page, from 1, if there are pages.")] = None
    end_page: Annotated[int | None, described("Last page, if there are pages.")] = None
    figure: Annotated[
        tuple[float, ...],
        described(
            "Place of the picture of a caption in a PDF: page from 1, then left, upper, right and lower edge as shares "
            "of the page; empty without one."
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class Reference(NodeRecord):
    """An entry of a paper's list of references."""

    id: Annotated[Id, described("sha-256 hex of paper and place.")]
    paper_id: Annotated[Id, described("Id of the citing paper."), NOT_IN_GRAPHQL]
    collection: Annotated[str, described("Collection of the citing paper.")]
    ordinal: Annotated[int, described("Position in the list, from 0.")]
    label: Annotated[str, described("Label in the text of the paper.")] = ""
    text: Annotated[str, described("Printed text of the entry.")]
    title: Annotated[str | None, described("Title of the cited work, if recognized.")] = None
    authors: Annotated[tuple[str, ...], described("Authors of the cited work, as printed.")]
    year: Annotated[int | None, described("Year of the cited work, if recognized.")] = None
    doi: Annotated[str | None, described("DOI of the cited work, if recognized.")] = None
    arxiv_id: Annotated[str | None, described("arXiv id of the cited work, if recognized.")] = None
    cited_at: Annotated[tuple[int, ...], internal("First characters of its citations in the source text, in order.")]


@dataclass(frozen=True, kw_only=True)
class Question(NodeRecord):
    """A question that a passage or a paper answers."""

    id: Annotated[Id, described("sha-256 hex of collection, paper and text.")]
    paper_id: Annotated[Id, described("Id of the answering paper."), NOT_IN_GRAPHQL]
    collection: Annotated[str, described("Collection of the answering paper.")]
    text: Annotated[str, described("The question.")]
    answer: Annotated[str | None, described("Answer, if generated.")] = None
    generator: Annotated[str, described("Generator: model, written, template or extractive.")]
    model: Annotated[str | None, described("Name of the language model, if used.")] = None
    review: Annotated[str | None, described("Review: accepted, edited or null.")] = None
    original: Annotated[str | None, described("Original text, if edited.")] = None
    metadata: Annotated[tuple[str, ...], described("Metadata that it was made from, each as field: value.")] = ()
    group_id: Annotated[
        str | None, described("Id that questions across the same papers share; null for a question of one paper.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Entity(NodeRecord):
    """Method, data set, measure or other entity that papers mention."""

    id: Annotated[Id, described("sha-256 hex of collection and name.")]
    collection: Annotated[str, described("Collection of the papers.")]
    name: Annotated[str, described("Most frequent spelling.")] = ""
    type: Annotated[str, described("Most frequent type of its mentions.")] = ""
    aliases: Annotated[tuple[str, ...], described("Other spellings, abbreviations and long forms.")] = ()
    page_rank: Annotated[
        float | None, described("PageRank in the co-mention graph, 1 on average; null if not computed.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Cluster(NodeRecord):
    """Cluster of papers or passages."""

    id: Annotated[Id, described("sha-256 hex of collection, kind and members.")]
    collection: Annotated[str, described("Collection of the papers.")]
    kind: Annotated[
        str, described("metadata (papers with one value), topic (similar chunks) or community (linked papers).")
    ]
    name: Annotated[str, described("Metadata value, or distinctive terms.")]
    level: Annotated[int, described("Level in the hierarchy; 0 is the finest.")]
    field: Annotated[str | None, described("Metadata field, such as task.")] = None
    value: Annotated[str | None, described("Metadata value.")] = None
    keywords: Annotated[tuple[str, ...], described("Distinctive terms, strongest first.")] = ()
    n_members: Annotated[int, described("Number of papers or chunks, including those of subclusters.")]


Node = Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster
"""Node with an id of its own, by which it can be read."""
