"""The wheel, the tarball and the jar of the clients, as users install them: in an empty environment, by the README."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph_client import Papergraph
from papergraph_client._passages import metadata_of
from papergraph_client.models import SearchAnswer
from tests.support import node
from tests.support.fault_server import fault_server
from tests.support.files import write
from tests.support.ingestion import ingest
from tests.support.python_environments import client_wheel, environment
from tests.support.sdk_builds import JavaClient, compiled_with_types, installed_tarball, java_consumer
from tests.support.servers import RunningServer
from tests.support.typeset import pdf, prose

pytestmark = [pytest.mark.slow, pytest.mark.clients]

QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
LIBRARIES = Path("tests/clients/integrations").absolute()
PROGRAM = f"""
import sys, papergraph_client
from papergraph_client import Papergraph, RateLimitedError
with Papergraph(sys.argv[1]) as pg:
    print(pg.search({QUESTION!r}, k=1)[0].paper.title)
    with pg.ask_stream({QUESTION!r}, mode="extractive") as answer:
        print(len("".join(event.text for event in answer)), answer.result.citations[0].quote)
with Papergraph(sys.argv[2]) as busy:
    try:
        busy.search("x")
    except RateLimitedError as error:
        print(papergraph_client.__version__, papergraph_client.__file__, error.retry_after)
print(sorted(name for name in sys.modules if name in ("pandas", "pyarrow", "pydantic", "numpy")))
"""
LINKED = """@article{{seas, title = {{On the Tides of Small Seas}}, author = {{Ada Wave}}, year = 2021,
  url = {{https://example.org/seas.pdf}}, file = {{{file}}}}}"""
SEAS = f"""#align(center)[#text(16pt)[On the Tides of Small Seas]]

= Introduction
{prose(300)}

#pagebreak()

= Results
The tide of a small sea rises by four centimetres in spring."""


def examples_of(readme: str, language: str) -> list[str]:
    text = Path(readme).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


async def test_the_wheel_installs_into_an_empty_environment_and_works_there(
    working_server: RunningServer, library: Database, tmp_path: Path
):
    python = environment(tmp_path, client_wheel(tmp_path))
    with fault_server() as url:
        program = (python, "-W", "error", "-c", PROGRAM, working_server.url, f"{url}/busy-for-long")
        title, answer, told, modules = (await node.run("env", "-C", tmp_path, *program)).splitlines()

    assert "Surface" in title
    assert int(answer.split()[0]) > 20 and "qubit" in answer
    assert told.startswith("0.1.0 ")
    assert str(tmp_path / "environment") in told
    assert told.endswith(" 3600.0")
    assert modules == "[]"


async def test_the_examples_of_the_readme_run_with_the_wheel_and_stock_libraries_retrieve_with_it(
    working_server: RunningServer, library: Database, embedder: Embedder, tmp_path: Path
):
    write(tmp_path / "linked/seas.pdf", pdf(SEAS))
    write(tmp_path / "linked/seas.bib", LINKED.format(file="seas.pdf"))
    report = await ingest(library, embedder, [tmp_path / "linked/seas.bib"], collection="linked")
    assert not report.failed
    python = environment(tmp_path, "-r", LIBRARIES / "requirements.txt", client_wheel(tmp_path))
    example = write(tmp_path / "example.py", "".join(examples_of("sdk/python/README.md", "python")))
    write(tmp_path / "paper.md", "# Ferrites\n\n## Loss\n\nA ferrite core loses 2 W at 100 kHz.\n")

    here = ("env", "-C", tmp_path, f"PAPERGRAPH_URL={working_server.url}", "HAYSTACK_TELEMETRY_ENABLED=False")
    query = "How far does the tide of a small sea rise?"
    output = await node.run(*here, python, "-W", "error", LIBRARIES / "run.py", working_server.url, "linked", query)
    with Papergraph(working_server.url) as client:
        found = client.search(query, k=2, collection="linked")
    told = await node.run(*here, python, example)

    results = {(one := json.loads(line)).pop("library"): one for line in output.splitlines()}
    assert set(results) == {"langchain", "llama_index", "haystack"}
    for name, result in results.items():
        assert result["ways"] == [passages(found)] * 3, name
        assert "four centimetres" in result["whole"], name
        assert "(https://example.org/seas.pdf#page=2)" in result["whole"], name
    assert "done 1.0" in told
    assert "NOT_FOUND" in told
    assert told.count("Annealing") >= 4, told


def passages(found: SearchAnswer) -> Sequence[object]:
    """Return hits as all libraries should have them."""
    return [
        {"text": hit.passage, "id": hit.chunk.id, "score": hit.score, "metadata": metadata_of(hit)} for hit in found
    ]


async def test_the_tarball_installs_into_an_empty_folder_and_its_types_and_examples_hold(
    working_server: RunningServer, library: Database, typescript: Path, tmp_path: Path
):
    folder = installed_tarball(typescript, tmp_path)
    program = compiled_with_types(typescript, folder, "".join(examples_of("sdk/typescript/README.md", "js")))

    output = await node.run("env", f"PAPERGRAPH_URL={working_server.url}", "node", program)

    assert [path.name for path in (folder / "node_modules").iterdir() if not path.name.startswith(".")] == [
        "@papergraph"
    ]
    assert "Annealing" in output
    assert "qubit" in output
    assert "done 1" in output
    assert "NOT_FOUND" in output
    assert output.rstrip().endswith("true")


async def test_the_jar_is_a_dependency_of_a_new_maven_project_and_its_examples_run(
    working_server: RunningServer, library: Database, java: JavaClient, tmp_path: Path
):
    (dependency,) = examples_of("sdk/java/README.md", "xml")
    program = java_consumer(dependency, examples_of("sdk/java/README.md", "java"), java, tmp_path)

    output = await node.run("env", f"PAPERGRAPH_URL={working_server.url}", *program)

    assert (tmp_path / "local/org/papergraph/client/0.1.0/client-0.1.0.jar").exists()
    assert "Annealing" in output
    assert "qubit" in output
    assert "NOT_FOUND" in output
