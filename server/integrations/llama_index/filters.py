"""LlamaIndex's metadata filters in our filter language: keys and operators come from closed lists."""

import difflib
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from papergraph.errors import InputError
from papergraph.server.retrieval.filters import MAX_DEPTH, Filter, parse_filter

KEYS = {
    "papers": "papers",
    "paper": "papers",
    "paperId": "papers",
    "categories": "categories",
    "category": "categories",
    "languages": "languages",
    "language": "languages",
    "authors": "authors",
    "author": "authors",
    "entities": "entities",
    "entity": "entities",
    "clusters": "clusters",
    "cluster": "clusters",
    "kinds": "kinds",
    "kind": "kinds",
    "years": "years",
    "year": "years",
    "dates": "dates",
    "date": "dates",
}
"""Each key that a filter may have, with the condition that it becomes."""

RANGES = frozenset({"years", "dates"})
ONE_OF = frozenset({FilterOperator.EQ, FilterOperator.IN, FilterOperator.ANY, FilterOperator.CONTAINS})
NONE_OF = frozenset({FilterOperator.NE, FilterOperator.NIN})
BOUNDS = {FilterOperator.GT: "from", FilterOperator.GTE: "from", FilterOperator.LT: "to", FilterOperator.LTE: "to"}


def filter_of(filters: MetadataFilters | None, *, papers: Sequence[str] | None = None) -> Filter | None:
    """Return the filter that lets the same pass as LlamaIndex's, or None where everything passes.

    Args:
        filters: Filters in each other, joined by ``and``, ``or`` and ``not``.
        papers: Ids or keys of papers that it must be of beside them, or None for all.

    Raises:
        InputError: A key, an operator or a value that we do not have; the message says which there are.
    """
    parts = [] if filters is None or not filters.filters else [_joined(filters, depth=1)]
    if papers:
        parts.append({"papers": list(papers)})
    return parse_filter(parts[0] if len(parts) == 1 else {"all": parts}) if parts else None


def _joined(filters: MetadataFilters, *, depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise InputError(f"filters stand in filters, at most {MAX_DEPTH} deep", field="filters")
    parts = [
        _joined(one, depth=depth + 1) if isinstance(one, MetadataFilters) else _condition(one)
        for one in filters.filters
    ]
    match filters.condition:
        case FilterCondition.OR:
            return {"any": parts}
        case FilterCondition.NOT:
            return {"not": {"any": parts}}
        case _:
            return {"all": parts}


def _condition(filter: MetadataFilter) -> dict[str, Any]:
    key = KEYS.get(filter.key)
    if key is None:
        near = difflib.get_close_matches(filter.key, KEYS, n=1)
        raise InputError(
            f"passages cannot be filtered by {filter.key[:40]!r}"
            + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(set(KEYS.values())))}"),
            field="filters",
        )
    if filter.operator in BOUNDS and key in RANGES:
        return {key: {BOUNDS[filter.operator]: _bound(filter)}}
    values = filter.value if isinstance(filter.value, list) else [filter.value]
    wanted = [{key: {"from": value, "to": value}} for value in values] if key in RANGES else None
    if filter.operator in ONE_OF:
        return {"any": wanted} if wanted else {key: values}
    if filter.operator in NONE_OF:
        return {"not": {"any": wanted} if wanted else {key: values}}
    if filter.operator is FilterOperator.ALL and wanted is None:
        return {"all": [{key: [value]} for value in values]}
    raise InputError(f"{key} cannot be filtered with the operator {filter.operator.value!r}", field="filters")


def _bound(filter: MetadataFilter) -> Any:
    """Return the first or the last value that passes: our ranges include both of their ends."""
    step = {FilterOperator.GT: 1, FilterOperator.LT: -1}.get(filter.operator, 0)
    if isinstance(filter.value, int):
        return filter.value + step
    try:
        return (date.fromisoformat(str(filter.value)) + timedelta(days=step)).isoformat()
    except (ValueError, OverflowError) as error:
        raise InputError(f"{str(filter.value)[:40]!r} is no year or day such as 2021-12-31", field="filters") from error
