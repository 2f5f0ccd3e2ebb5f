"""Results of edits and exports of papers, and of merges and splits of authors."""

from dataclasses import dataclass

from server.papers.fields import PaperField


@dataclass(frozen=True)
class EditedPaper:
    """A paper whose fields were edited.

    Attributes:
        paper_id: Id of the paper; a new one if a DOI or arXiv id makes it another paper of the graph.
        fields: The fields that the request named, as they are now; one that nobody states is missing.
    """

    paper_id: str
    fields: tuple[PaperField, ...]


@dataclass(frozen=True)
class ExportedFile:
    """A file of an export.

    Attributes:
        name: Name to save it by.
        text: Its text.
    """

    name: str
    text: str


@dataclass(frozen=True)
class PaperExport:
    """Exported papers: a bibliography, or a Markdown file per paper.

    Attributes:
        format: The format: md, bibtex, csl-json or ris.
        n_papers: Number of papers.
        files: The files.
    """

    format: str
    n_papers: int
    files: tuple[ExportedFile, ...]


@dataclass(frozen=True)
class DecidedAuthor:
    """An author after a decision.

    Attributes:
        author_id: Id of the author.
        name: Name, the first of the spellings in use.
        key: ORCID or other id of the person; null for one known by name.
        aliases: Other spellings.
        paper_ids: The author's papers.
    """

    author_id: str
    name: str
    key: str | None
    aliases: tuple[str, ...]
    paper_ids: tuple[str, ...]


@dataclass(frozen=True)
class DecidedEntities:
    """Two entities after a decision.

    Attributes:
        entity_id: Id of the first.
        name: Name of the first.
        other_id: Id of the second.
        other_name: Name of the second.
        same: Whether both are the same thing.
    """

    entity_id: str
    name: str
    other_id: str
    other_name: str
    same: bool


@dataclass(frozen=True)
class UndoneDecisions:
    """Decisions about an author that were taken back.

    Attributes:
        author_id: Id that the author had.
        n_undone: Number of decisions.
    """

    author_id: str
    n_undone: int
