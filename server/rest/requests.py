"""Base models of request bodies and parameters."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from papergraph.errors import InputError
from schema.ids import COLLECTION
from server.graph.nodes import MAX_PAGE
from server.operations.pagination import MAX_CURSOR_CHARS
from server.retrieval.scope import MOST_COLLECTIONS


class RequestModel(BaseModel):
    """Request body or parameters in camelCase; unknown names are refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", use_attribute_docstrings=True
    )


M = TypeVar("M", bound=BaseModel)


def read_body(model: type[M], body: Mapping[str, Any], *, within: str = "") -> M:
    """Return the body of a request, or of a part of one that is named.

    Raises:
        InputError: A name is unknown, or a value is out of its range.
    """
    try:
        return model.model_validate(dict(body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(filter(None, (within, *map(str, first["loc"]))))
        raise InputError(f"{place}: {first['msg']}", field=place) from error


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

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection; default: main, or the first that the key reaches."""


class InCollections(InCollection):
    """Collections to search."""

    collections: list[Annotated[str, Field(pattern=f"^{COLLECTION.pattern}$")]] | None = Field(
        default=None, min_length=1, max_length=MOST_COLLECTIONS
    )
    """Names of collections to search together, instead of one."""


class PageOfCollection(InCollection, PageOf):
    """Page of a list of a collection."""
