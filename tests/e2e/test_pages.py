"""Every block of code of the README and the pages runs, in the order of docs/index.md, and shows what the page says."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from papergraph.settings import Settings
from tests.pytest_neo4j import Neo4jServer
from tests.support.pages import ROOT, Block, blocks, pages, shows
from tests.support.waiting import free_port

pytestmark = [pytest.mark.slow, pytest.mark.docs]

BIN = Path(sys.executable).parent
ADDRESS = "http://127.0.0.1:8000"
QUESTION = "Is tabu search better than annealing?"
IDS = {
    "PAPER_ID": ("papers list", "id"),
    "JOB_ID": ("jobs list", "id"),
    "KEY_ID": ("keys list", "id"),
    "INVITATION_ID": ("keys invitations", "id"),
    "CLUSTER_ID": ("clusters list", "id"),
    "QUESTION_ID": ("questions list", "id"),
}
"""Placeholders, with the command that lists values and the name of the value."""

COMMANDS = {
    "make run ARGS=--once": "PAPERGRAPH_SERVER_PORT=$((RANDOM + 20000)) papergraph demo --once",
    ".venv/bin/": "",
}
"""Commands of the pages, and what runs here in their place; tests/e2e/test_run.py runs the targets of make."""

PAPERS = {
    "one.md": "# Knots\n\nWhat you look for is a knot.\n",
    "two.md": "---\ndoi: 10.18637/jss.v067.i01\nauthors: [Douglas Bates]\n---\n# Mixed models\n\nModels of bates.\n",
    "papers.bib": "@article{knuth, title={Literate Programming}, author={Donald Knuth}, year={1984}, file={one.md}}\n",
}


class Clone:
    """A folder with the files of the repository, a home, and a running server with the sample papers."""

    def __init__(self, folder: Path, environment: dict[str, str], address: str) -> None:
        self.folder, self.environment, self.address = folder, environment, address

    def fault_of(self, block: Block) -> str:
        """Run a block; return what went wrong, or empty."""
        text = self.filled(block.text)
        if block.language == "graphql":
            output = httpx.post(f"{self.address}/graphql", json={"query": text}, timeout=120).text
            failed = '"errors"' in output
        else:
            done = self.run(block.language, text)
            output, failed = f"{done.stdout}\n{done.stderr}", done.returncode != 0
            if block.language == "cypher" and done.returncode == 3:
                failed = False  # nothing is found
        if failed or not shows(output, block.output):
            return f"{block.page}:{block.line}\n{text}\n{output}"
        return ""

    def run(self, language: str, text: str) -> subprocess.CompletedProcess[str]:
        code = {
            "sh": ["bash", "-euo", "pipefail", "-c", text],
            "python": [sys.executable, "-P", "-c", text],
            "cypher": [BIN / "papergraph", "cypher", text],
        }[language]
        return subprocess.run(
            code, env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=400, check=False
        )

    def filled(self, text: str) -> str:
        """Return a block with values for its placeholders."""
        for written, here in COMMANDS.items():
            text = text.replace(written, here)
        text = text.replace(ADDRESS, self.address).replace("…", QUESTION)
        for name, (command, key) in IDS.items():
            first = f"""$(papergraph {command} --json | grep -oE '"{key}": *"[^"]+"' | head -n 1 | cut -d '"' -f 4)"""
            text = text.replace(name, first)
        return text


@pytest.fixture(scope="module")
def clone(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    folder, home = tmp_path_factory.mktemp("papergraph"), tmp_path_factory.mktemp("home")
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    (home / "papers").mkdir()
    for name, text in PAPERS.items():
        (home / "papers" / name).write_text(text, encoding="utf-8")
    (folder / "paper.md").write_text("# A first paper\n\nIt was uploaded.\n", encoding="utf-8")
    environment = os.environ | {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "sdk" / "python" / "src"),
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "PAPERGRAPH_CACHE": str(Settings().cache),
        "PAPERGRAPH_HOME": str(home / "papergraph"),
        "PAPERGRAPH_NEO4J_URI": neo4j_server.uri,
        "PAPERGRAPH_NEO4J_USER": neo4j_server.user,
        "PAPERGRAPH_NEO4J_PASSWORD": neo4j_server.password,
        "PAPERGRAPH_NEO4J_DATABASE": neo4j_server.database,
        "PAPERGRAPH_SERVER_PORT": str(free_port()),
        "PAPERGRAPH_WORKERS": "1",
        "COLUMNS": "200",
    }
    process = subprocess.Popen(
        [BIN / "papergraph", "demo"], env=environment, cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        printed = ""
        while "serving" not in printed:
            line = process.stdout.readline()
            assert line, f"papergraph demo ended: {printed}"
            printed += line
        found = re.search(r"GraphQL\s+(http://\S+)/graphql", printed)
        assert found
        yield Clone(folder, environment, found[1])
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.parametrize("page", [page for page in pages() if any(block.runs for block in blocks(page))])
def test_the_blocks_of_a_page_run_and_show_what_it_says(clone: Clone, page: str):
    faults = []
    for block in blocks(page):
        if block.file and "/" not in block.file:
            (clone.folder / block.file).write_text(block.text, encoding="utf-8")
        if block.runs and (fault := clone.fault_of(block)):
            faults.append(fault)

    assert not faults, "\n\n".join(faults)
