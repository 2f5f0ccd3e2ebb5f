"""Records of nodes with only what a test names."""

from datetime import UTC, datetime
from typing import Any

from papergraph.schema.records import Chunk, Paper, Section
from papergraph.server.answers.records import Source
from papergraph.server.answers.sources import sources_of
from papergraph.server.retrieval.search import Hit


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


def make_hit(text: str, *, rank: int = 1, title: str = "Detecting spectra") -> Hit:
    paper = make_paper(key="p", title=title, url="https://example.org/p")
    section = make_section(title="Results", path=("Results",))
    chunk = make_chunk(text, id=f"c{rank}", n_tokens=50)
    return Hit(rank, 1.0, (), chunk, section, paper, None, None)


def sources(*texts: str) -> tuple[Source, ...]:
    return sources_of([make_hit(text, rank=rank) for rank, text in enumerate(texts, 1)], token_budget=10_000)
