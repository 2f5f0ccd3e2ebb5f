"""Identity of an author: the id in a source, otherwise the name, changed by manual decisions.

An identity is a function of a paper's sources and its collection's decisions, in any order. Decisions are ``Review``
nodes, which survive changes and deletions of papers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from papergraph import cypher
from papergraph.batches import Row
from papergraph.ingest.graph.paper_sources import PaperPlan
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import author_id, collection_term, normalise

MERGED, PARTED = "authors", "author"
"""Kinds of reviews: two identities are one person; an identity is another person in a paper."""


@dataclass(frozen=True)
class AuthorDecisions:
    """Manual decisions on the authors of a collection.

    Attributes:
        merged: Final identity by merged identity.
        parted: Identity by (identity, key of a paper's source), for split authors.
    """

    merged: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def resolve(self, identity: str) -> str:
        """Return the identity that one is after all merges."""
        seen = {identity}
        while (following := self.merged.get(identity)) and following not in seen:
            seen.add(identity := following)
        return identity

    def identity_in(self, stated: str, keys: Sequence[str]) -> str:
        """Return the identity of an author in the paper whose sources have ``keys``."""
        parted = next((self.parted[stated, key] for key in sorted(keys) if (stated, key) in self.parted), stated)
        return self.resolve(parted)


async def read_decisions(transaction: Transaction, collection: str) -> AuthorDecisions:
    """Return what was decided of the authors of a collection."""
    records = await transaction.run(cypher.load("authors/decisions"), collection=collection)
    merged, parted = {}, {}
    for record in records:
        one, other = record["about"]
        if record["kind"] == PARTED:
            parted[one, other] = record["text"]
        else:
            merged[one if record["text"] == other else other] = record["text"]
    return AuthorDecisions(merged, parted)


def stated_identities(plan: PaperPlan) -> dict[str, str]:
    """Return by name what sources alone say of each author: an id such as ``orcid:…``, otherwise the plain name."""
    names = plan.fields.get("authors", ())
    return {name: plan.author_ids.get(normalise(name)) or normalise(name) for name in names}


def author_rows(plan: PaperPlan, decisions: AuthorDecisions) -> list[Row]:
    """Return each author of a paper once, under the first of the spellings, in order.

    ``key`` is the identity, and missing where it is nothing but the name.
    """
    placed = {"collection": plan.collection, "collectionTerm": collection_term(plan.collection)}
    keys = [one.key for one in plan.sources]
    targets = frozenset(decisions.merged.values())
    rows: dict[str, Row] = {}
    for name, stated in stated_identities(plan).items():
        identity = decisions.identity_in(stated, keys)
        key = None if identity == normalise(name) and identity not in targets else identity
        id = author_id(plan.collection, key or name)
        properties = {**placed, "id": id, "key": key}
        rows.setdefault(id, {"id": id, "name": name, "position": len(rows), "properties": properties})
    return list(rows.values())
