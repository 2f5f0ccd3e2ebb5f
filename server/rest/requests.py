"""Requests and responses of REST: parameters, costs, and models of answers."""

from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from papergraph.records import first_sentence
from papergraph.requests import request_fields
from papergraph.schema.ids import COLLECTION
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.operations.pagination import MAX_CURSOR_CHARS

# Base models of request bodies and parameters


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

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection; default: main, or the first that the key reaches."""


def query_parameters(kind: Any) -> type[BaseModel]:
    """Return a request as parameters of an address, which FastAPI reads from models only."""
    fields = {name: (one.annotation, one) for name, one in request_fields(kind).items()}
    made: type[BaseModel] = create_model(kind.__name__, __base__=RequestModel, __doc__=first_sentence(kind), **fields)  # type: ignore[call-overload]
    return made


class PageOfCollection(InCollection, PageOf):
    """Page of a list of a collection."""


# Base models of responses: pages, lists, problems, and unchanged records


T = TypeVar("T")


class ResponseModel(BaseModel):
    """Anything that is answered; names are camelCase outside."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        from_attributes=True,
        use_attribute_docstrings=True,
    )


OF_MANY = ConfigDict(use_attribute_docstrings=False)
"""Configuration of generic models, for each of which pydantic would read the docstrings again (40 ms)."""


def entry_name(params: tuple[Any, ...]) -> str:
    """Return the name of the type of a list's entries; one that may be null has the name of the other."""
    named, *_ = get_args(params[0]) or params
    return str(named.__name__)


class Page(ResponseModel, Generic[T]):
    """Page of a list in a stable order."""

    model_config = OF_MANY

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return the name in the schema, such as ``PaperPage``."""
        return f"{entry_name(params)}Page"

    data: list[T]
    next: str | None = Field(
        description="Cursor of the next page for ``after``; null at the end. The header ``Link`` has the full address."
    )
    total: int | None = Field(default=None, description="Length of the whole list, if ``count`` is set.")


class ListResponse(ResponseModel, Generic[T]):
    """List without pages."""

    model_config = OF_MANY

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return the name in the schema, such as ``PipelineList``."""
        return f"{entry_name(params)}List"

    data: list[T]


class ProblemError(ResponseModel):
    """Error in a field of a request."""

    field: str | None
    message: str
    reason: str | None = None
    """Reason of a refused upload, from a closed list."""


class Problem(ResponseModel):
    """Problem (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    """Error code, the same on every interface."""

    request_id: str
    errors: list[ProblemError]
