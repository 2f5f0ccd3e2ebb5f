"""The frozen GraphQL schema: nothing of it is taken away, and more may be added."""

import pytest

from schema import compatibility as frozen
from schema.compatibility import CURRENT, FROZEN, breaking_changes

PAPER = "type Paper { id: ID! title(short: Boolean): String! kind: Kind } enum Kind { ARTICLE BOOK } "
BEFORE = PAPER + "type Query { paper(id: ID!): Paper }"


def changed(old, new):
    assert old in BEFORE
    return [change.type.name for change in breaking_changes(BEFORE, BEFORE.replace(old, new))]


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("title(short: Boolean): String!", "", "FIELD_REMOVED"),
        ("title(short: Boolean): String!", "title(short: Boolean): String", "FIELD_CHANGED_KIND"),
        ("title(short: Boolean)", "title", "ARG_REMOVED"),
        ("title(short: Boolean)", "title(short: Boolean, long: Boolean!)", "REQUIRED_ARG_ADDED"),
        (" BOOK", "", "VALUE_REMOVED_FROM_ENUM"),
        (PAPER, "scalar Paper ", "TYPE_CHANGED_KIND"),
    ],
)
def test_what_clients_rely_on_stays(old, new, change):
    assert change in changed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("id: ID! title", "id: ID! abstract: String! title"),
        ("title(short: Boolean)", "title(short: Boolean, long: Boolean)"),
        (" BOOK", " BOOK PATENT"),
        ("type Query", "type Author { name: String! } type Mutation { forget: Boolean! } type Query"),
        ("title(short: Boolean): String!", '"Of the work." title(short: Boolean): String! @deprecated(reason: "old")'),
    ],
)
def test_additions_pass(old, new):
    assert changed(old, new) == []


def test_the_committed_schema_keeps_what_is_frozen():
    assert breaking_changes(FROZEN.read_text(), CURRENT.read_text()) == []


def test_the_command_fails_and_says_what_is_broken(tmp_path, monkeypatch, capsys):
    assert frozen.main() == 0
    current = tmp_path / "schema.graphql"
    current.write_text(FROZEN.read_text().replace("  totalCount: Int!\n", "  totalCount: Int\n", 1))
    monkeypatch.setattr(frozen, "CURRENT", current)

    assert frozen.main() == 1
    assert "totalCount changed type from Int! to Int" in capsys.readouterr().err
