"""Entities and relations that were found elsewhere: read from JSONL, and written to the papers that stand in the graph.

Each line is an object about a paper: ``paper``, its key or id (or ``_id``, the end of its key); perhaps ``chunk``, the
number of a chunk in the paper from 0; ``entities``, names or objects with ``name``, ``type`` and ``aliases``; and
``triples``, lists of subject, relation and object. The names of triples are entities too. Several lines may be about a
paper. What is given goes before what the enrichment finds, and stays until other triples are given or the paper
changes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cypher
from ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from ingest.enrichments.entities.extraction import FoundEntity
from ingest.enrichments.entities.llm_extraction import places
from ingest.enrichments.entities.rows import BY_GIVEN, Made, Relation, mentions_of, write_rows
from ingest.enrichments.entities.types import kind_of
from ingest.enrichments.state import read_papers
from ingest.graph.writer import hold_model
from papergraph.database import Database
from papergraph.errors import InputError, ModelChangedError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from schema.ids import check_collection, entity_id, normalise, sha256

MOST_BYTES = 2_000_000_000
LONGEST_NAME = 500
LONGEST_RELATION = 200
MOST_OF_A_LINE = 10_000
PAPERS_AT_ONCE = 50
DEADLINE_S = 120.0
MARK = "given="
"""How the mark of a paper begins that was given entities."""
ENRICHMENT_MARK = "entities="


@dataclass(frozen=True)
class GivenName:
    """An entity as it is given; without a type its words tell one."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """What a line gives; ``n_left_out`` of its triples do not have three parts, as models leave them at times."""

    paper: str
    chunk: int | None
    entities: tuple[GivenName, ...]
    triples: tuple[tuple[str, str, str], ...]
    n_left_out: int = 0


@dataclass(frozen=True)
class Loaded:
    """What loading did.

    Attributes:
        n_lines: Lines that were read.
        n_papers: Papers that they are about.
        n_mentions, n_relations: Written.
        n_left_out: Triples that do not have three parts.
        missing: Papers of the file that the collection does not hold, the first hundred.
        n_missing: How many there are.
    """

    n_lines: int
    n_papers: int
    n_mentions: int
    n_relations: int
    n_left_out: int
    n_missing: int
    missing: tuple[str, ...]


def read_given(path: Path) -> list[Given]:
    """Read a file of given entities and triples.

    Raises:
        InputError: The file cannot be read, or a line is not of the form; the message says which.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has over {MOST_BYTES:,} bytes", field="file")
        with path.open(encoding="utf-8") as file:
            return [_given(path, number, line) for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", field="file") from error


def _given(path: Path, number: int, line: str) -> Given:
    def wrong(what: str) -> InputError:
        return InputError(f"{path}, line {number}: {what}", field="file")

    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise wrong(f"it is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise wrong("it is no object")
    paper = said.get("paper", said.get("_id"))
    if not isinstance(paper, str) or not paper.strip():
        raise wrong("paper, the key or id of a paper, is missing")
    chunk = said.get("chunk")
    if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 0):
        raise wrong("chunk is the number of a chunk of the paper, from 0")
    entities, triples = said.get("entities", []), said.get("triples", [])
    if not isinstance(entities, list) or not isinstance(triples, list) or len(entities) + len(triples) > MOST_OF_A_LINE:
        raise wrong(f"entities and triples are lists, of {MOST_OF_A_LINE:,} together at most")
    names = []
    for one in entities:
        name = _name(one)
        if name is None:
            raise wrong(f"{str(one)[:100]} is no entity: a name, or an object with name, type and aliases")
        names.append(name)
    for triple in triples:
        if not (isinstance(triple, list) and all(isinstance(part, str) for part in triple)):
            raise wrong(f"{str(triple)[:100]} is no triple: a list of subject, relation and object")
    whole = tuple((triple[0], triple[1], triple[2]) for triple in triples if len(triple) == 3)
    return Given(paper.strip(), chunk, tuple(names), whole, len(triples) - len(whole))


def _name(said: Any) -> GivenName | None:
    if isinstance(said, str):
        return GivenName(said)
    if not isinstance(said, dict):
        return None
    name, type, aliases = said.get("name"), said.get("type") or "", said.get("aliases") or []
    texts = [name, type, *(aliases if isinstance(aliases, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        return None
    return GivenName(str(name), str(type), tuple(aliases))


def made_of(paper: StoredPaper, lines: Iterable[Given]) -> Made:
    """Return what is given of a paper: where its chunks name each entity, in the first chunk where none does.

    A name that is empty or longer than 500 characters is left out, and so is a triple with one, or of an entity with
    itself.
    """
    found: dict[str, list[FoundEntity]] = {chunk.id: [] for chunk in paper.chunks}
    related: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for line in lines:
        chunks = [chunk for chunk in paper.chunks if line.chunk in (None, chunk.ordinal)]
        if not chunks:
            continue
        names = {normalise(one.name): one for one in (GivenName(end) for s, _, o in line.triples for end in (s, o))}
        names |= {normalise(one.name): one for one in line.entities}
        standing: dict[str, list[str]] = {}
        for key, one in names.items():
            name = " ".join(one.name.split())
            if not key or len(name) > LONGEST_NAME:
                continue
            type = one.type or kind_of(name)
            here = {chunk.id: places(chunk.text, name, type=type, by=BY_GIVEN) for chunk in chunks}
            named = {id: spans for id, spans in here.items() if spans[0].start >= 0}
            for id, spans in (named or {chunks[0].id: here[chunks[0].id]}).items():
                found[id] += [FoundEntity(s.start, s.end, s.name, s.type, s.by, one.aliases) for s in spans]
                standing.setdefault(key, []).append(id)
        for subject, relation, object in line.triples:
            ends, word = (normalise(subject), normalise(object)), " ".join(relation.split())
            if ends[0] == ends[1] or not 0 < len(word) <= LONGEST_RELATION or not set(ends) <= standing.keys():
                continue
            both = [id for id in standing[ends[0]] if id in standing[ends[1]]]
            ids = entity_id(paper.collection, ends[0]), entity_id(paper.collection, ends[1])
            related[*ids, word] += both or standing[ends[0]]
    order = {chunk.id: number for number, chunk in enumerate(paper.chunks)}
    return Made(
        tuple(mention for id, spans in found.items() for mention in mentions_of(id, paper.collection, spans)),
        tuple(
            Relation(start, end, type, tuple(sorted(set(ids), key=order.__getitem__)), BY_GIVEN)
            for (start, end, type), ids in sorted(related.items())
        ),
    )


async def load_given(
    database: Database,
    path: Path,
    means: EnrichmentContext,
    *,
    collection: str,
    prefix: str = "",
    progress: Progress = silent,
) -> Loaded:
    """Write what a file gives to the papers of a collection that it names; a paper is written whole or not at all.

    What an earlier file gave of these papers goes. The same file again changes nothing.

    Args:
        database: A prepared store.
        path: The file.
        means: Embeds the names of new entities.
        collection: Where the papers stand.
        prefix: What the keys of papers begin with, before what the file says.
        progress: Hears how far it is.

    Raises:
        InputError: The file is not of the form, or the collection has no valid name.
        DatabaseError: Neo4j failed; the same call does the rest.
    """
    check_collection(collection)
    given: dict[str, list[Given]] = defaultdict(list)
    for line in read_given(path):
        given[prefix + line.paper].append(line)
    n_mentions = n_relations = n_done = 0
    missing: list[str] = []
    wanted = sorted(given)
    for first in range(0, len(wanted), PAPERS_AT_ONCE):
        batch = wanted[first : first + PAPERS_AT_ONCE]
        keys = await _keys(database, collection, batch)
        papers = {paper.key: paper for paper in await read_papers(database, collection, sorted(set(keys.values())))}
        for name in batch:
            paper = papers.get(keys.get(name, ""))
            if paper is None:
                missing.append(name)
                continue
            made = made_of(paper, given[name])
            await _write(database, paper, made, means)
            n_done += 1
            n_mentions, n_relations = n_mentions + len(made.mentions), n_relations + len(made.relations)
        progress.advance("papers", min(first + PAPERS_AT_ONCE, len(wanted)), len(wanted))
    n_lines = sum(map(len, given.values()))
    n_left_out = sum(line.n_left_out for lines in given.values() for line in lines)
    return Loaded(n_lines, n_done, n_mentions, n_relations, n_left_out, len(missing), tuple(missing[:100]))


async def _keys(database: Database, collection: str, names: Sequence[str]) -> dict[str, str]:
    """Return the first key of each paper that is named by one of its keys or by its id."""
    records = await database.read(cypher.load("enrichments/named_papers"), collection=collection, names=list(names))
    return {record["name"]: record["key"] for record in records}


async def _write(database: Database, paper: StoredPaper, made: Made, means: EnrichmentContext) -> None:
    async def work(transaction: Transaction) -> None:
        model = await hold_model(transaction)
        if model.sha256 != means.embedder.card.sha256:
            raise ModelChangedError(active=model.identity)
        records = await transaction.run(cypher.load("enrichments/lock_paper"), id=paper.id)
        if not records or records[0]["content"] != paper.content_hash:
            return
        marks, mark_of_it = records[0]["enrichments"], MARK + sha256(repr(made))
        if mark_of_it in marks:
            return
        if any(
            mark.startswith(MARK) for mark in marks
        ):  # what the enrichment found there was written over: it is made anew
            marks = [mark for mark in marks if not mark.startswith(ENRICHMENT_MARK)]
        await transaction.run(cypher.load("enrichments/outdate"), ids=[paper.id])
        await write_rows(transaction, paper.id, paper.collection, made, means, model.slot, given=True)
        kept = [mark for mark in marks if not mark.startswith(MARK)]
        enrichments = sorted([*kept, mark_of_it] if made.mentions else kept)
        await transaction.run(cypher.load("enrichments/mark"), rows=[{"id": paper.id, "enrichments": enrichments}])

    await database.transact_until_known(f"write what is given of {paper.key}", work, deadline_s=DEADLINE_S)
