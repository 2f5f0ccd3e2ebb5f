"""The examples in the docstrings of the public names, run over the sample papers."""

import doctest
from collections.abc import Iterator

import pytest

import papergraph
from papergraph.settings import Settings
from papergraph.store import open_store
from tests.pytest_neo4j import Neo4jServer
from tests.support.command import settings_for

pytestmark = pytest.mark.slow

EXAMPLES = {
    name: found
    for name in papergraph.__all__
    if isinstance(public := getattr(papergraph, name), type) or callable(public)
    for found in doctest.DocTestFinder(recurse=False).find(public, name)
}
OPENED_ELSEWHERE = {"AsyncLibrary", "Library"}
"""Names that every example uses."""


@pytest.fixture(scope="module")
def names(library: object, neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict]:
    home = tmp_path_factory.mktemp("examples")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**settings_for(neo4j_server), "PAPERGRAPH_HOME": str(home)}.items():
            patch.setenv(name, value)
        with papergraph.Library.open() as opened:
            yield {"papergraph": papergraph, "library": opened, "Settings": Settings, "open_store": open_store}


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - OPENED_ELSEWHERE))
def test_the_example_of_a_public_name_runs_and_shows_what_it_says(name: str, names: dict):
    example = EXAMPLES[name]
    example.globs = dict(names)

    told: list[str] = []
    failed, tried = doctest.DocTestRunner().run(example, out=told.append)

    assert tried > 0, "it has no example"
    assert failed == 0, "".join(told)
