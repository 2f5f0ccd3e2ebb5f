"""Each optional part that is missing is an error with the command that installs it."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from papergraph.errors import InputError, UnavailableError, install_command
from papergraph.evaluation.measures import parse_measure
from papergraph.ingest.enrichments.map.enrichment import umap
from papergraph.ingest.pipeline.dask_executor import DaskExecutor
from papergraph.server.papers.bibliographies import to_text


def test_a_map_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "umap", None)

    with pytest.raises(InputError, match="uv sync --inexact --extra map"):
        umap(np.eye(4, dtype=np.float32), n_neighbours=2, min_dist=0.1, seed=0)


def test_measures_of_rankings_name_their_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(InputError, match="uv sync --inexact --extra evaluation"):
        parse_measure("nDCG@10")


def test_formatted_references_name_their_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "citeproc", None)

    with pytest.raises(InputError, match="uv sync --inexact --extra citations"):
        to_text([])


async def test_a_cluster_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(UnavailableError, match="uv sync --inexact --extra dask"):
        await DaskExecutor.connect("tcp://127.0.0.1:1")


@pytest.mark.parametrize("extra", ["citations", "dask", "evaluation", "map", "models", "ocr", "otel", "pandoc"])
def test_the_extra_of_each_command_exists(extra: str):
    package = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert f"--extra {extra} " in install_command(extra)
    assert extra in package["optional-dependencies"]
