"""Clients that stock generators make of the schema, without warnings, on a real socket."""

import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from tests.support.files import write
from tests.support.ingestion import enqueue
from tests.support.node import node_project, run
from tests.support.python_environments import environment, told_by

pytestmark = [pytest.mark.slow, pytest.mark.clients]

DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
GENERATOR = "org.openapitools:openapi-generator-cli:7.25.0"
OWN_WARNINGS = "OpenAPI 3.1 support is still in beta|Failed to get the schema name: null"
"""What the generator says of all schemas like this one; see docs/design/interfaces.md#clients."""

SCHEMAS = (Path("schema/schema.graphql"), Path("schema/openapi.json"))


@pytest_asyncio.fixture(loop_scope="session")
async def served_job(library: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[tuple[str, str]]:
    """Address of a server, and the id of a cancelled job there."""
    job = await enqueue(library, embedder, [write(tmp_path / "a.md", "# A\n\nText.\n")], collection="followed")
    await jobs.cancel(library, job.id)
    try:
        with listen("127.0.0.1", 0) as sock:
            async with serving(Service(library, embedder), sock):
                yield url_of(sock), job.id
    finally:
        await jobs.forget(library, job.id)


def results_of(output: str) -> dict[str, dict[str, Any]]:
    """Return the results by client."""
    return {(result := json.loads(line)).pop("client"): result for line in output.splitlines()}


async def test_relay_codegen_and_openapi_typescript_compile_and_run(served_job: tuple[str, str], tmp_path: Path):
    project = node_project(Path("tests/clients/generators"), tmp_path)
    for schema in SCHEMAS:
        shutil.copy(schema, project)
    for tool in ("relay", "codegen", "openapi", "build"):
        told = told_by("npm", "run", "--silent", tool, folder=project).lower()
        assert "warn" not in told, told
        assert "deprecat" not in told, told

    results = results_of(await run("node", project / "built/run.js", *served_job))

    assert set(results) == {"graphql-codegen", "openapi-typescript", "relay"}, results
    for name, result in results.items():
        assert result["mutation"] == "Job", (name, result)
        assert "collection" in result["refused"]["error"], (name, result)
        assert result["warnings"] == [], (name, result)
    assert "main" in results["graphql-codegen"]["query"]
    assert "main" in results["openapi-typescript"]["query"]
    assert results["openapi-typescript"]["node"] == "Paper"
    assert results["openapi-typescript"]["title"]
    relay = results["relay"]
    assert len(relay["query"]) == 3
    assert relay["stored"] == relay["query"], "another type has the id of a paper"
    assert relay["types"] == ["Paper"]
    assert relay["job"] == "CANCELLED"
    assert relay["states"] == ["CANCELLED"]


UNKNOWN_TYPE = "WARNING parsing GET /v1/papers/{id}/annotated.pdf within files."
"""What openapi-python-client says of a response of the type application/pdf."""


async def test_ariadne_codegen_and_openapi_python_client_generate_and_run(served_job: tuple[str, str], tmp_path: Path):
    project = tmp_path / "python"
    shutil.copytree("tests/clients/python", project)
    for schema in SCHEMAS:
        shutil.copy(schema, project)
    python = environment(project, "--require-hashes", "-r", "requirements.txt")
    search_path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    openapi = ("openapi-python-client", "generate", "--path", "openapi.json", "--meta", "none")
    for command in (("ariadne-codegen",), (*openapi, "--output-path", "openapi_client")):
        told = told_by(python.parent / command[0], *command[1:], folder=project, PATH=search_path)
        assert set(re.findall("(?i)warning parsing .*", told)) <= {UNKNOWN_TYPE}, told

    results = results_of(await run("env", "-C", project, python, "-W", "error", "run.py", *served_job))

    assert set(results) == {"ariadne-codegen", "openapi-python-client"}, results
    for name, result in results.items():
        assert "main" in result["query"], (name, result)
        assert result["mutation"].upper() == "CANCELLED", (name, result)
        assert result["node"] == "Paper", (name, result)
        assert result["title"], (name, result)
    assert "nowhere" in results["ariadne-codegen"]["refused"]
    assert results["ariadne-codegen"]["states"] == ["CANCELLED"]
    assert "0000" in results["openapi-python-client"]["refused"]


def java_of_openapi_generator(folder: Path) -> tuple[str, list[str]]:
    """Return the class path of what openapi-generator makes, and its warnings; skip without Maven or a repository."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        pytest.skip("there is no mvn or no javac here")
    maven, made, classes = ("mvn", "-q", "-B"), folder / "made", folder / "classes"
    told_by(*maven, f"{DEPENDENCIES}:copy", f"-Dartifact={GENERATOR}", f"-DoutputDirectory={folder}", folder=folder)
    (generator,) = folder.glob("openapi-generator-cli-*.jar")
    schema = Path("schema/openapi.json").absolute()
    options = ("generate", "-g", "java", "--library", "native", "-i", schema, "-o", made)
    told = told_by("java", "-jar", generator, *options, folder=folder)
    listing = (f"{DEPENDENCIES}:build-classpath", f"-Dmdep.outputFile={folder / 'classpath'}")
    told_by(*maven, *listing, folder=made)
    classpath = os.pathsep.join([str(classes), (folder / "classpath").read_text().strip()])
    sources = [*(made / "src/main").rglob("*.java"), Path("tests/clients/java/Run.java").absolute()]
    told_by("javac", "-proc:none", "-d", classes, "-cp", classpath, *sources, folder=folder)
    return classpath, [line for line in told.splitlines() if re.search("WARN|ERROR", line)]


async def test_openapi_generator_of_java_generates_compiles_and_runs(served_job: tuple[str, str], tmp_path: Path):
    classpath, warnings = java_of_openapi_generator(tmp_path)

    (result,) = results_of(await run("java", "-cp", classpath, "Run", *served_job)).values()

    assert [one for one in warnings if not re.search(OWN_WARNINGS, one)] == []
    assert "main" in result["query"]
    assert (result["node"], result["section"], result["answer"]) == ("PaperNode", True, "answer"), result
    assert result["title"] and result["listed"] >= 1
    assert result["mutation"] == "cancelled"
    assert result["refused"].startswith("404 ") and "NOT_FOUND" in result["refused"]
