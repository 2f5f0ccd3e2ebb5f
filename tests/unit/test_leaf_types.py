"""Leaf types of the API: one declaration, the same fields in GraphQL and REST, described by the record."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLObjectType, build_schema
from pydantic.alias_generators import to_camel

from server.leaf_types import LEAF_TYPES, LeafType, in_api, leaf

GRAPHQL = build_schema(Path("schema/schema.graphql").read_text())
REST = json.loads(Path("schema/openapi.json").read_text())["components"]["schemas"]
ONLY_GRAPHQL = {"AnswerCitation": {"chunk", "regions", "paper"}, "StoredSource": {"chunk"}}
"""Nodes that are followed from there."""


@dataclass
class Undescribed:
    """A record.

    Attributes:
        said: Something is said of it.
    """

    said: int
    unsaid: int


@dataclass
class Described:
    """A record, over
    two lines.

    More of it.

    Attributes:
        many: What is said
            over two lines.
        paper_id: Id of a paper.
    """

    many: tuple[int, ...]
    paper_id: str

    @property
    def n(self) -> int:
        """Number of them."""
        return len(self.many)


@pytest.mark.parametrize("leaf", LEAF_TYPES, ids=lambda leaf: leaf.name)
def test_both_interfaces_have_the_fields_of_the_record_with_its_words(leaf: LeafType):
    in_graphql, in_rest = GRAPHQL.type_map[leaf.name], REST[leaf.name]
    assert isinstance(in_graphql, GraphQLObjectType)
    said = {to_camel(field.name): field.description for field in leaf.fields}

    shared = {name: field for name, field in in_graphql.fields.items() if name not in ONLY_GRAPHQL.get(leaf.name, ())}
    assert {name: " ".join((field.description or "").split()) for name, field in shared.items()} == said
    assert {name: field["description"] for name, field in in_rest["properties"].items()} == said
    assert sorted(in_rest["required"]) == sorted(said)
    assert " ".join((in_graphql.description or "").split()) == in_rest["description"] == leaf.description


def test_names_properties_and_descriptions_of_a_record_are_read():
    described = leaf(Described, "Renamed", only=("paper_id", "n"), n="count")

    assert (described.name, described.description) == ("Renamed", "A record, over two lines.")
    assert [(one.name, one.attribute, one.is_id, one.description) for one in described.fields] == [
        ("paper_id", "paper_id", True, "Id of a paper."),
        ("count", "n", False, "Number of them."),
    ]
    assert [one.description for one in leaf(Described).fields] == ["What is said over two lines.", "Id of a paper."]


def test_an_attribute_of_which_nothing_is_said_is_refused():
    with pytest.raises(LookupError, match="Undescribed says nothing of unsaid"):
        _ = leaf(Undescribed).fields


def test_tuples_are_lists_and_what_an_interface_knows_is_replaced():
    def known(type: Any) -> Any:
        return dict if type == Mapping[str, Any] else None

    assert in_api(tuple[tuple[str, ...], ...] | None, known) == list[list[str]] | None
    assert in_api(tuple[Mapping[str, Any], ...], known) == list[dict]
    assert in_api(int, known) is int
