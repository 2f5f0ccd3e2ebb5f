import json
from pathlib import Path

import pytest

from papergraph.ingest.pipeline import prepare
from papergraph.ingest.pipeline.prepare import Documents
from papergraph.ingest.sources import find_documents
from tests.support.files import write


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was looked for, call by call."""
    calls: list[list[str]] = []

    def find(specs, **options):
        calls.append([str(spec) for spec in specs])
        return find_documents(specs, **options)

    monkeypatch.setattr(prepare, "find_documents", find)
    return calls


def test_files_are_found_by_their_names_without_a_walk_of_the_folder(tmp_path: Path, walked: list[list[str]]):
    paths = [str(write(tmp_path / name, "text")) for name in ("a.md", "b#c.txt", "main.tex", "d.pdf")]
    (expected,) = [Documents.find([str(tmp_path)], max_bytes=100)]
    walked.clear()
    empty = Documents.of([], [str(tmp_path)], max_bytes=100)

    found = empty.with_sources(paths[:2]).with_sources([*paths, str(tmp_path / "gone.md")])

    assert {name: found.found[name] for name in paths if name in expected.found} == expected.found
    assert walked == [paths[:2], paths[2:]]


def test_records_are_found_by_what_the_job_was_opened_for(tmp_path: Path, walked: list[list[str]]):
    records = write(tmp_path / "papers.jsonl", json.dumps({"title": "Tides", "key": "tides"}))
    empty = Documents.of([], [str(tmp_path)], max_bytes=100)

    found = empty.with_sources([f"{records}#tides"])

    assert list(found.found) == [f"{records}#tides"]
    assert walked[-1] == [str(tmp_path)]
