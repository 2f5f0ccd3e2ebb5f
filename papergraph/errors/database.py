"""Errors of the database and its schema."""

from pathlib import Path

from papergraph.errors.base import Code, PapergraphError


class DatabaseError(PapergraphError):
    """Neo4j could not do what was asked."""

    code = Code.UNAVAILABLE


class DatabaseUnavailableError(DatabaseError):
    """Neo4j does not answer, refuses the login, or broke the connection."""


class DeadlineError(DatabaseError):
    """A database call outlived its deadline."""

    code = Code.TIMEOUT

    def __init__(self, query: str, deadline_s: float) -> None:
        super().__init__(f"{query} did not answer within {deadline_s:g} s.")
        self.query, self.deadline_s = query, deadline_s


class CypherDeadlineError(DeadlineError):
    """A query that somebody else wrote took longer than it may."""

    def __init__(self, deadline_s: float) -> None:
        super().__init__("The query", deadline_s)
        self.public = f"{self} Match less, start from an indexed property, or add LIMIT."


class UnknownOutcomeError(DatabaseError):
    """The connection broke while a transaction was being committed; read again before reporting anything."""

    def __init__(self, query: str, detail: str) -> None:
        super().__init__(
            f"{query}: the connection broke at commit, so the change may or may not be written ({detail})."
        )
        self.query = query


class QueryError(DatabaseError):
    """Neo4j refused a query; ``status`` is its error code."""

    code = Code.INTERNAL

    def __init__(self, query: str, detail: str, *, status: str = "") -> None:
        super().__init__(f"{query}: {detail}")
        self.query, self.detail, self.status = query, detail, status


class IndexUnavailableError(QueryError):
    """A vector or full-text index that a query asks is missing, or is still being built."""

    code = Code.UNAVAILABLE


class UnsupportedNeo4jError(DatabaseError):
    """The server is older than the oldest supported one."""

    def __init__(self, *, found: str, needed: str) -> None:
        super().__init__(
            f"Neo4j {found} is not supported: papergraph needs {needed} or newer, for SEARCH on full-text and vector "
            "indexes. Upgrade the server, or unset PAPERGRAPH_NEO4J_URI to run a local one."
        )
        self.found, self.needed = found, needed


class GraphDataScienceMissingError(DatabaseError):
    """The server lacks the plug-in Graph Data Science, or some of its procedures."""

    def __init__(self, procedures: tuple[str, ...]) -> None:
        super().__init__(
            f"Neo4j lacks Graph Data Science ({', '.join(procedures)}), which makes topics, communities and ranks. Put "
            "it into the server's folder of plugins with papergraph db plugins FOLDER and restart Neo4j, or unset "
            "PAPERGRAPH_NEO4J_URI to use the local Neo4j, which has it."
        )
        self.procedures = procedures


class SchemaError(PapergraphError):
    """The store's schema is not the one that this version works with."""

    code = Code.UNAVAILABLE


class SchemaTooNewError(SchemaError):
    """The store or snapshot was written by a newer papergraph."""

    def __init__(self, *, found: int, known: int) -> None:
        super().__init__(
            f"Its schema has version {found}; this papergraph knows versions up to {known}. Use a newer papergraph."
        )
        self.found, self.known = found, known


class SchemaDriftError(SchemaError):
    """Constraints or indexes are missing or have other options than the model says."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("The schema of the store differs from the expected one:\n  " + "\n  ".join(problems))
        self.problems = problems


class OtherModelError(SchemaError):
    """The store's vectors in use are of another embedding model."""

    def __init__(self, *, stored: str, configured: str, name: str) -> None:
        super().__init__(
            f"The vectors in the store are from {stored}, but the configured model is {configured}. Unset "
            f"PAPERGRAPH_EMBEDDING_MODEL to use the model of the store, or switch the store to the configured one: "
            f"papergraph embeddings switch {name}"
        )
        self.stored, self.configured = stored, configured


class ModelChangedError(SchemaError):
    """Another embedding model came into use while something was on its way that an older one had made."""

    def __init__(self, *, active: str) -> None:
        super().__init__(
            f"The store switched to embedding model {active} during this command, and no vector of another model was "
            "written. Run the command again, with PAPERGRAPH_EMBEDDING_MODEL unset or set to this model."
        )
        self.active = active


class RestoringError(SchemaError):
    """A snapshot is being restored into the store, which holds a part of it until then."""

    def __init__(self) -> None:
        super().__init__(
            "A snapshot is being restored into this store. Wait for it; if it was interrupted, run the same papergraph "
            "restore command again."
        )


class ReembedError(SchemaError):
    """The store's models cannot be changed now, or not in this way; the message says what to do first."""


class ArchiveError(PapergraphError):
    """An archive cannot be written, is damaged, or cannot be restored here; ``path`` says which file."""

    code = Code.UNAVAILABLE

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class LocalNeo4jError(PapergraphError):
    """The local Neo4j cannot be fetched, started or stopped."""

    code = Code.UNAVAILABLE
