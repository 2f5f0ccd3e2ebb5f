"""Manual edits of papers: fields, which override all other sources, merges and splits; they survive other changes.

Each edit is a source of its paper (:mod:`papergraph.ingest.graph.paper_sources`), so a paper stays a function of its
sources, and an edit that is taken back leaves no trace. Proposals that a person rejects are ``Review`` nodes.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.paper_sources import (
    FIELDS,
    MERGE,
    SPLIT,
    PaperPlan,
    PaperSource,
    Provider,
    SourceKind,
    papers_of,
    split_marks,
)
from papergraph.ingest.graph.stored_papers import StoredPaper, lock_papers, sources_of
from papergraph.ingest.graph.writer import LOOK_AGAIN, Rearrangement, change_source, hold_model
from papergraph.ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from papergraph.ingest.sources.web import Web, look_up
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import (
    arxiv_key,
    author_review_id,
    check_collection,
    doi_key,
    public_name,
    sha256,
    title_letters,
)

TEXTS = {
    "title": LONGEST_TITLE,
    "abstract": 100_000,
    "license": 1000,
    "comment": 10_000,
    "journalRef": 1000,
    "url": 2000,
}
YEARS = range(1000, 3000)
EDITABLE = (*TEXTS, "authors", "categories", "year", "doi", "arxivId")
"""Fields that a person can set or empty."""


@dataclass(frozen=True)
class StatedField:
    """A field of a paper: its value, and the name and provider of the source that states it."""

    name: str
    value: Any
    source: str
    provider: Provider


async def edit_paper(
    database: Database,
    key: str,
    fields: Mapping[str, Any],
    *,
    collection: str,
    undo: Iterable[str] = (),
) -> None:
    """Record and apply a manual edit of a paper; earlier edits of other fields stay.

    Args:
        database: A prepared store.
        key: A key of the paper, main or other.
        fields: Values by the names of :data:`EDITABLE`; None, an empty text or list empties a field.
        collection: Collection of the paper.
        undo: Fields whose edits are undone.

    Raises:
        NotFoundError: The paper is missing.
        InputError: A field is not editable, or has an invalid value.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    checked = {name: _checked(name, value) for name, value in fields.items()}
    taken_back = {_known(name) for name in undo}

    def change(paper: StoredPaper, stored: PaperSource | None) -> PaperSource | None:
        said = {} if stored is None else {**stored.fields, **dict.fromkeys(stored.cleared)}
        said = {name: value for name, value in {**said, **checked}.items() if name not in taken_back}
        if not said:
            return None
        aliases = _keys_of(paper.sources, split_marks(paper.sources)) | (set(stored.aliases) if stored else set())
        return PaperSource(
            name_of_edit(paper.key) if stored is None else stored.name,
            paper.key if stored is None else stored.key,
            SourceKind.EDIT,
            Provider.PERSON,
            fields={name: value for name, value in said.items() if value},
            aliases=tuple(sorted(aliases)),
            cleared=tuple(sorted(name for name, value in said.items() if not value)),
        )

    plan = await _plan(database, key, collection)
    edits = [one.name for one in plan.sources if _is_field_edit(one)]
    name = edits[0] if edits else name_of_edit(plan.key)
    if not await change_source(database, collection=collection, name=name, change=change, of=plan.leading.name):
        raise NotFoundError(f"paper in collection {collection!r} with key", key, field="key")


async def stated_fields(database: Database, key: str, *, collection: str) -> list[StatedField]:
    """Return the fields of a paper that are known or emptied, each with its source, in the order of precedence's table.

    Raises:
        NotFoundError: The paper is missing.
        DatabaseError: Neo4j failed.
    """
    plan = await _plan(database, key, collection)
    by_name = {one.name: one for one in plan.sources}
    return [
        StatedField(name, plan.fields.get(name), source, by_name[source].provider)
        for name, source in plan.stated_by.items()
    ]


def value_of(name: str, text: str) -> Any:
    """Return the value of a field from text; semicolons separate the entries of a list.

    Raises:
        InputError: The field is not editable, or the year is not a number.
    """
    _known(name)
    if name in ("authors", "categories"):
        return [one.strip() for one in text.split(";") if one.strip()]
    if name == "year" and text:
        if not text.isdecimal():
            raise InputError(f"{text[:40]} is not a year.", field=name)
        return int(text)
    return text


def name_of_edit(key: str) -> str:
    """Return the name of the edit of a paper that has a key when it is edited first."""
    return f"edit:{key}"


async def _plan(database: Database, key: str, collection: str) -> PaperPlan:
    sources = [PaperSource.of(one) for one in await sources_of(database, key, collection=collection)]
    plans = papers_of(collection, sources)
    if not plans:
        raise NotFoundError(f"paper in collection {collection!r} with key", key, field="key")
    return next((plan for plan in plans if key in (plan.key, plan.id)), plans[0])


def _known(name: str) -> str:
    if name not in EDITABLE:
        raise InputError(f"{name[:40]!r} cannot be edited. Fields: {', '.join(EDITABLE)}.", field="fields")
    return name


def _checked(name: str, value: Any) -> Any:
    """Return a value as it is stored; None for one that empties the field."""
    _known(name)
    if value in (None, "", [], ()):
        return None
    if name == "year":
        if not isinstance(value, int) or isinstance(value, bool) or value not in YEARS:
            raise InputError(f"{str(value)[:40]} is not a year.", field=name)
        return value
    if name in ("authors", "categories"):
        return _names(name, value)
    if not isinstance(value, str):
        raise InputError(f"{name} must be text.", field=name)
    if name in ("doi", "arxivId"):
        try:
            return (doi_key if name == "doi" else arxiv_key)(value).partition(":")[2]
        except ValueError as error:
            raise InputError(str(error), field=name) from error
    text = re.sub(r"\s+", " ", value).strip() if name != "abstract" else value.strip()
    if len(text) > TEXTS[name]:
        raise InputError(f"{name} is longer than {TEXTS[name]} characters.", field=name)
    return text or None


def _names(name: str, value: Any) -> list[str] | None:
    if isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{name} must be a list of texts.", field=name)
    names = list(dict.fromkeys(filter(None, (" ".join(one.split()) for one in value))))
    if len(names) > MOST_AUTHORS or any(len(one) > LONGEST_NAME for one in names):
        raise InputError(f"{name} has too many entries, or one that is too long.", field=name)
    return names or None


# Merges and splits of papers, which are edits too


PAPERS, CORRECTION = "papers", "correction"
"""Kinds of reviews: two papers are different; a proposed value of a field is wrong."""
DIFFERENT, REJECTED = "different", "rejected"
DEADLINE_S = 300.0


@dataclass(frozen=True)
class PaperPair:
    """Two papers that may be one: their ids, keys, titles and years, and what they have in common, DOI or title.

    ``removed`` names the enrichments of the text that a merge hides.
    """

    ids: Sequence[str]
    keys: Sequence[str]
    titles: Sequence[str]
    years: Sequence[int | None]
    common: str
    removed: Sequence[str] = ()


async def merge_papers(database: Database, one: str, other: str, *, collection: str) -> str:
    """Decide that two papers are one, and return its id; a split of the two is taken back instead.

    The text that is shown, and the fields, follow from all sources of both, as for documents that share a DOI. The
    other text stays packed with its vectors, but loses its enrichments (:func:`removed_by_merge`).

    Raises:
        NotFoundError: A paper is missing.
        InputError: Both are one already.
        DatabaseError: The outcome is unknown.
    """
    plans = [await _plan(database, key, collection) for key in (one, other)]
    if plans[0].id == plans[1].id:
        raise InputError(f"{one[:80]!r} and {other[:80]!r} are one paper already.", field="other")
    leading = [plan.leading.name for plan in plans]

    def change(sources: Sequence[PaperSource]) -> list[PaperSource]:
        return _merged(collection, sources, leading)

    about = sorted(plan.key for plan in plans)
    made = await _rearrange(database, collection, leading, change, forget=author_review_id(collection, PAPERS, about))
    return _of_plans(made, leading[0]).id


def _merged(collection: str, sources: Sequence[PaperSource], leading: Sequence[str]) -> list[PaperSource]:
    """Return the sources of two papers, named by their leading ones, with their merge or without their split."""
    papers = [_of(collection, sources, name) for name in leading]
    splits = {one.name for paper in papers for one in paper.sources if one.name.startswith(SPLIT)}
    joined = _without(sources, splits)
    if splits and leading[1] in {one.name for one in _of(collection, joined, leading[0]).sources}:
        return joined
    mark = MERGE + sha256(*sorted(paper.key for paper in papers))[:16]
    return [*sources, *(_merge(mark, number, paper) for number, paper in enumerate(papers))]


async def removed_by_merge(database: Database, one: str, other: str, *, collection: str) -> list[str]:
    """Return the names of the enrichments that a merge of two papers removes, with the text that it hides.

    Raises:
        NotFoundError: A paper is missing.
        DatabaseError: Neo4j failed.
    """
    plans = [await _plan(database, key, collection) for key in (one, other)]
    sources = list({source.name: source for plan in plans for source in plan.sources}.values())
    leading = [plan.leading.name for plan in plans]
    shown = _of(collection, _merged(collection, sources, leading), leading[0]).id
    removed = await _enrichments(database, {plan.id for plan in plans} - {shown})
    return list(dict.fromkeys(name for names in removed.values() for name in names))


async def _enrichments(database: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    records = await database.read(cypher.load("papers/enrichments"), ids=sorted(ids))
    return {record["id"]: record["names"] for record in records if record["names"]}


async def split_paper(database: Database, key: str, names: Sequence[str] = (), *, collection: str) -> str:
    """Split sources from a paper, and return the id of their paper; without names, take back its merges.

    Args:
        database: A prepared store.
        key: Key or id of the paper.
        names: Names of some of its documents and records, which become a paper; of files without their folders too.
        collection: Collection of the paper.

    Raises:
        NotFoundError: The paper is missing, or has no such source.
        InputError: All sources are named, the paper has no merge to take back, or a named source has the content of
            another one.
        DatabaseError: The outcome is unknown.
    """
    plan = await _plan(database, key, collection)
    documents = {one.name: one for one in plan.sources if one.kind is not SourceKind.EDIT}
    called = {name: [one for one in documents if name in (one, public_name(one))] for name in names}
    if unknown := [name for name, found in called.items() if not found]:
        raise NotFoundError("source of the paper", unknown[0], field="sources")
    chosen = {one for found in called.values() for one in found}
    rest = documents.keys() - chosen
    if not rest or {documents[name].content for name in chosen} & {documents[name].content for name in rest}:
        raise InputError("Name some of the paper's sources, and all with the same content.", field="sources")
    merges = {one.name for one in plan.sources if one.name.startswith(MERGE)}
    if not chosen and not merges:
        told = ", ".join(sorted(map(public_name, rest)))[:1000]
        raise InputError(f"The paper was not merged. Name sources: {told}.", field="sources")

    def change(sources: Sequence[PaperSource]) -> list[PaperSource]:
        apart = _narrowed(collection, _without(sources, merges))
        parts = {frozenset(documents.keys() & {one.name for one in p.sources}) for p in papers_of(collection, apart)}
        if not chosen or chosen in parts:
            return apart
        split = SPLIT + sha256(*sorted(chosen))[:16]
        key = f"{min(documents[name].key for name in chosen)}#{split.removeprefix(SPLIT)}"
        edit = PaperSource(split, key, SourceKind.EDIT, Provider.PERSON, aliases=tuple(sorted(chosen)))
        return _narrowed(collection, [*sources, edit])

    made = await _rearrange(database, collection, [plan.leading.name], change)
    shown = plan.leading.name
    others = [one for one in made if shown not in {s.name for s in one.sources}]
    named = [one for one in made if chosen & {source.name for source in one.sources}]
    return next(iter([*named, *(p for p in others if documents.keys() & {s.name for s in p.sources})])).id


async def undo_paper(database: Database, key: str, *, collection: str) -> tuple[str, int]:
    """Take back the merges of a paper and the splits that made it; return its id, and how many there were.

    Raises:
        NotFoundError: The paper is missing.
        DatabaseError: It is not known to be undone.
    """
    plan = await _plan(database, key, collection)
    gone = {one.name for one in plan.sources if one.name.startswith((MERGE, SPLIT))}
    if gone:
        made = await _rearrange(
            database, collection, [plan.leading.name], lambda sources: _narrowed(collection, _without(sources, gone))
        )
        plan = _of_plans(made, plan.leading.name)
    return plan.id, len({name.partition("/")[0] for name in gone})


async def find_pairs(database: Database, *, collection: str, limit: int) -> list[PaperPair]:
    """Return pairs of papers that may be one: with one DOI, or one title and a year or first author in common.

    Pairs that a person found different are left out.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("papers/pairs"), collection=check_collection(collection), limit=limit)
    pairs = [PaperPair(**record.data()) for record in records]
    enriched = await _enrichments(database, {id for pair in pairs for id in pair.ids})
    return [
        replace(pair, removed=await removed_by_merge(database, *pair.ids, collection=collection))
        if enriched.keys() & set(pair.ids)
        else pair
        for pair in pairs
    ]


async def mark_different(database: Database, one: str, other: str, *, collection: str, undo: bool = False) -> None:
    """Decide that two papers of a pair are different, or take this back; they stay as they are.

    Raises:
        NotFoundError: A paper is missing.
        DatabaseError: The outcome is unknown.
    """
    about = sorted([(await _plan(database, key, collection)).key for key in (one, other)])
    await review_proposal(database, collection, PAPERS, about, DIFFERENT, undo=undo)


async def review_proposal(
    database: Database, collection: str, kind: str, about: Sequence[str], decision: str, *, undo: bool
) -> None:
    """Note that a person turned a proposal down, or forget it."""
    id = author_review_id(collection, kind, about)
    values: dict[str, Any] = {"collection": collection, "kind": kind, "about": list(about), "decision": decision}

    async def work(transaction: Transaction) -> bool:
        if undo:
            await transaction.run(cypher.load("authors/forget"), ids=[id])
        else:
            await transaction.run(cypher.load("enrichments/write_review"), id=id, text=None, **values)
        return True

    await database.transact_until_known("review a proposal", work)


# Corrections of the fields of a paper, proposed by arXiv or a catalogue


PROPOSED = ("title", "authors", "year", "doi", "arxivId", "journalRef", "abstract")
"""Fields for which corrections are proposed."""


@dataclass(frozen=True)
class Correction:
    """A value of a field that a catalogue states and the paper has not; ``source`` is what was looked up."""

    name: str
    value: Any
    proposed: Any
    source: str


async def find_corrections(database: Database, web: Web, key: str, *, collection: str) -> list[Correction]:
    """Return the fields of a paper with other values at arXiv or in a catalogue; rejected proposals are left out.

    The paper is looked up by its DOI, else its arXiv id, else its title. To accept a value is to edit the field.

    Raises:
        NotFoundError: The paper is missing.
        SourceError: Its record was not found, or nothing may be asked.
        DatabaseError: Neo4j failed.
    """
    plan = await _plan(database, key, collection)
    doi, arxiv_id, title = (plan.fields.get(name) for name in ("doi", "arxivId", "title"))
    source = f"doi:{doi}" if doi else f"arxiv:{arxiv_id}" if arxiv_id else f"title:{title}"
    found = await asyncio.to_thread(look_up, source, web)
    values = {name: getattr(found, FIELDS[name]) for name in PROPOSED}
    stated = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}
    rejected = {tuple(about[1:]) for about in await _rejected(database, plan)}
    return [
        Correction(name, plan.fields.get(name), value, source)
        for name, value in stated.items()
        if _differ(plan.fields.get(name), value) and (name, as_text(value)) not in rejected
    ]


async def reject_correction(
    database: Database, key: str, name: str, value: Any, *, collection: str, undo: bool = False
) -> None:
    """Decide that a proposed value of a field is wrong, or take this back.

    Raises:
        NotFoundError: The paper is missing.
        InputError: No corrections are proposed for the field.
        DatabaseError: The outcome is unknown.
    """
    if name not in PROPOSED:
        raise InputError(f"{name[:40]!r} is not corrected. Fields: {', '.join(PROPOSED)}.", field="name")
    about = [(await _plan(database, key, collection)).key, name, as_text(value)]
    await review_proposal(database, collection, CORRECTION, about, REJECTED, undo=undo)


async def correct_paper(
    database: Database,
    web: Web,
    key: str,
    *,
    accept: Sequence[str] = (),
    reject: Sequence[str] = (),
    undo: Sequence[str] = (),
    collection: str,
) -> list[Correction]:
    """Decide on the corrections of fields of a paper, and return them; without decisions, return all.

    Args:
        database: A prepared store.
        web: Access to arXiv and catalogues.
        key: Key or id of the paper.
        accept: Fields whose proposals are stored as manual edits.
        reject: Fields whose proposals are wrong.
        undo: Fields whose edits and rejections are taken back first.
        collection: Collection of the paper.

    Raises:
        NotFoundError: The paper is missing.
        InputError: A field is decided on twice, or has no proposal.
        SourceError: Its record was not found, or nothing may be asked.
        DatabaseError: Neo4j failed.
    """
    named = [*accept, *reject, *undo]
    if len(set(named)) < len(named):
        raise InputError("A field is named twice. Accept, reject or undo it.", field="fields")
    if undo:
        plan = await _plan(database, key, collection)
        for about in await _rejected(database, plan):
            if about[1] in undo:
                await review_proposal(database, collection, CORRECTION, about, REJECTED, undo=True)
        await edit_paper(database, plan.id, {}, collection=collection, undo=undo)
    found = await find_corrections(database, web, key, collection=collection)
    if lacking := {*accept, *reject} - {one.name for one in found}:
        raise InputError(f"Nothing is proposed for {', '.join(sorted(lacking))}.", field="fields")
    for one in found:
        if one.name in reject:
            await reject_correction(database, key, one.name, one.proposed, collection=collection)
    if accept:  # last, as a new DOI may make it another paper
        taken = {one.name: one.proposed for one in found if one.name in accept}
        await edit_paper(database, key, taken, collection=collection)
    return [one for one in found if not named or one.name in named]


async def _rejected(database: Database, plan: PaperPlan) -> list[list[str]]:
    records = await database.read(cypher.load("papers/rejected"), collection=plan.collection, key=plan.key)
    return [record["about"] for record in records]


async def find_bare(database: Database, *, collection: str, limit: int) -> list[str]:
    """Return ids of papers whose fields only their documents state.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("papers/bare"), collection=check_collection(collection), limit=limit)
    return [record["id"] for record in records]


def as_text(value: Any) -> str:
    """Return the value of a field as :func:`value_of` reads it."""
    return "; ".join(value) if isinstance(value, list | tuple) else str(value)


def _differ(value: Any, proposed: Any) -> bool:
    one, other = (" ".join(as_text("" if each is None else each).split()) for each in (value, proposed))
    return one != other and (len(other) < LONGEST_TITLE or title_letters(one) != title_letters(other))


async def _rearrange(
    database: Database,
    collection: str,
    names: Sequence[str],
    change: Callable[[Sequence[PaperSource]], list[PaperSource]],
    *,
    forget: str | None = None,
) -> list[PaperPlan]:
    """Change the sources of the papers that have some, while other writers wait, and make the papers again."""

    async def work(transaction: Transaction) -> list[PaperPlan]:
        await transaction.run(cypher.load("reembed/close_gates"))
        model = await hold_model(transaction)
        papers = await lock_papers(transaction, collection, [PaperSource.named(name, key=name) for name in names])
        papers = await lock_papers(transaction, collection, [one for paper in papers for one in paper.sources])
        sources = [one for paper in papers for one in paper.sources]
        changed = change(sources)
        gone = sorted({one.name for one in sources} - {one.name for one in changed})
        await transaction.run(cypher.load("authors/forget"), ids=[forget] if forget else [])
        return await Rearrangement(transaction, model, collection, papers).make(changed, gone=gone)

    return await database.transact_until_known("merge or split", work, again_on=LOOK_AGAIN, deadline_s=DEADLINE_S)


def _merge(mark: str, number: int, paper: PaperPlan) -> PaperSource:
    aliases = _keys_of(paper.sources, split_marks(paper.sources)) | {mark}
    name = f"{mark}/{number}"
    return PaperSource(name, paper.key, SourceKind.EDIT, Provider.PERSON, aliases=tuple(sorted(aliases)))


def _keys_of(sources: Iterable[PaperSource], marks: Mapping[str, str]) -> set[str]:
    """Return what an edit of a paper of some sources has as aliases."""
    documents = [one for one in sources if one.kind is not SourceKind.EDIT]
    return {one.key for one in documents} | {marks[one.name] for one in documents if one.name in marks}


def _narrowed(collection: str, sources: Sequence[PaperSource]) -> list[PaperSource]:
    """Return sources whose edits of fields join nothing else: each keeps the keys of one paper."""
    edits = [one for one in sources if _is_field_edit(one)]
    plans = papers_of(collection, [one for one in sources if one not in edits])
    narrowed = []
    for edit in edits:
        ordered = sorted(plans, key=lambda plan: plan.key != edit.key)
        plan = next((p for p in ordered if edit.key in {p.key, *(one.key for one in p.sources)}), None)
        keys = set(edit.aliases) if plan is None else _keys_of(plan.sources, split_marks(plan.sources))
        narrowed.append(replace(edit, aliases=tuple(sorted(keys))))
    return [*(one for one in sources if one not in edits), *narrowed]


def _is_field_edit(source: PaperSource) -> bool:
    return source.kind is SourceKind.EDIT and not source.name.startswith((MERGE, SPLIT))


def _without(sources: Iterable[PaperSource], names: Iterable[str]) -> list[PaperSource]:
    gone = set(names)
    return [one for one in sources if one.name not in gone]


def _of(collection: str, sources: Iterable[PaperSource], name: str) -> PaperPlan:
    return _of_plans(papers_of(collection, sources), name)


def _of_plans(plans: Iterable[PaperPlan], name: str) -> PaperPlan:
    return next(plan for plan in plans if name in {one.name for one in plan.sources})
