"""Followed folders and sites: exactly the changed files are ingested, and missing ones deleted after a second look."""

import asyncio
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.fetch.crawl import Bounds, crawl
from papergraph.outbound import open_outside
from papergraph.server.local.watches import WatchContext, WatchResult, folder, kinds
from papergraph.server.operations.watches import seconds_of
from papergraph.settings import Settings
from tests.support.web_site import Site

N_FILES, N_CHANGES = 200, 80


class Library:
    """Collection of a folder, in memory: texts by path, and how often each file was read."""

    def __init__(self, root: Path) -> None:
        self.root, self.texts, self.reads, self.failing = root, {}, [], set()
        self.state: dict = {}

    async def ingest(self, paths):
        failed = await asyncio.to_thread(self._ingest, paths)
        return SimpleNamespace(items=[SimpleNamespace(source=path, reason=Reason.DAMAGED) for path in failed])

    def _ingest(self, paths):
        self.reads += paths
        self.texts |= {path: Path(path).read_text() for path in paths if path not in self.failing}
        return [path for path in paths if path in self.failing]

    async def delete(self, path):
        del self.texts[path]

    def run(self, accept: int | None = None) -> WatchResult:
        context = WatchContext(None, None, "main", str(self.root), self.ingest, self.delete, None, accept)  # type: ignore[arg-type]
        result = asyncio.run(folder.run(context, self.state))
        self.state = dict(result.state)
        return result

    def on_disk(self) -> dict[str, str]:
        return {str(path): path.read_text() for path in sorted(self.root.rglob("*.md"))}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(folder, "SETTLE_S", 0.0)
    return Library(tmp_path)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def test_changes_of_many_files_are_followed_with_one_read_each(library: Library):
    for number in range(N_FILES):
        write(library.root / f"f{number % 10}" / f"{number}.md", f"text {number}")
    library.run()
    assert (library.texts, len(library.reads)) == (library.on_disk(), N_FILES)

    draw, touched = random.Random(1), set()  # noqa: S311
    for number, path in enumerate(draw.sample(sorted(library.root.rglob("*.md")), N_CHANGES)):
        match number % 4:
            case 0:
                write(path, f"another text of {number}")
                touched.add(str(path))
            case 1:
                path.unlink()
            case 2:
                path.rename(moved := path.with_name(f"moved-{number}.md"))
                touched.add(str(moved))
            case 3:
                write(new := path.with_name(f"new-{number}.md"), f"new {number}")
                touched.add(str(new))
    library.reads.clear()
    library.run()
    assert sorted(library.reads) == sorted(touched)
    assert library.texts.items() >= library.on_disk().items() and len(library.texts) > len(library.on_disk())
    library.run()
    assert (sorted(library.reads), library.texts) == (sorted(touched), library.on_disk())


def test_a_file_that_is_still_written_waits(library: Library, monkeypatch: pytest.MonkeyPatch):
    growing = library.root / "growing.md"
    write(growing, "be")

    async def write_meanwhile(seconds: float) -> None:
        if growing.read_text() == "be":
            write(growing, "beginning")

    monkeypatch.setattr(asyncio, "sleep", write_meanwhile)
    assert library.run().words == "0 new or changed files, 1 still being written"
    assert library.reads == []
    library.run()
    assert library.texts == {str(growing): "beginning"}


def test_many_deletions_are_asked_about_and_an_absent_disk_deletes_nothing(library: Library):
    for number in range(40):
        write(library.root / f"{number}.md", "text")
    library.run()
    for number in range(30):
        (library.root / f"{number}.md").unlink()
    assert not library.run().asks
    asked = library.run()
    assert asked.asks and "30 of 40 files are gone; were they deleted? --accept-deletions 30" in asked.words
    assert library.run(accept=29).asks and len(library.texts) == 40
    assert not library.run(accept=30).asks
    assert library.texts == library.on_disk()

    library.root.rename(library.root.with_name("away"))
    with pytest.raises(InputError, match="Is its disk mounted"):
        library.run()
    assert len(library.texts) == 10


def test_a_file_that_comes_back_is_not_deleted(library: Library):
    write(library.root / "a.md", "text")
    write(library.root / "b.md", "text")
    library.run()
    (library.root / "a.md").rename(library.root / "a.hidden")
    library.run()
    (library.root / "a.hidden").rename(library.root / "a.md")
    library.run()
    library.run()
    assert len(library.texts) == 2 and len(library.reads) == 2


def test_a_failed_file_is_tried_again(library: Library):
    write(library.root / "a.md", "text")
    library.failing = {str(library.root / "a.md")}
    assert library.run().words == "0 new or changed files, 1 failed"
    library.failing = set()
    assert library.run().words == "1 new or changed files"
    assert library.run().words == "0 new or changed files"


def test_an_unreadable_folder_defers_deletions(library: Library, monkeypatch: pytest.MonkeyPatch):
    write(library.root / "a.md", "text")
    library.run()
    refused = SourceError(str(library.root), Reason.UNREADABLE, "cannot be read: Permission denied")
    monkeypatch.setattr(folder, "find_files", lambda path: [refused])
    library.run()
    assert "deletions wait" in library.run().words and len(library.texts) == 1


def test_intervals_and_kinds():
    assert [seconds_of(text) for text in ("30m", "12h", "1d", "2w")] == [1800, 43_200, 86_400, 1_209_600]
    assert " ".join(sorted(kinds())) == "author cites folder query retractions site snowball versions zotero"
    with pytest.raises(InputError, match="no interval; write 30m"):
        seconds_of("daily")
    with pytest.raises(InputError, match="There is no folder /nowhere"):
        kinds()["folder"].subject("/nowhere")


def test_a_followed_site_is_fetched_again_and_ingested(tmp_path: Path):
    text = "The water rises twice a day because the moon attracts it, and falls as often. " * 4
    asked = []

    async def ingest(paths, *, prune=False):
        asked.append((paths, prune))
        return SimpleNamespace(items=[SimpleNamespace(source="u", outcome="created", reason=None)], pruned=("x",))

    with Site() as server:
        server.pages["/"] = f"<title>Tides</title><p>{text}</p>".encode()
        settings = Settings(fetch={"private_hosts": [server.address.removeprefix("http://")]})
        outside = open_outside(settings, private=True)
        crawl(outside, f"{server.address}/", tmp_path / "site", bounds=Bounds(delay_s=0.1))
        subject = kinds()["site"].subject(str(tmp_path / "site"))
        server.pages["/"] = f"<title>Tides</title><p>Now {text}</p>".encode()
        context = WatchContext(None, settings, "main", subject, ingest, None, None)  # type: ignore[arg-type]
        result = asyncio.run(kinds()["site"].run(context, {}))
    assert (result.words, asked) == ("pages: 1 created, 1 deleted", [([subject], True)])
    assert any("Now The water" in path.read_text() for path in Path(subject).rglob("*.html"))
    with pytest.raises(InputError, match="holds no crawled site"):
        kinds()["site"].subject(str(tmp_path))
