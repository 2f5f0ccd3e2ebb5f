"""Every command of the README's «Ask», «Your own papers» and «Is all well?» does what the README says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pytest_neo4j import Neo4jServer

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def commands(heading: str) -> list[str]:
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


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
        [BIN / "papergraph", "run"], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        printed = ""
        while "serving" not in printed:
            line = process.stdout.readline()
            assert line, f"papergraph run ended: {printed}"
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


def test_the_search_example_finds_the_passage(serving: str, environment: dict[str, str]):
    search, _, _ = commands("Ask")

    assert "A patch of distance 7 uses 97 physical qubits" in run(search, environment, serving)


def test_the_graphql_example_gives_passages_with_their_place(serving: str, environment: dict[str, str]):
    _, graphql, _ = commands("Ask")

    hits = json.loads(run(graphql, environment, serving))["data"]["search"]["hits"]

    assert hits[0]["paper"]["title"] == "Simulated Annealing and Tabu Search for Binary Optimisation"
    assert ["Results", "Dense instances"] in [hit["sectionPath"] for hit in hits]
    assert {leg["leg"] for leg in hits[0]["legs"]} == {"VECTOR", "FULLTEXT"}


def test_the_cypher_example_lists_authors_of_several_papers(serving: str, environment: dict[str, str]):
    _, _, cypher = commands("Ask")

    table = run(cypher, environment, serving)

    assert "author" in table
    assert "Zero-Noise Extrapolation for Shallow Quantum Circuits" in table


def test_ones_own_papers_go_in_and_out(serving: str, environment: dict[str, str], tmp_path: Path):
    (block,) = commands("Your own papers")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "one.md").write_text("# Knots\n\nWhat you look for is a knot.\n", encoding="utf-8")
    ingest, search, export, delete = block.replace("~/papers", str(tmp_path / "papers")).splitlines()

    assert "1 added" in run(ingest, environment)
    assert "Knots" in run(search, environment)
    assert "# Knots\n\nWhat you look for is a knot.\n" in run(export, environment)
    assert "one.md" in run(delete, environment)


def test_the_doctor_finds_nothing_wrong_with_the_samples(serving: str, environment: dict[str, str]):
    (doctor,) = commands("Is all well?")

    assert "nothing is wrong" in run(doctor, environment)


def settings_in(table: str) -> set[str]:
    """Return the settings of a table's first column; `_NAME` there is short for `PAPERGRAPH_NAME`."""
    cells = re.findall(r"^\| (`PAPERGRAPH_[^|]+) \|", table, re.M)
    return {name for cell in cells for name in re.findall(r"`(?:PAPERGRAPH)?_([A-Z0-9_]+)`", cell)}


def test_every_setting_of_the_readme_exists_and_every_setting_is_there_or_on_the_page_of_its_own():
    from papergraph.settings import PREFIX, Settings

    table = README.split("\n## Settings\n")[1].split("\n## ")[0]
    model_page = (ROOT / "docs" / "language-model.md").read_text(encoding="utf-8")
    fields = {name.upper() for name in Settings.model_fields}

    assert settings_in(table) <= fields
    assert settings_in(table) | settings_in(model_page) == fields
    assert all(name.startswith("LLM_") for name in fields - settings_in(table))
    assert PREFIX == "PAPERGRAPH_"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *sorted(str(p) for p in Path("docs").rglob("*.md"))])
def test_links_between_pages_lead_somewhere(page: str):
    text = re.sub(r"`[^`]*`", "", (ROOT / page).read_text(encoding="utf-8"))

    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} points to {target}"
