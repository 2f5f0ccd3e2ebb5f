"""Records of nodes with only what a test names."""

from datetime import UTC, datetime
from typing import Any

from papergraph.schema.records import Chunk, Paper, Section


def make_paper(**fields: Any) -> Paper:
    made = {
        "id": "p",
        "key": "k",
        "collection": "main",
        "title": "Codes",
        "abstract": "",
        "content_hash": "",
        "keys": (),
        "sources": (),
        "categories": (),
        "n_sections": 1,
        "n_chunks": 2,
        "ingested_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Paper(**made | fields)


def make_section(**fields: Any) -> Section:
    made = {"id": "s", "paper_id": "p", "collection": "main", "title": "S", "level": 1, "ordinal": 1, "path": ("S",)}
    return Section(**made | {"kind": "body"} | fields)


def make_chunk(text: str, **fields: Any) -> Chunk:
    made = {
        "id": "c",
        "paper_id": "p",
        "section_id": "s",
        "collection": "main",
        "ordinal": 1,
        "kind": "body",
        "n_tokens": len(text.split()),
        "start_char": 0,
        "end_char": len(text),
    }
    return Chunk(text=text, **made | fields)
