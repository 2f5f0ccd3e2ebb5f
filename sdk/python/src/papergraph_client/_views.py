"""Mixins of response models: iteration, short cuts, and conversion to tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas

    from papergraph_client.models import CypherRows, Hit, SearchAnswer


class Hits:
    """Iteration over the hits of a search, best first."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(cast("SearchAnswer", self).hits)

    def __len__(self) -> int:
        return len(cast("SearchAnswer", self).hits)

    def __getitem__(self, place: int) -> Hit:
        return cast("SearchAnswer", self).hits[place]


class HitView:
    """Short cuts to what people show of a hit."""

    @property
    def section_path(self) -> tuple[str, ...]:
        """Headings above the passage, outermost first."""
        return cast("Hit", self).section.path

    @property
    def page(self) -> int | None:
        """First page of the passage, from 1, if the source has pages."""
        return cast("Hit", self).chunk.start_page

    @property
    def link(self) -> str | None:
        """Address of the paper, at the page of the passage if it is known."""
        url = cast("Hit", self).paper.url
        return url if url is None or self.page is None else f"{url}#page={self.page}"

    @property
    def why_not_higher(self) -> str | None:
        """Reason of the rank, if the search included the explanation."""
        explanation = cast("Hit", self).explanation
        return None if explanation is None else explanation.why_not_higher


class Table:
    """Forms of the rows of a Cypher query."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dicts())

    def __len__(self) -> int:
        return len(cast("CypherRows", self).rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column."""
        rows = cast("CypherRows", self)
        return [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a data frame.

        Raises:
            ImportError: pandas is not installed; the extra ``pandas`` has it.
        """
        import pandas

        rows = cast("CypherRows", self)
        return pandas.DataFrame(list(rows.rows), columns=list(rows.columns))
