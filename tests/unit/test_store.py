"""Addresses of Neo4j servers that are only read, and the password that each of them gets."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from papergraph import local_neo4j
from papergraph.errors import InputError
from papergraph.local_neo4j.config import Ports
from papergraph.local_neo4j.snapshot import Note
from papergraph.settings import Settings
from papergraph.store import cypher_address, read_addresses

LOCAL, REMOTE = "bolt://127.0.0.1:7887", "bolt://reader@copy.example.org"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a home with a snapshot at ``LOCAL``, whose password is ``of the snapshot``."""
    chosen = Settings(home=tmp_path)
    copy = local_neo4j.copy_home(chosen)
    file = local_neo4j.password_path(copy)
    file.parent.mkdir(parents=True)
    file.write_text("of the snapshot\n")
    Note(datetime(2026, 11, 26, tzinfo=UTC), ("main",), Ports(bolt=7887, http=7674)).write(copy)
    return chosen


def reading(settings: Settings, *uris: str, **changes: Any) -> Settings:
    return settings.replace(neo4j={"read_uris": uris, "password": SecretStr("of the store"), **changes})


def test_the_local_snapshot_has_its_own_password_and_others_the_one_that_is_set(settings):
    chosen = reading(settings, LOCAL, REMOTE, read_password=SecretStr("of the others"))

    assert [(one.uri, one.user, one.password) for one in read_addresses(chosen)] == [
        (LOCAL, "neo4j", "of the snapshot"),
        ("bolt://copy.example.org", "reader", "of the others"),
    ]


def test_without_a_password_for_others_they_have_that_of_the_store(settings):
    found = read_addresses(reading(settings, LOCAL, REMOTE))

    assert [one.password for one in found] == ["of the snapshot", "of the store"]


@pytest.mark.parametrize("uri", ["bolt://reader:s3cret@example.org", "reader:s3cret@example.org", "bolt://:s3cret@a:7"])
def test_an_address_with_a_password_is_refused_without_repeating_it(settings, uri):
    with pytest.raises(InputError, match=r"PAPERGRAPH_NEO4J_READ_URIS has a password: .*NEO4J_READ_PASSWORD") as read:
        read_addresses(reading(settings, REMOTE, uri))
    with pytest.raises(InputError, match=r"PAPERGRAPH_CYPHER_URI has a password: .*CYPHER_PASSWORD") as asked:
        cypher_address(settings.replace(cypher={"uri": uri}))

    assert "s3cret" not in f"{read.value} {asked.value}"
