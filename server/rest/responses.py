"""Base models of responses: pages, lists, problems, and the records that stand in responses as they are."""

from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

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
"""For models of any type: pydantic would look the docstrings up anew for each, 40 ms a time as the server starts."""


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
