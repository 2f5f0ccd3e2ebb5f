"""A run as a file: what was asked, of what, and what came, so that it can be repeated and compared."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from papergraph import __version__
from papergraph.errors import InputError
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.pipelines import parse
from papergraph.server.retrieval.request import CollectionName, PlannedSearch, Query
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import SearchResult, run_search

SCORE_DIGITS = 6


class SavedRun(BaseModel):
    """A run that can be repeated.

    Attributes:
        papergraph: The version that ran it.
        query, collection, other_collections, filter, backfill: What was asked, and where.
        name, pipeline: What was run, with all options.
        model: sha-256 of the weights of the embedding model.
        generated: What a language model wrote, by step.
        hits: Ids of the chunks in order, each with its score.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    papergraph: str
    query: Query
    collection: CollectionName
    other_collections: tuple[CollectionName, ...] = ()
    name: str
    pipeline: dict[str, Any]
    model: str
    filter: dict[str, Any] | None = None
    backfill: bool = False
    generated: dict[str, list[str]]
    hits: list[tuple[str, float]]


def saved(resources: Resources, found: SearchResult) -> SavedRun:
    """Return a run in the form that is kept."""
    outcome = found.outcome
    return SavedRun(
        papergraph=__version__,
        query=found.query,
        collection=outcome.scope.asked[0],
        other_collections=outcome.scope.asked[1:],
        name=outcome.pipeline.name,
        pipeline=outcome.pipeline.as_dict(),
        model=resources.model.searched.embedder.card.sha256,
        filter=found.filter.data() if found.filter else None,
        backfill=found.backfill,
        generated=outcome.generated,
        hits=[(hit.chunk.id, round(hit.score, SCORE_DIGITS)) for hit in found.hits],
    )


def read_saved(content: str | bytes | Mapping[str, Any]) -> SavedRun:
    """Return the run that a file holds.

    Raises:
        InputError: It is no saved run.
    """
    try:
        if isinstance(content, Mapping):
            return SavedRun.model_validate(content)
        return SavedRun.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"This is not a saved run: {where}: {first['msg']}", field="run") from error


async def replay(resources: Resources, run: SavedRun) -> tuple[SearchResult, list[str]]:
    """Run a saved search again with the stored texts of the language model, and return the result and its differences.

    Raises:
        PapergraphError: As of :func:`papergraph.server.retrieval.search.search`.
    """
    planned = PlannedSearch(
        run.query,
        parse(run.name, run.pipeline),
        (run.collection, *run.other_collections),
        filter=parse_filter(run.filter).seen_by(None) if run.filter else None,
        backfill=run.backfill,
    )
    found = await run_search(resources, planned, generated=run.generated)
    now = saved(resources, found)
    differences = []
    if now.model != run.model:
        differences.append("the vectors are of another embedding model")
    then, ids = [id for id, _ in run.hits], [id for id, _ in now.hits]
    for id in then:
        if id not in ids:
            differences.append(f"{id} is no longer among the hits")
    for id in ids:
        if id not in then:
            differences.append(f"{id} is new among the hits")
    if not differences and then != ids:
        differences.append("the same hits come in another order")
    return found, differences
