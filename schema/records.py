"""What crosses the borders between layers: the graph's papers, sections and chunks as plain records.

Each is made from a node's properties, as the queries of ``cypher/`` return them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from schema.ids import public_key, public_name


@dataclass(frozen=True)
class Author:
    """A person who wrote papers of a collection."""

    id: str
    name: str
    collection: str

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make an author of a node's properties."""
        return cls(properties["id"], properties["name"], properties["collection"])


@dataclass(frozen=True)
class Paper:
    """A research paper as it stands in a collection; see :data:`schema.model.NODES` for the properties."""

    id: str
    key: str
    collection: str
    title: str
    abstract: str
    keys: tuple[str, ...]
    sources: tuple[str, ...]
    categories: tuple[str, ...]
    content_hash: str
    n_sections: int
    n_chunks: int
    ingested_at: datetime
    year: int | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    license: str | None = None
    language: str | None = None
    format: str | None = None
    heading_source: str | None = None
    body_coverage: float | None = None
    chunker: str | None = None
    cleaning: tuple[str, ...] = ()
    n_pages: int | None = None
    n_pages_without_text: int | None = None
    arxiv_version: int | None = None
    primary_category: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    comment: str | None = None
    journal_ref: str | None = None
    url: str | None = None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a paper of a node's properties; of files of this machine it has the names, not the paths."""
        id = properties["id"]
        return cls(
            id=id,
            key=public_key(properties["key"], id),
            collection=properties["collection"],
            title=properties["title"],
            abstract=properties["abstract"],
            keys=tuple(public_key(key, id) for key in properties["keys"]),
            sources=tuple(map(public_name, properties["sources"])),
            categories=tuple(properties["categories"]),
            content_hash=properties["contentHash"],
            n_sections=properties["nSections"],
            n_chunks=properties["nChunks"],
            ingested_at=properties["ingestedAt"].to_native(),
            year=properties.get("year"),
            doi=properties.get("doi"),
            arxiv_id=properties.get("arxivId"),
            license=properties.get("license"),
            language=properties.get("language"),
            format=properties.get("format"),
            heading_source=properties.get("headingSource"),
            body_coverage=properties.get("bodyCoverage"),
            chunker=properties.get("chunker"),
            cleaning=tuple(properties.get("cleaning") or ()),
            n_pages=properties.get("nPages"),
            n_pages_without_text=properties.get("nPagesWithoutText"),
            arxiv_version=properties.get("arxivVersion"),
            primary_category=properties.get("primaryCategory"),
            published=_time(properties.get("published")),
            updated=_time(properties.get("updated")),
            comment=properties.get("comment"),
            journal_ref=properties.get("journalRef"),
            url=properties.get("url"),
        )


def _time(value: Any) -> datetime | None:
    return None if value is None else value.to_native()


@dataclass(frozen=True)
class Place:
    """A venue where papers appeared, or an affiliation: an institution where authors of papers work."""

    id: str
    collection: str
    name: str
    key: str
    aliases: tuple[str, ...]

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a place of a node's properties."""
        return cls(
            id=properties["id"],
            collection=properties["collection"],
            name=properties["name"],
            key=properties["key"],
            aliases=tuple(properties.get("aliases") or ()),
        )


@dataclass(frozen=True)
class Section:
    """A heading with the text up to the next one; ``path`` are the headings above it and its own, outermost first."""

    id: str
    paper_id: str
    collection: str
    title: str
    level: int
    ordinal: int
    kind: str
    path: tuple[str, ...]
    parent_id: str | None = None
    start_page: int | None = None
    end_page: int | None = None

    @classmethod
    def of(cls, properties: Mapping[str, Any], *, path: list[str], parent_id: str | None) -> Self:
        """Make a section of a node's properties and its place in the tree."""
        return cls(
            id=properties["id"],
            paper_id=properties["paperId"],
            collection=properties["collection"],
            title=properties["title"],
            level=properties["level"],
            ordinal=properties["ordinal"],
            kind=properties["kind"],
            path=tuple(path),
            parent_id=parent_id,
            start_page=properties.get("startPage"),
            end_page=properties.get("endPage"),
        )


@dataclass(frozen=True)
class Chunk:
    """A piece of a section's own text.

    ``start_char`` and ``end_char`` count characters of the source, from 0; ``start_page`` and ``end_page`` its pages,
    from 1, where it has any.
    """

    id: str
    paper_id: str
    section_id: str
    collection: str
    ordinal: int
    kind: str
    level: int
    text: str
    n_tokens: int
    start_char: int
    end_char: int
    start_page: int | None = None
    end_page: int | None = None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a chunk of a node's properties."""
        return cls(
            id=properties["id"],
            paper_id=properties["paperId"],
            section_id=properties["sectionId"],
            collection=properties["collection"],
            ordinal=properties["ordinal"],
            kind=properties["kind"],
            level=properties.get("level", 0),
            text=properties["text"],
            n_tokens=properties["nTokens"],
            start_char=properties["startChar"],
            end_char=properties["endChar"],
            start_page=properties.get("startPage"),
            end_page=properties.get("endPage"),
        )


@dataclass(frozen=True)
class Reference:
    """An entry of a paper's list of references; ``cited_at`` are first characters of where the source text cites it."""

    id: str
    paper_id: str
    collection: str
    ordinal: int
    label: str
    text: str
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    cited_at: tuple[int, ...]

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a reference of a node's properties."""
        return cls(
            id=properties["id"],
            paper_id=properties["paperId"],
            collection=properties["collection"],
            ordinal=properties["ordinal"],
            label=properties.get("label") or "",
            text=properties["text"],
            title=properties.get("title"),
            authors=tuple(properties.get("authors") or ()),
            year=properties.get("year"),
            doi=properties.get("doi"),
            arxiv_id=properties.get("arxivId"),
            cited_at=tuple(properties.get("citedAt") or ()),
        )


@dataclass(frozen=True)
class Question:
    """A question that a passage or a paper answers."""

    id: str
    paper_id: str
    collection: str
    text: str
    answer: str | None
    generator: str
    model: str | None
    review: str | None
    original: str | None
    metadata: tuple[str, ...]
    group_id: str | None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a question of a node's properties."""
        return cls(
            id=properties["id"],
            paper_id=properties["paperId"],
            collection=properties["collection"],
            text=properties["text"],
            generator=properties["generator"],
            metadata=tuple(properties.get("metadata") or ()),
            group_id=properties.get("groupId"),
            **{name: properties.get(name) for name in ("answer", "model", "review", "original")},
        )


@dataclass(frozen=True)
class Entity:
    """A thing that papers speak of; ``page_rank`` is 1 on average, where it was computed."""

    id: str
    collection: str
    name: str
    type: str
    aliases: tuple[str, ...]
    page_rank: float | None

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make an entity of a node's properties."""
        return cls(
            id=properties["id"],
            collection=properties["collection"],
            name=properties.get("name") or "",
            type=properties.get("type") or "",
            aliases=tuple(properties.get("aliases") or ()),
            page_rank=properties.get("pageRank"),
        )


@dataclass(frozen=True)
class Cluster:
    """A group of papers or passages; ``field`` and ``value`` where it is one of metadata."""

    id: str
    collection: str
    kind: str
    name: str
    level: int
    field: str | None
    value: str | None
    keywords: tuple[str, ...]
    n_members: int

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a cluster of a node's properties."""
        return cls(
            id=properties["id"],
            collection=properties["collection"],
            kind=properties["kind"],
            name=properties["name"],
            level=properties["level"],
            field=properties.get("field"),
            value=properties.get("value"),
            keywords=tuple(properties.get("keywords") or ()),
            n_members=properties["nMembers"],
        )


Node = Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster
"""What has an id of its own and can be read by it."""
