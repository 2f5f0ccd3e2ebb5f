"""What the Dockerfile does, step by step in a clean folder, and what it makes, run like in a container.

There is no engine here: COPY and RUN are done by hand, below a folder that stands for the root. What comes out runs as
the user of the image, who owns nothing but its two folders, where we are root and may become that user.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from papergraph.local_neo4j.home import distribution
from tests.pytest_neo4j import Neo4jServer
from tests.support.waiting import free_port

pytestmark = [pytest.mark.slow, pytest.mark.release]

DOCKERFILE = Path("docker/Dockerfile").read_text()
USER = "10001"
SYSTEM_PYTHON = Path("/usr/bin/python3")
"""Others may run it, unlike one that stands in somebody's home."""


@dataclass(frozen=True)
class Image:
    """A folder that stands for the root of a container."""

    root: Path
    as_user: tuple[str, ...]

    def path(self, path: str) -> str:
        """Return where a path of the container is."""
        return f"{self.root}{path}" if path.startswith("/") else path

    def environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        (block,) = re.findall(r"^ENV ((?:.+\\\n)*.+)", DOCKERFILE, re.MULTILINE)
        of_image = dict(item.split("=", 1) for item in re.findall(r"\S+=\S+", block))
        path = self.path(of_image.pop("PATH")).replace("$PATH", os.environ["PATH"])
        mapped = {name: self.path(value) for name, value in of_image.items()}
        return {**mapped, "PATH": path, "TMPDIR": self.path("/tmp"), "COLUMNS": "250", **settings}

    def command(self, *command: str) -> list[str]:
        return [*self.as_user, *command]

    def papergraph(self, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(self.path("/opt/papergraph/bin/papergraph"), *arguments),
            env=self.environment(settings),
            cwd=self.path("/data"),
            capture_output=True,
            text=True,
            timeout=240,
        )


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    root = Path(tempfile.mkdtemp(prefix="papergraph-image-"))  # pytest's own folders are closed to other users
    try:
        root.chmod(0o755)
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)
        build(root)
        yield Image(root, becoming_the_user(root))
    finally:
        shutil.rmtree(root)


def build(root: Path) -> None:
    """Do each COPY and RUN of the Dockerfile in its order."""
    work = root / "build"
    work.mkdir()
    quick = {"UV_LINK_MODE": "hardlink", "UV_COMPILE_BYTECODE": "0"}  # the same files, not copied
    if python := system_python():
        quick["UV_PYTHON"] = str(python)
    for line in DOCKERFILE.splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "COPY" and not rest.startswith("--from"):
            *sources, target = rest.split()
            for source in sources:
                copy(Path(source), work / target if source == target or len(sources) == 1 else work / target / source)
        elif instruction == "RUN":
            script, *arguments = re.sub(r"--mount=\S+ ", "", rest).split()
            step = Path("docker/steps").resolve() / Path(script).name
            mapped = [f"{root}{argument}" for argument in arguments]
            env = {**os.environ, **quick}
            done = subprocess.run([step, *mapped], cwd=work, env=env, capture_output=True, text=True, timeout=550)
            assert done.returncode == 0, done.stdout + done.stderr


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def system_python() -> Path | None:
    """Return the system's Python where it can run papergraph."""
    asked = (
        subprocess.run(
            [SYSTEM_PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], capture_output=True, check=False
        )
        if SYSTEM_PYTHON.exists()
        else None
    )
    return SYSTEM_PYTHON if asked and asked.returncode == 0 else None


def becoming_the_user(root: Path) -> tuple[str, ...]:
    """Return what to put before a command so that the image's user runs it; nothing where that cannot be."""
    becoming = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", "--inh-caps=-all")
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return ()
    tried = subprocess.run([*becoming, root / "opt/papergraph/bin/python", "-c", "pass"], capture_output=True)
    return becoming if tried.returncode == 0 else ()


def test_the_steps_install_papergraph_and_nothing_for_development(image):
    installed = {path.name for path in (image.root / "opt/papergraph/lib").glob("python3*/site-packages/*")}

    assert {"papergraph", "pypandoc"} <= installed and "torch" not in installed
    assert not installed & {"pytest", "mypy", "triton"}
    assert image.papergraph("--version").stdout.strip() == "0.1.0"


def test_the_plugins_are_those_of_the_lock_file(image):
    wanted = {Path(jar.name).name for jar in distribution().jars if jar.name.startswith("plugins/")}

    assert {jar.name for jar in (image.root / "plugins").iterdir()} == wanted


def test_it_serves_with_a_secret_from_a_file_and_keys_and_writes_to_its_own_folders_only(
    image: Image, neo4j_server: Neo4jServer
) -> None:
    secrets = image.root / "run/secrets"
    secrets.mkdir(parents=True)
    (secrets / "papergraph_neo4j_password").write_text(neo4j_server.password)
    settings = {
        "PAPERGRAPH_NEO4J_URI": neo4j_server.uri,
        "PAPERGRAPH_SECRETS_DIR": str(secrets),
        "PAPERGRAPH_SERVER_HOST": "127.0.0.1",  # in its network a container listens everywhere, a test does not
        "PAPERGRAPH_SERVER_PORT": str(port := free_port()),
        "NUMBA_OPT": "0",
    }
    if image.as_user:
        assert subprocess.run(image.command("touch", str(image.root / "x")), capture_output=True).returncode != 0
    key = image.papergraph("keys", "create", "--name", "me", **settings)
    assert key.returncode == 0, key.stderr

    with (image.root / "tmp" / "output").open("wb") as output:
        process = subprocess.Popen(
            image.command(image.path("/opt/papergraph/bin/papergraph"), "serve"),
            env=image.environment(settings),
            cwd=image.path("/data"),
            stdout=output,
            stderr=output,
        )
    try:
        (probe,) = re.findall(r'CMD \["python", "-c", "(.+)"\]', DOCKERFILE)
        wait_for_health(image, probe.replace("8000", str(port)), process)
        query = {"query": "{ papers { totalCount } }"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            refused = client.post("/graphql", json=query)
            answered = client.post("/graphql", json=query, headers={"Authorization": f"Bearer {key.stdout.strip()}"})
        process.terminate()
        status = process.wait(30)
    finally:
        process.kill()
        process.wait()

    assert refused.status_code == 401
    assert "totalCount" in answered.text
    assert status == 0
    assert any((image.root / "cache/numba").iterdir())


def wait_for_health(image: Image, probe: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the image's own check is content."""
    deadline = time.monotonic() + 240
    while subprocess.run(["python3", "-c", probe], capture_output=True).returncode != 0:
        assert process.poll() is None, (image.root / "tmp" / "output").read_text()
        assert time.monotonic() < deadline, (image.root / "tmp" / "output").read_text()
        time.sleep(0.5)
