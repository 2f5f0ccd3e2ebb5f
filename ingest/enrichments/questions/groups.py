"""Questions across papers that share metadata: a question of a group stands at each of its papers that answer it.

Papers are grouped by the rarest value that they share, and within it by how near they are. Of each group a language
model makes questions that passages of several of its papers answer together; without one, templates name its papers.
A question bears the id of its group (``groupId``), which is a function of these papers and the options. It is answered
at each paper by passages of that paper, so filters, deletions and archives treat it like any other; where one paper of
a group changes, the questions of the group go with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import DEADLINE_S, Row, batches, pages
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import ModelAnswerError, ModelChangedError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredChunk, StoredPaper
from papergraph.ingest.enrichments.questions import llm_questions as asked
from papergraph.ingest.enrichments.questions.candidates import (
    ASKED_KINDS,
    Draft,
    Generator,
    as_lines,
    asked_chunks,
    question_row,
    reviewed_drafts,
)
from papergraph.ingest.enrichments.questions.duplicates import slot_of
from papergraph.ingest.enrichments.questions.templates import shared_templates
from papergraph.ingest.enrichments.state import read_papers
from papergraph.ingest.graph.writer import hold_model
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.ids import sha256

GROUPS_AT_ONCE = 16
PASSAGES_PER_PAPER = 12
"""Chunks of a paper, nearest to what its group is about, among which passages are chosen."""

DIGITS = 6
"""Of cosines by which papers are grouped."""

MOST_COMPARED = 1000
"""Papers of a value that are compared with each other, about; those of a more frequent one are divided by id."""

ID_DIGITS = 8
"""Hex digits of an id that say in which part it is."""


@dataclass(frozen=True)
class GroupedPaper:
    """A paper as groups are made of it: ``content`` changes with its text or chunks, ``vector`` has length 1."""

    id: str
    key: str
    content: str
    metadata: tuple[tuple[str, str], ...]
    vector: Floats


@dataclass(frozen=True)
class PaperGroup:
    """Two papers or more that share metadata, in the order of ids."""

    papers: tuple[GroupedPaper, ...]

    @cached_property
    def shared(self) -> tuple[tuple[str, str], ...]:
        """Field and value of what all papers have, in order."""
        of_all = set.intersection(*(set(paper.metadata) for paper in self.papers))
        return tuple(sorted(of_all))

    @cached_property
    def middle(self) -> Floats:
        """Mean of the papers' vectors, of length 1; zeros where they cancel each other out."""
        mean = np.mean([paper.vector for paper in self.papers], axis=0)
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length else mean, dtype=np.float32)

    def id(self, config_hash: str) -> str:
        """Return the sha-256 hex of the group, another one when a paper of it or the options change."""
        papers = (part for paper in self.papers for part in (paper.id, paper.content))
        return sha256("QuestionGroup", config_hash, *papers, *as_lines(self.shared))


def groups_of(papers: Sequence[GroupedPaper], *, size: int) -> list[PaperGroup]:
    """Return groups of papers that share metadata, each paper in one at most.

    The rarest values come first. Of the papers of a value that are in no group yet, the first by id forms one with the
    nearest of the others. Papers of a value that more than 1,000 have are divided by the beginning of their ids first,
    and compared within their part: so the time grows with the number of papers. A new one changes one part, and all of
    them where their number doubles.

    Args:
        papers: In the order of ids, which are hex digits.
        size: Most papers of a group, at least 2.
    """
    having: dict[tuple[str, str], list[int]] = {}
    for number, paper in enumerate(papers):
        for value in paper.metadata:
            having.setdefault(value, []).append(number)
    vectors = np.stack([paper.vector for paper in papers]) if papers else np.empty((0, 1), np.float32)
    free = np.ones(len(papers), dtype=bool)
    groups = []
    for _, numbers in sorted(having.items(), key=lambda item: (len(item[1]), item[0])):
        for part in _parts(papers, numbers):
            left = part[free[part]]
            while len(left) >= 2:
                first, others = left[0], left[1:]
                cosines = np.round(vectors[others] @ vectors[first], DIGITS)
                chosen = np.sort(np.append(others[np.lexsort((others, -cosines))[: size - 1]], first))
                groups.append(PaperGroup(tuple(papers[number] for number in chosen)))
                free[chosen] = False
                left = left[free[left]]
    return groups


def _parts(papers: Sequence[GroupedPaper], numbers: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """Yield numbers of papers in parts of some 500 to 1,000, all at once if there are no more."""
    n_parts = 1 << ((len(numbers) - 1) // MOST_COMPARED).bit_length()
    if n_parts == 1:
        yield np.array(numbers, dtype=np.int64)
        return
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    for number in numbers:
        parts[int(papers[number].id[:ID_DIGITS], 16) * n_parts >> 4 * ID_DIGITS].append(number)
    yield from (np.array(part, dtype=np.int64) for part in parts)


@dataclass(frozen=True)
class Across:
    """Questions across the papers of a collection.

    Attributes:
        database: The store.
        collection: Name of the collection.
        resources: Resources of the enrichments.
        generators: The language model or templates; empty for no questions.
        prompts: Prompts of the language model, or None.
        n: Number of questions requested per group.
        size: Most papers of a group.
        config_hash: sha-256 hex of the configuration.
    """

    database: Database
    collection: str
    resources: EnrichmentContext
    generators: tuple[Generator, ...]
    prompts: asked.Prompts | None
    n: int
    size: int
    config_hash: str

    async def bring_up_to_date(self, progress: Progress) -> dict[str, int | float]:
        """Add missing questions and remove outdated ones; groups with current questions are skipped.

        Returns:
            ``n_groups``, and ``n_groups_asked`` (groups with new questions).

        Raises:
            ModelAnswerError: All answers were unusable.
            LanguageModelError: The model failed; finished groups are stored.
            ModelChangedError: The vectors in use are of another model.
            DatabaseError: Neo4j failed; the next call continues.
        """
        papers = await self._papers() if self.generators else []
        groups = {group.id(self.config_hash): group for group in groups_of(papers, size=self.size)}
        stand = await self._remove_others(groups)
        due = [(id, group) for id, group in sorted(groups.items()) if id not in stand]
        failed: list[ModelAnswerError] = []
        n_done = 0
        for batch in batches(due, GROUPS_AT_ONCE):
            found = await gather_or_cancel([self._make(id, group) for id, group in batch])
            failed += [error for error in found if error is not None]
            n_done += len(batch)
            progress.advance("groups of papers", n_done, len(due))
        if failed and len(failed) == len(due):
            raise failed[0]
        return {"n_groups": len(groups), "n_groups_asked": len(due)}

    async def _papers(self) -> list[GroupedPaper]:
        model = self.resources.embedder.card.sha256
        statement = cypher.load("enrichments/papers_with_metadata", await slot_of(self.database, model))
        return [
            GroupedPaper(
                record["id"],
                record["key"],
                record["content"],
                tuple((field, value) for field, value in record["metadata"]),
                np.asarray(record["embedding"], dtype=np.float32),
            )
            async for page in pages(self.database, statement, collection=self.collection, model=model)
            for record in page
        ]

    async def _remove_others(self, groups: Mapping[str, PaperGroup]) -> set[str]:
        """Delete the questions of groups that there are no more; return the ids of those that stay."""
        statement = cypher.load("enrichments/question_groups")
        stand, gone = set[str](), list[str]()
        for record in await self.database.read(statement, collection=self.collection, deadline_s=DEADLINE_S):
            if record["id"] in groups:
                stand.add(record["id"])
            else:
                gone += record["question_ids"]
        for batch in batches(gone):
            await self.database.run_alone(cypher.load("enrichments/delete_questions"), ids=list(batch))
        return stand

    async def _make(self, id: str, group: PaperGroup) -> ModelAnswerError | None:
        """Make the questions of a group and write them; return why the model gave none that can be used."""
        papers = await read_papers(self.database, self.collection, [paper.key for paper in group.papers])
        if len(papers) < len(group.papers):
            return None  # one went meanwhile
        try:
            drafts = await self._drafts(group, papers)
        except ModelAnswerError as error:
            return error
        vectors = await self.resources.embed(sorted({draft.text for drafts in drafts.values() for draft in drafts}))

        async def work(transaction: Transaction) -> None:
            model = await hold_model(transaction)
            if model.sha256 != self.resources.embedder.card.sha256:
                raise ModelChangedError(active=model.identity)
            rows: list[Row] = []
            for paper, stored in zip(group.papers, papers, strict=True):
                (held,) = await transaction.run(cypher.load("enrichments/lock_paper"), id=paper.id) or (None,)
                if held is None or held["content"] + held["config_hash"] != paper.content:
                    return  # it changed meanwhile; the next call makes what it says then
                ready = await reviewed_drafts(transaction, stored, drafts[stored.id])
                edited = [one.draft.text for one in ready.values() if one.draft.text not in vectors]
                known = {**vectors, **await self.resources.embed(edited)}
                rows += [
                    question_row(stored, one, known[one.draft.text], self.resources, model.slot, group=id)
                    for one in ready.values()
                ]
            for batch in batches(rows):
                await transaction.run(cypher.load("enrichments/write_questions", model.slot), rows=batch)

        await self.database.transact_until_known(f"write questions of {id[:12]}", work, deadline_s=DEADLINE_S)
        return None

    async def _drafts(self, group: PaperGroup, papers: Sequence[StoredPaper]) -> dict[str, list[Draft]]:
        """Return by paper the questions of a group that the paper answers."""
        drafts: dict[str, list[Draft]] = {paper.id: [] for paper in papers}
        if Generator.MODEL in self.generators and self.resources.model and self.prompts:
            passages = await self._passages(group, papers)
            found = await asked.pairs_across(
                self.resources.model, self.prompts, self.resources.budget, passages, as_lines(group.shared), self.n
            )
            paper_of = {passage.chunk.id: passage.paper_id for passage in passages}
            for draft in found:
                for paper_id in dict.fromkeys(paper_of[id] for id in draft.chunk_ids):
                    own = tuple(id for id in draft.chunk_ids if paper_of[id] == paper_id)
                    drafts[paper_id].append(replace(draft, chunk_ids=own))
        if Generator.TEMPLATE in self.generators:
            for draft, named in shared_templates(papers, group.shared):
                for paper in named:
                    drafts[paper.id].append(draft)
        return drafts

    async def _passages(self, group: PaperGroup, papers: Sequence[StoredPaper]) -> list[asked.Passage]:
        """Return passages of all papers, those nearest to what the group is about, within what a request holds."""
        slot = await slot_of(self.database, self.resources.embedder.card.sha256)
        near = {
            record["id"]: record["chunk_ids"]
            for record in await self.database.read(
                cypher.load("enrichments/chunks_near", slot),
                ids=[paper.id for paper in papers],
                vector=group.middle.tolist(),
                kinds=sorted(ASKED_KINDS),
                limit=PASSAGES_PER_PAPER,
                deadline_s=DEADLINE_S,
            )
        }
        return [
            asked.Passage(paper.id, paper.title, chunk)
            for paper in papers
            for chunk in _fitting(paper, near.get(paper.id, []), most_chars=asked.GROUP_CHARS // len(papers))
        ]


def _fitting(paper: StoredPaper, near: Sequence[str], *, most_chars: int) -> list[StoredChunk]:
    """Return the nearest chunks worth asking about, one at least if there is any, in the order of the paper."""
    worth = {chunk.id: chunk for chunk in asked_chunks(paper, most=len(paper.chunks))}
    chosen: list[StoredChunk] = []
    for chunk in (worth[id] for id in near if id in worth):
        length = sum(len(one.text) for one in chosen) + len(chunk.text)
        if not chosen or length <= most_chars:
            chosen.append(chunk)
    return sorted(chosen, key=lambda chunk: chunk.ordinal)
