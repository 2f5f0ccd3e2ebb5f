"""The jars of Neo4j and OpenGDS: which the lock files name, and the plugins folder of a Neo4j that is not ours."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from papergraph.errors import LocalNeo4jError
from papergraph.maven import Jar, fetch, maven_central_url, read_lock
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

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
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in LOCK_FILES.values()))
    return Distribution(
        version=next(jar.version for jar in server if jar.artifact == SERVER_ARTIFACT),
        key=digest.hexdigest()[:12],
        jars=(*server, *plugins),
    )


@dataclass(frozen=True)
class PutPlugins:
    """What :func:`put_plugins` did."""

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
