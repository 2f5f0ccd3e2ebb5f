"""The report of the doctor: faults, findings, repairs and the store that was examined."""

from dataclasses import dataclass

from ingest.reembed.runner import Status
from papergraph.local_neo4j import IndexMemory


@dataclass(frozen=True)
class DoctorFinding:
    """One thing that is wrong: the node's id, or the name of a part of the schema, and what is the matter with it.

    Attributes:
        id: Of the node, or the name of an index, constraint or note.
        problem: What is wrong, with the values.
        paper_id: Of the paper that it belongs to, where it belongs to one.
        source: Where that paper came from, known of examples only.
    """

    id: str
    problem: str
    paper_id: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        check: The check's name.
        means: What its faults have in common.
        n: How many there are, :data:`MOST_FAULTS` at most.
        examples: The first few in order of id.
        advice: What to do next.
        is_warning: Whether the store is healthy all the same.
    """

    check: str
    means: str
    n: int
    examples: tuple[DoctorFinding, ...]
    advice: str
    is_warning: bool = False


@dataclass(frozen=True)
class Repair:
    """What was mended: how many things of which check, and what was done to them."""

    check: str
    n: int
    action: str


@dataclass(frozen=True)
class Store:
    """What the examined store is.

    Attributes:
        neo4j: The server's version.
        schema_version: Version of the store's schema; None before it is created.
        embedding_model: Name and checksum of the model that made the vectors in use; None before the first paper.
        models: That model, and the one whose vectors are made, kept or deleted beside it, if there is one.
        n_papers: Papers of all collections.
        n_sections: Their sections.
        n_chunks: Their chunks.
        n_indexes: Indexes, those of constraints and of other programs included.
        n_online: Indexes that are ready.
        memory: What vector and full-text indexes take, and what is left for them; None where that is not known.
    """

    neo4j: str
    schema_version: int | None
    embedding_model: str | None
    models: Status
    n_papers: int
    n_sections: int
    n_chunks: int
    n_indexes: int
    n_online: int
    memory: IndexMemory | None = None


@dataclass(frozen=True)
class DoctorReport:
    """What an examination found; after a repair, what was mended and what is left."""

    store: Store
    n_checks: int
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    elapsed_s: float

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong, any more; warnings do not count."""
        return all(finding.is_warning for finding in self.findings)
