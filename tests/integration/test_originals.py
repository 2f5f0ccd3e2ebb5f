"""Originals of papers: kept once, given over HTTP with ranges, deleted with the last paper."""

import base64
import os
import time
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image

from papergraph.database import Database
from papergraph.disk_cache import DiskCache
from papergraph.embedding import Embedder
from papergraph.errors import Reason
from papergraph.ingest.chunkers.options import ChunkOptions
from papergraph.ingest.ingestor import Ingestor, delete
from papergraph.ingest.originals import YOUNG_S, Originals
from papergraph.ingest.parsers.pdf.page_image import LIMITS, draw_in_child
from papergraph.ingest.parsers.sandbox import RefusedError
from papergraph.ingest.pipeline.prepare import JobSettings
from papergraph.ingest.sources import Web
from papergraph.ingest.sources.web import KEPT
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Mode, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.app import create_app
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.service import Service
from papergraph.server.papers.regions import PageImages
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.settings import Settings
from tests.support.fake_llm import FakeLLM
from tests.support.files import write
from tests.support.typeset import pdf, prose

TEXT = "# Tides\n\n## Results\n\nThe sea is calm at noon, and waves rise later.\n"

FIGURED = f"""= Tides

{prose(120)}

#figure(rect(width: 60mm, height: 30mm, fill: rgb("#ff0000")), caption: [Tides of a red harbour at noon.])

{prose(120, first=200)}
"""


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "files")


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    place = tmp_path / "tides.md"
    place.write_text(TEXT)
    return place


def client_of(database: Database, embedder: Embedder, originals: Originals | None) -> httpx.AsyncClient:
    images = (
        None if originals is None else PageImages(originals, DiskCache(originals.folder / "cache", max_bytes=10**7))
    )
    application = create_app(Service(database, embedder, originals=originals, page_images=images))
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


async def only_id(client: httpx.AsyncClient, collection: str = "main") -> str:
    (paper,) = (await client.get("/v1/papers", params={"collection": collection})).json()["data"]
    return str(paper["id"])


async def test_a_file_is_kept_once_and_goes_with_its_last_paper(
    database: Database, embedder: Embedder, originals: Originals, paper: Path
):
    ingestor = Ingestor(database, embedder, originals=originals)
    for collection in ("main", "other"):
        await ingestor.ingest([paper], collection=collection)
    (kept,) = originals.folder.iterdir()
    assert kept.read_text() == TEXT

    await ingestor.delete([str(paper)], collection="main")
    assert kept.exists()
    await delete(database, [str(paper)], collection="other", originals=originals)
    assert not kept.exists()


async def test_papers_are_read_again_from_their_kept_files_with_the_settings_of_now(
    database: Database, embedder: Embedder, paper: Path, tmp_path: Path
):
    settings, originals = Settings(home=tmp_path), Originals(tmp_path / KEPT)
    ingestor = Ingestor(database, embedder, Web.opened(settings), originals=originals)
    await ingestor.ingest([paper], settings=JobSettings(ChunkOptions.choose("sentence")))
    application = create_app(Service(database, embedder, originals=originals, intake=IngestService.of(settings)))

    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        (before,) = (await client.get("/v1/papers")).json()["data"]
        opened = await client.post("/v1/papers/reread", json={"ids": [before["id"]]})
        await ingestor.work(once=True)
        (after,) = (await client.get("/v1/papers")).json()["data"]
        job = (await client.get(f"/v1/jobs/{opened.json()['job']}")).json()
        (originals.folder / before["contentHash"]).unlink()
        missing = await client.post("/v1/papers/reread", json={"ids": [before["id"]]})

    assert (opened.status_code, opened.json()["nPapers"], opened.json()["skipped"]) == (202, 1, [])
    assert job["state"] == "done"
    assert (before["chunker"], after["chunker"]) == ("sentence", "default")
    assert (before["id"], before["sources"]) == (after["id"], after["sources"])
    assert missing.status_code == 404


async def test_the_file_of_an_earlier_text_goes_with_its_document(
    database: Database, embedder: Embedder, originals: Originals, paper: Path
):
    ingestor = Ingestor(database, embedder, originals=originals)
    await ingestor.ingest([paper])
    (old,) = originals.folder.iterdir()
    write(paper, TEXT + "\nMore.\n")
    await ingestor.ingest([paper])

    os.utime(old, (time.time() - 2 * YOUNG_S,) * 2)
    assert await originals.sweep(database) == 0
    assert {one.read_text() for one in originals.folder.iterdir()} == {TEXT, TEXT + "\nMore.\n"}

    await ingestor.delete([str(paper)], collection="main")
    assert old not in set(originals.folder.iterdir())


async def test_a_pdf_is_given_whole_and_in_ranges(
    database: Database, embedder: Embedder, originals: Originals, tmp_path: Path
):
    data = pdf("= Introduction\nThe sea is calm at noon, and waves rise later.")
    (tmp_path / "tides.pdf").write_bytes(data)
    await Ingestor(database, embedder, originals=originals).ingest([tmp_path / "tides.pdf"])
    async with client_of(database, embedder, originals) as client:
        place = f"/v1/papers/{await only_id(client)}/file"
        whole = await client.get(place, headers={"Accept-Encoding": "gzip"})
        part = await client.get(place, headers={"Range": "bytes=5-9"})
        beyond = await client.get(place, headers={"Range": f"bytes={len(data)}-"})

    assert (whole.status_code, whole.content) == (200, data)
    assert whole.headers["content-type"] == "application/pdf"
    assert "content-encoding" not in whole.headers
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in whole.headers["content-security-policy"]
    assert whole.headers["content-disposition"].startswith("inline")
    assert (part.status_code, part.content) == (206, data[5:10])
    assert beyond.status_code == 416


async def test_other_files_are_attachments_and_none_is_not_found(
    database: Database, embedder: Embedder, originals: Originals, paper: Path
):
    await Ingestor(database, embedder, originals=originals).ingest([paper])
    async with client_of(database, embedder, originals) as client:
        place = f"/v1/papers/{await only_id(client)}/file"
        found = await client.get(place)
    async with client_of(database, embedder, None) as client:
        missing = await client.get(place)

    assert (found.text, found.headers["content-type"]) == (TEXT, "application/octet-stream")
    assert found.headers["content-disposition"].startswith("attachment")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.slow
async def test_pages_of_a_pdf_are_images_that_are_drawn_once(
    database: Database,
    embedder: Embedder,
    originals: Originals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    (tmp_path / "tides.pdf").write_bytes(pdf("= Introduction\nThe sea is calm.\n#pagebreak()\nWaves rise later."))
    await Ingestor(database, embedder, originals=originals).ingest([tmp_path / "tides.pdf"])
    async with client_of(database, embedder, originals) as client:
        place = f"/v1/papers/{await only_id(client)}/pages"
        first = await client.get(f"{place}/1.png", params={"width": 400})
        second = await client.get(f"{place}/2.png", params={"width": 400})
        monkeypatch.setattr("papergraph.server.papers.regions.draw_in_child", None)
        again = await client.get(f"{place}/1.png", params={"width": 400})
        same = await client.get(
            f"{place}/1.png", params={"width": 400}, headers={"If-None-Match": first.headers["etag"]}
        )
        monkeypatch.undo()
        beyond = await client.get(f"{place}/3.png")
        refused = [await client.get(f"{place}/1.png", params={"width": 401}), await client.get(f"{place}/0.png")]

    images = [Image.open(BytesIO(response.content)) for response in (first, second)]
    assert [image.format for image in images] == ["PNG", "PNG"]
    assert {image.width for image in images} == {400}
    assert first.headers["content-type"] == "image/png"
    assert "sandbox" in first.headers["content-security-policy"]
    assert first.content == again.content != second.content
    assert (same.status_code, same.content) == (304, b"")
    assert (beyond.status_code, beyond.json()["code"]) == (404, "NOT_FOUND")
    assert "2 pages" in beyond.json()["detail"]
    assert [response.status_code for response in refused] == [400, 400]


async def test_the_picture_of_a_caption_is_cut_from_its_page(
    database: Database, embedder: Embedder, originals: Originals, tmp_path: Path
):
    write(tmp_path / "tides.pdf", pdf(FIGURED))
    await Ingestor(database, embedder, originals=originals).ingest([tmp_path / "tides.pdf"])
    async with client_of(database, embedder, originals) as client:
        chunks = (await client.get(f"/v1/papers/{await only_id(client)}/chunks")).json()["data"]
        (caption,) = [one for one in chunks if one["kind"] == "caption"]
        other = next(one for one in chunks if one["kind"] != "caption")
        wanted = {"query": "tides of a red harbour", "k": 5}
        hits = (await client.post("/v1/search", json=wanted)).json()["hits"]
        asked = "query ($id: ID!) { node(id: $id) { ... on Chunk { figure } } }"
        answers = [
            (await client.post("/graphql", json={"query": asked, "variables": {"id": id}})).json()["data"]["node"]
            for id in (caption["id"], other["id"])
        ]
        place = f"/v1/chunks/{caption['id']}/figure.png"
        image = await client.get(place, params={"width": 400})
        same = await client.get(place, params={"width": 400}, headers={"If-None-Match": image.headers["etag"]})
        missing = await client.get(f"/v1/chunks/{other['id']}/figure.png")

    page, x0, y0, x1, y1 = caption["figure"]
    assert page == 1
    assert 0 < x0 < x1 < 1
    assert 0 < y0 < y1 < 1
    assert other["figure"] == []
    assert [one["chunk"]["figure"] for one in hits if one["chunk"]["id"] == caption["id"]] == [caption["figure"]]
    assert [one["figure"] for one in answers] == [caption["figure"], []]
    picture = Image.open(BytesIO(image.content)).convert("RGB")
    assert picture.width == 400
    counted = Counter(picture.get_flattened_data())
    assert counted[(255, 0, 0)] > 0.85 * picture.width * picture.height
    assert (same.status_code, same.content) == (304, b"")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("reads_images", [True, False])
async def test_the_picture_of_a_found_caption_reaches_a_model_that_reads_images(
    database: Database, embedder: Embedder, originals: Originals, fake_llm: FakeLLM, tmp_path: Path, reads_images: bool
):
    write(tmp_path / "tides.pdf", pdf(FIGURED))
    await Ingestor(database, embedder, originals=originals).ingest([tmp_path / "tides.pdf"])
    images = PageImages(originals, DiskCache(tmp_path / "drawn", max_bytes=10**7))
    found = replace(Resources.of(database, embedder), figure=images.for_model)
    settings = Settings(
        llm={"url": fake_llm.url, "model": "scripted", "images": reads_images}, cache=tmp_path / "cache"
    )
    fake_llm.otherwise('The rectangle is painted scarlet. [1: "Tides of a red harbour"]')
    asking = AskRequest("What do the tides of a red harbour look like at noon?", k=1, min_answerability=0.0)

    async with equipped(settings, found) as resources:
        told = await answer(resources, replace(asking, mode=Mode.GENERATIVE))

    *_, message = fake_llm.requests[0].messages
    if not reads_images:
        assert isinstance(told, Refusal)
        assert message["content"].count("Figure 1: Tides of a red harbour at noon.") == 1
        assert prose(120).split(". ")[-1].rstrip(".") in " ".join(message["content"].split())
        return
    assert isinstance(told, Answer)
    assert told.text == "The rectangle is painted scarlet. [1]"
    assert "what the answer says of the picture of source 1 was not compared with the picture" in told.warnings
    text, label, image = message["content"]
    assert [text["type"], label["type"], image["type"]] == ["text", "text", "image_url"]
    assert label["text"].startswith("Picture of source 1.")
    head, _, data = image["image_url"]["url"].partition(",")
    picture = Image.open(BytesIO(base64.b64decode(data))).convert("RGB")
    assert head == "data:image/png;base64"
    assert Counter(picture.get_flattened_data()).most_common(1)[0][0] == (255, 0, 0)


async def test_a_file_without_pages_has_no_images_and_any_paper_has_its_text(
    database: Database, embedder: Embedder, originals: Originals, paper: Path
):
    await Ingestor(database, embedder, originals=originals).ingest([paper])
    async with client_of(database, embedder, originals) as client:
        place = f"/v1/papers/{await only_id(client)}"
        image, text = await client.get(f"{place}/pages/1.png"), await client.get(f"{place}/text.md")
    whole = await whole_paper(database, str(paper))

    assert (image.status_code, image.json()["code"]) == (404, "NOT_FOUND")
    assert (text.status_code, text.text) == (200, to_markdown(whole))
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"


@pytest.mark.parametrize("size", ["1x1", "5x2000"])
def test_a_page_that_cannot_be_drawn_is_refused_in_the_child(size: str):
    wide, high = size.split("x")
    data = pdf(f"#set page(width: {wide}pt, height: {high}pt, margin: 0pt)\n.")
    limits = replace(LIMITS, memory_bytes=64 << 20) if size == "1x1" else LIMITS

    with pytest.raises(RefusedError) as refused:
        draw_in_child(data, page=1, width=1600, limits=limits)

    assert refused.value.reason in {Reason.OUT_OF_MEMORY, Reason.TOO_LARGE}


def test_damaged_bytes_are_refused_in_the_child():
    with pytest.raises(RefusedError) as refused:
        draw_in_child(b"%PDF-1.7 nothing", page=1, width=400)

    assert refused.value.reason is Reason.DAMAGED


def test_no_name_leads_out_of_the_folder(originals: Originals, tmp_path: Path):
    (tmp_path / "secret").write_text("secret")

    assert originals.find("../secret") is None
    assert originals.find("0" * 64) is None
