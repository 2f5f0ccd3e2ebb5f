"""Options of GraphQL, and persisted queries."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from cachetools import LRUCache
from graphql import DocumentNode

from papergraph.errors import Code, InputError, PapergraphError
from papergraph.settings import Settings
from papergraph.shared_counters import Shared

# Queries known by their hash, by Apollo's protocol: sent once with their text, and then by the hash alone.
#
# A server with a list of its own knows the queries of the list, and answers no others.


MAX_QUERIES = 1000
MAX_QUERY_BYTES = 16_000
SHA256 = re.compile(r"[0-9a-f]{64}")


class PersistedQueries:
    """The latest queries that clients have registered, or those of a list.

    Args:
        allowed: Query texts by their sha-256; with it these are all that is answered.
        shared: Where the processes of a server keep what clients have registered with any of them.
    """

    def __init__(self, allowed: Mapping[str, str] | None = None, shared: Shared | None = None) -> None:
        self._allowed = allowed
        self._shared = shared
        self._registered = LRUCache[str, str](MAX_QUERIES)

    @classmethod
    def listed_in(cls, path: Path | None, shared: Shared | None = None) -> Self:
        """Return the queries of a JSON file of texts by their sha-256, or an empty store without a file.

        Raises:
            InputError: It cannot be read, or a hash is not its text's.
        """
        if path is None:
            return cls(shared=shared)
        try:
            listed = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise InputError(f"The list of queries {path} cannot be read: {error}", field="graphql_allowed") from error
        if not isinstance(listed, dict):
            raise InputError(f"{path} must be a JSON object of query texts by sha-256.", field="graphql_allowed")
        for hash, text in listed.items():
            if not isinstance(text, str) or hash_of(text) != hash:
                raise InputError(f"{path}: {hash[:64]!r} is not the sha-256 of its text.", field="graphql_allowed")
        return cls(listed)

    def text_of(self, text: str | None, asked: Any) -> str | None:
        """Return the text to run for a request's text and its ``extensions.persistedQuery``.

        Raises:
            InputError: The extension is malformed, or its hash is of another text.
            PapergraphError: The hash is unknown, or the text is missing in the list.
        """
        hash = None if asked is None else _hash_asked_for(asked)
        if not text:
            if hash is None:
                return text
            return self._find(hash)
        if hash not in (None, hash_of(text)):
            raise InputError("The hash is not the sha-256 of the query.", field="extensions.persistedQuery.sha256Hash")
        if self._allowed is not None and hash_of(text) not in self._allowed:
            told = "This server answers only queries on its allow-list."
            raise PapergraphError(told, code=Code.PERSISTED_QUERY_NOT_FOUND)
        return text

    def register(self, text: str) -> None:
        """Keep a query that turned out to be valid."""
        if self._allowed is None and len(text.encode()) <= MAX_QUERY_BYTES:
            name = hash_of(text)
            if self._shared is not None and name not in self._registered:
                self._shared.keep_text(name, text, most=MAX_QUERIES)
            self._registered[name] = text

    def _find(self, hash: str) -> str:
        found = self._registered.get(hash) if self._allowed is None else self._allowed.get(hash)
        if found is None and self._allowed is None and self._shared is not None:
            found = self._shared.text(hash)
        if found is None:
            raise PapergraphError("PersistedQueryNotFound", code=Code.PERSISTED_QUERY_NOT_FOUND)
        return found


def hash_of(text: str) -> str:
    """Return the sha-256 of a query's text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _hash_asked_for(asked: Any) -> str:
    match asked:
        case {"version": 1, "sha256Hash": str(hash)} if SHA256.fullmatch(hash):
            return hash
    raise InputError(
        "persistedQuery must be {version: 1, sha256Hash: 64 hex digits}", field="extensions.persistedQuery"
    )


MAX_VALID_DOCUMENTS = 64


@dataclass(frozen=True)
class Rules:
    """Rules for operations on a server.

    Attributes:
        max_cost: Highest cost of an operation, by :mod:`papergraph.server.graphql.cost`.
        introspection: True to allow introspection, and names in errors.
        persisted: Persisted queries by hash.
        valid: Cache of valid documents by text.
    """

    max_cost: int = 20_000
    introspection: bool = True
    persisted: PersistedQueries = field(default_factory=PersistedQueries)
    valid: LRUCache[str, DocumentNode] = field(default_factory=lambda: LRUCache(MAX_VALID_DOCUMENTS))

    @classmethod
    def of(cls, settings: Settings, shared: Shared | None = None) -> Self:
        """Return the rules that the settings name; ``shared`` is what the processes of a server count together.

        Raises:
            InputError: The list of allowed queries cannot be used.
        """
        return cls(
            max_cost=settings.limits.cost_per_request,
            introspection=settings.graphql.introspection,
            persisted=PersistedQueries.listed_in(settings.graphql.allowed_queries, shared),
        )
