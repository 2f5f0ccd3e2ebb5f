"""Earlier texts of papers: kept when another text takes their place, and deleted with their document."""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph import cypher
from papergraph.ingest.graph.paper_sources import PaperPlan, PaperSource, SourceKind
from papergraph.ingest.graph.stored_papers import StoredPaper
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import sha256, source_id

MOST_VERSIONS = 10
"""Earlier texts of a document that are kept; the oldest go first."""


@dataclass(frozen=True)
class ReplacedText:
    """A text that another one replaces: the source that stated it, and what ``ingest/version_texts`` returned."""

    source: PaperSource
    content: str
    text: Mapping[str, Any]


async def read_replaced(
    transaction: Transaction, before: Sequence[StoredPaper], plans: Sequence[PaperPlan]
) -> list[ReplacedText]:
    """Return the texts that are no longer shown, and whose documents stay; to be read before they are written over.

    Texts of deleted documents and records are left out.
    """
    shown = {plan.leading.content for plan in plans}
    plan_of = {source.name: plan for plan in plans for source in plan.sources}
    replaced: dict[str, PaperSource] = {}
    for paper in before:
        own = next((one for one in paper.sources if one.content == paper.content), None)
        plan = None if own is None else plan_of.get(own.name)
        if own is None or plan is None or own.kind is not SourceKind.TEXT or paper.content in shown:
            continue
        if plan.leading.kind is SourceKind.TEXT:
            replaced[paper.id] = own
    if not replaced:
        return []
    records = await transaction.run(cypher.load("ingest/version_texts"), ids=sorted(replaced))
    return [ReplacedText(replaced[one["id"]], one["paper"]["contentHash"], one.data()) for one in records]


async def write_versions(transaction: Transaction, collection: str, replaced: Sequence[ReplacedText]) -> None:
    """Keep replaced texts beside their sources."""
    rows = []
    for one in replaced:
        source = source_id(collection, one.source.name)
        properties = {
            "collection": collection,
            "contentHash": one.content,
            "title": one.text["paper"]["title"],
            "format": one.text["paper"]["format"],
            "arxivVersion": one.text["paper"]["arxivVersion"],
            "text": packed(one.text),
        }
        rows.append({"id": sha256("PaperVersion", source, one.content), "source": source, "properties": properties})
    if rows:
        await transaction.run(cypher.load("ingest/write_versions"), rows=rows, most=MOST_VERSIONS)


def packed(text: Mapping[str, Any]) -> str:
    """Return a text as one compressed string."""
    return base64.b64encode(zlib.compress(json.dumps(text, ensure_ascii=False).encode())).decode()


def unpacked(text: str) -> dict[str, Any]:
    """Return what :func:`packed` made a string of."""
    stored: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return stored
