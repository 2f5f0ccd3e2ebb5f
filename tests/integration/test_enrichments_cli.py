"""``papergraph enrich``: what it would take, work left to a worker, a language model's answers, nothing twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ModelUnavailableError
from tests.pytest_neo4j import Neo4jServer
from tests.support.fake_llm import FakeLLM, Reply, rate_limited
from tests.support.ingestion import ingest

PAPERS = [Path("ingest/samples/leiden-topic-maps.md"), Path("ingest/samples/zero-noise-extrapolation.md")]
FIELDS = """
[area]
asks = "Which area is the paper of?"
[area.values.physics]
terms = ["quantum"]
[area.values.networks]
terms = ["graph"]
"""
Run = Callable[..., Any]


@pytest_asyncio.fixture
async def papers(database: Database, embedder: Embedder) -> Database:
    await ingest(database, embedder, PAPERS)
    return database


@pytest.fixture
def run(papers: Database, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command on the test's Neo4j and return its status and what it wrote, as JSON where it is some."""
    monkeypatch.setenv("PAPERGRAPH_NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("PAPERGRAPH_NEO4J_USER", neo4j_server.user)
    monkeypatch.setenv("PAPERGRAPH_NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.setenv("PAPERGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PAPERGRAPH_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str) -> tuple[int, Any]:
        result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        text = result.stdout.strip()
        return result.exit_code, json.loads(text) if text.startswith(("{", "[", "null")) else text

    return run


@pytest.mark.slow
def test_the_work_is_told_beforehand_can_be_left_to_a_worker_and_is_not_done_twice(run: Run):
    _, plan = run("enrich", "--enrichments", "metadata", "--estimate", "--json")
    _, job = run("enrich", "--enrichments", "metadata", "--queue", "--json")
    worker_status, worked = run("worker", "--once", "--quiet")
    status, report = run("enrich", "--enrichments", "metadata", "--json")
    _, nothing = run("enrich", "--enrichments", "metadata", "--queue", "--json")

    assert (plan["n_due"], plan["n_requests"], plan["enrichments"]) == (2, 0, ["metadata"])
    assert (job["kind"], job["n_documents"], job["states"]["queued"]) == ("enrichments", 2, 2)
    assert (worker_status, worked) == (0, "Processed 2 documents.")
    assert (status, report["n_papers"], report["n_due"], report["job"]) == (0, 2, 0, None)
    assert nothing is None


@pytest.mark.slow
def test_a_models_answers_are_planned_counted_and_kept(
    run: Run, fake_llm: FakeLLM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "fields.toml").write_text(FIELDS, encoding="utf-8")
    config = '[llm]\noutput_price = 10\n[enrichments.metadata]\nfields = "fields.toml"\n'
    (tmp_path / "papergraph.toml").write_text(config, encoding="utf-8")
    monkeypatch.setenv("PAPERGRAPH_CONFIG", str(tmp_path / "papergraph.toml"))
    monkeypatch.setenv("PAPERGRAPH_LLM_URL", fake_llm.url)
    monkeypatch.setenv("PAPERGRAPH_LLM_MODEL", "scripted")
    command = ("enrich", "--enrichments", "metadata", "--json")

    _, plan = run(*command, "--estimate")
    no_money, paused = run(*command, "--max-cost", "0")
    fake_llm.script(rate_limited(after_s=0), Reply(refusal="I would rather not."), '{"area": ["networks"]}')
    partly, some = run(*command)
    fake_llm.script("no JSON at all", '{"area": ["physics"]}')
    repaired, rest = run(*command)

    assert (plan["n_requests"], plan["cost"] > 0) == (4, True)
    assert (no_money, paused["stopped"], paused["usage"]["requests"]) == (6, "paused", 0)
    assert "budget of 0" in paused["detail"]
    assert (partly, some["n_made"], [one["reason"] for one in some["failed"]]) == (4, 1, ["MODEL_ANSWER"])
    assert (repaired, rest["n_due"], rest["n_made"], rest["usage"]["requests"]) == (0, 1, 1, 2)
    assert rest["usage"]["cost"] > 0


def test_without_a_model_what_needs_one_says_so_before_it_starts(run: Run, tmp_path: Path):
    config = tmp_path / "enrichments.toml"
    config.write_text('[questions]\ngenerator = "model"\n', encoding="utf-8")

    with pytest.raises(ModelUnavailableError, match="PAPERGRAPH_LLM_URL"):
        run("enrich", "--config", str(config))
