"""Simple reads, one file each, which all interfaces offer: GraphQL, REST, MCP, the command line and the library.

A file has a request that knows how to read its answer, and the constant ``ENDPOINT``, which says where it is offered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from papergraph.errors import NotFoundError
from papergraph.records import Record, first_sentence
from papergraph.registry import parts
from papergraph.server.auth.operations import Operation
from papergraph.server.operations.context import RequestContext

R = TypeVar("R", bound=Record, covariant=True)


class Read(Generic[R]):
    """Base class of requests that read records; the first sentence of its docstring describes it everywhere."""

    async def read(self, context: RequestContext) -> list[R]:
        """Return the records.

        Raises:
            PapergraphError: The request cannot be answered.
        """
        raise NotImplementedError(f"{type(self).__name__} has no read")


@dataclass(frozen=True)
class Endpoint:
    """A read that interfaces offer.

    Attributes:
        name: Name in the command line; GraphQL and MCP have it in their own case, REST as the path.
        request: Class of its requests.
        operation: Scope, cost and deadline.
        example: A query of GraphQL that uses it.
        path: Path in REST, if it is not the name.
        tool: Title in MCP; None if MCP does not offer it.
    """

    name: str
    request: type[Read[Record]]
    operation: Operation
    example: str
    path: str = ""
    tool: str | None = None

    @property
    def route(self) -> str:
        """Path below ``/v1``."""
        return f"/{self.path or self.name}"

    @property
    def function(self) -> str:
        """Name in snake case."""
        return self.name.replace("-", "_")

    @property
    def about(self) -> str:
        """Description of the result, in one sentence."""
        return first_sentence(self.request)

    @property
    def record(self) -> Any:
        """Class of the records that it returns."""
        return get_args(get_type_hints(self.request.read)["return"])[0]


def find(name: str) -> Endpoint:
    """Return an endpoint by name.

    Raises:
        NotFoundError: There is none.
    """
    if (found := endpoints().get(name)) is None:
        message = f"There is no read {name[:80]!r}; there are {', '.join(endpoints())}."
        raise NotFoundError("read", name[:80], field="name", message=message)
    return found


@cache
def endpoints() -> Mapping[str, Endpoint]:
    """Return all endpoints by name."""
    return parts("papergraph.server.endpoints", "ENDPOINT", Endpoint)
