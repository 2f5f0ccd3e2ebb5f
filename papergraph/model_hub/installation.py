"""Models on this machine, in the local Hugging Face cache, and how one gets there: whole, checked, or not at all.

Files are collected in a folder beside, each under another name until its checksum was verified. Then that folder is
renamed to the snapshot of the revision, and last the reference to it is written, which makes it be found.
"""

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from papergraph.errors import InputError, ModelDownloadError
from papergraph.file_lock import locked
from papergraph.model_hub.hub import RETRY, HubFile, HubModel, InterruptedDownloadError, ModelHub
from papergraph.progress import Progress, silent

KINDS = frozenset({".safetensors", ".json", ".txt", ".model", ".md"})
"""Endings of files that are only read; pickles (``.bin``, ``.pt``, ``.ckpt``) can run code and are never fetched."""
CODE = ".py"
PLAIN_NAMES = frozenset({"LICENSE", "LICENCE", "NOTICE"})
MODULE_FOLDER = re.compile(r"\d+_\w+")
"""Folder of a layer of sentence-transformers; other folders hold the model in further formats."""

ATTEMPTS = 5
PAUSE_S = 1.0
OTHER_DOWNLOAD_TIMEOUT_S = 3600.0
WORK_FOLDER, MANIFEST = ".papergraph", "papergraph.json"
MB = 1_000_000


@dataclass(frozen=True)
class Plan:
    """What a download would bring.

    Attributes:
        model: The model at the hub.
        source: Address of the hub.
        files: What is fetched.
        left_out: Files that are not, by path.
        is_here: Whether this revision is installed already.
    """

    model: HubModel
    source: str
    files: tuple[HubFile, ...]
    left_out: tuple[str, ...]
    is_here: bool

    @property
    def n_bytes(self) -> int:
        """Size of the files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class InstalledModel:
    """A model in the local cache.

    Attributes:
        name: Its name at the hub.
        folder: Folder of its files.
        commit: The revision.
        n_bytes: Size of its files.
    """

    name: str
    folder: Path
    commit: str
    n_bytes: int


def cache_folder() -> Path:
    """Return the local Hugging Face cache."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE).expanduser()


def plan(hub: ModelHub, name: str, *, revision: str = "main", code: bool = False) -> Plan:
    """Ask the hub for a model, and choose the files that are needed.

    Args:
        hub: Where it is.
        name: Its name there.
        revision: Branch, tag or commit.
        code: Whether program code comes along.

    Raises:
        InputError: The name cannot be one.
        NotFoundError: There is no such model.
        ModelDownloadError: The hub cannot be asked, or the model has no weights that are safe to load.
    """
    model = hub.describe(name, revision)
    files = tuple(file for file in model.files if is_wanted(file.path, code=code))
    if not any(file.path.endswith(".safetensors") for file in files) and not (code and files):
        raise ModelDownloadError(
            name,
            "it has no weights as safetensors, and other formats can run code when they are loaded. Choose another "
            "model (papergraph models list), or serve it with PAPERGRAPH_EMBEDDING_URL",
        )
    chosen = {file.path for file in files}
    left_out = tuple(file.path for file in model.files if file.path not in chosen)
    here = next((one for one in installed() if (one.name, one.commit) == (name, model.commit)), None)
    is_here = here is not None and all(_has_size(here.folder / file.path, file.size) for file in files)
    return Plan(model, hub.url, files, left_out, is_here)


def is_wanted(path: str, *, code: bool = False) -> bool:
    """Say whether a file of a hub is fetched: of a known kind, and of the model itself or one of its layers."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or "\\" in path or str(pure) != path or any(part.startswith(".") for part in pure.parts):
        return False
    if len(pure.parts) > 2 or (len(pure.parts) == 2 and not MODULE_FOLDER.fullmatch(pure.parts[0])):
        return False
    return pure.suffix in KINDS or pure.name in PLAIN_NAMES or (code and pure.suffix == CODE)


def install(hub: ModelHub, wanted: Plan, *, most_bytes: int, progress: Progress = silent) -> Path:
    """Download what is planned, and return the folder of the model; an interrupted download is continued.

    Args:
        hub: Where the model is.
        wanted: What to fetch.
        most_bytes: Refuse a larger model.
        progress: Hears how many megabytes are there.

    Raises:
        InputError: The model is larger than allowed.
        ModelDownloadError: A file cannot be fetched, has another checksum, or does not fit on the disk.
    """
    name, folder = wanted.model.name, _folder_of(wanted.model.name)
    if wanted.n_bytes > most_bytes:
        raise InputError(
            f"{name} has {wanted.n_bytes / 1e9:.1f} GB, and {most_bytes / 1e9:g} GB are allowed: set --max-gb",
            field="max_gb",
        )
    work = folder / WORK_FOLDER
    try:
        work.mkdir(parents=True, exist_ok=True)
        with locked(
            work / "lock",
            waiting="another process downloads this model",
            timeout_s=OTHER_DOWNLOAD_TIMEOUT_S,
            progress=progress,
        ):
            staged = work / wanted.model.commit
            _fetch_all(hub, wanted, staged, progress)
            return _put_in_place(wanted, folder, staged)
    except OSError as error:
        raise ModelDownloadError(name, f"{folder} cannot be written: {error}") from error


def installed() -> list[InstalledModel]:
    """Return the models of the local cache that have safetensors weights, by name."""
    found = []
    for folder in sorted(cache_folder().glob("models--*")):
        with suppress(OSError):
            commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
            snapshot = folder / "snapshots" / commit
            if commit and any(snapshot.glob("*.safetensors")):
                name = folder.name.removeprefix("models--").replace("--", "/")
                size = sum(path.stat().st_size for path in snapshot.rglob("*") if path.is_file())
                found.append(InstalledModel(name, snapshot, commit, size))
    return found


def read_manifest(name: str) -> dict[str, Any]:
    """Return what was noted of a model when it was downloaded and checked; empty if nothing."""
    with suppress(OSError, ValueError):
        read = json.loads((_folder_of(name) / MANIFEST).read_bytes())
        return read if isinstance(read, dict) else {}
    return {}


def write_manifest(name: str, content: dict[str, Any]) -> None:
    """Note something of a model.

    Raises:
        OSError: It cannot be written.
    """
    _write(_folder_of(name) / MANIFEST, json.dumps(content, indent=2) + "\n")


def damaged_files(name: str, folder: Path) -> list[str]:
    """Return the files of a downloaded model that are no longer what was downloaded."""
    noted = read_manifest(name)
    if noted.get("commit") != folder.name:
        return []
    files = [HubFile(**one) for one in noted.get("files", ())]
    return [file.path for file in files if not _is_intact(folder / file.path, file)]


def _folder_of(name: str) -> Path:
    return cache_folder() / f"models--{name.replace('/', '--')}"


def _fetch_all(hub: ModelHub, wanted: Plan, staged: Path, progress: Progress) -> None:
    there = sum(file.size for file in wanted.files if _has_size(staged / file.path, file.size))
    left = wanted.n_bytes - there - sum(path.stat().st_size for path in staged.rglob("*.part"))
    free = shutil.disk_usage(staged.parent).free
    if left > free:
        raise ModelDownloadError(
            wanted.model.name, f"{left / 1e9:.1f} GB are missing, and {free / 1e9:.1f} GB are free"
        )
    message = f"megabytes of {wanted.model.name}"
    done = there
    for file in wanted.files:
        if _has_size(staged / file.path, file.size):
            continue
        for n_bytes in _fetch(hub, wanted.model, file, staged / file.path):
            progress.advance(message, (done + n_bytes) // MB, max(1, wanted.n_bytes // MB))
        done += file.size


def _fetch(hub: ModelHub, model: HubModel, file: HubFile, path: Path) -> Iterator[int]:
    """Fetch a file to its place, and give the bytes that are there meanwhile; attempts begin anew after progress."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    n_failed = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        try:
            yield from _continue(hub, model, file, part)
            break
        except InterruptedDownloadError:
            n_failed = 1 if part.exists() and part.stat().st_size > before else n_failed + 1
            if n_failed >= ATTEMPTS:
                raise
            time.sleep(PAUSE_S * n_failed)
    if not _is_intact(part, file):
        part.unlink()
        raise ModelDownloadError(
            model.name, f"{file.path} does not have the checksum that {hub.url} states. Run the command again"
        )
    part.rename(path)


def _continue(hub: ModelHub, model: HubModel, file: HubFile, part: Path) -> Iterator[int]:
    start = part.stat().st_size if part.exists() else 0
    if start > file.size:
        part.unlink()
        start = 0
    if start == file.size and part.exists():
        return
    with hub.open(model, file, start=start) as (first, parts), part.open("ab") as target:
        target.truncate(first)
        n_bytes = first
        for block in parts:
            n_bytes += len(block)
            if n_bytes > file.size:
                part.unlink()
                raise ModelDownloadError(model.name, f"{file.path} is longer than {hub.url} states")
            target.write(block)
            yield n_bytes
    if n_bytes < file.size:
        raise InterruptedDownloadError(model.name, f"{file.path} ended too early. {RETRY}")


def _put_in_place(wanted: Plan, folder: Path, staged: Path) -> Path:
    commit = wanted.model.commit
    snapshot, old = folder / "snapshots" / commit, folder / WORK_FOLDER / f"old-{commit}"
    snapshot.parent.mkdir(exist_ok=True)
    shutil.rmtree(old, ignore_errors=True)
    if snapshot.exists():
        snapshot.rename(old)
        (folder / "trees" / f"{commit}.json").unlink(missing_ok=True)  # of huggingface_hub: it would miss the pickles
    staged.rename(snapshot)
    noted = {"name": wanted.model.name, "commit": commit, "licence": wanted.model.licence, "source": wanted.source}
    write_manifest(wanted.model.name, noted | {"files": [asdict(file) for file in wanted.files]})
    (folder / "refs").mkdir(exist_ok=True)
    _write(folder / "refs" / "main", commit)
    for rest in (folder / WORK_FOLDER).iterdir():
        if rest.is_dir():
            shutil.rmtree(rest, ignore_errors=True)  # the former snapshot, and begun downloads of other revisions
    return snapshot


def _is_intact(path: Path, file: HubFile) -> bool:
    """Say whether a file has its size and checksum."""
    if not _has_size(path, file.size):
        return False
    if not file.sha256 and not file.git_sha1:
        return True
    digest: Any = hashlib.sha256()
    if not file.sha256:
        digest = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return bool(digest.hexdigest() == (file.sha256 or file.git_sha1))


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)  # in one step: another process never reads half of it
