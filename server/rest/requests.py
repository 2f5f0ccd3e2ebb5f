"""Base models of request bodies and parameters."""

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from schema.ids import COLLECTION, DEFAULT_COLLECTION
from server.graph.nodes import MAX_PAGE
from server.pagination import MAX_CURSOR_CHARS


class RequestModel(BaseModel):
    """Request body or parameters in camelCase; unknown names are refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", use_attribute_docstrings=True
    )


class PageOf(RequestModel):
    """Page of a list."""

    first: int = Field(default=20, ge=1, le=MAX_PAGE)
    """Entries per page."""

    after: str | None = Field(default=None, max_length=MAX_CURSOR_CHARS)
    """``next`` of the previous page."""

    count: bool = False
    """Return the length of the whole list too."""


class InCollection(RequestModel):
    """Collection to read."""

    collection: str = Field(default=DEFAULT_COLLECTION, pattern=f"^{COLLECTION.pattern}$")


class PageOfCollection(InCollection, PageOf):
    """Page of a list of a collection."""
