"""What the clients have from the schema is current, and the check of it can fail."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.sdk import coverage, java, python, schema, typescript
from scripts.sdk.__main__ import generated, main, references, stale


def test_generated_files_and_references_are_current():
    assert [path for path, _ in stale(generated()) + stale(references())] == [], "python -m scripts.sdk writes them"


def test_each_route_is_in_every_client_or_listed_as_raw_and_public_names_are_documented():
    assert coverage.faults() == []


def test_a_route_that_no_client_calls_is_found(monkeypatch: pytest.MonkeyPatch):
    known = list(schema.operations())
    monkeypatch.setattr(coverage, "operations", lambda: [*known, ("GET", "/v1/new", {})])

    assert all("/v1/new" in fault for fault in coverage.faults())
    assert len(coverage.faults()) == len(coverage.SOURCES)


def test_a_changed_schema_makes_the_models_stale(monkeypatch: pytest.MonkeyPatch):
    models = schema.models()
    added = schema.Field("newField", schema.Type("string"), required=True, about="New.")
    (paper,) = [model for model in models if model.name == "Paper"]
    changed = replace(paper, fields=(*paper.fields, added))
    monkeypatch.setattr(python, "models", lambda: [changed if one is paper else one for one in models])

    assert "new_field: str" in python.files()["models.py"]
    assert "sdk/python/src/papergraph_client/models.py" in [path for path, _ in stale(generated())]


def test_a_public_name_without_documentation_is_found(monkeypatch: pytest.MonkeyPatch):
    import papergraph_client

    monkeypatch.setattr(papergraph_client.Papergraph.search, "__doc__", None)

    assert "Papergraph.search" in python.undocumented()[0]


@pytest.mark.parametrize(
    ("source", "line", "name"),
    [
        ("typescript/src/client.ts", "  /** Delete a paper and its data. */\n", "Papergraph.deletePaper"),
        ("typescript/src/lists.ts", "  /** Read the job again. */\n", "JobHandle.refresh"),
        ("java/src/main/java/org/papergraph/client/JobHandle.java", "    /** Id of the job. @return the id */\n", "id"),
    ],
)
def test_a_public_name_without_a_comment_is_found_in_the_other_languages(
    source: str, line: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree("sdk", tmp_path / "sdk", ignore=shutil.ignore_patterns("node_modules", "target"))
    changed = tmp_path / "sdk" / source
    text = changed.read_text()
    assert line in text
    changed.write_text(text.replace(line, ""))
    monkeypatch.setattr(typescript, "ROOT", tmp_path)
    monkeypatch.setattr(java, "SOURCES", tmp_path / "sdk/java/src/main/java/org/papergraph/client")

    (fault,) = coverage.faults()

    assert name in fault and "has no comment" in fault


def test_a_list_of_nodes_without_a_constant_in_java_is_found(monkeypatch: pytest.MonkeyPatch):
    known = schema.node_lists()
    monkeypatch.setattr(java, "node_lists", lambda: [*known, schema.NodeList("papers/new", "Paper", "New.")])

    assert coverage.faults() == ["sdk/java: NodeLists has no papers/new"]


def other_types(monkeypatch: pytest.MonkeyPatch) -> str:
    written = generated()
    monkeypatch.setattr("scripts.sdk.__main__.generated", lambda: written | {"sdk/typescript/src/types.ts": "other"})
    return "sdk/typescript/src/types.ts differs: python -m scripts.sdk writes it anew"


def another_route(monkeypatch: pytest.MonkeyPatch) -> str:
    known = list(schema.operations())
    monkeypatch.setattr(coverage, "operations", lambda: [*known, ("GET", "/v1/new", {})])
    return "Java: no method calls GET /v1/new, and it is not listed as raw"


def no_docstring(monkeypatch: pytest.MonkeyPatch) -> str:
    import papergraph_client

    monkeypatch.setattr(papergraph_client.Papergraph.facets, "__doc__", None)
    return "public names without documentation: Papergraph.facets"


@pytest.mark.parametrize("broken", [other_types, another_route, no_docstring])
def test_the_check_of_make_fails_with_the_fault_and_what_mends_it(
    broken: Callable[[pytest.MonkeyPatch], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.argv", ["sdk", "--check"])
    assert main() == 0
    fault = broken(monkeypatch)

    assert main() == 1
    assert fault in capsys.readouterr().out


def test_make_check_runs_the_check():
    (check,) = re.findall(r"^check:.*\n((?:\t.*\n)+)", Path("Makefile").read_text(), re.MULTILINE)

    assert "python -m scripts.sdk --check\n" in check
