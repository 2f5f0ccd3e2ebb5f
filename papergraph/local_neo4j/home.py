"""Where one local Neo4j lives: its folders, its password, and whether its store is in use."""

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from papergraph.errors import LocalNeo4jError

KILLED_GONE_S = 2.0
"""How long a killed server may still hold the store after its process is no longer to be found."""

POLL_S = 0.1


@dataclass(frozen=True)
class Home:
    """The folder of one store, ``<papergraph home>/neo4j``; nobody but its owner can look inside."""

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
        """Whether Neo4j has made its system database, and with it the user that the password belongs to."""
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
