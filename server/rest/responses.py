"""Base models of responses: pages, lists, problems, and the records that stand in responses as they are."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, create_model
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from server.leaf_types import LEAF_TYPES, LeafField, LeafType, in_api

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


class LeafModel(ResponseModel):
    """A leaf type; the record has its descriptions."""

    model_config = OF_MANY


LEAF_MODELS: dict[type, type[LeafModel]] = {}
"""Response models by record."""


def answered(record: object) -> LeafModel:
    """Return a record of a leaf type as REST answers with it."""
    return LEAF_MODELS[type(record)].model_validate(record)


def _model(leaf: LeafType) -> type[LeafModel]:
    fields: dict[str, Any] = {field.name: (in_api(field.type, _known), _field(field)) for field in leaf.fields}
    return create_model(leaf.name, __base__=LeafModel, __module__=__name__, __doc__=leaf.description, **fields)


def _known(type: Any) -> Any:
    return dict[str, Any] if get_origin(type) is Mapping else None


def _field(field: LeafField) -> Any:
    if field.name == field.attribute:
        return Field(description=field.description)
    outside = to_camel(field.name)
    return Field(description=field.description, validation_alias=field.attribute, serialization_alias=outside)


def _schema(record: type, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    return handler.generate_schema(LEAF_MODELS[record])


for _leaf in LEAF_TYPES:  # pydantic reads a record in an annotation as the model that is made of it
    _leaf.record.__get_pydantic_core_schema__ = classmethod(_schema)  # type: ignore[attr-defined]
for _leaf in LEAF_TYPES:
    LEAF_MODELS[_leaf.record] = _model(_leaf)


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
