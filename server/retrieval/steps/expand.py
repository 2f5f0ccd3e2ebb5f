"""Step that expands a query, and the plan of its ways."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, Field, StringConstraints

from papergraph import cypher
from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.server.retrieval.active_model import Searched
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.entity_linking import link_in
from papergraph.server.retrieval.filters import FieldValue, Filter, resolve
from papergraph.server.retrieval.lucene import QUESTION_WORDS, is_text
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps.base import Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.draft import PROMPTS, distinct_queries, model_of, read_texts
from papergraph.text.sentences import sentences

if TYPE_CHECKING:
    from papergraph.ingest.enrichments.summaries import Summary

# Metadata of interest: the group of papers whose Meta Knowledge Summary conditions a plan, and which is searched.
#
# Source: Mombaerts et al. 2024, Meta Knowledge for Retrieval Augmented Large Language Models, arXiv:2408.09017.


Metadata = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class PaperGroup:
    """Papers that a plan is made for.

    Attributes:
        name: What the group is called, such as ``area: Robotics or Vision; task: planning``.
        metadata: For each field the values of which a paper has one; or else:
        cluster: Id of a cluster.
        is_of_interest: Whether the user named it; otherwise it is the nearest one to the query.
    """

    name: str
    metadata: Metadata = field(default_factory=dict)
    cluster: str | None = None
    is_of_interest: bool = True

    async def summary(self, resources: Resources, scope: Scope) -> "Summary":
        """Return the Meta Knowledge Summary of the group, made if it is not kept.

        Raises:
            NotFoundError: No paper has the metadata.
            LanguageModelError: The model failed.
            DatabaseError: Neo4j failed.
        """
        from papergraph.ingest.enrichments.summaries import summarize

        of_enrichments = EnrichmentContext(resources.model.searched.embedder, resources.language_model)
        asked = {"where": self.metadata} if self.metadata else {"cluster": self.cluster}
        return await summarize(resources.database, of_enrichments, collection=scope.collections[0], **asked)


def metadata_of(filter: Filter | None) -> Metadata:
    """Return the metadata that all papers of a filter share: accepted values by field.

    Conditions under ``any`` or ``not`` are ignored, as are lists over several fields. The first of several lists for a
    field is used.
    """
    found: dict[str, Sequence[str]] = {}
    for named in _clusters_of(filter):
        fields = {one.field for one in named if isinstance(one, FieldValue)}
        if len(fields) == 1 and all(isinstance(one, FieldValue) for one in named):
            found.setdefault(fields.pop(), tuple(one.value for one in named if isinstance(one, FieldValue)))
    return found


def cluster_of(filter: Filter | None) -> str | None:
    """Return the id of the first cluster that contains all papers of a filter, or None."""
    return next((one[0] for one in _clusters_of(filter) if len(one) == 1 and isinstance(one[0], str)), None)


def _clusters_of(filter: Filter | None) -> Iterator[tuple[str | FieldValue, ...]]:
    if filter is not None:
        if filter.clusters:
            yield filter.clusters
        for part in filter.all or ():
            yield from _clusters_of(part)


def of_metadata(metadata: Metadata) -> Filter:
    """Return the filter of papers that have one of the values of every field."""
    conditions = [
        Filter(clusters=tuple(FieldValue(field=field, value=value) for value in values))
        for field, values in sorted(metadata.items())
    ]
    return conditions[0] if len(conditions) == 1 else Filter(all=tuple(conditions))


async def choose_group(resources: Resources, query: str, scope: Scope, metadata: Metadata) -> tuple[PaperGroup, Scope]:
    """Return the papers that a plan is made for, and the scope that is searched for it.

    Metadata of interest, of the option or of the filter, name the group, and restrict the search to it. Without any it
    is the cluster of metadata that is nearest to the query, and the search stays within it: unless nothing of it is in
    the scope, or the run only fills up what another one found.

    Args:
        resources: What the pipeline runs with.
        query: What was asked.
        scope: Where it looks: in one collection.
        metadata: Fields and values of interest, beside those of the scope's filter.

    Raises:
        InputError: There are no metadata to choose from.
        EmbeddingError: The query cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    if metadata and not scope.fills_up:
        scope = await scope_within(resources, scope, of_metadata(metadata))
    if wanted := {**metadata_of(scope.filter), **metadata}:
        name = "; ".join(f"{field}: {' or '.join(sorted(set(values)))}" for field, values in sorted(wanted.items()))
        return PaperGroup(name, wanted), scope
    if (cluster := cluster_of(scope.filter)) is not None:
        return PaperGroup(f"cluster {cluster}", cluster=cluster), scope
    group = await _nearest(resources, query, scope)
    if scope.fills_up or group.cluster is None:
        return group, scope
    narrow = await scope_within(resources, scope, Filter(clusters=(group.cluster,)))
    return group, scope if narrow.is_empty else narrow


async def scope_within(resources: Resources, scope: Scope, filter: Filter) -> Scope:
    """Return a scope narrowed by a further filter."""
    both = filter if scope.filter is None else Filter(all=(scope.filter, filter))
    applied = await resolve(resources.database, both, scope.collections)
    return replace(scope, passing=applied.passing, filter=both)


async def _nearest(resources: Resources, query: str, scope: Scope) -> PaperGroup:
    async def near(searched: Searched, vector: list[float]) -> Sequence[PaperGroup]:
        records = await resources.database.read(
            cypher.load("retrieval/paper_clusters_near", searched.slot),
            query_vector=vector,
            model=searched.embedder.card.sha256,
            collection=scope.collections[0],
        )
        return [PaperGroup(one["cluster"], cluster=one["cluster_id"], is_of_interest=False) for one in records]

    groups = await resources.model.search(resources.database, query, near)
    if not groups:
        raise InputError(
            f"a plan is made from a summary of papers of a kind, and collection {scope.asked[0]!r} has no metadata: "
            f"run papergraph enrich --enrichments metadata --collection {scope.asked[0]}",
            field="pipeline",
        )
    return groups[0]


# Questions within one query, found by rules: sentences, and beginnings of further questions.
#
# Introductory phrases are not questions: a part is searched separately only if it is understandable by itself.


LEAST_CONTRAST = 0.35
"""1 - cosine between two parts of a question that are two topics; below it they are one."""
LEAST_WORDS, LEAST_WORDS_CUT = 3, 5
"""Words of a part that is a sentence, and of each side of a cut."""
MOST_CUTS = 12
NEAR_WORDS = 12
"""Words at the beginning of a part in which it may point back."""

_STOP = re.compile(r"\s[.;]+\s+|(?<=[?!])\s+")
"""End of a question in a query: a separate full stop, or a question mark."""
_CUT = re.compile(
    r"(?:[,;]?\s+(?:and|or|also))*[,;]?\s+(?P<question>what|how|why"
    r"|(?:and\s+(?:who|which|when|where))"
    r"|(?P<verb>is|are|has|have|can|do|does)(?=\s+(?:any|anyone|the|there|we)\b))\s+",
    re.IGNORECASE,
)
"""Words that can begin another question. Without «and» before them, «who», «which», «when» and «where» usually continue
the same question, and so does «and» alone.
"""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|these|those|this|such|same|former|latter|which ones?|if so)\b", re.IGNORECASE
)
"""Words by which what begins so points back, and is no question by itself."""
_OF_NOTHING = re.compile(
    r"\b(?:is it|it is)(?: \w+)? (?:clear|feasible|known|likely|necessary|possible|true|unlikely)\b", re.IGNORECASE
)
"""«It» that points at nothing: «is it possible», «it is not likely»."""
_ASKS = re.compile(r"\b(?:what|how|why|who|whom|whose|which|when|where)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must)\b",
    re.IGNORECASE,
)
_LEADS_UP = re.compile(
    r"(?:about|according|after|among|as|assuming|at|before|being|beside|besides|between|by|concerning|considering|despite|"
    r"during|for|from|given|if|in|of|on|over|regarding|since|though|to|under|when|while|with|within|without)\b",
    re.IGNORECASE,
)
"""Beginnings of introductory phrases: «in practice», «as of 5 March 2020», «given a fixed budget»."""
_GOES_ON = re.compile(
    r"\b(?:about|and|as|at|by|for|from|if|in|into|me|of|on|or|so|still|than|that|to|us|whether|with)\Z", re.IGNORECASE
)
"""Ends of unfinished phrases: «is there any information on»."""


async def parts(resources: Resources, query: str, most: int) -> list[str]:
    """Return the consecutive questions in a query; empty for a single question or a text.

    Sentences first; where there is one, it is cut where questions begin, each time where the two sides are
    least alike, as long as their contrast, 1 - cosine, is at least .55. A sentence of fewer than three words, or that
    points back ("these", "if so"), belongs to the one before it; nothing is cut off that points back, leads up to a
    question ("in practice"), or is not finished ("is there any information on"). A query of more sentences than
    ``most``, or of over 70 words, is a text.
    """
    if is_text(query):
        return []
    said = _sentences(query)
    if len(said) > most:
        return []
    if len(said) < 2:
        said = [" ".join(query.split())]
        vectors: dict[str, Floats] = {}
        while len(said) < most and (cut := await _best_cut(resources, said, vectors)) is not None:
            place, left, right = cut
            said[place : place + 1] = [left, right]
    return said if len(said) > 1 else []


def _sentences(query: str) -> list[str]:
    """Return the sentences that can be understood by themselves, each with those behind it that cannot."""
    said: list[str] = []
    for sentence in sentences(query):
        for part in _STOP.split(sentence):
            words = part.split()
            n_words = sum(any(map(str.isalnum, word)) for word in words)
            if said and (n_words < LEAST_WORDS or _points_back(part)):
                said[-1] = " ".join([said[-1], *words])
            elif words:
                said.append(" ".join(words))
    return said


async def _best_cut(
    resources: Resources, said: Sequence[str], vectors: dict[str, Floats]
) -> tuple[int, str, str] | None:
    """Return (index of the part to cut, its two sides), or None if all sides are too similar.

    ``vectors`` caches vectors of sides between cuts.
    """
    cuts = []
    for place, part in enumerate(said):
        for match in _CUT.finditer(part):
            left, right = part[: match.start()], part[match.start("question") :]
            if _are_two(left, right, at_verb=match["verb"] is not None):
                cuts.append((place, left.strip(), right.strip()))
    if not cuts:
        return None
    cuts = cuts[:MOST_CUTS]
    texts = list(dict.fromkeys(side for _, *sides in cuts for side in sides if side not in vectors))
    if texts:
        encoded = await asyncio.to_thread(resources.model.searched.embedder.encode_documents, texts)
        vectors.update(zip(texts, encoded, strict=True))
    contrast = [1.0 - float(vectors[left] @ vectors[right]) for _, left, right in cuts]
    best = int(np.argmax(contrast))
    return cuts[best] if contrast[best] >= LEAST_CONTRAST else None


def _are_two(left: str, right: str, *, at_verb: bool) -> bool:
    """Say whether both sides of a cut can be understood by themselves; the right one may begin ``at_verb``."""
    asks = _ASKS.search(left) is not None
    needs_verb = at_verb and asks and not _VERB.search(left)  # for example «how many new cases | are there each year»
    leads_up = not asks and _LEADS_UP.match(left) is not None
    long_enough = min(len(left.split()), len(right.split())) >= LEAST_WORDS_CUT
    return long_enough and not (needs_verb or leads_up or _GOES_ON.search(left) or _points_back(right))


def _points_back(text: str) -> bool:
    beginning = " ".join(text.split()[:NEAR_WORDS])
    return _POINTS_BACK.search(_OF_NOTHING.sub("", beginning)) is not None


# More queries of one: by a language model, or by rules, entities and what was found first


N_READ, N_COMPARED, N_TERMS = 3, 50, 10
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")


class _Queries(BaseModel):
    queries: list[str] = Field(min_length=1)


class Expansion(StrEnum):
    """Source of further queries; the first four use a language model."""

    REWRITE = "rewrite"
    AUGMENTATION = "augmentation"
    HYPOTHESIS = "hypothesis"
    PLAN = "plan"
    PARTS = "parts"
    SYNONYMS = "synonyms"
    FEEDBACK = "feedback"

    @property
    def asks_model(self) -> bool:
        """True if a language model writes them."""
        return self in (Expansion.REWRITE, Expansion.AUGMENTATION, Expansion.HYPOTHESIS, Expansion.PLAN)


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class Expand(Step):
    """More queries; the query itself stays among them unless ``keep`` is false.

    ``metadata`` are fields and values of interest for a plan, such as ``{"area": ["Robotics"]}``: its summary is that
    of their papers, and only these are searched (:func:`papergraph.server.retrieval.steps.expand.choose_group`).
    """

    adds_queries: ClassVar[bool] = True

    step: Literal["expand"] = "expand"
    by: Expansion
    n: Annotated[int, Field(ge=1, le=8)] = 3
    keep: bool = True
    metadata: Annotated[dict[Name, Annotated[tuple[Name, ...], Field(min_length=1)]], Field(max_length=20)] = Field(
        default_factory=dict
    )

    @property
    def asks_model(self) -> bool:
        """True if a language model writes the queries."""
        return self.by.asks_model

    @property
    def of_one_collection(self) -> bool:
        """True for a plan, which is made from the summary of a collection's papers."""
        return self.by is Expansion.PLAN

    def check(self, plan: Plan) -> None:
        """Refuse feedback where nothing was found before."""
        if self.by is Expansion.FEEDBACK and not plan.candidates:
            raise plan.refuse("feedback comes from candidates: search and fuse before it")
        if self.metadata and self.by is not Expansion.PLAN:
            raise plan.refuse("metadata are of a plan")

    async def run(self, state: State) -> Sequence[str]:
        """Add queries."""
        group: PaperGroup | None = None
        notes: list[str] = []
        if self.by is Expansion.PLAN:
            group, within = await choose_group(state.resources, state.query, state.scope, self.metadata)
            chosen = "metadata of interest" if group.is_of_interest else "nearest metadata"
            searched = group.name if within is not state.scope or group.is_of_interest else "all papers"
            notes = [f"{chosen}: {group.name}", f"summary: {group.name}", f"searched: {searched}"]
            state.scope = within

        async def make() -> list[str]:
            return await expand(state.resources, state.query, state.scope, self, state.candidates, group=group)

        made = await (state.generate(make) if self.asks_model else make())
        if made and not self.keep:
            state.skipped |= set(range(state.n_searched, len(state.queries)))
        state.add_queries(made, self.by.value)
        return [*notes, *(f"{self.by.value}: {text}" for text in made)]


async def expand(
    resources: Resources,
    query: str,
    scope: Scope,
    step: Expand,
    candidates: Sequence[RankedCandidate],
    *,
    group: PaperGroup | None = None,
) -> list[str]:
    """Return further queries, at most ``step.n``, none of them the query itself.

    Args:
        resources: What the pipeline runs with.
        query: What was asked.
        scope: Where it looks.
        step: How, and how many.
        candidates: What was found so far, for feedback.
        group: Papers whose summary a plan is made from.

    Raises:
        LanguageModelError: A model is asked and fails.
        EmbeddingError: The query cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    match step.by:
        case Expansion.PARTS:
            found = await parts(resources, query, step.n)
        case Expansion.SYNONYMS:
            found = await _synonyms(resources, query, scope, step.n)
        case Expansion.FEEDBACK:
            found = [await _feedback(resources, query, candidates)]
        case _:
            found = await _by_model(resources, query, scope, step, group)
    return distinct_queries(query, found, step.n)


async def _synonyms(resources: Resources, query: str, scope: Scope, most: int) -> list[str]:
    """Return the query with each entity that it names under its other names, one at a time."""
    links = await link_in(resources.database, scope.collections, query)
    records = await resources.database.read(
        cypher.load("retrieval/entities_by_id"), ids=[one.entity_id for one in links]
    )
    names = {record["id"]: [record["name"], *record["aliases"]] for record in records}
    variants = []
    for one in links:
        said = query[one.start : one.end]
        for name in names.get(one.entity_id, ()):
            if name.lower() != said.lower():
                variants.append(query[: one.start] + name + query[one.end :])
    return variants[:most]


async def _feedback(resources: Resources, query: str, candidates: Sequence[RankedCandidate]) -> str:
    """Return the query with the words that set the first passages apart from those that follow.

    Source: pseudo-relevance feedback, Rocchio 1971, Relevance Feedback in Information Retrieval; words are weighed by
    their count in the first 3 passages and their rarity among the first 50.
    """
    near = candidates[:N_COMPARED]
    texts = await read_texts(resources, [candidate.chunk_id for candidate in near])
    bags = [Counter(word.lower() for word in _WORD.findall(texts.get(c.chunk_id, ("", ""))[0])) for c in near]
    df = Counter(word for bag in bags for word in bag)
    first: Counter[str] = sum(bags[:N_READ], Counter())
    known = {word.lower() for word in _WORD.findall(query)} | QUESTION_WORDS
    weights = {word: n * float(np.log((1 + len(bags)) / df[word])) for word, n in first.items() if word not in known}
    best = sorted(weights, key=lambda word: (-weights[word], word))[:N_TERMS]
    return f"{query} {' '.join(best)}" if best else query


async def _by_model(
    resources: Resources, query: str, scope: Scope, step: Expand, group: PaperGroup | None
) -> list[str]:
    model = model_of(resources)
    values = {"question": query, "n": str(step.n)}
    if group is not None:
        values["summary"] = (await group.summary(resources, scope)).text
    prompt = model.prompt(step.by.value, frozenset(values), folder=PROMPTS)
    return (await model.answer_json(prompt, values, answer=_Queries)).value.queries


STEP = StepKind(Expand, order=1)
