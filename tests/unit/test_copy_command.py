"""The options of ``papergraph papers copy``, and what it prints."""

import asyncio
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from papergraph.cli.commands import papers
from papergraph.ingest.originals import Originals
from papergraph.server.auth.access import everything
from papergraph.server.operations import papers as operations
from papergraph.server.papers.records import CopiedPaper, CopiedPapers


def test_names_and_both_collections_are_passed_on_and_each_paper_is_reported(monkeypatch: pytest.MonkeyPatch):
    calls: list[Any] = []

    async def copy(database: None, names: list[str], **given: str) -> CopiedPapers:
        calls.append((names, given))
        return CopiedPapers(
            "b", 1, (CopiedPaper("1", "2", "doi:x", True, False), CopiedPaper("3", "4", "doi:y", False, False))
        )

    monkeypatch.setattr(operations, "copy_papers", copy)
    monkeypatch.setattr(papers, "with_database", lambda do, *, quiet: asyncio.run(do(None)))
    run = CliRunner().invoke

    as_json = run(papers.app, ["copy", "10.1000/x", "10.1000/y", "--from", "a", "--to", "b", "--json"])
    as_text = run(papers.app, ["copy", "10.1000/x", "--to", "b", "--move"])
    without = run(papers.app, ["copy", "10.1000/x"])

    second = {"paper_id": "3", "copy_id": "4", "key": "doi:y", "copied": False, "moved": False}
    assert json.loads(as_json.stdout)["papers"][1] == second
    assert as_text.stdout.splitlines() == ["copied doi:x", "stays, with other fields than the one there: doi:y"]
    assert without.exit_code == 2
    to = {"to_collection": "b", "principal": everything(), "originals": Originals.of(papers.settings())}
    assert calls == [
        (["10.1000/x", "10.1000/y"], {"from_collection": "a", "move": False, **to}),
        (["10.1000/x"], {"from_collection": "main", "move": True, **to}),
    ]
