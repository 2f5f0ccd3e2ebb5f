"""Every source of the registry keeps the contract of sources, and one file adds another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import papergraph.ingest.sources
from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import DocumentRef, Web, find_documents, sources
from papergraph.settings import Settings
from tests.support.files import write
from tests.support.registries import add_part

TOY = """
import hashlib
from dataclasses import dataclass

from papergraph.ingest.sources.source import Format, DocumentRef, Source, RawDocument

READ = []


@dataclass(frozen=True)
class Note(DocumentRef):
    name: str

    def content_hash(self, *, max_bytes):
        return hashlib.sha256(self.name.encode()).hexdigest()

    def read(self, *, max_bytes):
        READ.append(self.name)
        data = f"# Note {self.name.partition(':')[2]}\\n\\nIt says so.\\n".encode()
        return RawDocument(self.name, data, Format.MARKDOWN, self.content_hash(max_bytes=max_bytes))


SOURCE = Source("note", lambda spec: spec.startswith("note:"), lambda spec, web: [Note(spec)], order=50)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[None]:
    with add_part(papergraph.ingest.sources, "notes", TOY, tmp_path, sources):
        yield


@pytest.fixture
def web(tmp_path: Path) -> Web:
    """The way to what lies outside, which no test asks."""
    return Web.opened(Settings(home=tmp_path / "home").replace(fetch={"catalogues": True}))


def specs_of(name: str, folder: Path) -> list[str]:
    """Return names of two documents that a source accepts, one of them twice."""
    match name:
        case "upload":
            return [f"upload:{'0' * 64}/a.md", f"upload:{'1' * 64}/b.md", f"upload:{'0' * 64}/a.md"]
        case "kept":
            return [f"kept:{'0' * 64}/pdf/a.pdf", f"kept:{'1' * 64}/md/b.md", f"kept:{'0' * 64}/pdf/a.pdf"]
        case "web":
            return ["arxiv:2401.01234", "https://example.org/b.html", "arxiv:2401.01234"]
        case "catalogue":
            return ["doi:10.1000/182", "pmid:17284678", "doi:10.1000/182"]
        case "path":
            write(folder / "a.md", "# A\n\nIt is.\n")
            write(folder / "b.md", "# B\n\nIt is too.\n")
            return [str(folder), str(folder / "b.md")]
    raise AssertionError(f"the source {name} needs names here")


@pytest.mark.parametrize("name", sources())
def test_a_source_gives_each_document_once_in_a_stable_order_and_fetches_nothing(name: str, tmp_path: Path, web: Web):
    specs = specs_of(name, tmp_path / "papers")
    accepting = next(one.name for one in sources().values() if one.accepts(specs[0]))

    found = list(find_documents(specs, web=web))

    assert accepting == name
    assert not [one for one in found if isinstance(one, SourceError)]
    assert len({one.name for one in found if isinstance(one, DocumentRef)}) == len(found) == 2
    assert list(find_documents(specs, web=web)) == found


def test_files_accept_every_name_and_are_the_last():
    *others, last = sources().values()

    assert last.name == "path"
    assert last.accepts("anything")
    assert not any(one.accepts("anything") for one in others)


@pytest.mark.usefixtures("toy")
def test_one_file_adds_a_source():
    import papergraph.ingest.sources.notes as notes  # type: ignore[import-not-found]

    found = [one for one in find_documents(["note:2", "note:1", "note:2"]) if isinstance(one, DocumentRef)]
    read_before = list(notes.READ)
    document = parse(found[0].read(max_bytes=1000))

    assert [one.name for one in found] == ["note:2", "note:1"]
    assert (read_before, notes.READ, document.title) == ([], ["note:2"], "Note 2")


def test_without_that_file_the_name_is_a_path():
    (refused,) = find_documents(["note:2"])

    assert isinstance(refused, SourceError)
    assert refused.reason is Reason.NOT_FOUND
