"""Home of the local Neo4j: folders, files, and its jars."""

import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from papergraph.errors import LocalNeo4jError
from papergraph.maven import Jar, fetch, maven_central_url, read_lock
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

KILLED_GONE_S = 2.0
"""Seconds that a killed server may hold the store after its process has ended."""

POLL_S = 0.1


@dataclass(frozen=True)
class Home:
    """Folder of one store, ``<papergraph home>/neo4j``, accessible to its owner only."""

    root: Path

    @classmethod
    def below(cls, home: Path) -> "Home":
        """Return the store of the papergraph home ``home``."""
        return cls(home.expanduser().resolve() / "neo4j")

    @property
    def conf(self) -> Path:
        return self.root / "conf"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def imports(self) -> Path:
        return self.root / "import"

    @property
    def plugins(self) -> Path:
        return self.root / "plugins"

    @property
    def password_file(self) -> Path:
        return self.root / "password"

    @property
    def has_store(self) -> bool:
        """True if Neo4j has created its system database, and the user of the password."""
        return (self.data / "databases" / "system").exists()

    def make_folders(self) -> None:
        """Make what is missing."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.chmod(0o700)
        for folder in (self.conf, self.data, self.logs, self.run, self.imports):
            folder.mkdir(exist_ok=True)

    def link_plugins(self, folder: Path) -> None:
        """Make ``plugins`` a link to ``folder``, the plugins of the version that is to be started."""
        if self.plugins.is_symlink():
            self.plugins.unlink()
        self.plugins.symlink_to(folder, target_is_directory=True)

    def password(self) -> str:
        """Return the password of this store, a new random one if there is no store yet.

        Raises:
            LocalNeo4jError: There is a store, but its password file is gone.
        """
        if self.password_file.exists() and (password := self.password_file.read_text().strip()):
            return password
        if self.has_store:
            raise LocalNeo4jError(
                f"the store in {self.data} has a password, but {self.password_file} is missing or empty; put the "
                f"password back into that file, or move {self.root} away to begin with an empty store"
            )
        password = secrets.token_hex(24)  # only letters and digits: a leading dash would be an option of neo4j-admin
        self.password_file.unlink(missing_ok=True)
        write_secret(self.password_file, password + "\n")
        return password

    def size_bytes(self) -> int:
        """Return how many bytes the store takes on disk."""
        return sum(size for _, size in file_sizes(self.data))

    def check_nobody_uses_the_store(self) -> None:
        """Refuse to start beside another server: Neo4j would only say so after some seconds, and less clearly.

        Raises:
            LocalNeo4jError: Another process holds the store's lock.
        """
        lock = self.data / "databases" / "store_lock"
        if not lock.exists():
            return
        with lock.open("r+") as file:
            deadline = time.monotonic() + KILLED_GONE_S
            while not _lock_is_free(file):
                if time.monotonic() > deadline:
                    raise LocalNeo4jError(
                        f"another Neo4j that this papergraph did not start uses the store in {self.data}; stop it "
                        f"(fuser {lock} names its process), or set PAPERGRAPH_HOME to another folder"
                    )
                time.sleep(POLL_S)


def _lock_is_free(file: IO[str]) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kind of lock that Java takes
    except BlockingIOError:
        return False
    return True


def file_sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files below a folder with their sizes in bytes, without what a running server removes meanwhile."""
    for below, _, names in os.walk(folder):
        for name in names:
            file = Path(below, name)
            try:
                yield file, file.lstat().st_size
            except FileNotFoundError:
                continue


def write_secret(file: Path, text: str) -> None:
    """Make a new ``file`` that only this user can read, from its first byte on."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)


# The jars of Neo4j and OpenGDS: which the lock files name, and the plugins folder of a Neo4j that is not ours


HERE = Path(__file__).parent
LOCK_FILES = {"lib": HERE / "server" / "jgo.lock.toml", "plugins": HERE / "plugins" / "jgo.lock.toml"}
SERVER_ARTIFACT = "org/neo4j/app/neo4j-server"
TEST_ARTIFACTS = frozenset(
    {"junit/junit", "net/bytebuddy/byte-buddy-agent", "org/hamcrest/hamcrest", "org/mockito/mockito-core"}
    | {"org/objenesis/objenesis"}
)
"""Libraries of tests that a dependency of the server names by mistake; they are not on its class path."""


@dataclass(frozen=True)
class Distribution:
    """All jars of one version of the server with its plugins; ``jars`` are in the order of the class path."""

    version: str
    key: str
    """Changes whenever a lock file does, so that an old and a new version never share a folder."""
    jars: tuple[Jar, ...]

    @property
    def class_path(self) -> tuple[Jar, ...]:
        """The jars that a server loads: all but libraries of tests."""
        return tuple(jar for jar in self.jars if jar.artifact not in TEST_ARTIFACTS)

    def folder(self, cache: Path) -> Path:
        """Return the folder below ``cache`` where these jars belong."""
        return cache / f"neo4j-{self.version}-{self.key}"


def distribution() -> Distribution:
    """Return what the committed lock files name: the server's jars, and those of OpenGDS that the server lacks."""
    server = read_lock(LOCK_FILES["lib"], folder="lib")
    known = {jar.artifact for jar in server}
    plugins = [jar for jar in read_lock(LOCK_FILES["plugins"], folder="plugins") if jar.artifact not in known]
    checksum = hashlib.sha256(b"".join(file.read_bytes() for file in LOCK_FILES.values()))
    return Distribution(
        version=next(jar.version for jar in server if jar.artifact == SERVER_ARTIFACT),
        key=checksum.hexdigest()[:12],
        jars=(*server, *plugins),
    )


@dataclass(frozen=True)
class PutPlugins:
    """Result of :func:`put_plugins`."""

    n_jars: int
    version: str
    """The Neo4j that they go with."""


def put_plugins(settings: Settings, target: Path, *, progress: Progress = silent) -> PutPlugins:
    """Make ``target`` hold the jars of OpenGDS, for a Neo4j that is not ours; what else lies there stays.

    Args:
        settings: Where jars are kept, and where they are fetched from.
        target: The plugins folder; made if missing.
        progress: Hears that jars are checked and fetched.

    Raises:
        LocalNeo4jError: As of :func:`fetch`, or ``target`` cannot be written.
    """
    neo4j = distribution()
    plugins = [jar for jar in neo4j.jars if PurePosixPath(jar.name).parent.name == "plugins"]
    kept = settings.cache / f"opengds-{neo4j.version}-{neo4j.key}"
    fetch(plugins, kept, base_url=settings.mirrors.maven or maven_central_url(), progress=progress)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for jar in plugins:
            shutil.copyfile(kept / jar.name, target / PurePosixPath(jar.name).name)
    except OSError as error:
        raise LocalNeo4jError(f"cannot write to {target}: {error}") from error
    return PutPlugins(len(plugins), neo4j.version)
