"""docs/graphql.md says what is true of the code."""

import re
from pathlib import Path

import pytest
from graphql import parse, validate

from papergraph.errors import Code
from papergraph.server.graphql import cost, extensions, options
from papergraph.server.graphql.cost import operation_of_field
from papergraph.server.graphql.schema import FIELDS, cost_of, schema
from papergraph.settings import Settings

PAGE = Path("docs/graphql.md").read_text()
EXAMPLES = re.findall(r"```graphql\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_valid_and_costs_what_it_says(example):
    document = parse(example)

    assert not validate(schema._schema, document)
    assert f"# costs {cost_of(document)}\n" in example


def test_every_code_is_told():
    section = PAGE.split("## Errors")[1].split("## Pages")[0]

    assert set(re.findall(r"^\| `([A-Z_]+)`", section, re.MULTILINE)) == {code.value for code in Code}


def test_limits_and_prices_are_those_of_the_code():
    related = operation_of_field(schema._schema.type_map["Paper"].fields["related"])  # type: ignore[attr-defined]
    prices = {declared.price for declared in (*FIELDS.values(), related)}
    told = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", PAGE)}

    assert len(EXAMPLES) == 4
    assert told >= {value for name, value in vars(extensions).items() if name.startswith("MAX_")}
    assert told >= {
        *cost.INTROSPECTION.values(),
        *prices,
        cost.COUNT,
        cost.LIST_LENGTH,
        Settings().limits.cost_per_request,
    }
    assert told >= {options.MAX_QUERIES, options.MAX_QUERY_BYTES // 1000}
