"""Content negotiation of GraphQL over HTTP: by the type of the operation, then by quality and order.

Clients name every form that they read in one header: urql asks for JSON, an event stream and multipart alike. RFC 9110,
section 12.5.1, defines quality values; https://graphql.github.io/graphql-over-http the media type of an answer.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, OperationType, parse
from strawberry.http import GraphQLRequestProtocol

from server.graphql.query_limits import MAX_TOKENS

SPEC_TYPE = "application/graphql-response+json"
JSON_TYPES = frozenset({SPEC_TYPE, "application/json"})
EVENT_STREAM, MULTIPART = "text/event-stream", "multipart/mixed"
SUBSCRIPTION_BOUNDARY = "graphql"


@dataclass(frozen=True)
class MediaRange:
    """One entry of an ``Accept`` header.

    Attributes:
        name: Type and subtype in lower case; ``*`` stands for any.
        parameters: Its parameters but the quality, names in lower case.
        quality: 0 (never) to 1.
    """

    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    quality: float = 1.0

    def matches(self, names: Iterable[str]) -> bool:
        """Say whether one of these media types is in the range."""
        kind = self.name.partition("/")[0]
        return any(self.name in (name, "*/*") or self.name == f"{name.partition('/')[0]}/*" for name in names if kind)


def accepted(header: str) -> list[MediaRange]:
    """Return the ranges of an ``Accept`` header, the preferred ones first; equal ones stay in order."""
    ranges = []
    for part in header.split(","):
        name, *rest = (one.strip() for one in part.split(";"))
        if not name:
            continue
        pairs = (one.partition("=") for one in rest)
        parameters = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
        ranges.append(MediaRange(name.lower(), parameters, _quality(parameters.pop("q", "1"))))
    return sorted(ranges, key=lambda one: -one.quality)


def _quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return min(max(value, 0.0), 1.0)


def json_type(ranges: list[MediaRange]) -> str:
    """Return the media type of a JSON answer: that of the specification where a client names it."""
    is_named = any(one.name == SPEC_TYPE and one.quality > 0 for one in ranges)
    return SPEC_TYPE if is_named else "application/json"


def protocol_of(ranges: list[MediaRange], read_type: Callable[[], OperationType | None]) -> GraphQLRequestProtocol:
    """Return how an operation is answered.

    A subscription is answered by the preferred kind of stream, and everything else by JSON wherever JSON is acceptable.

    Args:
        ranges: What the client accepts.
        read_type: Returns the type of the operation, or None where it cannot be read; called only where it matters.
    """
    streams = [protocol for one in ranges if one.quality > 0 and (protocol := _stream(one)) is not None]
    if not streams:
        return "http"
    if _accepts_json(ranges) and read_type() != OperationType.SUBSCRIPTION:
        return "http"
    return streams[0]


def _accepts_json(ranges: list[MediaRange]) -> bool:
    refused = {one.name for one in ranges if one.quality == 0}
    return any(one.quality > 0 and one.matches(JSON_TYPES - refused) for one in ranges)


def _stream(one: MediaRange) -> GraphQLRequestProtocol | None:
    if one.name == EVENT_STREAM:
        return "sse"
    is_ours = one.parameters.get("boundary", SUBSCRIPTION_BOUNDARY) == SUBSCRIPTION_BOUNDARY
    if one.name == MULTIPART and is_ours and one.parameters.get("subscriptionspec", "").startswith("1.0"):
        return "multipart-subscription"
    return None


def operation_type(text: str | None, name: str | None, known: DocumentNode | None = None) -> OperationType | None:
    """Return the type of the operation that a request names, or None where the text or the name is wrong."""
    try:
        document = known or parse(text or "", max_tokens=MAX_TOKENS)
    except GraphQLError:
        return None
    operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
    for operation in operations:
        if (operation.name.value if operation.name else None) == name or (not name and len(operations) == 1):
            return operation.operation
    return None
