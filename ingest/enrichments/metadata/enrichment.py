"""Metadata of papers: fields with closed lists of values, chosen by a language model or by terms."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, create_model

from papergraph import cypher
from papergraph.batches import Row
from papergraph.database import Database
from papergraph.errors import InputError, ModelUnavailableError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, ExpectedRequest, StoredPaper, headings_of
from papergraph.language_model import LanguageModel, Prompt
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import collection_term, metadata_cluster_id, normalise, sha256
from papergraph.vector_slots import VectorSlot

# The metadata that papers are described by: fields with closed lists of values, read from a TOML file and checked.
#
#     [task]
#     asks = "What the paper sets out to do."
#     most = 2
#
#     [task.values."question answering"]
#     arxiv = ["cs.CL"]                       # or cs.* for all below
#     terms = ["reading comprehension", "QA"]
#
# A term is found in any case, unless it is written with a capital; hyphens are spaces, and a plural s may follow. The
# value itself is one of its terms. ``other`` is always allowed and is not listed.


DEFAULT_FILE = Path(__file__).parent / "fields.toml"
OTHER = "other"
MAX_FILE_BYTES, MAX_FIELDS = 1_000_000, 20
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid")

    arxiv: list[Annotated[str, StringConstraints(pattern=r"^[a-z-]+(\.([A-Za-z-]+|\*))?$")]] = []
    terms: Annotated[list[Text], Field(max_length=200)] = []


class _Field(BaseModel):
    model_config = ConfigDict(extra="forbid")

    asks: Text
    most: Annotated[int, Field(ge=1, le=10)] = 1
    values: Annotated[dict[Text, _Value], Field(min_length=2, max_length=200)]


@dataclass(frozen=True)
class MetadataValue:
    """A value of a field.

    Attributes:
        name: The value.
        arxiv: Categories of arXiv whose papers have it; ``cs.*`` is all that begin with ``cs.``.
        terms: Words that speak for it, beside the value itself.
    """

    name: str
    arxiv: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    def is_category(self, category: str) -> bool:
        """Say whether papers of a category of arXiv have this value."""
        return any(
            category.startswith(of.removesuffix("*")) if of.endswith("*") else category == of for of in self.arxiv
        )

    def n_found(self, text: str) -> int:
        """Return how often one of its terms occurs in a text."""
        return sum(1 for _ in self._pattern.finditer(text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        terms = sorted({self.name, *self.terms}, key=lambda term: (-len(term), term))
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(_term_pattern, terms))})s?(?!\w)")


@dataclass(frozen=True)
class MetadataField:
    """Something that is asked of each paper.

    Attributes:
        name: Its name in the graph.
        asks: What it asks, in a sentence.
        most: How many values a paper may have.
        values: The values that there are; ``other`` is not among them.
    """

    name: str
    asks: str
    most: int
    values: tuple[MetadataValue, ...]


def read_fields(path: Path | None = None) -> tuple[MetadataField, ...]:
    """Read the fields, ours where no file is named.

    Raises:
        InputError: The file cannot be read or does not hold what it must; the message names the place in it.
    """
    return parse_fields(fields_text(path), place=str(path or DEFAULT_FILE.name))


def fields_text(path: Path | None = None) -> str:
    """Return the text of the file that :func:`read_fields` reads.

    Raises:
        InputError: It cannot be read, or is over a megabyte.
    """
    file = path or DEFAULT_FILE
    try:
        content = file.read_bytes()
        if len(content) > MAX_FILE_BYTES:
            raise _error(str(file), f"has {len(content):,} bytes, {MAX_FILE_BYTES:,} are allowed")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _error(str(file), f"cannot be read as UTF-8: {error}") from error


def parse_fields(text: str, *, place: str) -> tuple[MetadataField, ...]:
    """Return the fields that a TOML text holds; ``place`` is what errors call it.

    Raises:
        InputError: It does not hold what it must.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _error(place, f"is not TOML: {error}") from error
    if not 1 <= len(tables) <= MAX_FIELDS:
        raise _error(place, f"has {len(tables)} fields; 1 to {MAX_FIELDS} are allowed")
    return tuple(_checked(place, name, table) for name, table in tables.items())


def _checked(place: str, name: str, table: object) -> MetadataField:
    if not FIELD_NAME.fullmatch(name) or name.endswith(f"_{OTHER}"):
        raise _error(place, f"{name!r} is not a field's name: lower-case letters, digits and _, not ending in _{OTHER}")
    try:
        found = _Field.model_validate(table)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        raise _error(place, f"{'.'.join(map(str, (name, *first['loc'])))}: {first['msg']}") from error
    names = [normalise(value) for value in found.values]
    if twice := next((value for value in names if names.count(value) > 1), None):
        raise _error(place, f"{name} has the value {twice!r} twice")
    if OTHER in names:
        raise _error(place, f"{name} lists {OTHER!r}, which is always allowed; leave it out")
    values = tuple(MetadataValue(value, tuple(of.arxiv), tuple(of.terms)) for value, of in found.values.items())
    return MetadataField(name, found.asks, found.most, values)


def _error(place: str, detail: str) -> InputError:
    return InputError(f"{place} {detail}; papergraph metadata fields shows a file that can be used", field="fields")


def from_categories(field: MetadataField, categories: Sequence[str]) -> list[str]:
    """Return the values that a paper's categories at arXiv give it, the primary one first, ``most`` at most."""
    found = (value.name for category in categories for value in field.values if value.is_category(category))
    return list(dict.fromkeys(found))[: field.most]


def from_terms(field: MetadataField, places: Sequence[str]) -> list[str]:
    """Return the values whose terms a paper uses, those in a better place first, ``most`` at most.

    A value counts in the first of the places that it occurs in, by how often it does there. A paper has several values
    only by what its title and abstract say: headings and text name in passing what a paper is not about.

    Args:
        field: What is asked.
        places: The paper's title, abstract, headings and text.
    """
    title, abstract, *rest = (_flat(place) for place in places)
    telling = _occurring(field, [title, abstract])
    named = telling or next(filter(None, (_occurring(field, [place]) for place in rest)), [])[:1]
    return [field.values[number].name for number in named[: field.most]]


def _occurring(field: MetadataField, places: Sequence[str]) -> list[int]:
    """Return the numbers of the values that occur, by the first place that they do in, and how often they do there."""
    found = []
    for number, value in enumerate(field.values):
        for place, text in enumerate(places):
            if n := value.n_found(text):
                found.append((place, -n, number))
                break
    return [number for *_, number in sorted(found)]


@cache
def _term_pattern(term: str) -> str:
    words = r"\s+".join(re.escape(word) for word in _flat(term).split())
    return words if any(letter.isupper() for letter in term) else f"(?i:{words})"


def _flat(text: str) -> str:
    return re.sub(r"[-‐‑–]", " ", text)


# Metadata of papers: for each field of a list the values that describe one, as clusters of the papers of one value.
#
# A language model chooses from the list, enforced by a JSON schema, given title, abstract, headings and the beginning
# of the text. Without one a paper has the values that its categories at arXiv stand for, and else those whose terms it
# uses; the field stays empty without a match.


VERSION = "2"
PROMPTS = Path(__file__).parents[1] / "prompts"
PLACEHOLDERS = frozenset({"fields", "title", "abstract", "headings", "beginning"})
MOST_ABSTRACT_CHARS, MOST_HEADINGS, MOST_BEGINNING_CHARS = 4000, 60, 4000
MOST_SAID_CHARS = 100
DEADLINE_S = 30.0

ARXIV, TERMS = "arxiv", "terms"
"""Sources of values other than a model."""


@dataclass(frozen=True)
class PaperValue:
    """A value that a paper has.

    Attributes:
        field: What was asked.
        value: One of the field's list, or ``other``.
        by: What says so: ``arxiv``, ``terms`` or a model's name.
        said: What was said, where the value is ``other``.
    """

    field: str
    value: str
    by: str
    said: str | None = None


@dataclass(frozen=True)
class MetadataEnrichment:
    """The enrichment with its options; :meth:`choose` makes it.

    Attributes:
        fields: What is asked of each paper.
        model: Name of the language model that chooses; without one, categories and terms do.
        prompt: What it is asked with.
    """

    fields: tuple[MetadataField, ...]
    model: str | None = None
    prompt: Prompt | None = None

    @classmethod
    def choose(cls, fields: tuple[MetadataField, ...], model: LanguageModel | None = None) -> "MetadataEnrichment":
        """Return the enrichment for some fields and the model that is configured, if one is.

        Raises:
            FileContentError: The user's own prompt cannot be used.
        """
        if model is None:
            return cls(fields)
        return cls(fields, model.name, model.prompt("metadata", PLACEHOLDERS, folder=PROMPTS))

    @property
    def name(self) -> str:
        """The enrichment's name."""
        return "metadata"

    @property
    def config_hash(self) -> str:
        """sha-256 over the code's version, the fields, the model and its prompt."""
        asked = [self.model or "", self.prompt.version if self.prompt else ""]
        return sha256(VERSION, *asked, *(repr(asdict(field)) for field in self.fields))

    def requests(self, paper: StoredPaper) -> int:
        """Return how many requests to a model a paper takes: one, or two where the first answer must be repaired."""
        return 0 if self.model is None else 2

    def expected(self, paper: StoredPaper) -> Iterator[ExpectedRequest]:
        """Return the one request of a paper; its answer has a value of each field."""
        if self.prompt:
            said = {field.name: [field.values[0].name] for field in self.fields}
            chars = len(json.dumps(said | {f"{field.name}_{OTHER}": "" for field in self.fields}))
            yield ExpectedRequest(self.prompt, prompt_values(self.fields, paper), answer_model(self.fields), chars)

    async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> tuple[PaperValue, ...]:
        """Return the values of a paper, in the order of the fields.

        Raises:
            LanguageModelError: The model failed, or its answer could not be repaired.
        """
        if self.prompt is None:
            return tuple(value for field in self.fields for value in _without_model(field, paper))
        if resources.model is None:
            raise ModelUnavailableError(f"metadata is asked of the model {self.model}, and none is configured")
        reply = await resources.model.answer_json(
            self.prompt, prompt_values(self.fields, paper), answer=answer_model(self.fields), budget=resources.budget
        )
        return tuple(_values(self.fields, reply.value, by=reply.model))

    def told(self, paper: StoredPaper, made: Sequence[PaperValue]) -> StoredPaper:
        """Return the paper with its new values."""
        return replace(paper, metadata=tuple(sorted({(one.field, one.value) for one in made if one.value != OTHER})))

    async def write(
        self,
        transaction: Transaction,
        paper: StoredPaper,
        made: Sequence[PaperValue],
        resources: EnrichmentContext,
        slot: VectorSlot,
    ) -> None:
        """Put the paper into the clusters of its values, and out of all other metadata clusters."""
        await transaction.run(cypher.load("enrichments/clear_metadata"), ids=[paper.id])
        rows = sorted((self._row(paper.collection, value) for value in made), key=lambda row: str(row["id"]))
        if not rows:
            return
        written = await transaction.run(cypher.load("enrichments/write_metadata", slot), id=paper.id, rows=rows)
        missing = [record["id"] for record in written if record["hash"] is None]
        names = {row["id"]: str(row["properties"]["name"]) for row in rows}
        vectors = await resources.embed([names[id] for id in missing])
        with_vectors = [
            {
                "id": id,
                "vector": vectors[names[id]].tolist(),
                "properties": resources.vector_properties(names[id], slot),
            }
            for id in missing
        ]
        await transaction.run(cypher.load("enrichments/write_cluster_vectors", slot), rows=with_vectors)

    def _row(self, collection: str, value: PaperValue) -> Row:
        return {
            "id": metadata_cluster_id(collection, value.field, value.value),
            "properties": {
                "collection": collection,
                "collectionTerm": collection_term(collection),
                "kind": "metadata",
                "level": 0,
                "field": value.field,
                "value": value.value,
                "name": value.value,
            },
            "membership": {
                "by": value.by,
                "promptVersion": self.prompt.version if self.prompt else None,
                "said": value.said,
            },
        }


def _without_model(field: MetadataField, paper: StoredPaper) -> list[PaperValue]:
    primary = [paper.primary_category] if paper.primary_category else []
    if by_category := from_categories(field, [*primary, *paper.categories]):
        return [PaperValue(field.name, value, ARXIV) for value in by_category]
    text = "\n".join(chunk.prose for chunk in paper.chunks)
    by_terms = from_terms(field, (paper.title, paper.abstract, "\n".join(_headings(paper)), text))
    return [PaperValue(field.name, value, TERMS) for value in by_terms]


def _headings(paper: StoredPaper) -> list[str]:
    return [title for title in headings_of(paper.chunks) if title != paper.title]


# With a model


def prompt_values(fields: Sequence[MetadataField], paper: StoredPaper) -> dict[str, str]:
    """Return the values of the prompt's placeholders."""
    beginning = "\n".join(chunk.text for chunk in paper.chunks if chunk.section_kind == "body")
    return {
        "fields": "\n".join(_described(field) for field in fields),
        "title": paper.title,
        "abstract": paper.abstract[:MOST_ABSTRACT_CHARS],
        "headings": "; ".join(_headings(paper)[:MOST_HEADINGS]),
        "beginning": beginning[:MOST_BEGINNING_CHARS],
    }


def _described(field: MetadataField) -> str:
    values = "; ".join([*(value.name for value in field.values), OTHER])
    return f"- {field.name} ({field.most} at most): {field.asks} Values: {values}"


def answer_model(fields: Sequence[MetadataField]) -> type[BaseModel]:
    """Return the model of an answer: a list of values for each field, and free texts for ``other``."""
    entries: dict[str, Any] = {}
    for field in fields:
        names = tuple(value.name for value in field.values)
        spelling = {normalise(name): name for name in (*names, OTHER)}

        def as_listed(said: object, spelling: dict[str, str] = spelling) -> object:
            return spelling.get(normalise(said), said) if isinstance(said, str) else said

        one = Annotated[Literal[(*names, OTHER)], BeforeValidator(as_listed)]  # type: ignore[valid-type]
        entries[field.name] = (list[one], Field(max_length=field.most))
        entries[f"{field.name}_{OTHER}"] = (Annotated[str, StringConstraints(strip_whitespace=True)], "")
    return create_model("Metadata", __config__=ConfigDict(extra="forbid"), **entries)


def _values(fields: Sequence[MetadataField], answer: BaseModel, *, by: str) -> list[PaperValue]:
    found = []
    for field in fields:
        said = str(getattr(answer, f"{field.name}_{OTHER}"))[:MOST_SAID_CHARS] or None
        for value in dict.fromkeys(getattr(answer, field.name)):
            found.append(PaperValue(field.name, value, by, said if value == OTHER else None))
    return found


# Stored metadata


@dataclass(frozen=True)
class ValueCount:
    """Number of papers with a value."""

    field: str
    value: str
    n_papers: int


@dataclass(frozen=True)
class OtherSaid:
    """Something that no value of a field's list covers, with how many papers it was said of, and one of them."""

    field: str
    said: str
    n_papers: int
    example: str


@dataclass(frozen=True)
class MetadataReport:
    """Metadata values of a collection's papers.

    Attributes:
        collection: The collection.
        n_papers: Its papers.
        values: Number of papers by field and value, most frequent first.
        other: Free texts for values outside the list, most frequent first.
        without: Number of papers without a value, by field.
        papers_without: Keys of papers without any value, in order.
    """

    collection: str
    n_papers: int
    values: tuple[ValueCount, ...]
    other: tuple[OtherSaid, ...]
    without: dict[str, int]
    papers_without: tuple[str, ...]


async def metadata_report(database: Database, *, collection: str, limit: int = 100) -> MetadataReport:
    """Return the metadata values of a collection's papers.

    Args:
        database: A prepared store.
        collection: Name of the collection.
        limit: Most free texts, and most papers without any value.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (total,) = await database.read(cypher.load("papers/count"), collection=collection)
    values = await database.read(
        cypher.load("enrichments/metadata_values"), collection=collection, deadline_s=DEADLINE_S
    )
    other = await database.read(
        cypher.load("enrichments/metadata_other"), collection=collection, limit=limit, deadline_s=DEADLINE_S
    )
    fields = await database.read(
        cypher.load("enrichments/metadata_fields"), collection=collection, deadline_s=DEADLINE_S
    )
    without = await database.read(
        cypher.load("enrichments/metadata_without"), collection=collection, limit=limit, deadline_s=DEADLINE_S
    )
    n_papers = int(total["n_papers"])
    return MetadataReport(
        collection,
        n_papers,
        tuple(ValueCount(**record.data()) for record in values),
        tuple(OtherSaid(**record.data()) for record in other),
        {record["field"]: n_papers - record["n_papers"] for record in fields},
        tuple(record["key"] for record in without),
    )
