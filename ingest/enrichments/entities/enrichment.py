"""The enrichment of entities: what papers name, how it is related, and which names stand for the same thing."""

import asyncio
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, ExpectedRequest, StoredPaper
from papergraph.ingest.enrichments.entities import gazetteer, term_extraction
from papergraph.ingest.enrichments.entities.extraction import ExtractionLimits, FoundEntity, find, load_pipeline
from papergraph.ingest.enrichments.entities.gazetteer import KNOWN, Entry, called_functions, cited_people
from papergraph.ingest.enrichments.entities.llm_extraction import Extractor
from papergraph.ingest.enrichments.entities.resolution import SameOptions, resolve
from papergraph.ingest.enrichments.entities.stored_entities import Made, Relation, mentions_of, write_rows
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.ids import entity_id, sha256
from papergraph.vector_slots import VectorSlot

VERSION = 3
"""Version of the method. A change recomputes all entities; so does a change of the word lists."""


@dataclass(frozen=True)
class Entities:
    """Entities of each paper, found by rules and, if given, a trained pipeline.

    Attributes:
        gazetteer: Names to find in addition to the widely known ones.
        pipeline: Name or path of a spaCy pipeline.
        left_out: Ignored labels of the pipeline. If there are any, it was chosen automatically and reads English text
            only.
        extractor: Extractor of entities and relations by a language model; the only source of relations.
        limits: Most entities of a chunk and of a paper.
        same: Thresholds for names of the same thing.
    """

    gazetteer: tuple[Entry, ...] = ()
    pipeline: str | None = None
    left_out: frozenset[str] = frozenset()
    extractor: Extractor | None = None
    limits: ExtractionLimits = field(default_factory=ExtractionLimits)
    same: SameOptions = field(default_factory=SameOptions)

    @property
    def name(self) -> str:
        """The enrichment's name."""
        return "entities"

    @cached_property
    def config_hash(self) -> str:
        """Sha-256 over options, lists of words, the pipeline's files, and the model with its prompt and schema."""
        return sha256(
            str(VERSION),
            _lists(),
            # stores hold hashes with the first name of the class
            repr((self.gazetteer, self.limits, self.same)).replace(ExtractionLimits.__name__, "Limits"),
            "".join([_pipeline_identity(self.pipeline), *sorted(self.left_out)]) if self.pipeline else "",
            self.extractor.config_hash if self.extractor else "",
        )

    @property
    def note(self) -> str:
        """Name of the pipeline, if it was chosen automatically."""
        return (
            f"with {Path(self.pipeline or '').name}; [entities] pipeline = 'none' leaves it out"
            if self.left_out
            else ""
        )

    def requests(self, paper: StoredPaper) -> int:
        """Return how many requests to a language model the paper takes at most."""
        return 2 * len(paper.chunks) if self.extractor else 0

    def expected(self, paper: StoredPaper) -> Iterable[ExpectedRequest]:
        """Return a request for each chunk."""
        return self.extractor.expected([chunk.text for chunk in paper.chunks]) if self.extractor else ()

    async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> Made:
        """Return what a paper mentions, and how it is related; the processor's work is done in another thread.

        Raises:
            InputError: The pipeline cannot be loaded.
            LanguageModelError: The model cannot be reached, or the budget is spent, or it answered for no chunk.
        """
        found = await asyncio.to_thread(self._find, paper)
        if self.extractor is None:
            return _made(paper, found)
        said = await self.extractor.extract([chunk.text for chunk in paper.chunks], resources)
        relations: dict[tuple[str, str, str], list[str]] = {}
        for chunk, spans, answer in zip(paper.chunks, found, said.chunks, strict=True):
            spans += answer.found
            for subject, relation, object in answer.triples:
                ends = entity_id(paper.collection, subject), entity_id(paper.collection, object)
                relations.setdefault((*ends, relation), []).append(chunk.id)
        made = _made(paper, found)
        by = self.extractor.model
        return Made(
            made.mentions,
            tuple(Relation(start, end, type, tuple(ids), by) for (start, end, type), ids in sorted(relations.items())),
            said.n_disallowed,
            said.n_unanswered,
        )

    def _find(self, paper: StoredPaper) -> list[list[FoundEntity]]:
        texts = [chunk.text for chunk in paper.chunks]
        return find(
            [chunk.prose for chunk in paper.chunks],
            gazetteer=self.gazetteer,
            pipeline=self.pipeline,
            left_out=self.left_out,
            limits=self.limits,
            people=cited_people(texts),
            functions=called_functions(texts),
        )

    async def write(
        self, transaction: Transaction, paper: StoredPaper, made: Made, resources: EnrichmentContext, slot: VectorSlot
    ) -> None:
        """Write what was made over what was found before; what was given stays."""
        await write_rows(transaction, paper.id, paper.collection, made, resources, slot, given=False)

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Relate names of the same thing in the collection."""
        return await resolve(database, collection, self.same, progress=progress)


def _made(paper: StoredPaper, found: list[list[FoundEntity]]) -> Made:
    return Made(
        tuple(
            mention
            for chunk, spans in zip(paper.chunks, found, strict=True)
            for mention in mentions_of(chunk.id, paper.collection, spans)
        )
    )


@cache
def _lists() -> str:
    return sha256(*(path.read_text(encoding="utf-8") for path in (term_extraction.FILE, KNOWN, gazetteer.FILE)))


@cache
def _pipeline_identity(name: str) -> str:
    """Return what tells one pipeline from another: its package's version, or the checksum of its files."""
    folder = Path(name)
    if not folder.is_dir():
        return json.dumps(load_pipeline(name).meta, sort_keys=True, default=str)
    checksum = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            checksum.update(str(path.relative_to(folder)).encode() + hashlib.sha256(path.read_bytes()).digest())
    return checksum.hexdigest()
