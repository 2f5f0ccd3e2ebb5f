"""Papers made again of their sources in a transaction, with as much of what stands there as possible."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import cypher
from ingest.graph import paper_writes
from ingest.graph.clear_enrichments import clear_links
from ingest.graph.paper_sources import PaperPlan, PaperSource, papers_of
from ingest.graph.rows import PaperRows
from ingest.graph.stored_papers import StoredPaper, pack, packed_source, read_rows, unpack
from papergraph.errors import SchemaError
from papergraph.neo4j_errors import Transaction
from schema.embedding_models import StoredModel
from schema.ids import source_id

MakeRows = Callable[[str], PaperRows]
"""Makes the rows of a document under a key."""


class Rearrangement:
    """Makes papers again of their sources, with as much of what stands there as possible."""

    def __init__(
        self, transaction: Transaction, model: StoredModel, collection: str, papers: Sequence[StoredPaper]
    ) -> None:
        self._transaction, self._model, self._collection = transaction, model, collection
        self._papers = list(papers)
        self.has_written_arrival = False

    async def make(
        self,
        sources: Sequence[PaperSource],
        *,
        gone: Sequence[str] = (),
        arrived: PaperSource | None = None,
        make_rows: MakeRows | None = None,
    ) -> list[PaperPlan]:
        """Make the papers of ``sources``, and return them.

        Args:
            sources: All sources of the papers that stand there, as they are to be.
            gone: Names of sources that are no more.
            arrived: The one that is new or changed.
            make_rows: Makes the rows of its text under a key.
        """
        kept = {
            plan.id: paper
            for plan in papers_of(self._collection, sources)
            if (paper := self._standing(plan, arrived)) is not None
        }
        left = [paper for paper in self._papers if paper not in kept.values()]
        sources = await self._pack(left, sources, arrived, make_rows)
        plans = papers_of(self._collection, sources)
        texts = {plan.id: self._rows(plan, arrived, make_rows) for plan in plans if plan.id not in kept}
        await self._make_room(kept, texts, {plan.id: plan.key for plan in plans})
        await paper_writes.write_texts(self._transaction, self._model, list(texts.values()))
        shown = {plan.leading.content for plan in plans}
        plans = [_unpacked(plan, shown) for plan in plans]
        await self._clear_titles(plans, kept)
        await paper_writes.write_plans(self._transaction, plans)
        standing = {one.name for plan in plans for one in plan.sources}
        before = {one.name for paper in self._papers for one in paper.sources}
        if removed := sorted({*gone, *before} - standing):
            ids = [source_id(self._collection, name) for name in removed]
            await self._transaction.run(cypher.load("ingest/delete_sources"), ids=ids)
        return plans

    def _standing(self, plan: PaperPlan, arrived: PaperSource | None) -> StoredPaper | None:
        """Return the paper whose text stays for a plan: it has the content, as this configuration makes it."""
        for paper in self._papers:
            if paper.content == plan.leading.content:
                is_new = arrived is not None and arrived.content == paper.content
                return None if is_new and arrived and arrived.config != paper.config else paper
        return None

    async def _pack(
        self,
        papers: Iterable[StoredPaper],
        sources: Sequence[PaperSource],
        arrived: PaperSource | None,
        make_rows: MakeRows | None,
    ) -> list[PaperSource]:
        """Pack texts that give way to others, each into the first source of its content that stays.

        That of a document that arrived is packed too where another one is shown.
        """
        by_name = {one.name: one for one in sources}

        def keep(content: str, parts: str) -> None:
            same = min(name for name, one in by_name.items() if one.content == content)
            by_name[same] = replace(by_name[same], parts=parts)

        contents = {one.content for one in sources}
        for paper in papers:
            if paper.content in contents and (arrived is None or arrived.content != paper.content):
                keep(paper.content, pack(await read_rows(self._transaction, paper.id, self._model.slot)))
        if arrived is not None and make_rows is not None:
            plans = papers_of(self._collection, sources)
            standing = {paper.content for paper in self._papers} | {plan.leading.content for plan in plans}
            held = packed_source(sources, arrived.content)
            if arrived.content not in standing and (held is None or held.config != arrived.config):
                keep(arrived.content, pack(make_rows(arrived.key)))
        return [by_name[one.name] for one in sources]

    def _rows(self, plan: PaperPlan, arrived: PaperSource | None, make_rows: MakeRows | None) -> PaperRows:
        if arrived is not None and make_rows is not None and plan.leading.content == arrived.content:
            self.has_written_arrival = True
            return make_rows(plan.key)
        source = packed_source(plan.sources, plan.leading.content)
        if source is None:
            raise SchemaError(f"the text of {plan.leading.name} is not kept; ingest it again")
        return unpack(source, self._collection, plan.key, self._model)

    async def _make_room(
        self, kept: Mapping[str, StoredPaper], texts: Mapping[str, PaperRows], keys: Mapping[str, str]
    ) -> None:
        """Delete papers that are none any more, give others their ids, and clear what is to be written over."""
        remaining = {paper.id for paper in kept.values()}
        for paper in self._papers:
            if paper.id in remaining:
                continue
            if paper.id not in texts:
                await paper_writes.delete_paper(self._transaction, paper)
            elif not paper.config or not await paper_writes.has_chunks(
                self._transaction, paper.id, texts[paper.id]
            ):  # without a configuration the doctor has marked it: what stands there is not trusted
                await paper_writes.clear(self._transaction, paper)
        for new, paper in kept.items():
            if paper.id != new:
                await paper_writes.clear(self._transaction, paper)
                await paper_writes.rekey(self._transaction, paper.id, new, key=keys[new])

    async def _clear_titles(self, plans: Sequence[PaperPlan], kept: Mapping[str, StoredPaper]) -> None:
        """Remove links by title of papers whose titles change; the rest of their enrichments stays."""
        before = {paper.id: paper for paper in self._papers if paper.has_enrichments}
        changed = [
            plan.id
            for plan in plans
            if plan.id in before
            and plan.fields.get("title")
            != next((p.fields.get("title") for p in papers_of(self._collection, before[plan.id].sources)), None)
        ]
        if changed:
            await clear_links(self._transaction, changed)


def _unpacked(plan: PaperPlan, shown: set[str]) -> PaperPlan:
    """Return a plan whose sources keep packed only what is not shown."""
    sources = tuple(replace(one, parts=None) if one.parts and one.content in shown else one for one in plan.sources)
    return replace(plan, leading=sources[0], sources=sources)
