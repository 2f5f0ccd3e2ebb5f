"""Metadata of a hit for retrievers of other libraries."""

from typing import Any

from papergraph_client.models import Hit


def metadata_of(hit: Hit) -> dict[str, Any]:
    """Return where a passage comes from: enough to cite it, and to open it at its page."""
    paper = hit.paper
    return {
        "score": hit.score,
        "rank": hit.rank,
        "chunk_id": hit.chunk.id,
        "paper_id": paper.id,
        "key": paper.key,
        "title": paper.title,
        "authors": [author.name for author in paper.authors],
        "year": paper.year,
        "section": " > ".join(hit.section_path),
        "page": hit.page,
        "link": hit.link,
    }
