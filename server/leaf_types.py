"""Leaf types of the API: records with nothing to follow, that every interface answers with as they are.

Each is declared once, in :data:`LEAF_TYPES`. Its fields are those of the record, and its descriptions stand in the
record's docstring. GraphQL (:mod:`server.graphql.leaf_types`) and REST (:mod:`server.rest.leaf_types`) derive their
types, so that the record itself stands in the annotations of both.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ingest.enrichments.estimate import EnrichmentPlan
from ingest.enrichments.offered import OfferedEnrichment
from ingest.enrichments.summaries import Summary
from ingest.pipeline.estimate import Estimate, Plan
from papergraph.language_model import Usage
from papergraph.statement import Call
from server.answers.highlights import Highlight
from server.answers.records import AnswerAttempt, AnswerCitation, Dropped, NamedAnswer
from server.answers.stored import StoredSource
from server.graph.related import Step
from server.papers.fields import PaperField
from server.papers.judgements import JudgedPaper, JudgedQuestion
from server.papers.pipeline_votes import PipelineVotes, VotedPipeline
from server.papers.records import (
    DecidedAuthor,
    DecidedEntities,
    EditedPaper,
    ExportedFile,
    PaperExport,
    UndoneDecisions,
)
from server.retrieval.candidates import ExpandedQuery, RetrieverScore, SelectionDetail, StepPlace, Via
from server.retrieval.filters.matches import Applied
from server.retrieval.result import StepTrace
from server.selection.result import DeviceReport, Selection

ENTRY = re.compile(r"^ {4}(\w+): (.+(?:\n {8,}.+)*)", re.MULTILINE)
"""An attribute in a docstring with what is said of it."""


@dataclass(frozen=True)
class LeafField:
    """A field of a leaf type.

    Attributes:
        name: Name in the API, in snake case.
        attribute: Name in the record.
        type: Type in the record.
        is_id: Whether it is the id of a node.
        description: What the record's docstring says of it.
    """

    name: str
    attribute: str
    type: Any
    is_id: bool
    description: str


@dataclass(frozen=True)
class LeafType:
    """A record that the API answers with.

    Attributes:
        record: The record.
        name: Name of the type in the API.
        names: Names of fields in the API, where they differ from the record's.
        only: Attributes and properties that the API has, in this order; all attributes if empty.
    """

    record: type
    name: str
    names: Mapping[str, str]
    only: tuple[str, ...]

    @property
    def description(self) -> str:
        """First paragraph of the record's docstring."""
        return " ".join(inspect.cleandoc(self.record.__doc__ or "").partition("\n\n")[0].split())

    @property
    def fields(self) -> list[LeafField]:
        """The fields in their order.

        Raises:
            LookupError: A docstring says nothing of an attribute.
        """
        hints = get_type_hints(self.record)
        said = ENTRY.findall(inspect.cleandoc(self.record.__doc__ or ""))
        entries = {name: " ".join(text.split()) for name, text in said}
        fields = []
        for attribute in self.only or tuple(hints):
            if attribute in hints:
                hint, description = hints[attribute], entries.get(attribute)
            else:
                getter = getattr(self.record, attribute).fget
                hint, description = get_type_hints(getter)["return"], inspect.cleandoc(getter.__doc__ or "")
            if not description:
                raise LookupError(f"The docstring of {self.record.__qualname__} says nothing of {attribute}.")
            name = self.names.get(attribute, attribute)
            fields.append(LeafField(name, attribute, hint, name.endswith("_id") or attribute in IDS, description))
        return fields


IDS = frozenset({"nearest", "merged_chunk_ids", "cluster_ids", "paper_ids"})
"""Attributes that hold ids of nodes, though their names do not end like that."""


def leaf(record: type, name: str = "", /, *, only: tuple[str, ...] = (), **names: str) -> LeafType:
    """Declare a leaf type; its name is the record's unless another is given."""
    return LeafType(record, name or record.__name__, names, only)


LEAF_TYPES = (
    leaf(Via, only=("label", "id", "name"), id="node_id"),
    leaf(RetrieverScore),
    leaf(StepPlace),
    leaf(SelectionDetail),
    leaf(Highlight),
    leaf(ExpandedQuery, "AskedQuery"),
    leaf(Call, "CypherCall", name="file", n_records="records"),
    leaf(StepTrace, "TraceStep", n_in="candidates_in", n_out="candidates_out", calls="cypher"),
    leaf(DeviceReport),
    leaf(
        Selection,
        "SelectionReport",
        only=(
            *("k", "alpha", "form", "objective", "lower_bound", "gap", "certified_gain", "proven", "mean_relevance"),
            *("mean_pair_similarity", "backend", "stage", "elapsed_ms", "fallback", "device"),
        ),
        elapsed_ms="ms",
    ),
    leaf(Applied, "AppliedFilter", only=("filter", "match_summary", "unknown")),
    leaf(AnswerCitation),
    leaf(Dropped, "DroppedText"),
    leaf(Usage, "ModelUsage", n_requests="requests", n_cached="cached"),
    leaf(AnswerAttempt),
    leaf(NamedAnswer),
    leaf(StoredSource),
    leaf(Summary),
    leaf(Step, "PathStep"),
    leaf(PaperField),
    leaf(EditedPaper),
    leaf(ExportedFile),
    leaf(PaperExport),
    leaf(DecidedAuthor),
    leaf(DecidedEntities),
    leaf(UndoneDecisions),
    leaf(OfferedEnrichment, "Enrichment"),
    leaf(
        EnrichmentPlan,
        "EnrichmentEstimate",
        only=(
            *("collection", "enrichments", "n_papers", "n_due", "n_read", "n_chunks"),
            *("n_requests", "n_tokens", "cost", "spanning"),
        ),
    ),
    leaf(JudgedPaper),
    leaf(JudgedQuestion),
    leaf(VotedPipeline),
    leaf(PipelineVotes),
    leaf(Estimate, "EstimatedNumber"),
    leaf(
        Plan,
        "IngestionEstimate",
        only=(
            *("collection", "n_documents", "n_unchanged", "n_refused", "n_sampled", "papers", "chunks", "texts"),
            *("tokens", "cost", "preparing_s", "embedding_s"),
        ),
        preparing_s="preparing_seconds",
        embedding_s="embedding_seconds",
    ),
)


def in_api(type: Any, known: Callable[[Any], Any]) -> Any:
    """Return a record's type as the API has it: what is ``known`` as that, tuples as lists, any other as it is."""
    origin, args = get_origin(type), get_args(type)
    if (found := known(type)) is not None:
        return found
    if origin is tuple:
        return list[in_api(args[0], known)]  # type: ignore[misc]
    if origin in (UnionType, Union):
        return Union[tuple(one if one is NoneType else in_api(one, known) for one in args)]  # noqa: UP007
    return type
