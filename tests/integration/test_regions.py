"""Where chunks of PDFs stand on their pages, read from the graph and read back with PDFium."""

from pathlib import Path
from typing import Any

import httpx
import pypdfium2

from papergraph.database import Database
from papergraph.embedding import Embedder
from tests.support.ingestion import ingest
from tests.support.servers import app_client
from tests.support.typeset import pdf

SENTENCE = "Annealing reaches the lowest energy of the instance."
MARKUP = f"""#align(center)[#text(16pt)[On the Tides of Small Seas]]

= Introduction
The sea is calm at noon. {SENTENCE} Waves rise later.

= Results
Nothing was found."""
QUERY = """{ papers { nodes { chunks { nodes { id text regions { page x y width height } } } } } }"""


async def test_a_sentence_stands_where_its_rectangles_are(database: Database, embedder: Embedder, tmp_path: Path):
    data = pdf(MARKUP)
    (tmp_path / "seas.pdf").write_bytes(data)
    await ingest(database, embedder, [tmp_path / "seas.pdf"])
    async with app_client(database, embedder) as client:
        chunks = await chunks_of(client)
        (chunk,) = [one for one in chunks if SENTENCE in one["text"]]
        start = chunk["text"].index(SENTENCE)
        asked = {"start": start, "end": start + len(SENTENCE)}
        found = (await client.get(f"/v1/chunks/{chunk['id']}/regions", params=asked)).json()["data"]

    assert len(chunk["regions"]) >= len(found) >= 1
    assert SENTENCE.replace(" ", "") in read_back(data, found).replace(" ", "")


async def chunks_of(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    answer = (await client.post("/graphql", json={"query": QUERY})).json()
    assert "errors" not in answer, answer
    found: list[dict[str, Any]] = answer["data"]["papers"]["nodes"][0]["chunks"]["nodes"]
    return found


def read_back(data: bytes, regions: list[dict[str, Any]]) -> str:
    """Return the text that PDFium finds within rectangles."""
    document = pypdfium2.PdfDocument(data)
    parts = []
    for region in regions:
        page = document[region["page"] - 1]
        width, height = page.get_size()
        left, right = region["x0"] * width, region["x1"] * width
        top, bottom = height * (1 - region["y0"]), height * (1 - region["y1"])
        parts.append(page.get_textpage().get_text_bounded(left - 1, bottom, right + 1, top))
    return "".join(parts)
