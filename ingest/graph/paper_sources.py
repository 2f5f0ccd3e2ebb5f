"""Sources of papers, their grouping into papers, and the precedence of their values.

A paper is a function of its current sources in any order. Sources with a common key, DOI, arXiv id, content or file
belong together; a record and a text also by their titles.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

from papergraph.batches import Row
from papergraph.ingest.parsers.document import Document, first_words
from papergraph.ingest.sources import Format, Metadata, RawDocument
from papergraph.schema.ids import normalise, paper_id, source_id, title_letters

Pairs = tuple[tuple[str, str], ...]

FIELDS: Mapping[str, str] = {
    "title": "title",
    "abstract": "abstract",
    "authors": "authors",
    "year": "year",
    "doi": "doi",
    "arxivId": "arxiv_id",
    "categories": "categories",
    "license": "license",
    "arxivVersion": "arxiv_version",
    "primaryCategory": "primary_category",
    "published": "published",
    "updated": "updated",
    "comment": "comment",
    "journalRef": "journal_ref",
    "url": "url",
    "affiliations": "affiliations",
    "affiliationIds": "affiliation_ids",
    "venueIds": "venue_ids",
    "keywords": "keywords",
    "citeKey": "cite_key",
    "record": "record",
}
"""Fields that sources state: name of the property, and of the attribute of metadata."""

ARXIV_DOI = "10.48550/arxiv."
MERGE, SPLIT = "merge:", "split:"
"""Beginnings of names of edits: papers that a person merged, and sources that a person split from a paper."""
FEWEST_TITLE_WORDS, SAFE_TITLE_WORDS = 2, 4
"""Titles of fewer words join nothing; those of fewer than four need an author in common."""


class SourceKind(StrEnum):
    """Contribution of a source: a text with its front page, fields only, or manual edits."""

    TEXT = "text"
    RECORD = "record"
    EDIT = "edit"


class Provider(StrEnum):
    """Provider of a source's fields, the most trusted first."""

    PERSON = "person"
    PUBLISHER = "publisher"
    ARXIV = "arxiv"
    DOCUMENT = "document"


RANKS = {provider: rank for rank, provider in enumerate(Provider)}


@dataclass(frozen=True)
class PaperSource:
    """A document, record or edit that states something about a paper.

    Attributes:
        name: Where it is from.
        key: Its key as if it stood alone.
        kind: What it contributes.
        provider: Who states its fields.
        content: Content hash.
        config: Configuration hash when it was read.
        n_chars: Length of its text.
        fields: What it states, by the names of :data:`FIELDS`; unknown fields are missing.
        file: Of a record, the file that it describes.
        author_ids: Ids of persons beside ``authors``, '' where it states none; empty where it states none at all.
        aliases: Of an edit, the keys of its paper; of a split, the names of its sources.
        cleared: Of an edit, the fields that it empties.
        parts: Its packed sections and chunks, while another text is shown.
    """

    name: str
    key: str
    kind: SourceKind
    provider: Provider
    content: str = ""
    config: str = ""
    n_chars: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    author_ids: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    parts: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a source of a node's properties."""
        return cls(
            name=properties["name"],
            key=properties["key"],
            kind=SourceKind(properties["kind"]),
            provider=Provider(properties["provider"]),
            content=properties.get("contentHash") or "",
            config=properties.get("configHash") or "",
            n_chars=properties.get("nChars") or 0,
            fields={name: _plain(properties[name]) for name in FIELDS if properties.get(name) not in (None, "", [])},
            file=properties.get("file"),
            author_ids=tuple(properties.get("authorIds") or ()),
            aliases=tuple(properties.get("aliases") or ()),
            cleared=tuple(properties.get("cleared") or ()),
            parts=properties.get("parts"),
        )

    @classmethod
    def named(cls, name: str, *, key: str) -> Self:
        """Make a source of which nothing but name and key is known, to look for it and its paper."""
        return cls(name, key, SourceKind.EDIT, Provider.PERSON)

    def row(self, collection: str) -> Row:
        """Return the properties of its node."""
        return {
            "id": source_id(collection, self.name),
            "collection": collection,
            "name": self.name,
            "key": self.key,
            "kind": self.kind.value,
            "provider": self.provider.value,
            "contentHash": self.content or None,
            "configHash": self.config or None,
            "nChars": self.n_chars,
            "file": self.file,
            "aliases": list(self.aliases) or None,
            "cleared": list(self.cleared) or None,
            "titleKey": self.title_key or None,
            **{name: self.fields.get(name) for name in FIELDS},
            "categories": list(self.fields.get("categories", ())),
            "abstract": self.fields.get("abstract", ""),
            "authors": list(self.fields.get("authors", ())),
            "authorIds": list(self.author_ids) or None,
            "parts": self.parts,
        }

    @cached_property
    def title_key(self) -> str:
        """The key of its title."""
        return title_letters(self.fields.get("title", ""))

    @cached_property
    def identities(self) -> frozenset[str]:
        """Identifiers that are unique to the paper."""
        doi, arxiv_id = self.fields.get("doi"), self.fields.get("arxivId")
        if doi and doi.startswith(ARXIV_DOI):
            arxiv_id = arxiv_id or doi.removeprefix(ARXIV_DOI)
        names = {self.key, *self.aliases}
        names |= {f"doi:{doi}"} if doi else set()
        names |= {f"arxiv:{arxiv_id}"} if arxiv_id else set()
        names |= {f"content:{self.content}"} if self.content else set()
        names |= {f"file:{path}" for path in (self.file, self.name) if path and path.startswith(("/", "upload:"))}
        return frozenset(names)


def _plain(value: Any) -> Any:
    return value.to_native() if hasattr(value, "to_native") else value


def source_of(source: RawDocument, document: Document, *, config: str) -> PaperSource:
    """Return what a parsed document contributes to its paper."""
    metadata = source.metadata or Metadata()
    values = {name: getattr(metadata, attribute) for name, attribute in FIELDS.items()}
    for name, attribute in FIELDS.items():
        values[name] = getattr(document, attribute, None) or values[name]
    fields = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value not in (None, "", ())
    }
    return PaperSource(
        source.name,
        document.key,
        SourceKind.RECORD if source.format == Format.RECORD else SourceKind.TEXT,
        _provider(source, document),
        source.content_hash,
        config,
        len(document.text),
        fields,
        file=metadata.file,
        author_ids=metadata.author_ids if fields.get("authors") == list(metadata.authors) else (),
    )


def _provider(source: RawDocument, document: Document) -> Provider:
    described = source.format == Format.RECORD or "#" in source.name
    if source.name.startswith("arxiv:") or (described and document.key.startswith("arxiv:")):
        return Provider.ARXIV
    return Provider.PUBLISHER if described else Provider.DOCUMENT


@dataclass(frozen=True)
class PaperPlan:
    """A paper that a set of sources makes.

    Attributes:
        collection: Where it stands.
        leading: The source that gives the text, and of several with its content the first by name.
        sources: All sources; the leading one first, the others by name.
        fields: Values by the names of :data:`FIELDS`, ``authors`` included.
        stated_by: Name of the source of each known field.
        author_ids: Id of a person by normalised name, as the most trusted source with one states it.
    """

    collection: str
    leading: PaperSource
    sources: tuple[PaperSource, ...]
    fields: Mapping[str, Any]
    stated_by: Mapping[str, str]
    author_ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Key of the paper."""
        return self.pairs[0][0]

    @property
    def id(self) -> str:
        """Id of the paper."""
        return paper_id(self.collection, self.key)

    @property
    def pairs(self) -> Pairs:
        """Keys with the names of the documents that they are from; those of split sources end with the split's mark."""
        marks = split_marks(self.sources)
        return tuple(
            (one.key + "#" * bool(mark := marks.get(one.name, "")) + mark.removeprefix(SPLIT), one.name)
            for one in self.sources
            if one.kind is not SourceKind.EDIT
        )


def papers_of(collection: str, sources: Iterable[PaperSource]) -> list[PaperPlan]:
    """Return the papers that sources make, in order of their ids; edits alone make none."""
    groups = [group for group in _groups(list(sources)) if any(one.kind is not SourceKind.EDIT for one in group)]
    return sorted((_plan(collection, group) for group in groups), key=lambda plan: plan.id)


def _plan(collection: str, group: Sequence[PaperSource]) -> PaperPlan:
    leading = _leading(group)
    others = sorted((one for one in group if one is not leading), key=lambda one: one.name)
    ordered = _by_precedence(group, leading)
    fields: dict[str, Any] = {}
    stated_by: dict[str, str] = {}
    for name in FIELDS:
        for one in ordered:
            if name in one.cleared:
                stated_by[name] = one.name
                break
            if name in one.fields:
                fields[name], stated_by[name] = one.fields[name], one.name
                break
    titled = next((one for one in ordered if "title" in one.fields and not _is_untitled(one)), None)
    if titled is not None:
        fields["title"], stated_by["title"] = titled.fields["title"], titled.name
    return PaperPlan(collection, leading, (leading, *others), fields, stated_by, _author_ids(ordered))


def _author_ids(ordered: Iterable[PaperSource]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for one in ordered:
        for name, id in zip(one.fields.get("authors", ()), one.author_ids, strict=False):
            if id:
                ids.setdefault(normalise(name), id)
    return ids


def _is_untitled(source: PaperSource) -> bool:
    """Return whether a title is only the first words of an untitled text."""
    title = source.fields.get("title", "")
    return source.kind is SourceKind.TEXT and (
        title.endswith(" …") or title == first_words(source.fields.get("abstract", ""))
    )


def _leading(group: Sequence[PaperSource]) -> PaperSource:
    """Return the source whose text is shown.

    A text goes before a record. Of several texts the one with the last name counts, as long as it has half the length
    of the longest; of records the most trusted one with an abstract.
    """
    texts = [one for one in group if one.kind is SourceKind.TEXT]
    if texts:
        longest = max(one.n_chars for one in texts)
        chosen = max((one for one in texts if 2 * one.n_chars >= longest), key=lambda one: one.name)
    else:
        records = [one for one in group if one.kind is SourceKind.RECORD]
        with_abstract = [one for one in records if one.n_chars]
        chosen = _by_precedence(with_abstract or records)[0]
    same = (one for one in group if one.content == chosen.content and one.kind is chosen.kind)
    return min(same, key=lambda one: one.name)


def _by_precedence(group: Iterable[PaperSource], leading: PaperSource | None = None) -> list[PaperSource]:
    """Return sources, the most trusted first: by provider, then version at arXiv, then the last name."""
    by_name = sorted(group, key=lambda one: one.name, reverse=True)
    return sorted(
        by_name,
        key=lambda one: (RANKS[one.provider], -(one.fields.get("arxivVersion") or 0), one is not leading),
    )


def split_marks(sources: Iterable[PaperSource]) -> dict[str, str]:
    """Return the split of each source that has one, by name; an edit that has it among its aliases belongs to it."""
    edits = sorted(
        (one for one in sources if one.kind is SourceKind.EDIT), key=lambda one: (-len(one.aliases), one.name)
    )
    splits = [one for one in edits if one.name.startswith(SPLIT)]  # of two that name a source, the smaller one counts
    of_documents = {name: one.name for one in splits for name in (one.name, *one.aliases)}
    return of_documents | {one.name: mark for one in edits for mark in one.aliases if mark.startswith(SPLIT)}


def _groups(sources: list[PaperSource]) -> list[list[PaperSource]]:
    """Return the sources that belong together, by union-find over what they share.

    Sources of a split belong together, and with others only by the same content or a merge.
    """
    above = list(range(len(sources)))

    def root(number: int) -> int:
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    first: dict[tuple[str, str], int] = {}
    marks = split_marks(sources)
    for number, one in enumerate(sources):
        mark = marks.get(one.name, "")
        for identity in one.identities | ({mark} if mark else set()):
            within = "" if identity.startswith(("content:", MERGE)) else mark
            above[root(number)] = root(first.setdefault((within, identity), number))
    for record, alike in _same_titles(sources, marks):
        above[root(record)] = root(alike)
    groups: dict[int, list[PaperSource]] = {}
    for number, source in enumerate(sources):
        groups.setdefault(root(number), []).append(source)
    return list(groups.values())


def _same_titles(sources: Sequence[PaperSource], marks: Mapping[str, str]) -> Iterable[tuple[int, int]]:
    """Yield pairs of a record and the only text, or another record, of the same title that may be of the same work."""
    by_title: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(sources):
        if one.title_key and one.kind is not SourceKind.EDIT:
            by_title.setdefault((marks.get(one.name, ""), one.title_key), []).append(number)
    for numbers in by_title.values():
        for record in (number for number in numbers if sources[number].kind is SourceKind.RECORD):
            alike = [n for n in numbers if n != record and may_be_one_work(sources[record], sources[n])]
            texts = [n for n in alike if sources[n].kind is SourceKind.TEXT]
            yield from ((record, n) for n in alike if n not in texts)
            if len({sources[n].content for n in texts}) == 1:
                yield record, texts[0]


def may_be_one_work(one: PaperSource, other: PaperSource) -> bool:
    """Say whether two sources of the same title may be of one work: nothing contradicts it, a short title needs more.

    Ids that both have must agree, years may differ by one, and first authors must have a word in common. A document
    may print a later year than a record: the one in which it was typeset.
    """
    n_words = len(one.fields.get("title", "").split())
    if n_words < FEWEST_TITLE_WORDS:
        return False
    for name in ("doi", "arxivId"):
        if one.fields.get(name) and other.fields.get(name) and one.fields[name] != other.fields[name]:
            return False
    year, other_year = one.fields.get("year"), other.fields.get("year")
    authors = [
        {title_letters(word) for name in s.fields.get("authors", ())[:1] for word in name.split()} for s in (one, other)
    ]
    names = [{word for word in words if len(word) > 1} for words in authors]
    if all(names) and not names[0] & names[1]:
        return False
    if year and other_year and abs(year - other_year) > 1:
        later = one if year > other_year else other
        is_typeset_later = {one.provider, other.provider} == {Provider.DOCUMENT, Provider.PUBLISHER} and (
            later.provider is Provider.DOCUMENT
        )
        return is_typeset_later and all(names) and n_words >= SAFE_TITLE_WORDS
    return n_words >= SAFE_TITLE_WORDS or all(names)
