"""Records: one declaration of each field, with the same name and description in GraphQL and REST."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import strawberry
from graphql import GraphQLObjectType, build_schema
from pydantic import computed_field
from pydantic.alias_generators import to_camel
from strawberry.scalars import JSON

import papergraph.server.app  # noqa: F401 - declares all records that interfaces answer with
from papergraph.records import NOT_IN_GRAPHQL, Id, Record, described, internal, record_fields, to_json
from papergraph.schema.records import Paper, Section
from papergraph.server.graphql.derive import graphql_type

GRAPHQL = build_schema(Path("schema/schema.graphql").read_text())
REST = json.loads(Path("schema/openapi.json").read_text())["components"]["schemas"]


def all_records(base: type) -> list[type]:
    return [one for kind in base.__subclasses__() for one in (kind, *all_records(kind))]


OF_REST = {"JobEvent", "RelatedPaper"}
"""Models of REST that stand for another type of GraphQL, or have the authors of papers beside."""
RECORDS = {
    record.__name__: record
    for record in all_records(Record)
    if record.__module__.partition(".")[0] in ("papergraph", "schema", "ingest", "server")
    and record.__name__ in REST.keys() - OF_REST
    and record.__name__ in GRAPHQL.type_map
}


@dataclass(frozen=True)
class Place(Record):
    """A place."""

    paper_id: Annotated[Id, described("Id of the paper."), NOT_IN_GRAPHQL]
    number_of_pages: Annotated[tuple[int, ...], described("Numbers of pages.")]
    hidden: Annotated[str, internal("Path of the file.")] = "/secret"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def n(self) -> int:
        """Length."""
        return len(self.number_of_pages)


@dataclass(frozen=True)
class Undescribed(Record):
    known: Annotated[int, described("A number.")]
    unknown: int


def test_there_are_records_to_compare():
    assert len(RECORDS) > 30


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_both_interfaces_describe_a_field_alike(name: str):
    in_graphql, in_rest = GRAPHQL.type_map[name], REST[name]["properties"]
    assert isinstance(in_graphql, GraphQLObjectType)
    fields = {to_camel(field.name): field for field in record_fields(RECORDS[name])}

    assert fields.keys() <= in_rest.keys()
    assert {one: in_rest[one].get("description") for one in fields} == {n: f.description for n, f in fields.items()}
    assert set(fields) <= set(REST[name]["required"])
    for one, field in fields.items():
        if NOT_IN_GRAPHQL in field.markers:
            assert one not in in_graphql.fields
        else:
            assert one in in_graphql.fields


def test_fields_of_a_record_are_read_with_computed_ones_last():
    assert [(field.name, field.description) for field in record_fields(Place)] == [
        ("paper_id", "Id of the paper."),
        ("number_of_pages", "Numbers of pages."),
        ("n", "Length."),
    ]
    assert record_fields(Place)[0].markers == {NOT_IN_GRAPHQL}


def test_json_has_camel_case_and_nothing_internal():
    assert json.loads(to_json(Place("a" * 64, (1, 2)))) == {"paperId": "a" * 64, "numberOfPages": [1, 2], "n": 2}


def test_a_field_without_a_description_is_refused():
    with pytest.raises(LookupError, match=r"Undescribed\.unknown has no description"):
        record_fields(Undescribed)


def test_types_of_records_are_those_of_graphql():
    assert graphql_type(Id) is strawberry.ID
    assert graphql_type(tuple[Id, ...]) == list[strawberry.ID]
    assert graphql_type(tuple[tuple[str, ...], ...] | None) == list[list[str]] | None
    assert graphql_type(tuple[Mapping[str, Any], ...]) == list[JSON]
    assert graphql_type(int) is int


def test_properties_of_a_node_become_a_record():
    properties = {
        "id": "i",
        "paperId": "p",
        "collection": "main",
        "title": "T",
        "level": 1,
        "ordinal": 0,
        "kind": "body",
        "startPage": 3,
    }
    section = Section.of(properties, path=("A", "T"), parent_id=None)
    assert (section.paper_id, section.start_page, section.end_page, section.path) == ("p", 3, None, ("A", "T"))


def test_paths_of_local_files_are_left_out_of_a_paper():
    at = type("Time", (), {"to_native": lambda self: None})()
    properties = {
        "id": "i",
        "key": "file:/home/me/a.pdf",
        "keys": ["file:/home/me/a.pdf"],
        "sources": ["/home/me/a.pdf"],
        "collection": "main",
        "title": "T",
        "abstract": "",
        "categories": [],
        "contentHash": "",
        "ingestedAt": at,
        "nSections": 1,
        "nChunks": 1,
    }
    paper = Paper.of(properties)
    assert paper.sources == ("a.pdf",)
    assert "/home" not in repr(paper)
