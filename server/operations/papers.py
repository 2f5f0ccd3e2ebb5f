"""Operations on papers and people: edit fields, export and copy papers, decide on authors and entities."""

import asyncio
import hashlib
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.entities.resolution import DIFFERENT, SAME, review
from papergraph.ingest.graph import authors as deciding
from papergraph.ingest.graph import edits
from papergraph.ingest.graph.authors import ListedAuthor
from papergraph.ingest.graph.stored_papers import sources_of
from papergraph.ingest.graph.writer import copy_paper
from papergraph.ingest.ingestor import delete
from papergraph.ingest.originals import Originals
from papergraph.ingest.sources import Web
from papergraph.ingest.sources.kept import kept_name
from papergraph.records import described
from papergraph.requests import request
from papergraph.schema.ids import ID
from papergraph.schema.records import Author, Entity, Paper
from papergraph.server.auth.access import Principal
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.server.graph.nodes import MAX_PAGE, authors_of, node_by_id, nodes_by_id, paper_by_key
from papergraph.server.operations.annotations import copy_annotations, copy_late_annotations, with_annotations
from papergraph.server.operations.collections import check_reached
from papergraph.server.operations.ingest import IngestService
from papergraph.server.papers.bibliographies import DEFAULT_STYLE, ExportFormat, cite_keys, write_bibliography
from papergraph.server.papers.find import ListedPaper, PaperField, fields_of
from papergraph.server.papers.records import (
    CopiedPaper,
    CopiedPapers,
    DecidedAuthor,
    DecidedEntities,
    DecidedPaper,
    DecidedProposal,
    EditedPaper,
    ExportedFile,
    PaperExport,
    PaperOfPair,
    ProposedCorrection,
    ProposedPair,
    RereadPapers,
    UndoneDecisions,
)
from papergraph.server.retrieval.scope import AllowedCollections

MOST_TEXTS, MOST_REFERENCES = 20, 1000
"""Papers that one request exports with their texts, or as references."""


@request(kw_only=True)
class PaperFields:
    """Values of fields of a paper; null leaves a field as it is."""

    title: Annotated[str | None, described("Title.")] = None
    abstract: Annotated[str | None, described("Abstract.")] = None
    authors: Annotated[list[str] | None, described("Names of the authors, in order.")] = None
    categories: Annotated[list[str] | None, described("Categories, such as cs.CL.")] = None
    year: Annotated[int | None, described("Year of publication, 1000 to 2999.")] = None
    doi: Annotated[str | None, described("DOI.")] = None
    arxiv_id: Annotated[str | None, described("arXiv id.")] = None
    journal_ref: Annotated[str | None, described("Journal reference.")] = None
    license: Annotated[str | None, described("Licence.")] = None
    comment: Annotated[str | None, described("Comment, such as the number of pages.")] = None
    url: Annotated[str | None, described("Landing page.")] = None


async def paper_fields(database: Database, id: str, *, collections: AllowedCollections) -> list[PaperField]:
    """Return the fields of a paper, each with its source.

    Raises:
        NotFoundError: The paper is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    return await fields_of(database, await node_by_id(database, id, Paper, collections=collections))


async def edit_paper(
    database: Database,
    id: str,
    fields: Mapping[str, Any],
    *,
    clear: Sequence[str] = (),
    undo: Sequence[str] = (),
    collections: AllowedCollections,
) -> EditedPaper:
    """Record a manual edit of a paper, which overrides all sources.

    Args:
        database: A prepared store.
        id: Id of the paper.
        fields: Values by the names of :data:`papergraph.ingest.graph.edits.EDITABLE`; None leaves a field unchanged.
        clear: Fields to empty.
        undo: Fields to restore from the sources.
        collections: Allowed collections; None for all.

    Raises:
        NotFoundError: The paper is missing or forbidden.
        InputError: Fields are missing or repeated, or a value is invalid.
        DatabaseError: Neo4j failed.
    """
    said = {name: value for name, value in fields.items() if value is not None}
    named = [*said, *clear, *undo]
    if not named:
        raise InputError("Name fields to set, to clear or to undo.", field="fields")
    if len(set(named)) < len(named):
        raise InputError("A field is named twice. Set, clear or undo it.", field="fields")
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    source, *_ = await sources_of(database, paper.id, collection=paper.collection)
    await edits.edit_paper(database, paper.id, said | dict.fromkeys(clear), collection=paper.collection, undo=undo)
    edited = await paper_by_key(database, source["key"], collection=paper.collection)  # whose id may be a new one
    return EditedPaper(edited.id, tuple(one for one in await fields_of(database, edited) if one.name in named))


async def export_papers(
    database: Database,
    format: ExportFormat,
    ids: Sequence[str],
    *,
    style: str = DEFAULT_STYLE,
    notes_of: Principal | None = None,
    collections: AllowedCollections,
) -> PaperExport:
    """Return papers as a bibliography, or each as Markdown, in the order of their ids.

    Args:
        database: A prepared store.
        format: Format of the export.
        ids: Ids of 1 to 1,000 papers (20 for Markdown); repeated ids count once.
        style: Citation style of formatted references.
        notes_of: Caller whose tags become keywords, and notes and highlights notes of a bibliography; None for none.
        collections: Allowed collections; None for all.

    Raises:
        InputError: The number of ids is out of range, or there is no such style.
        NotFoundError: A paper is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    wanted, most = list(dict.fromkeys(ids)), MOST_TEXTS if format is ExportFormat.MARKDOWN else MOST_REFERENCES
    if not 1 <= len(wanted) <= most:
        raise InputError(f"Pass 1 to {most} ids of papers, not {len(wanted)}.", field="ids")
    papers = await _papers_by_id(database, wanted, collections)
    authors = await authors_of(database, wanted, collections=collections)
    listed = [
        ListedPaper(paper, tuple(one.name for one in people)) for paper, people in zip(papers, authors, strict=True)
    ]
    if notes_of is not None:
        listed = await with_annotations(database, notes_of, listed)
    if format is not ExportFormat.MARKDOWN:
        text = await asyncio.to_thread(write_bibliography, format, listed, style=style)
        file = ExportedFile(f"papers{format.ending}", text)
        return PaperExport(format, len(papers), (file,))
    texts = [to_markdown(await whole_paper(database, one.id, collection=one.collection)) for one in papers]
    names = [f"{key}{format.ending}" for key in cite_keys(listed)]
    return PaperExport(format, len(papers), tuple(map(ExportedFile, names, texts)))


async def _papers_by_id(database: Database, ids: Sequence[str], collections: AllowedCollections) -> list[Paper]:
    """Return papers in the order of their ids.

    Raises:
        NotFoundError: A paper is missing or forbidden.
    """
    papers: list[Paper] = []
    for id, node in zip(ids, await nodes_by_id(database, ids, collections=collections), strict=True):
        if not isinstance(node, Paper):
            raise NotFoundError("paper with id", id, field="ids")
        papers.append(node)
    return papers


async def copy_papers(
    database: Database,
    names: Sequence[str],
    *,
    from_collection: str,
    to_collection: str,
    principal: Principal,
    move: bool = False,
    originals: Originals | None = None,
) -> CopiedPapers:
    """Copy or move papers to another collection, each in one transaction; a repeated copy changes nothing.

    Copied are a paper's documents, records and edits, its text with sections, chunks and vectors, references, authors,
    venues and affiliations, and annotations that the caller sees. The ids are those that ingestion into
    that collection gives. Not copied are results of enrichments (questions, entities, links, clusters, places on the
    map), which the next ``papergraph enrich`` of that collection makes, and decisions on its authors. A paper that the
    other collection has already is left as it is, and gets the annotations. Papers that are moved are deleted when
    all are copied, with the annotations of all accounts. One stays if the other collection has it without all of its
    texts, fields and edits.

    Args:
        database: A prepared store.
        names: Ids, keys, DOIs or arXiv ids of 1 to 100 papers.
        from_collection: Collection of the papers.
        to_collection: Collection of the copies; a new one is created.
        principal: The caller, who must reach both collections.
        move: True to delete the papers afterwards.
        originals: Kept files; those of deleted papers alone are deleted, too.

    Raises:
        InputError: Both collections are the same, or there are too few or too many papers or annotations.
        NotFoundError: The caller may not use a collection, or that of the papers does not exist.
        NotFoundError: A name matches no paper; nothing was copied.
        DatabaseError: Neo4j failed; papers before that one are copied.
    """
    if not 1 <= len(names) <= MAX_PAGE:
        raise InputError(f"Pass 1 to {MAX_PAGE} papers, not {len(names)}.", field="ids")
    for name in (to_collection, from_collection):
        check_reached(name, principal.collections)
    if from_collection == to_collection:
        raise InputError("The papers are in that collection already. Name another one.", field="toCollection")
    papers = [await _paper_of(database, name, from_collection) for name in names]
    copied: list[CopiedPaper] = []
    for paper in {one.id: one for one in papers}.values():
        done = await copy_paper(
            database, paper.id, source=from_collection, target=to_collection, n_chunks=paper.n_chunks
        )
        if done is None:  # deleted meanwhile
            raise NotFoundError("paper with id", paper.id, field="ids")
        copied.append(CopiedPaper(paper.id, done.id, paper.key, done.copied, moved=move and done.is_whole))
    await copy_annotations(database, principal, {one.paper_id: one.copy_id for one in copied}, of_all=move)
    for one in copied:
        if one.moved:
            late = partial(copy_late_annotations, copy_id=one.copy_id)
            await delete(database, [one.paper_id], collection=from_collection, originals=originals, before=late)
    return CopiedPapers(to_collection, sum(one.copied for one in copied), tuple(copied))


async def reread_papers(
    database: Database,
    intake: IngestService,
    embedder: Embedder,
    originals: Originals | None,
    principal: Principal,
    ids: Sequence[str],
) -> RereadPapers:
    """Open a job that reads the kept files of papers again, with the parsers and settings of now.

    A paper whose text and settings are the same stays as it is. Files that a record beside them describes are skipped:
    ingest them with the record.

    Raises:
        InputError: There are no ids, more than 100, or papers of several collections.
        NotFoundError: A paper is missing or forbidden, or none has a kept file that can be read alone.
        ConflictError: The account has too many unfinished jobs.
        DatabaseError: The outcome is unknown.
    """
    if not 1 <= len(ids) <= MAX_PAGE:
        raise InputError(f"Pass 1 to {MAX_PAGE} ids of papers, not {len(ids)}.", field="ids")
    kept: list[str] = []
    skipped: list[str] = []
    papers = await _papers_by_id(database, ids, principal.collections)
    if len({one.collection for one in papers}) > 1:
        raise InputError("The papers are in several collections. Send those of each alone.", field="ids")
    for paper in papers:
        place = originals.find(paper.content_hash) if originals and paper.format else None
        alone = place is not None and await asyncio.to_thread(_hash_of, place) == paper.content_hash
        if alone and paper.format is not None:
            sources = await sources_of(database, paper.id, collection=paper.collection)
            name = next(one["name"] for one in sources if one.get("contentHash") == paper.content_hash)
            kept.append(kept_name(paper.content_hash, paper.format, name))
        else:
            skipped.append(paper.id)
    if not kept:
        message = "No file of these papers is kept alone. Ingest the files again."
        raise NotFoundError("kept file of paper", papers[0].id, field="ids", message=message)
    job = await intake.reread(principal, database, embedder, papers[0].collection, kept)
    return RereadPapers(job.id, len(kept), tuple(skipped))


def _hash_of(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def merge_papers(database: Database, id: str, other: str, *, collections: AllowedCollections) -> DecidedPaper:
    """Merge two papers of a collection; see :func:`papergraph.ingest.graph.edits.merge_papers`.

    Raises:
        NotFoundError: A paper is missing or forbidden, or they are of two collections.
        InputError: Both are one already.
        DatabaseError: The outcome is unknown.
    """
    paper, _ = await _both(database, id, other, collections)
    return await _decided_paper(
        database, await edits.merge_papers(database, id, other, collection=paper.collection), paper.collection
    )


async def split_paper(
    database: Database, id: str, sources: Sequence[str], *, collections: AllowedCollections
) -> DecidedPaper:
    """Split documents and records from a paper by their names, or take back its merges; return the paper split off.

    Raises:
        NotFoundError: The paper is missing or forbidden, or lacks a source.
        InputError: All sources are named, or none of a paper that was not merged.
        DatabaseError: The outcome is unknown.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    new = await edits.split_paper(database, id, sources, collection=paper.collection)
    return await _decided_paper(database, new, paper.collection)


async def undo_paper(database: Database, id: str, *, collections: AllowedCollections) -> DecidedPaper:
    """Take back the merges of a paper and the split that made it.

    Raises:
        NotFoundError: The paper is missing or forbidden.
        DatabaseError: It is not known to be undone.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    found, n_undone = await edits.undo_paper(database, id, collection=paper.collection)
    return await _decided_paper(database, found, paper.collection, n_undone=n_undone)


async def proposed_pairs(
    database: Database, collection: str, *, limit: int = MAX_PAGE, collections: AllowedCollections = None
) -> list[ProposedPair]:
    """Return pairs of papers of a collection that may be one; see :func:`papergraph.ingest.graph.edits.find_pairs`.

    Raises:
        NotFoundError: The collection is forbidden.
        DatabaseError: Neo4j failed.
    """
    check_reached(collection, collections)
    found = await edits.find_pairs(database, collection=collection, limit=limit)
    return [
        ProposedPair(one.common, tuple(map(PaperOfPair, one.ids, one.titles, one.years)), tuple(one.removed))
        for one in found
    ]


async def decide_pair(
    database: Database, id: str, other: str, *, undo: bool = False, collections: AllowedCollections
) -> DecidedProposal:
    """Decide that two papers of a pair are different, or take this back.

    Raises:
        NotFoundError: A paper is missing or forbidden, or they are of two collections.
        DatabaseError: The outcome is unknown.
    """
    paper, _ = await _both(database, id, other, collections)
    await edits.mark_different(database, id, other, collection=paper.collection, undo=undo)
    return DecidedProposal(not undo)


async def proposed_corrections(
    database: Database, web: Web, id: str, *, collections: AllowedCollections
) -> list[ProposedCorrection]:
    """Look up a paper by DOI, arXiv id or title, and return the fields that the catalogue states otherwise.

    Raises:
        NotFoundError: The paper is missing or forbidden.
        SourceError: No catalogue has it, or none may be asked.
        DatabaseError: Neo4j failed.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    found = await edits.find_corrections(database, web, id, collection=paper.collection)
    return [ProposedCorrection(one.name, _listed(one.value), _listed(one.proposed), one.source) for one in found]


async def decide_correction(
    database: Database,
    id: str,
    name: str,
    values: Sequence[str],
    *,
    undo: bool = False,
    collections: AllowedCollections,
) -> DecidedProposal:
    """Decide that proposed values of a field are wrong, or take this back; to accept them is to edit the field.

    Raises:
        NotFoundError: The paper is missing or forbidden.
        InputError: No corrections are proposed for the field.
        DatabaseError: The outcome is unknown.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    await edits.reject_correction(database, id, name, values, collection=paper.collection, undo=undo)
    return DecidedProposal(not undo)


def _listed(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value if isinstance(value, list | tuple) else [] if value is None else [value]))


async def _both(database: Database, id: str, other: str, collections: AllowedCollections) -> tuple[Paper, Paper]:
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    second: Paper = await node_by_id(database, other, Paper, collections=collections)
    if second.collection != paper.collection:
        raise NotFoundError(f"paper in collection {paper.collection!r} with id", other, field="other")
    return paper, second


async def _decided_paper(database: Database, id: str, collection: str, *, n_undone: int = 0) -> DecidedPaper:
    paper: Paper = await node_by_id(database, id, Paper, collections=[collection])
    return DecidedPaper(id, paper.title, paper.sources, n_undone)


async def _paper_of(database: Database, name: str, collection: str) -> Paper:
    if ID.fullmatch(name):
        found: Paper = await node_by_id(database, name, Paper, collections=[collection])
        return found
    return await paper_by_key(database, name, collection=collection)


async def merge_authors(database: Database, id: str, into: str, *, collections: AllowedCollections) -> DecidedAuthor:
    """Decide that two authors of a collection are one person, who keeps the identity of the second.

    Raises:
        NotFoundError: No author that is reached has an id, or they are of two collections.
        InputError: Both are one already.
        DatabaseError: The outcome is unknown.
    """
    author = await _author(database, id, collections)
    if (await _author(database, into, collections)).collection != author.collection:
        raise NotFoundError(f"author in collection {author.collection!r} with id", into, field="into")
    return await _decided(deciding.merge_authors(database, id, into, collection=author.collection))


async def split_author(
    database: Database, id: str, papers: Sequence[str], *, collections: AllowedCollections
) -> DecidedAuthor:
    """Split the author of some papers from the author of the others; return the new person.

    Raises:
        NotFoundError: The author is missing or forbidden, or has no such paper.
        InputError: No paper, all papers, or more than 100 are given.
        DatabaseError: The outcome is unknown.
    """
    if not 1 <= len(papers) <= MAX_PAGE:
        raise InputError(f"Pass 1 to {MAX_PAGE} papers.", field="papers")
    author = await _author(database, id, collections)
    return await _decided(deciding.split_author(database, id, papers, collection=author.collection))


async def decide_entities(
    database: Database, id: str, other: str, *, same: bool, collections: AllowedCollections
) -> DecidedEntities:
    """Decide whether two entities of a collection are the same thing; what follows for others waits for the enrichment.

    Raises:
        NotFoundError: No entity that is reached has an id, or they are of two collections.
        InputError: Both are one already.
        DatabaseError: The outcome is unknown.
    """
    one: Entity = await node_by_id(database, id, Entity, collections=collections)
    found: Entity = await node_by_id(database, other, Entity, collections=collections)
    if found.collection != one.collection:
        raise NotFoundError(f"entity in collection {one.collection!r} with id", other, field="other")
    await review(database, one.collection, id, other, SAME if same else DIFFERENT)
    return DecidedEntities(id, one.name, other, found.name, same)


async def undo_author(database: Database, id: str, *, collections: AllowedCollections) -> UndoneDecisions:
    """Take back all merges and splits by which an author is who it is.

    Raises:
        NotFoundError: No author that is reached has this id.
        DatabaseError: It is not known to be undone.
    """
    author = await _author(database, id, collections)
    return UndoneDecisions(id, await deciding.undo_author(database, id, collection=author.collection))


async def _author(database: Database, id: str, collections: AllowedCollections) -> Author:
    found: Author = await node_by_id(database, id, Author, collections=collections)
    return found


async def _decided(work: Awaitable[ListedAuthor]) -> DecidedAuthor:
    one = await work
    return DecidedAuthor(one.id, one.name, one.key, one.aliases, tuple(paper["id"] for paper in one.papers))
