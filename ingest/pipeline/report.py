"""What an ingestion says of itself: an item for each document, and a report over all of them."""

from dataclasses import dataclass, field
from typing import Self

from ingest.chunkers import ChunkOptions
from ingest.graph.writer import WriteOutcome
from ingest.jobs.model import Task, TaskResult
from papergraph.errors import Reason


@dataclass(frozen=True)
class Item:
    """What became of one document: an ``outcome`` and its key, or a ``reason`` and ``detail`` why it was refused.

    Of ``n_cut_short`` chunks that were cut now the embedding model reads the beginning only. A ``warning`` says why
    searches may miss a paper because of its ``language``.
    """

    source: str
    outcome: WriteOutcome | None = None
    key: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    n_cut_short: int = 0
    language: str | None = None
    warning: str | None = None
    reason: Reason | None = None
    detail: str | None = None

    @classmethod
    def of(cls, source: str, task: TaskResult | Task) -> Self:
        """Make one of what the ledger notes of a document's task."""
        return cls(
            source,
            WriteOutcome(task.outcome) if task.outcome else None,
            task.key,
            task.title,
            task.n_sections,
            task.n_chunks,
            task.n_cut_short,
            task.language,
            task.warning,
            Reason(task.reason) if task.reason else None,
            task.detail,
        )


@dataclass
class IngestStats:
    """How many documents a process parsed and texts it embedded for a job, and what it found done before.

    Attributes:
        n_parsed: Documents that were parsed.
        n_parsed_before: Documents of which what the same parser made was kept.
        n_texts_embedded: Texts that were embedded.
        n_texts_kept: Texts whose vectors stood in the graph.
    """

    n_parsed: int = 0
    n_parsed_before: int = 0
    n_texts_embedded: int = 0
    n_texts_kept: int = 0


@dataclass(frozen=True)
class IngestReport:
    """What an ingestion did.

    Attributes:
        collection: Where the papers went.
        items: One for each document that was seen to, in the order in which they were found.
        elapsed_s: How long it took.
        chunking: How documents are cut.
        job: Id of the job in the ledger.
        n_left: Documents that were not seen to, because the job was cancelled or stopped.
        stopped: State of a job that was not worked off to its end, or ``forgotten``; else None.
        detail: Why, where that is known.
        done: What this process parsed and embedded for it, and what it found done before.
        pruned: Names of the sources that were gone and left the graph.
    """

    collection: str
    items: tuple[Item, ...]
    elapsed_s: float
    chunking: ChunkOptions
    job: str
    n_left: int = 0
    stopped: str | None = None
    detail: str | None = None
    done: IngestStats = field(default_factory=IngestStats)
    pruned: tuple[str, ...] = ()

    def count(self, outcome: WriteOutcome) -> int:
        """Number of documents with this outcome."""
        return sum(item.outcome is outcome for item in self.items)

    @property
    def failed(self) -> tuple[Item, ...]:
        """The documents that were refused."""
        return tuple(item for item in self.items if item.outcome is None)
