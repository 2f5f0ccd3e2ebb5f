"""A corpus in a Neo4j of its own: full-text scores depend on all that an index holds, so no two corpora share one."""

import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cypher
from evaluation.task import CorpusDocument, Task
from ingest.chunkers import ChunkOptions
from ingest.graph.rows import config_hash
from ingest.ingestor import Ingestor, IngestReport, JobSettings
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.embedding.files import is_default
from papergraph.errors import LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from schema.ids import DEFAULT_COLLECTION, sha256

DEADLINE_S = 60.0
OTHER_EVALUATION_TIMEOUT_S = 6 * 3600.0
LARGEST_DOCUMENT_BYTES = 20_000_000
WHOLE_RECORD = ChunkOptions(max_tokens=8192, overlap_tokens=0)
"""A record that is a document or a passage is one chunk: so did the baselines, and what is ranked is the record."""

DEFAULT_CHUNKER = ChunkOptions().chunker
CORPUS_FILE, LOADED_FILE, LOCK_FILE = "corpus.json", "loaded.json", "evaluation.lock"


@dataclass(frozen=True)
class IngestFigures:
    """What loading a corpus took when it was loaded.

    Attributes:
        documents: In the corpus.
        papers: In the graph; documents that say the same are one paper, and empty ones are none.
        chunks: Of all papers.
        seconds: How long it took, without what an interrupted load before it had done.
        refused: Documents that ingestion refused, with the reason.
        reused: Whether that was in an earlier evaluation.
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
    name = f"{task.digest[:16]}-{sizes[0]}-{sizes[1]}"
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
    note = {"name": task.name, "sources": [str(source) for source in task.sources], "digest": task.digest}
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
    """Bring a task's documents into the graph by the product's own ingestion, each as a text file.

    Nothing is done for a corpus that is there already, made by the same recipe; an interrupted load is resumed.

    Args:
        database: A prepared store, in which nothing else should stand.
        embedder: Its embedding model.
        task: The task.
        options: How to cut the documents.
        folder: Where the files are written, and a note of what was loaded.
        collection: Where the papers go.
        progress: Hears how many documents are done.

    Raises:
        LocalNeo4jError: A file cannot be written.
        DatabaseError: Neo4j failed; loading again goes on from there.
    """
    made_by = {
        "recipe": config_hash(embedder.card, options),
        "model": embedder.card.sha256,
        "digest": task.digest,
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
    """Return which document a file, or the key made of it, stands for."""
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
        if found.get("sources") != note["sources"] or found.get("digest") == note["digest"]:
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
