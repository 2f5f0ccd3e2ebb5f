"""Entities and relations by a language model, within a schema of types and relations."""

import asyncio
import importlib
import itertools
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, create_model

from papergraph.errors import InputError, ModelUnavailableError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, ExpectedRequest
from papergraph.ingest.enrichments.entities.extraction import FoundEntity
from papergraph.language_model import LanguageModel, Prompt
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.schema.ids import normalise, sha256

if TYPE_CHECKING:
    from papergraph.ingest.enrichments.entities.llama_index_extractor import Triples


# Schema of a model's answers: types of entities, relations and allowed triples, from a TOML file


DEFAULT = Path(__file__).with_name("relations.toml")
MOST_BYTES = 100_000
LONGEST_SCHEMA_NAME = 50
LONGEST_MEANING = 300

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class RelationSchema:
    """Types and relations with what they mean, by name, and the triples of type, relation and type that are allowed."""

    entities: tuple[tuple[str, str], ...]
    relations: tuple[tuple[str, str], ...]
    triples: tuple[Triple, ...]

    @cached_property
    def text(self) -> str:
        """Schema as text for the model; its hash identifies the schema."""
        lines = ["Types:", *(f"- {name}: {meaning}" for name, meaning in self.entities)]
        lines += ["Relations, and between which types:"]
        for name, meaning in self.relations:
            pairs = ", ".join(f"{one} -> {other}" for one, relation, other in self.triples if relation == name)
            lines.append(f"- {name}: {meaning} ({pairs})")
        return "\n".join(lines)

    @property
    def identity(self) -> str:
        """All of it as JSON."""
        return json.dumps([self.entities, self.relations, self.triples])


def read_schema(path: Path = DEFAULT) -> RelationSchema:
    """Read a schema: tables ``entities`` and ``relations`` of names with descriptions, and tables ``[[triples]]``.

    Each of the latter has ``relation``, ``subject`` and ``object``, the last two a type or a list of types; all their
    combinations are allowed.

    Raises:
        InputError: The file is unreadable or malformed; the message names the part.
    """
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise InputError(f"{path} has {len(content)} bytes, {MOST_BYTES} are allowed", field="relations")
        said = tomllib.loads(content.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as a schema of relations: {error}", field="relations") from error
    unknown = said.keys() - {"entities", "relations", "triples"}
    if unknown:
        raise _wrong(path, f"has {sorted(unknown)}; a schema has entities, relations and triples")
    entities, relations = (_meanings(path, said, table) for table in ("entities", "relations"))
    return RelationSchema(entities, relations, _triples(path, said.get("triples"), dict(entities), dict(relations)))


def _meanings(path: Path, said: Mapping[str, Any], table: str) -> tuple[tuple[str, str], ...]:
    rows = said.get(table)
    if not isinstance(rows, dict) or not rows:
        raise _wrong(path, f"has no table [{table}] of names with what they mean")
    for name, meaning in rows.items():
        if not name.strip() or len(name) > LONGEST_SCHEMA_NAME:
            raise _wrong(path, f"names of [{table}] have 1 to {LONGEST_NAME} characters; {name[:80]!r} does not")
        if not isinstance(meaning, str) or not meaning.strip() or len(meaning) > LONGEST_MEANING:
            raise _wrong(path, f"[{table}] does not say what {name!r} means, in 1 to {LONGEST_MEANING} characters")
    return tuple(rows.items())


def _triples(path: Path, tables: Any, types: Mapping[str, str], relations: Mapping[str, str]) -> tuple[Triple, ...]:
    if not isinstance(tables, list) or not tables:
        raise _wrong(path, "has no tables [[triples]]")
    triples: dict[Triple, None] = {}
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict) or table.keys() != {"relation", "subject", "object"}:
            raise _wrong(path, f"the table [[triples]] number {number} must have relation, subject and object")
        sides = [[side] if isinstance(side, str) else side for side in (table["subject"], table["object"])]
        if table["relation"] not in relations:
            raise _wrong(path, f"[[triples]] number {number} has a relation {table['relation']!r} that is not told")
        for side in sides:
            if (
                not isinstance(side, list)
                or not side
                or not all(isinstance(type, str) and type in types for type in side)
            ):
                raise _wrong(path, f"[[triples]] number {number} has {side!r}, but the types are {sorted(types)}")
        triples |= dict.fromkeys((one, table["relation"], other) for one, other in itertools.product(*sides))
    if unused := relations.keys() - {relation for _, relation, _ in triples}:
        raise _wrong(path, f"no triple has the relations {sorted(unused)}")
    return tuple(triples)


def _wrong(path: Path, what: str) -> InputError:
    return InputError(f"{path} {what}", field="relations")


# Ask a language model for entities and relations of a schema, chunk by chunk


FOLDER = Path(__file__).parents[1] / "prompts"
PLACEHOLDERS = frozenset({"schema", "text", "most"})
LONGEST_NAME = 200
CONCURRENCY = 4
CHARS_PER_TRIPLE, TRIPLE_CHARS = 250, 190
"""Expected characters of text for each triple, and characters of a triple as JSON."""


@dataclass(frozen=True)
class ChunkAnswer:
    """Answer of a model for a chunk: mentions of entities, and relations between their names."""

    found: tuple[FoundEntity, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Answers:
    """Answers of a model for a paper; :class:`Made` has the counts."""

    chunks: tuple[ChunkAnswer, ...]
    n_disallowed: int
    n_unanswered: int


@dataclass(frozen=True)
class Extractor:
    """Asks a model by a schema; part of the enrichment's options.

    Attributes:
        model: The model's name.
        prompt: How it is asked.
        schema: What it may say.
        most: Triples asked for of a chunk, at most.
    """

    model: str
    prompt: Prompt
    schema: RelationSchema
    most: int = 15

    @classmethod
    def of(cls, model: LanguageModel, schema: RelationSchema) -> "Extractor":
        """Return the extractor for a model, with the user's own prompt where there is one.

        Raises:
            FileContentError: The user's prompt cannot be used.
        """
        return cls(model.name, model.prompt("entities", PLACEHOLDERS, folder=FOLDER), schema)

    @property
    def config_hash(self) -> str:
        """Sha-256 over all that decides what is asked."""
        return sha256(self.model, self.prompt.version, self.schema.identity, str(self.most))

    def expected(self, texts: Iterable[str]) -> Iterator[ExpectedRequest]:
        """Return the request for each text."""
        answer = answer_model(self.schema, most=self.most)
        for text in texts:
            n = min(self.most, 1 + len(text) // CHARS_PER_TRIPLE)
            values = {"text": text, "most": str(self.most), "schema": self.schema.text}
            yield ExpectedRequest(self.prompt, values, answer, n * TRIPLE_CHARS)

    async def extract(self, texts: Sequence[str], resources: EnrichmentContext) -> Answers:
        """Return the model's answers for a paper's chunks; unusable answers are left out.

        Raises:
            ModelAnswerError: All answers are unusable.
            LanguageModelError: The model is unreachable or too slow, or the budget is spent.
        """
        if resources.model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        llama = await asyncio.to_thread(
            importlib.import_module, "papergraph.ingest.enrichments.entities.llama_index_extractor"
        )
        structured = llama.StructuredModel(resources.model, self.prompt, self.schema, resources.budget)
        said = await llama.triples_of(texts, structured, self.schema, most=self.most, concurrency=CONCURRENCY)
        if structured.faults and len(structured.faults) == len(texts):
            raise structured.faults[0]
        chunks = [self._answer(text, triples) for text, triples in zip(texts, said, strict=True)]
        n_kept = sum(len(chunk.triples) for chunk in chunks)
        return Answers(tuple(chunks), structured.n_said - n_kept, len(structured.faults))

    def _answer(self, text: str, triples: "Triples") -> ChunkAnswer:
        found: dict[tuple[str, int], FoundEntity] = {}
        kept: dict[tuple[str, str, str], None] = {}
        for subject, relation, object in triples:
            names = [" ".join(end.name.split()) for end in (subject, object)]
            if not all(0 < len(name) <= LONGEST_NAME for name in names) or normalise(names[0]) == normalise(names[1]):
                continue
            kept[names[0], relation.label, names[1]] = None
            for name, end in zip(names, (subject, object), strict=True):
                for one in places(text, name, type=end.label, by=self.model):
                    found.setdefault((normalise(name), one.start), one)
        return ChunkAnswer(tuple(found.values()), tuple(kept))


def answer_model(schema: RelationSchema, *, most: int) -> type[BaseModel]:
    """Return the model of an answer: triples with types and relations of the schema.

    The types are hints for the server; an unknown type does not invalidate the whole answer.
    """

    def one_of(names: Sequence[tuple[str, str]]) -> Any:
        return (str, Field(json_schema_extra={"enum": [name for name, _ in names]}))

    entity = create_model("Entity", type=one_of(schema.entities), name=(str, Field(max_length=1000)))
    relation = create_model("Relation", type=one_of(schema.relations))
    triple = create_model("Triple", subject=(entity, ...), relation=(relation, ...), object=(entity, ...))
    return create_model("Triples", triplets=(list[triple], Field(max_length=10 * most)))


def places(text: str, name: str, *, type: str, by: str) -> list[FoundEntity]:
    """Return where a text names an entity, in any case; once without a place where it does so in other words."""
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, name.split())) + r"(?!\w)"
    found = [
        FoundEntity(match.start(), match.end(), " ".join(match[0].split()), type, by)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    return found or [FoundEntity(-1, -1, name, type, by)]
