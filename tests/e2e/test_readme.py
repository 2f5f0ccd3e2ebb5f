"""Every command of the README, and the health check of docs/doctor.md, does what the page says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pytest_neo4j import Neo4jServer
from tests.support.readme import README, ROOT, blocks, commands

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def environment(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return os.environ | {
        "PAPERGRAPH_HOME": str(tmp_path_factory.mktemp("home")),
        "PAPERGRAPH_NEO4J_URI": neo4j_server.uri,
        "PAPERGRAPH_NEO4J_USER": neo4j_server.user,
        "PAPERGRAPH_NEO4J_PASSWORD": neo4j_server.password,
        "PAPERGRAPH_NEO4J_DATABASE": neo4j_server.database,
        "COLUMNS": "200",
    }


@pytest.fixture(scope="module")
def serving(environment: dict[str, str]) -> Iterator[str]:
    """What ``make run`` starts; gives the address that it printed."""
    process = subprocess.Popen(
        [BIN / "papergraph", "demo"], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
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
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)


def run(command: str, environment: dict[str, str], address: str = "") -> str:
    command = command.replace("http://127.0.0.1:8000", address).replace(".venv/bin/papergraph", str(BIN / "papergraph"))
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_search_example_finds_the_passage(serving: str, environment: dict[str, str]):
    _, search, _, _ = commands("Quick start")

    assert "A patch of distance 7 uses 97 physical qubits" in run(search, environment, serving)


@pytest.mark.slow
def test_the_graphql_example_gives_passages_with_their_place(serving: str, environment: dict[str, str]):
    _, _, _, graphql = commands("Quick start")

    hits = json.loads(run(graphql, environment, serving))["data"]["search"]["hits"]

    assert hits[0]["paper"]["title"] == "Simulated Annealing and Tabu Search for Binary Optimisation"
    assert ["Results", "Dense instances"] in [hit["sectionPath"] for hit in hits]
    assert {retriever["retriever"] for retriever in hits[0]["retrievers"]} == {"VECTOR", "FULLTEXT"}


@pytest.mark.slow
def test_the_question_is_answered_with_a_citation(serving: str, environment: dict[str, str]):
    _, _, ask, _ = commands("Quick start")

    answer = run(ask, environment, serving)

    assert "97 physical qubits" in answer
    assert "[1]" in answer


@pytest.mark.slow
def test_the_python_example_prints_passages(serving: str, environment: dict[str, str]):
    (script,) = blocks("python", "Python")

    printed = run(f"{sys.executable} - <<'END'\n{script}END", environment, serving)

    assert "Simulated Annealing and Tabu Search for Binary Optimisation" in printed
    assert len(printed.splitlines()) == 5


@pytest.mark.slow
def test_the_cypher_example_lists_authors_of_several_papers(serving: str, environment: dict[str, str]):
    (cypher,) = commands("The graph")

    table = run(cypher, environment, serving)

    assert "author" in table
    assert "Zero-Noise Extrapolation for Shallow Quantum Circuits" in table


@pytest.mark.slow
def test_ones_own_papers_go_in_and_out(serving: str, environment: dict[str, str], tmp_path: Path):
    (block,) = commands("Your own papers")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "one.md").write_text("# Knots\n\nWhat you look for is a knot.\n", encoding="utf-8")
    ingest, search, export, delete = block.replace("~/papers", str(tmp_path / "papers")).splitlines()

    assert "1 added" in run(ingest, environment)
    assert "Knots" in run(search, environment)
    assert "# Knots\n\nWhat you look for is a knot.\n" in run(export, environment)
    assert "one.md" in run(delete, environment)


@pytest.mark.slow
def test_the_doctor_finds_nothing_wrong_with_the_samples(serving: str, environment: dict[str, str]):
    doctor, _ = commands("Health check", "docs/doctor.md")

    assert "nothing is wrong" in run(doctor, environment)


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *sorted(str(p) for p in Path("docs").rglob("*.md"))])
def test_links_between_pages_lead_somewhere(page: str):
    text = re.sub(r"`[^`]*`", "", (ROOT / page).read_text(encoding="utf-8"))

    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} points to {target}"
