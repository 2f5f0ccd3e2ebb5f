"""What the clients have from the schema is current, and the check of it can fail."""

import pytest

from scripts.sdk import coverage, python, python_reference, schema
from scripts.sdk.__main__ import generated, references, stale


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
    changed = schema.Model("Paper", paper.about, (*paper.fields, added), paper.of_request)
    monkeypatch.setattr(python, "models", lambda: [changed if one is paper else one for one in models])

    assert "new_field: str" in python.files()["models.py"]
    assert "sdk/python/src/papergraph_client/models.py" in [path for path, _ in stale(generated())]


def test_a_public_name_without_documentation_is_found(monkeypatch: pytest.MonkeyPatch):
    import papergraph_client

    monkeypatch.setattr(papergraph_client.Papergraph.search, "__doc__", None)

    assert "Papergraph.search" in python_reference.undocumented()[0]
