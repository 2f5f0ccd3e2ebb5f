"""Address and password of the Neo4j that answers user-supplied Cypher."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from papergraph import local_neo4j
from papergraph.errors import InputError
from papergraph.local_neo4j.config import Ports
from papergraph.local_neo4j.replica import Note
from papergraph.settings import Settings
from papergraph.store import cypher_address

LOCAL = "bolt://127.0.0.1:7887"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a home with a replica at ``LOCAL``, whose password is ``of the replica``."""
    chosen = Settings(home=tmp_path)
    home = local_neo4j.replica_home(chosen)
    file = local_neo4j.password_path(home)
    file.parent.mkdir(parents=True)
    file.write_text("of the replica\n")
    Note(datetime(2026, 11, 26, tzinfo=UTC), ("main",), Ports(bolt=7887, http=7674)).write(home)
    return chosen


def test_the_local_replica_has_its_own_password(settings):
    found = cypher_address(settings.replace(cypher={"uri": LOCAL}))

    assert found is not None and (found.uri, found.user, found.password) == (LOCAL, "neo4j", "of the replica")


@pytest.mark.parametrize("uri", ["bolt://reader:s3cret@example.org", "reader:s3cret@example.org", "bolt://:s3cret@a:7"])
def test_an_address_with_a_password_is_refused_without_repeating_it(settings, uri):
    with pytest.raises(InputError, match=r"PAPERGRAPH_CYPHER_URI has a password: .*CYPHER_PASSWORD") as refused:
        cypher_address(settings.replace(cypher={"uri": uri}))

    assert "s3cret" not in str(refused.value)
