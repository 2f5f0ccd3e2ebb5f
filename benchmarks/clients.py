"""Clients beside each other: lines of user code, processor time of the import and to the first hit.

``python -m benchmarks.clients [java]`` installs each client into an empty environment: those of Python with uv, those
of TypeScript with npm and those of Java with Maven; with ``java``, only the last are measured again. The first hit
comes from a stand-in that answers at once in the protocol of each server, so the figures have no server in them.
"""

import ast
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks import java_clients
from benchmarks.common import RESULTS, write_result

TRIES = 5
QUIET = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
PEERS = Path(__file__).parent / "peers"
TEXT = "Tabu search keeps a list."
PACKAGE = {"papergraph-client": "sdk/python"}
MODULES = {
    "papergraph-client": "papergraph_client",
    "openai": "openai",
    "qdrant-client": "qdrant_client",
    "weaviate-client": "weaviate",
}
PROGRAMS = {
    "papergraph-client": """
from papergraph_client import Papergraph
pg = Papergraph()
print(pg.search("tabu search", k=3)[0].passage)
""",
    "openai": """
from openai import OpenAI
client = OpenAI()
found = client.vector_stores.search("vs_papers", query="tabu search", max_num_results=3)
print(found.data[0].content[0].text)
""",
    "qdrant-client": """
from qdrant_client import QdrantClient, models
client = QdrantClient("URL", cloud_inference=True)
query = models.Document(text="tabu search", model="sentence-transformers/all-MiniLM-L6-v2")
found = client.query_points("papers", query=query, limit=3)
print(found.points[0].payload["text"])
""",
    "weaviate-client": """
import weaviate
with weaviate.connect_to_local(port=PORT, grpc_port=GRPC) as client:
    papers = client.collections.use("Papers")
    found = papers.query.near_text(query="tabu search", limit=3)
    print(found.objects[0].properties["text"])
""",
}
NODE_PROGRAMS = {
    "@papergraph/client": """
import { Papergraph } from "@papergraph/client";
const pg = new Papergraph();
console.log((await pg.search("tabu search", { k: 3 })).hits[0].passage);
""",
    "openai": """
import OpenAI from "openai";
const client = new OpenAI();
const found = await client.vectorStores.search("vs_papers", { query: "tabu search", max_num_results: 3 });
console.log(found.data[0].content[0].text);
""",
    "@qdrant/js-client-rest": """
import { QdrantClient } from "@qdrant/js-client-rest";
const client = new QdrantClient({ url: "URL" });
const query = { text: "tabu search", model: "sentence-transformers/all-MiniLM-L6-v2" };
const found = await client.query("papers", { query, limit: 3 });
console.log(found.points[0].payload.text);
""",
    "weaviate-client": """
import weaviate from "weaviate-client";
const client = await weaviate.connectToLocal({ port: PORT, grpcPort: GRPC });
const papers = client.collections.use("Papers");
const found = await papers.query.nearText("tabu search", { limit: 3 });
console.log(found.objects[0].properties.text);
await client.close();
""",
}
"""What a user writes for the first hit, as the first page of each documentation has it; a statement in a line."""

HIT = {"passage": TEXT, "chunk": {}, "paper": {"authors": []}, "section": {"path": []}}
ANSWERS: dict[str, object] = {
    "/v1/search": {"hits": [HIT]},
    "/v1/vector_stores/vs_papers/search": {"data": [{"content": [{"type": "text", "text": TEXT}], "score": 1.0}]},
    "/collections/papers/points/query": {
        "result": {"points": [{"id": 1, "version": 1, "score": 1.0, "payload": {"text": TEXT}}]},
        "status": "ok",
        "time": 0.0,
    },
    "/": {"title": "qdrant - vector search engine", "version": "1.16.0"},
    "/v1/meta": {"version": "1.34.0", "hostname": "http://127.0.0.1", "modules": {}, "grpcMaxMessageSize": 104858000},
    "/v1/.well-known/openid-configuration": {},
    "/v1/.well-known/live": {},
}


@dataclass(frozen=True)
class Figures:
    """Figures of a client; times are the least of five, in seconds.

    Attributes:
        version: Version that pip installed.
        lines: Lines of the program for a first hit.
        import_cpu_s: Processor time of the import, without that of an empty program.
        first_hit_cpu_s: Processor time of the whole program, without that of an empty one.
        first_hit_s: Time of the whole program.
        packages: Packages that are installed.
        megabytes: Size of the environment.
    """

    language: str
    version: str
    lines: int
    import_cpu_s: float
    first_hit_cpu_s: float
    first_hit_s: float
    packages: int
    megabytes: float


class Handler(BaseHTTPRequestHandler):
    """Answers at once, whatever is asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        known = path in ANSWERS and "openid" not in path
        body = json.dumps(ANSWERS.get(path, {})).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def stand_in() -> Iterator[int]:
    """Give the port of the stand-in."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


@dataclass(frozen=True)
class Installed:
    """A client in an environment of its own.

    Attributes:
        language: Language of its users.
        version: Version that is installed.
        command: Start of the command that runs a program given as text.
        imports: Program that imports it, and nothing else.
        program: Program for the first hit.
        lines: Number of lines of the latter.
        packages: Number of packages that are installed.
        folder: Folder with their files.
        empty: Program that does nothing.
    """

    language: str
    version: str
    command: tuple[str, ...]
    imports: str
    program: str
    lines: int
    packages: int
    folder: Path
    empty: str = ""


def in_python(name: str, folder: Path, uv: str) -> Installed:
    """Install a client for Python."""
    python = folder / name / "bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / name], check=True)
    package = str(Path(PACKAGE[name]).absolute()) if name in PACKAGE else name
    subprocess.run([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, package], check=True)
    listing: list[str | Path] = [uv, "pip", "list", "--format", "json", "--python", python]
    versions = {one["name"]: one["version"] for one in json.loads(_output(listing))}
    return Installed(
        language="Python",
        version=versions[name],
        command=(str(python), "-c"),
        imports=f"import {MODULES[name]}",
        program=PROGRAMS[name],
        lines=len(ast.unparse(ast.parse(PROGRAMS[name])).splitlines()),
        packages=len(versions),
        folder=folder / name / "lib",
    )


def in_node(name: str, folder: Path) -> Installed:
    """Install a client for TypeScript; that of papergraph is packed first."""
    project = folder / f"node-{name.replace('/', '-')}"
    project.mkdir()
    (project / "package.json").write_text('{"type": "module"}')
    package = name
    if name == "@papergraph/client":
        packing: list[str | Path] = ["npm", "pack", "--silent", "--pack-destination", project]
        package = str(project / _output(packing, at=_sources(folder)).strip())
    _output(["npm", "install", *QUIET, package], at=project)
    lock = json.loads((project / "package-lock.json").read_text(encoding="utf-8"))
    return Installed(
        language="TypeScript",
        version=str(lock["packages"][f"node_modules/{name}"]["version"]),
        command=("env", "-C", str(project), "node", "--input-type=module", "--eval"),
        imports=f'import "{name}";',
        program=NODE_PROGRAMS[name],
        lines=len(NODE_PROGRAMS[name].strip().splitlines()),
        packages=len(lock["packages"]) - 1,
        folder=project / "node_modules",
    )


def in_java(name: str, folder: Path, places: dict[str, str]) -> Installed:
    """Install a client for Java, and compile its programs."""
    project = folder / name.replace(":", "-")
    jars, version = java_clients.install(name, project, places)
    return Installed(
        language="Java",
        version=version,
        command=("java", "-cp", f"{project}:{jars}/*"),
        imports="Imports",
        program="First",
        lines=len(java_clients.PROGRAMS[name].strip().splitlines()),
        packages=len(list(jars.glob("*.jar"))),
        folder=jars,
        empty="Empty",
    )


def _sources(folder: Path) -> Path:
    """Return a built copy of the TypeScript client."""
    copy = folder / "typescript"
    if not copy.exists():
        shutil.copytree("sdk/typescript", copy, ignore=shutil.ignore_patterns("node_modules"))
        _output(["npm", "ci", *QUIET], at=copy)
    return copy


def _output(command: Sequence[str | Path], at: Path | None = None) -> str:
    return subprocess.run([*map(str, command)], cwd=at, check=True, capture_output=True, text=True).stdout


def measure(client: Installed, port: int, grpc: int) -> Figures:
    """Measure an installed client."""
    empty, _ = least((*client.command, client.empty), port)
    imported, _ = least((*client.command, client.imports), port)
    program = client.program.replace("URL", f"http://127.0.0.1:{port}").replace("PORT", str(port))
    used, took = least((*client.command, program.replace("GRPC", str(grpc))), port, expect=TEXT)
    size = sum(path.stat().st_size for path in client.folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return Figures(
        language=client.language,
        version=client.version,
        lines=client.lines,
        import_cpu_s=round(imported - empty, 2),
        first_hit_cpu_s=round(used - empty, 2),
        first_hit_s=round(took, 2),
        packages=client.packages,
        megabytes=round(size / 1e6, 1),
    )


def least(command: Sequence[str], port: int, *, expect: str = "") -> tuple[float, float]:
    """Run a program some times; return the least processor time and the least time, in seconds."""
    base = f"http://127.0.0.1:{port}"
    own = {"PAPERGRAPH_URL": base, "OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": "x"}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own
    used, took = [], []
    for _ in range(TRIES + 1):  # the first one warms the cache of files
        before, began = _cpu_of_children(), time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        took.append(time.perf_counter() - began)
        used.append(_cpu_of_children() - before)
        assert done.returncode == 0 and expect in done.stdout, done.stderr
    return min(used[1:]), min(took[1:])


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def grpc_stand_in(peer: str, client: Installed) -> Iterator[int]:
    """Give the port of a stand-in for the gRPC of a peer, which runs where its client for Python is installed."""
    command = [client.command[0], str(PEERS / f"{peer}_stand_in.py"), TEXT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(10)


def main() -> None:
    """Measure all clients, or those for Java alone, and write the table."""
    uv = shutil.which("uv") or shutil.which("uv", path=".tools")
    if uv is None or shutil.which("npm") is None or shutil.which("mvn") is None:
        sys.exit("uv, npm or mvn is not here")
    only_java = sys.argv[1:] == ["java"]
    kept = json.loads((RESULTS / "clients.json").read_text(encoding="utf-8")) if only_java else {}
    with tempfile.TemporaryDirectory() as place, stand_in() as port:
        folder = Path(place)
        installed = {name: in_python(name, folder, uv) for name in PROGRAMS}
        weaviate, qdrant = installed["weaviate-client"], installed["qdrant-client"]
        with grpc_stand_in("weaviate", weaviate) as grpc, grpc_stand_in("qdrant", qdrant) as of_qdrant:
            if not only_java:
                kept = {
                    "python": {name: asdict(measure(client, port, grpc)) for name, client in installed.items()},
                    "typescript": {name: asdict(measure(in_node(name, folder), port, grpc)) for name in NODE_PROGRAMS},
                }
            places = {"PORT": str(port), "GRPC": str(grpc), "QDRANT": str(of_qdrant)}
            java = {name: asdict(measure(in_java(name, folder, places), port, grpc)) for name in java_clients.PROGRAMS}
    found = {"python": kept["python"], "typescript": kept["typescript"], "java": java}
    write_result("clients", {"tries": TRIES, **found})
    print("| client | language | lines | import, CPU s | first hit, CPU s | first hit, s | packages | MB |")
    print("|---|---|---|---|---|---|---|---|")
    for name, one in [row for rows in found.values() for row in rows.items()]:
        cells = [one[key] for key in list(one)[2:]]
        print(f"| {name} {one['version']} | {one['language']} | " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
