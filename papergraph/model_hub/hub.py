"""Local models: their download from a hub, the installed ones in the Hugging Face cache, and their check.

``papergraph models get`` alone opens connections. A download collects its files in a folder beside the snapshots, each
under another name until its checksum was verified. Then that folder is renamed to the snapshot of the revision, and
last the reference to it is written, which makes the model be found.
"""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph import __version__
from papergraph.cross_encoder import Reranker
from papergraph.embedding import load_model
from papergraph.embedding.device import Execution, execution_of
from papergraph.embedding.files import find_model, is_default, is_folder, weights_checksum
from papergraph.embedding.model import Floats, check_vectors
from papergraph.embedding.served import LOWEST_COSINE, PROBES, lowest_cosine
from papergraph.errors import BlockedUrlError, InputError, NotFoundError, UnavailableError
from papergraph.file_lock import locked
from papergraph.model_hub.catalogue import Kind, for_language, recommended
from papergraph.outbound.operator_service import check_service
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

if TYPE_CHECKING:
    pass

PUBLIC_HUB = "https://huggingface.co"
COMMIT = re.compile(r"[0-9a-f]{40}")
HEADERS = {"user-agent": f"papergraph/{__version__}", "accept-encoding": "identity"}
LISTING_TIMEOUT_S = 60.0
MOST_REDIRECTS = 3
PAUSES_S = (1.0, 2.0, 3.0, 4.0)
"""Pauses before further attempts when the hub answers with an error of its own."""
RETRY = "Run the command again to continue, or name a mirror: --mirror URL"

KINDS = frozenset({".safetensors", ".json", ".txt", ".model", ".md"})
"""Endings of files that are only read; pickles (``.bin``, ``.pt``, ``.ckpt``) can run code and are never fetched."""
CODE = ".py"
PLAIN_NAMES = frozenset({"LICENSE", "LICENCE", "NOTICE"})
MODULE_FOLDER = re.compile(r"\d+_\w+")
"""Folder of a layer of sentence-transformers; other folders hold the model in further formats."""

OTHER_DOWNLOAD_TIMEOUT_S = 3600.0
WORK_FOLDER, MANIFEST = ".papergraph", "papergraph.json"
MB = 1_000_000
TIMED_TEXTS = 64


@dataclass(frozen=True)
class HubFile:
    """A file of a model.

    Attributes:
        path: Below the model, with slashes.
        size: Bytes.
        sha256: Checksum of its content; '' for a small one that the hub does not keep apart.
        git_sha1: Checksum as git computes it; '' where ``sha256`` is known.
    """

    path: str
    size: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True)
class HubModel:
    """A revision of a model.

    Attributes:
        name: Name at the hub.
        commit: The revision.
        licence: As its publisher states it; '' if not at all.
        files: All files.
    """

    name: str
    commit: str
    licence: str
    files: tuple[HubFile, ...]


@dataclass(frozen=True)
class Plan:
    """Plan of a download.

    Attributes:
        model: The model at the hub.
        source: Address of the hub.
        files: Files to fetch.
        left_out: Paths of other files.
        is_here: True if this revision is installed.
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


@dataclass(frozen=True)
class CheckedModel:
    """Result of checking a model.

    Attributes:
        name: Name of the model.
        kind: Kind of the model.
        folder: Folder of its files.
        licence: Licence stated by the publisher; '' if unknown.
        sha256: Checksum of the weights.
        dimension: Length of a vector; None of a reranker.
        max_tokens: Longest text; None of a reranker.
        device: Processor that it ran on.
        load_s: Seconds until it was loaded.
        texts_per_s: Short texts embedded in a second; None of a reranker.
        problems: Problems, each with the next step.
    """

    name: str
    kind: Kind
    folder: str
    licence: str
    sha256: str
    dimension: int | None
    max_tokens: int | None
    device: str
    load_s: float
    texts_per_s: float | None
    problems: tuple[str, ...]


@dataclass(frozen=True)
class ListedModel:
    """Model in a list; unknown fields of an installed one are None.

    Attributes:
        name: Name at the hub.
        kind, language, dimension, memory_gb, max_tokens: As of a recommended model.
        size_mb: Size of its installed files, else of the download.
        licence: Licence stated by the publisher.
        is_here: True if it is installed.
    """

    name: str
    kind: str | None
    language: str | None
    dimension: int | None
    size_mb: int
    memory_gb: float | None
    max_tokens: int | None
    licence: str | None
    is_here: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as objects that JSON has."""
        return asdict(self)

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row: name, kind, language, dimension, size, memory, licence, whether it is here."""
        told = (self.kind, self.language, self.dimension, self.size_mb, self.memory_gb, self.licence)
        here = "packaged" if is_default(self.name) else "yes" if self.is_here else ""
        return (self.name, *("" if value is None else str(value) for value in told), here)


class ModelHub:
    """A hub or a mirror of it, through huggingface_hub, without the user's token."""

    def __init__(self, url: str = PUBLIC_HUB) -> None:
        """Connect to nothing yet.

        Raises:
            InputError: The address cannot be one.
        """
        try:
            self.url = check_service(url)
        except BlockedUrlError as error:
            raise InputError(f"the mirror {url!r} is no address such as {PUBLIC_HUB}", field="mirror") from error

    def describe(self, name: str, revision: str = "main") -> HubModel:
        """Return the files and the licence of a model.

        Raises:
            InputError: The name is malformed.
            NotFoundError: The model is missing or hidden.
            UnavailableError: The hub is unreachable, requires an agreement, or its answer is malformed.
        """
        with self._online(name):
            from huggingface_hub import HfApi
            from huggingface_hub.errors import HFValidationError
            from huggingface_hub.utils._validators import validate_repo_id

            try:
                validate_repo_id(name)
            except HFValidationError as error:
                message = f"{name!r} is no name at a hub, such as BAAI/bge-small-en-v1.5"
                raise InputError(message, field="name") from error
            api = HfApi(self.url, token=False, headers=HEADERS)
            try:
                listing = api.model_info(name, revision=revision, files_metadata=True, timeout=LISTING_TIMEOUT_S)
                return _model(name, listing)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise not_downloaded(name, f"{self.url} does not answer as a hub does ({error})") from error

    def fetch(self, model: HubModel, file: HubFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        """Download a file to ``part``, which an earlier call may have begun.

        huggingface_hub's downloads to its cache restart in each process; its ``http_get`` continues a file.

        Raises:
            NotFoundError: The file is missing.
            UnavailableError: The download failed; ``part`` keeps the received bytes.
        """
        with self._online(model.name), _Part(part, model.name, file, on_bytes) as target:
            from huggingface_hub import hf_hub_url
            from huggingface_hub.errors import HfHubHTTPError
            from huggingface_hub.file_download import http_get
            from huggingface_hub.utils.tqdm import silent_tqdm

            url = hf_hub_url(model.name, file.path, revision=model.commit, endpoint=self.url)
            more: Any = {"headers": HEADERS, "expected_size": file.size, "tqdm_class": silent_tqdm}
            for pause in (*PAUSES_S, None):
                try:
                    http_get(url, target, resume_size=target.tell(), **more)
                    return
                except HfHubHTTPError as error:
                    if error.response.status_code < 500 or pause is None:
                        raise
                    time.sleep(pause)

    @contextmanager
    def _online(self, name: str) -> Iterator[None]:
        """Give huggingface_hub a client that ignores its offline switch until the context ends; convert its errors."""
        cache_folder()
        import httpx2
        from huggingface_hub import constants, set_client_factory
        from huggingface_hub.errors import HfHubHTTPError
        from huggingface_hub.utils._http import default_client_factory

        own = httpx2.URL(self.url)

        def check_target(request: httpx2.Request) -> None:
            """Refuse redirects to plain HTTP, but to the hub itself."""
            url = request.url
            is_own = (url.scheme, url.host, url.port) == (own.scheme, own.host, own.port)
            if not is_own and (url.scheme != "https" or url.userinfo):
                raise not_downloaded(name, f"{self.url} leads to an address without HTTPS, which is not followed")

        hooks: Any = {"request": [check_target]}
        options: Any = {"follow_redirects": True, "max_redirects": MOST_REDIRECTS, "timeout": None}
        set_client_factory(lambda: httpx2.Client(event_hooks=hooks, **options))
        constants.HF_HUB_DISABLE_TELEMETRY = True  # its user agent would fetch a list from huggingface.co
        try:
            yield
        except HfHubHTTPError as error:
            raise self._error(name, error.response.status_code) from error
        except httpx2.HTTPError as error:
            raise not_downloaded(name, f"{self.url} cannot be reached ({error}). {RETRY}") from error
        except OSError as error:
            if error.errno is not None:  # of this machine, such as a full disk
                raise
            raise not_downloaded(name, f"{self.url} sent a file of another length. {RETRY}") from error
        finally:
            set_client_factory(default_client_factory)

    def _error(self, name: str, status: int) -> Exception:
        if status in (401, 404):
            message = f"{self.url} has no model {name!r}, or shows it to nobody."
            return NotFoundError("model", name, field="name", message=message)
        if status == 403:
            return not_downloaded(
                name,
                f"its publisher asks for an agreement. Give it at {self.url}/{name} and run `hf download {name}`; "
                "papergraph finds the model then",
            )
        return not_downloaded(name, f"{self.url} answers with status {status}. {RETRY}")


class _Part(io.BufferedWriter):
    """File under download, which never gets longer than the hub stated."""

    def __init__(self, path: Path, name: str, file: HubFile, on_bytes: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path, "a"))
        self._path, self._name, self._file, self._on_bytes = path, name, file, on_bytes
        if self.tell() > file.size:
            self.seek(0)
            self.truncate()

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self._file.size:
            self._path.unlink()
            raise not_downloaded(self._name, f"{self._file.path} is longer than the hub states")
        n_bytes = super().write(data)
        self._on_bytes(self.tell())
        return n_bytes


def _model(name: str, listing: Any) -> HubModel:
    if not COMMIT.fullmatch(listing.sha):
        raise ValueError("no commit")
    tagged = next((tag[8:] for tag in listing.tags or () if str(tag).startswith("license:")), "")
    licence = getattr(listing.card_data, "license", None) or tagged
    text = " ".join(str(", ".join(licence) if isinstance(licence, list) else licence).split())[:80]
    return HubModel(name, listing.sha, text, tuple(_file(one) for one in listing.siblings))


def _file(one: Any) -> HubFile:
    size = one.lfs.size if one.lfs else one.size
    if type(size) is not int or size < 0:
        raise ValueError(f"{one.rfilename!r} without a size")
    sha256, git_sha1 = (str(one.lfs.sha256), "") if one.lfs else ("", one.blob_id or "")
    return HubFile(str(one.rfilename), size, sha256, git_sha1)


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
        InputError: The name is malformed.
        NotFoundError: There is no such model.
        UnavailableError: The hub cannot be asked, or the model has no weights that are safe to load.
    """
    model = hub.describe(name, revision)
    files = tuple(file for file in model.files if is_wanted(file.path, code=code))
    if not any(file.path.endswith(".safetensors") for file in files) and not (code and files):
        raise not_downloaded(
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
    """Download a plan and return the folder of the model; an interrupted download is continued.

    Args:
        hub: Hub of the model.
        wanted: Plan of the download.
        most_bytes: Largest model.
        progress: Receives the downloaded megabytes.

    Raises:
        InputError: The model is larger than allowed.
        UnavailableError: A file cannot be fetched, has another checksum, or does not fit on the disk.
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
        raise not_downloaded(name, f"{folder} cannot be written: {error}") from error


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


def overview(language: str | None = None) -> list[ListedModel]:
    """Return the recommended models for a language, then the others that are installed."""
    here = {one.name: one for one in installed()}
    rows = []
    for model in for_language(language):
        found = here.get(model.name)
        size_mb = model.size_mb if found is None else round(found.n_bytes / 1e6)
        rows.append(
            ListedModel(
                model.name,
                model.kind.value,
                model.language,
                model.dimension,
                size_mb,
                model.memory_gb,
                model.max_tokens,
                model.licence,
                found is not None or is_default(model.name),
            )
        )
    for name, one in here.items():
        if recommended(name) is None:
            noted = read_manifest(name)
            dimension, licence = noted.get("dimension"), noted.get("licence") or None
            size_mb = round(one.n_bytes / 1e6)
            rows.append(ListedModel(name, None, None, dimension, size_mb, None, None, licence, is_here=True))
    return rows


def check(settings: Settings, name: str) -> CheckedModel:
    """Load a local model without a network, embed the probe texts, and compare it with what is known of it.

    Compared are its files with those that were downloaded, its dimension with that of the catalogue, and the vectors of
    the probe texts with those of its first check.

    Raises:
        EmbeddingError: There is no such model here, or it cannot be loaded.
    """
    folder = find_model(name)
    known = recommended(name)
    noted = {} if is_folder(name) else read_manifest(name)
    problems = [f"{path} is damaged: papergraph models get {name}" for path in damaged_files(name, folder) if noted]
    licence = str(noted.get("licence") or (known.licence if known else ""))
    start = time.perf_counter()
    if kind_of(folder) == Kind.RERANKER:
        execution = Execution(settings.reranker.device, setting="PAPERGRAPH_RERANKER_DEVICE")
        reranker = Reranker(name, execution)
        load_s = round(time.perf_counter() - start, 2)
        if not all(0.0 <= score <= 1.0 for score in reranker.scores(PROBES[0], PROBES)):
            problems.append("its scores are not between 0 and 1: choose another model")
        checksum = weights_checksum(folder)
        found = (None, None, reranker.device, load_s, None)
        return CheckedModel(name, Kind.RERANKER, str(folder), licence, checksum, *found, tuple(problems))
    model = load_model(name, execution_of(settings.embedding, name))
    load_s = round(time.perf_counter() - start, 2)
    vectors = model.encode_documents(PROBES)
    check_vectors(list(vectors), dimension=model.card.dimension)
    if known is not None and known.dimension != model.card.dimension:
        problems.append(f"its vectors have {model.card.dimension} numbers, and {known.dimension} are expected")
    problems += _compare(name, noted, vectors, model.card.sha256)
    start = time.perf_counter()
    model.encode_documents([f"{number} {PROBES[1]}" for number in range(TIMED_TEXTS)])
    texts_per_s = round(TIMED_TEXTS / (time.perf_counter() - start), 1)
    found_too = (model.card.dimension, model.card.max_tokens, model.device, load_s, texts_per_s)
    return CheckedModel(name, Kind.EMBEDDING, str(folder), licence, model.card.sha256, *found_too, tuple(problems))


def kind_of(folder: Path) -> Kind:
    """Return what the model of a folder computes, as its configuration says."""
    if not (folder / "modules.json").exists():
        with suppress(OSError, ValueError):
            architectures = json.loads((folder / "config.json").read_bytes()).get("architectures") or ()
            if any(str(one).endswith("ForSequenceClassification") for one in architectures):
                return Kind.RERANKER
    return Kind.EMBEDDING


def _compare(name: str, noted: dict[str, object], vectors: Floats, sha256: str) -> list[str]:
    """Compare probe vectors with those that were noted, or note them."""
    if not noted:
        return []
    before = noted.get("probes")
    if not before or noted.get("sha256") != sha256:
        numbers = base64.b64encode(vectors.astype("<f4").tobytes()).decode()
        with suppress(OSError):  # of a cache that is read only: nothing is noted
            write_manifest(name, noted | {"sha256": sha256, "dimension": vectors.shape[1], "probes": numbers})
        return []
    former = np.frombuffer(base64.b64decode(str(before)), "<f4").reshape(len(PROBES), -1)
    cosine = lowest_cosine(vectors, former)
    if cosine >= LOWEST_COSINE:
        return []
    return [
        f"its vectors are not those of its first check (cosine {cosine:.4f}): return to the former versions of "
        "sentence-transformers and transformers, or embed anew with papergraph embeddings switch"
    ]


def _fetch_all(hub: ModelHub, wanted: Plan, staged: Path, progress: Progress) -> None:
    there = sum(file.size for file in wanted.files if _has_size(staged / file.path, file.size))
    left = wanted.n_bytes - there - sum(path.stat().st_size for path in staged.rglob("*.part"))
    free = shutil.disk_usage(staged.parent).free
    if left > free:
        raise not_downloaded(wanted.model.name, f"{left / 1e9:.1f} GB are missing, and {free / 1e9:.1f} GB are free")
    message, total = f"megabytes of {wanted.model.name}", max(1, wanted.n_bytes // MB)
    done = there

    def report(n_bytes: int) -> None:
        progress.advance(message, (done + n_bytes) // MB, total)

    for file in wanted.files:
        path = staged / file.path
        if _has_size(path, file.size):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        hub.fetch(wanted.model, file, part, report)
        if not _is_intact(part, file):
            part.unlink()
            raise not_downloaded(
                wanted.model.name,
                f"{file.path} does not have the checksum that {hub.url} states. Run the command again",
            )
        part.rename(path)
        done += file.size


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
    checksum: Any = hashlib.sha256()
    if not file.sha256:
        checksum = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as content:
        while block := content.read(1 << 20):
            checksum.update(block)
    return bool(checksum.hexdigest() == (file.sha256 or file.git_sha1))


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)  # in one step: another process never reads half of it


def not_downloaded(name: str, problem: str) -> UnavailableError:
    """Return the error of a model of which nothing is in use."""
    return UnavailableError(f"{name} was not downloaded: {problem}")
