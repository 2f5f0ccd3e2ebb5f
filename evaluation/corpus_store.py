"""Corpus of a task in a Neo4j of its own, because full-text scores depend on all that an index holds."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, open_model
from papergraph.embedding.files import is_default
from papergraph.errors import EmbeddingError, LocalNeo4jError
from papergraph.evaluation.task import CorpusDocument, Task
from papergraph.file_lock import locked
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.enrichments import enrichments as known_enrichments
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.graph.rows import config_hash
from papergraph.ingest.ingestor import Ingestor, IngestReport, JobSettings
from papergraph.progress import Progress, silent
from papergraph.schema.embedding_models import cards_of, stored_models
from papergraph.schema.ids import DEFAULT_COLLECTION, sha256
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.pipelines import Pipeline, follows_links, needs
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.server.retrieval.steps.expand import Expansion
from papergraph.settings import Settings
from papergraph.store import Address, open_store

TEXTS_PER_LOOKUP = 500
WAIT_S = 60.0


class RememberingEmbedder:
    """An embedder that keeps the vectors of documents in a file, by the model's checksum and the text.

    Queries are embedded each time, so that their latency is the product's own. Several processes may share the file.
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        """Take over ``embedder``, which is ``model``; ``file`` is made when it is missing."""
        self.model = embedder
        self._file = file
        self.card = embedder.card
        self.tokenizer = embedder.tokenizer

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,)."""
        return self.model.encode_query(text)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension).

        Raises:
            EmbeddingError: The file of vectors cannot be read or written.
        """
        keys = [sha256(self.card.sha256, text) for text in texts]
        with self._opened() as connection:
            known = self._find(connection, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            fresh = dict(zip(missing, self.model.encode_documents(list(missing.values())), strict=True))
            with connection:
                rows = ((key, vector.astype("<f4").tobytes()) for key, vector in fresh.items())
                connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        found = known | fresh
        return np.stack([found[key] for key in keys]) if keys else np.zeros((0, self.card.dimension), np.float32)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=WAIT_S)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, components BLOB)")
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise EmbeddingError(f"cannot keep vectors in {self._file}: {error}; make room, or delete it") from error

    def _find(self, connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Floats]:
        found: dict[str, Floats] = {}
        for start in range(0, len(keys), TEXTS_PER_LOOKUP):
            part = keys[start : start + TEXTS_PER_LOOKUP]
            marks = ",".join("?" * len(part))
            rows = connection.execute(f"SELECT key, components FROM vector WHERE key IN ({marks})", part)  # noqa: S608
            found |= {key: np.frombuffer(components, "<f4").astype(np.float32) for key, components in rows}
        return found


VECTORS = "vectors.sqlite"
"""Beside the corpora, so that one which changes is not embedded again where it is the same."""
DEADLINE_S = 60.0
OTHER_EVALUATION_TIMEOUT_S = 6 * 3600.0
LARGEST_DOCUMENT_BYTES = 20_000_000
WHOLE_RECORD = ChunkOptions(max_tokens=8192, overlap_tokens=0)
"""A record that is a document or a passage is one chunk: so did the baselines, and what is ranked is the record."""

DEFAULT_CHUNKER = ChunkOptions().chunker
CORPUS_FILE, LOADED_FILE, LOCK_FILE = "corpus.json", "loaded.json", "evaluation.lock"


@dataclass(frozen=True)
class IngestFigures:
    """Figures of loading a corpus.

    Attributes:
        documents: Number of documents in the corpus.
        papers: Number of papers in the graph; equal documents are one paper, and empty ones are skipped.
        chunks: Number of chunks.
        seconds: Duration, without earlier interrupted loads.
        refused: Refused documents with reasons.
        reused: True if an earlier evaluation loaded it.
    """

    documents: int
    papers: int
    chunks: int
    seconds: float
    refused: tuple[str, ...] = ()
    reused: bool = False


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus in a graph.

    Attributes:
        collection: Where its papers stand.
        documents_of: The documents that a paper was made of, by the paper's id.
        paper_of: The paper that a document became, by the document's id.
        n_chunks_of: How many chunks a paper has, by its id.
        chunking: How documents were cut.
        ingest: What loading it took.
    """

    collection: str
    documents_of: Mapping[str, tuple[CorpusDocument, ...]]
    paper_of: Mapping[str, str]
    n_chunks_of: Mapping[str, int]
    chunking: ChunkOptions
    ingest: IngestFigures


def chunking_of(task: Task) -> ChunkOptions:
    """Return how a task's documents are cut where nothing else is asked for: records not, and papers as always."""
    return ChunkOptions() if task.unit == "chunk" else WHOLE_RECORD


def home_of(settings: Settings, task: Task, options: ChunkOptions, *, by_model: bool = False) -> Path:
    """Return the folder that keeps a task's corpus; the same for tasks that share their documents.

    Args:
        settings: Where the cache is.
        task: The task.
        options: How documents are cut.
        by_model: Whether the language model makes enrichments of it.
    """
    in_tokens = options.max_tokens is not None
    sizes = (options.max_tokens, options.overlap_tokens) if in_tokens else (options.max_chars, options.overlap_chars)
    name = f"{task.checksum[:16]}-{sizes[0]}-{sizes[1]}"
    if options.chunker != DEFAULT_CHUNKER:
        name += f"-{options.chunker}"
    if not is_default(model := settings.embedding.model):
        name += f"-{sha256(model)[:8]}"  # so that models are compared without loading the corpus each time
    if by_model:
        name += f"-{sha256(settings.llm.model or '')[:8]}-enriched"
    return settings.cache.expanduser().resolve() / "evaluation" / name


@contextmanager
def open_home(
    settings: Settings, task: Task, options: ChunkOptions, *, by_model: bool = False, progress: Progress = silent
) -> Iterator[tuple[Path, Address]]:
    """Give the folder of a task's corpus and the address of its Neo4j, started for it; other evaluations of it wait.

    Folders of the same files with other content, which nothing will ask for again, are deleted. The Neo4j that the
    settings name is left alone: what it holds would change the scores.

    Raises:
        LocalNeo4jError: Neo4j cannot be fetched or started.
    """
    folder = home_of(settings, task, options, by_model=by_model)
    note = {"name": task.name, "sources": [str(source) for source in task.sources], "checksum": task.checksum}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_json(folder / CORPUS_FILE, note)
    except OSError as error:
        raise LocalNeo4jError(
            f"cannot keep a corpus in {folder}: {error}; make room there, or set PAPERGRAPH_CACHE to a folder of yours"
        ) from error
    with locked(
        folder / LOCK_FILE,
        waiting="another evaluation works on this corpus",
        timeout_s=OTHER_EVALUATION_TIMEOUT_S,
        progress=progress,
    ):
        _delete_outdated(folder.parent, note)
        own = settings.replace(home=folder, neo4j={"uri": None})
        with open_store(own, progress=progress) as address:
            yield folder, replace(address, deadline_s=max(DEADLINE_S, settings.neo4j.timeout_s))


async def load_corpus(
    database: Database,
    embedder: Embedder,
    task: Task,
    *,
    options: ChunkOptions,
    folder: Path,
    collection: str = DEFAULT_COLLECTION,
    progress: Progress = silent,
) -> LoadedCorpus:
    """Ingest a task's documents, each as a text file.

    A corpus loaded with the same recipe is reused; an interrupted load is resumed.

    Args:
        database: A prepared store without other papers.
        embedder: Its embedding model.
        task: The task.
        options: Options of chunking.
        folder: Folder of the files, and of a note about the load.
        collection: Collection of the papers.
        progress: Receives the number of finished documents.

    Raises:
        LocalNeo4jError: Writing a file failed.
        DatabaseError: Neo4j failed; a repeated call continues.
    """
    made_by = {
        "recipe": config_hash(embedder.card, options),
        "model": embedder.card.sha256,
        "checksum": task.checksum,
    }
    note = _read_json(folder / LOADED_FILE)
    papers = await _papers(database, collection)
    if note.get("made_by") == made_by and note["ingest"]["papers"] == len(papers):
        figures = IngestFigures(**note["ingest"] | {"refused": tuple(note["ingest"]["refused"]), "reused": True})
    else:
        done = await _ingest(Ingestor(database, embedder), task, options, folder, collection, progress)
        papers = await _papers(database, collection)
        n_chunks = sum(n_chunks for _, n_chunks in papers.values())
        refused = tuple(f"{task.documents[_number(item.source)].id}: {item.detail}" for item in done.failed)
        figures = IngestFigures(len(task.documents), len(papers), n_chunks, round(done.elapsed_s, 1), refused)
        _write_json(folder / LOADED_FILE, {"made_by": made_by, "ingest": asdict(figures)})
    documents_of = {id: tuple(task.documents[number] for number in numbers) for id, (numbers, _) in papers.items()}
    return LoadedCorpus(
        collection=collection,
        documents_of=documents_of,
        paper_of={document.id: id for id, documents in documents_of.items() for document in documents},
        n_chunks_of={id: n_chunks for id, (_, n_chunks) in papers.items()},
        chunking=options,
        ingest=figures,
    )


async def _ingest(
    ingestor: Ingestor, task: Task, options: ChunkOptions, folder: Path, collection: str, progress: Progress
) -> IngestReport:
    files = folder / "documents"
    try:
        await asyncio.to_thread(_write_files, files, task.documents)
    except OSError as error:
        raise LocalNeo4jError(f"cannot write the corpus into {files}: {error}") from error
    settings = JobSettings(options, LARGEST_DOCUMENT_BYTES)
    return await ingestor.ingest([files], collection=collection, settings=settings, progress=progress)


async def _papers(database: Database, collection: str) -> dict[str, tuple[tuple[int, ...], int]]:
    """Return the papers by id, with the numbers of their documents, which are the names of their files, and chunks."""
    records = await database.read(cypher.load("evaluation/papers"), collection=collection)
    return {record["id"]: (tuple(sorted(map(_number, record["keys"]))), record["n_chunks"]) for record in records}


def _number(path: str) -> int:
    """Return the index of the document of a file, or of its key."""
    return int(Path(path).stem)


def _write_files(folder: Path, documents: Sequence[CorpusDocument]) -> None:
    folder.mkdir(exist_ok=True)
    for number, document in enumerate(documents):
        if document.file_text.strip():
            (folder / f"{number:08}.txt").write_bytes(document.file_text.encode())


def _delete_outdated(homes: Path, note: Mapping[str, Any]) -> None:
    """Delete what was loaded of the same files when they held something else."""
    for home in homes.iterdir():
        found = _read_json(home / CORPUS_FILE)
        if found.get("sources") != note["sources"] or found.get("checksum") == note["checksum"]:
            continue
        with (
            suppress(LocalNeo4jError),  # it is being used: next time
            locked(home / LOCK_FILE, waiting="another evaluation uses it", timeout_s=0.0),
        ):
            shutil.rmtree(home, ignore_errors=True)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there, or torn: as if nothing had been noted
        return {}
    return content if isinstance(content, dict) else {}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class CorpusPlan:
    """Plan of a corpus for pipelines.

    Attributes:
        task: Task of the documents.
        options: Options of chunking.
        pipelines: Pipelines whose enrichments are needed.
        by_model: True to let the language model write enrichments; else they are free and reproducible.
    """

    task: Task
    options: ChunkOptions
    pipelines: Sequence[Pipeline]
    by_model: bool = False


def enrichments_for(pipelines: Sequence[Pipeline]) -> tuple[str, ...]:
    """Return the enrichments that pipelines read, with those that these are made of, in their order."""
    wanted = {"links"} if any(follows_links(pipeline) for pipeline in pipelines) else set()
    wanted |= {need for pipeline in pipelines for need in needs(pipeline)}
    if "prototypes" in wanted:
        wanted.add("questions")
    if any(step.model_dump().get("by") == Expansion.PLAN for pipeline in pipelines for step in pipeline.steps):
        wanted.add("metadata")
    return tuple(name for name in known_enrichments() if name in wanted)


@asynccontextmanager
async def loaded(
    settings: Settings, address: Address, folder: Path, plan: CorpusPlan, *, progress: Progress
) -> AsyncIterator[tuple[Resources, LoadedCorpus]]:
    """Give what pipelines run with, and the task's corpus in it with its enrichments.

    Raises:
        InputError: The address or the key of the language model cannot be one.
        LanguageModelError: The model makes enrichments, and fails.
        PapergraphError: As of :func:`papergraph.evaluation.corpus_store.load_corpus`.
    """
    async with await address.connect() as database:
        progress.step(f"loading the embedding model {settings.embedding.model}")
        known = cards_of(await stored_models(database))
        model = await asyncio.to_thread(open_model, settings.embedding, settings.embedding.model, known)
        embedder = RememberingEmbedder(model, folder.parent / VECTORS)
        await prepare(database, embedder.card)
        corpus = await load_corpus(
            database, embedder, plan.task, options=plan.options, folder=folder, progress=progress
        )
        async with equipped(settings, Resources.of(database, embedder)) as resources:
            if wanted := enrichments_for(plan.pipelines):
                maker = resources.language_model if plan.by_model else None
                choice = EnrichmentOptions.choose(wanted).with_questions(None if maker else "template")
                made = choice.enrichments(maker)
                of_enrichments = EnrichmentContext(embedder, maker)
                await enrich(database, made, of_enrichments, collection=corpus.collection, progress=progress)
            yield resources, corpus
