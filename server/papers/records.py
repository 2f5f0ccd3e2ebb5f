"""Results of edits, exports and copies, of merges and splits of papers and authors, and proposals for both."""

from dataclasses import dataclass
from typing import Annotated

from papergraph.records import Id, Record, described
from papergraph.server.papers.find import PaperField


@dataclass(frozen=True)
class EditedPaper(Record):
    """A paper whose fields were edited."""

    paper_id: Annotated[
        Id, described("Id of the paper; a new one if a DOI or arXiv id makes it another paper of the graph.")
    ]
    fields: Annotated[
        tuple[PaperField, ...],
        described("The fields that the request named, as they are now; one that nobody states is missing."),
    ]


@dataclass(frozen=True)
class ExportedFile(Record):
    """A file of an export."""

    name: Annotated[str, described("Name to save it by.")]
    text: Annotated[str, described("Its text.")]


@dataclass(frozen=True)
class PaperExport(Record):
    """Exported papers: a bibliography, or a Markdown file per paper."""

    format: Annotated[str, described("The format: md, bibtex, csl-json or ris.")]
    n_papers: Annotated[int, described("Number of papers.")]
    files: Annotated[tuple[ExportedFile, ...], described("The files.")]


@dataclass(frozen=True)
class CopiedPaper(Record):
    """A paper in the collection that it was copied to."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    copy_id: Annotated[Id, described("Id of the paper in the other collection.")]
    key: Annotated[str, described("Key of the paper.")]
    copied: Annotated[bool, described("False if the other collection had the paper already; it is left as it was.")]
    moved: Annotated[
        bool, described("True if it left its collection; not if its texts, fields or edits are not all in the other.")
    ]


@dataclass(frozen=True)
class CopiedPapers(Record):
    """Papers copied to another collection."""

    collection: Annotated[str, described("Collection of the copies.")]
    n_copied: Annotated[int, described("Number of papers that were copied.")]
    papers: Annotated[tuple[CopiedPaper, ...], described("The papers, in the order of the request, each once.")]


@dataclass(frozen=True)
class RereadPapers(Record):
    """Job that reads the kept files of papers again."""

    job: Annotated[Id, described("Id of the job.")]
    n_papers: Annotated[int, described("Number of papers that it reads.")]
    skipped: Annotated[
        tuple[Id, ...], described("Papers without a kept file, or whose file needs the record beside it.")
    ]


@dataclass(frozen=True)
class DecidedAuthor(Record):
    """An author after a decision."""

    author_id: Annotated[Id, described("Id of the author.")]
    name: Annotated[str, described("Name, the first of the spellings in use.")]
    key: Annotated[str | None, described("ORCID or other id of the person; null for one known by name.")]
    aliases: Annotated[tuple[str, ...], described("Other spellings.")]
    paper_ids: Annotated[tuple[Id, ...], described("The author's papers.")]


@dataclass(frozen=True)
class DecidedEntities(Record):
    """Two entities after a decision."""

    entity_id: Annotated[Id, described("Id of the first.")]
    name: Annotated[str, described("Name of the first.")]
    other_id: Annotated[Id, described("Id of the second.")]
    other_name: Annotated[str, described("Name of the second.")]
    same: Annotated[bool, described("True if both are the same.")]


@dataclass(frozen=True)
class UndoneDecisions(Record):
    """Decisions about an author that were taken back."""

    author_id: Annotated[Id, described("Id that the author had.")]
    n_undone: Annotated[int, described("Number of decisions.")]


@dataclass(frozen=True)
class DecidedPaper(Record):
    """A paper after a merge, a split, or their undoing."""

    paper_id: Annotated[Id, described("Id of the merged paper, of the one that was split off, or of the one named.")]
    title: Annotated[str, described("Title.")]
    sources: Annotated[tuple[str, ...], described("Names of its documents and records.")]
    n_undone: Annotated[int, described("Number of decisions that were taken back.")]


@dataclass(frozen=True)
class PaperOfPair(Record):
    """One of two papers that may be one."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    title: Annotated[str, described("Title.")]
    year: Annotated[int | None, described("Year of publication.")]


@dataclass(frozen=True)
class ProposedPair(Record):
    """Two papers that may be one."""

    common: Annotated[str, described("What both have: doi or title.")]
    papers: Annotated[tuple[PaperOfPair, ...], described("The two papers.")]
    removed_enrichments: Annotated[
        tuple[str, ...],
        described("Enrichments that a merge removes with the text it hides; enriching makes them again after a split."),
    ]


@dataclass(frozen=True)
class ProposedCorrection(Record):
    """A value of a field that a catalogue states and the paper has not."""

    name: Annotated[str, described("Name of the field.")]
    values: Annotated[tuple[str, ...], described("Values of the paper, none where it has none.")]
    proposed: Annotated[tuple[str, ...], described("Values of the catalogue.")]
    source: Annotated[str, described("Identifier that was looked up, such as doi:10.1000/182.")]


@dataclass(frozen=True)
class DecidedProposal(Record):
    """A proposal that was rejected, or whose rejection was taken back."""

    rejected: Annotated[bool, described("True if it is not proposed again.")]
