"""Files of a Maven repository: named with their checksums by lock files, fetched once, checked on every use."""

import hashlib
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from papergraph.errors import LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.progress import Progress, silent

if TYPE_CHECKING:
    import httpx

THREADS = 8
TRIES = 5
FIRST_PAUSE_S = 0.5
REQUEST_TIMEOUT_S = 30.0
"""For connecting and for each read; a whole jar may take longer."""
JAR_DEADLINE_S = 600.0
"""For one try at one jar, so that a server that trickles cannot hold us forever; the part is kept."""
OTHER_FETCH_TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class Jar:
    """A jar to have on disk."""

    name: str
    """Path below the jars' folder, for example ``lib/neo4j-2026.09.0.jar``."""
    path: str
    """Path in a Maven repository, for example ``org/neo4j/neo4j/2026.09.0/neo4j-2026.09.0.jar``."""
    sha256: str
    mirror: str = "maven"
    """Setting of ``[mirrors]`` that names another place of it."""

    @property
    def artifact(self) -> str:
        """Group and name without the version, for example ``org/neo4j/neo4j``."""
        return str(PurePosixPath(self.path).parent.parent)

    @property
    def version(self) -> str:
        return PurePosixPath(self.path).parent.name


def maven_central_url() -> str:
    """Return the address of Maven Central as jgo knows it."""
    from jgo.constants import MAVEN_CENTRAL_URL

    return str(MAVEN_CENTRAL_URL)


def read_lock(lock_file: Path, *, folder: str) -> list[Jar]:
    """Return the jars that a ``jgo.lock.toml`` names, to lie in ``folder``.

    Raises:
        LocalNeo4jError: An entry has no checksum.
    """
    jars = []
    for entry in tomllib.loads(lock_file.read_text(encoding="utf-8"))["dependencies"]:
        artifact, version = entry["artifactId"], entry["version"]
        if not entry.get("sha256"):
            raise LocalNeo4jError(f"{lock_file} has no sha-256 for {artifact}; make it again")
        classifier = f"-{entry['classifier']}" if entry.get("classifier") else ""
        name = f"{artifact}-{version}{classifier}.{entry['packaging']}"
        path = f"{entry['groupId'].replace('.', '/')}/{artifact}/{version}/{name}"
        jars.append(Jar(name=f"{folder}/{name}", path=path, sha256=entry["sha256"]))
    return jars


def fetch(jars: Sequence[Jar], folder: Path, *, base_url: str, what: str = "Neo4j", progress: Progress = silent) -> int:
    """Make ``folder`` hold every jar, whole and unchanged, and no other jar.

    Nothing is written when all is well, so a cache that was filled beforehand may be read-only. Several processes may
    do this at once: one fetches, the others wait for it.

    Args:
        jars: What is wanted.
        folder: Where; made if missing.
        base_url: The Maven repository.
        what: Name of what the jars are of, for messages.
        progress: Hears that jars are checked, and how many of those to fetch are fetched.

    Returns:
        How many jars were fetched.

    Raises:
        LocalNeo4jError: A jar cannot be fetched, is not the one that the lock file names, or cannot be written.
    """
    progress.step("checking jars")
    try:
        if not damaged(jars, folder) and not _unknown(jars, folder):
            return 0
        for parent in {(folder / jar.name).parent for jar in jars}:
            parent.mkdir(parents=True, exist_ok=True)
        with locked(
            folder / "fetch.lock",
            waiting=f"another papergraph is fetching {what}",
            timeout_s=OTHER_FETCH_TIMEOUT_S,
            progress=progress,
        ):
            for stray in _unknown(jars, folder):
                stray.unlink()
            missing = damaged(jars, folder)
            _fetch_all(missing, folder, base_url=base_url, what=what, progress=progress)
    except OSError as error:
        raise LocalNeo4jError(
            f"cannot write to {folder}: {error}; make room there, or set PAPERGRAPH_CACHE to another folder"
        ) from error
    return len(missing)


def damaged(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    """Return the jars that ``folder`` lacks or holds with another content."""
    with ThreadPoolExecutor(THREADS) as threads:
        good = threads.map(lambda jar: has_content(folder / jar.name, jar.sha256), jars)
        return [jar for jar, is_good in zip(jars, good, strict=True) if not is_good]


def has_content(file: Path, sha256: str) -> bool:
    """Return whether a file exists with this checksum."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == sha256
    except (FileNotFoundError, NotADirectoryError):
        return False


def _unknown(jars: Sequence[Jar], folder: Path) -> list[Path]:
    """Return jars that are missing in the lock: the server would load any jar in its plugins folder."""
    known = {folder / jar.name for jar in jars}
    return [file for file in folder.glob("*/*.jar") if file not in known]


def _fetch_all(jars: Sequence[Jar], folder: Path, *, base_url: str, what: str, progress: Progress) -> None:
    import httpx

    if not jars:
        return
    stop = threading.Event()
    with httpx.Client(
        base_url=base_url.rstrip("/") + "/",
        timeout=REQUEST_TIMEOUT_S,
        limits=httpx.Limits(max_connections=THREADS),
        follow_redirects=True,
        headers={"Accept-Encoding": "identity"},  # a range counts the bytes that are stored
    ) as client:
        threads = ThreadPoolExecutor(THREADS)
        try:
            tasks = [threads.submit(_fetch_one, client, jar, folder / jar.name, stop=stop) for jar in jars]
            for done, task in enumerate(as_completed(tasks), start=1):
                task.result()
                progress.advance(f"fetching {what}", done, len(jars))
        finally:  # on an error or Ctrl-C the others end at their next piece, and their parts are kept
            stop.set()
            threads.shutdown(cancel_futures=True)


def _fetch_one(client: "httpx.Client", jar: Jar, target: Path, *, stop: threading.Event) -> None:
    """Fetch one jar beside ``target`` and move it there when its sha-256 is right."""
    part = target.with_name(target.name + ".part")
    for _ in range(2):  # the second time from zero: the part of an earlier run may have been the wrong one
        _with_patience(lambda: _download(client, jar, part, stop=stop), jar, client, stop=stop)
        if has_content(part, jar.sha256):
            part.replace(target)
            return
        if stop.is_set():  # interrupted, so the part is short rather than wrong
            return
        part.unlink(missing_ok=True)
    raise LocalNeo4jError(
        f"{PurePosixPath(jar.name).name} from {client.base_url.host} is not the file that the lock file names (its "
        f"sha-256 differs); check what stands between here and there, or set [mirrors] {jar.mirror} in papergraph.toml "
        "to another repository"
    )


def _with_patience(download: Callable[[], None], jar: Jar, client: "httpx.Client", *, stop: threading.Event) -> None:
    """Try again, later and later, as long as the error may pass by itself."""
    import httpx

    for attempt in range(1, TRIES + 1):
        try:
            return download()
        except (httpx.HTTPError, TimeoutError) as error:
            if attempt == TRIES or not _may_pass(error):
                raise LocalNeo4jError(
                    f"cannot fetch {PurePosixPath(jar.name).name} from {client.base_url.host}: {_reason(error)}; "
                    "check the network (HTTPS_PROXY is honoured), or set [mirrors] "
                    f"{jar.mirror} in papergraph.toml to a mirror, and start again: what is fetched is kept"
                ) from error
        if stop.wait(FIRST_PAUSE_S * 2 ** (attempt - 1)):
            return None
    return None


def _may_pass(error: Exception) -> bool:
    import httpx

    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return status >= 500 or status in {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
    return isinstance(error, httpx.TransportError | TimeoutError)


def _reason(error: Exception) -> str:
    import httpx

    if isinstance(error, httpx.HTTPStatusError):  # its own text has the address, which may hold a password
        return f"it answers {error.response.status_code} {error.response.reason_phrase}"
    return str(error) or type(error).__name__


def _download(client: "httpx.Client", jar: Jar, part: Path, *, stop: threading.Event) -> None:
    """Bring ``part`` to its full length, from where an earlier try stopped."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with client.stream("GET", jar.path, headers=headers) as response:
        if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # nothing is left to fetch: the part is whole, or the sum will say that it is wrong
        response.raise_for_status()
        resumed = response.status_code == HTTPStatus.PARTIAL_CONTENT
        with part.open("ab" if resumed else "wb") as file:
            _copy(response.iter_raw(), file.write, stop=stop)


def _copy(pieces: Iterable[bytes], write: Callable[[bytes], object], *, stop: threading.Event) -> None:
    deadline = time.monotonic() + JAR_DEADLINE_S
    for piece in pieces:
        write(piece)
        if stop.is_set():
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"not finished within {JAR_DEADLINE_S:g} s")
