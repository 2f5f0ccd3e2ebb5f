"""The query library keeps to what Neo4j Browser takes, and to patterns that end."""

import re

import pytest
from typer.testing import CliRunner

from papergraph import cypher
from papergraph.cli.main import app
from papergraph.cli.request_options import values
from papergraph.errors import InputError, NotFoundError
from papergraph.server.graph import named_queries as library
from papergraph.statement import Statement

BROWSER_PARAM = re.compile(r"""^:param\s+(?:(\w+)\s=>\s([^$]+)|(\{[^$]*\}))$""")
"""What Neo4j Browser takes: a bare name, an arrow, and an expression without parameters; or a map."""

UNBOUNDED = re.compile(r"[\])](?:->|-)?(?:\*|\+|\{\d*,\s*\})|\[[^\]]*\*[^\]]*\]-")
"""A quantifier without an end, behind a relationship or a group, or a star within a relationship's brackets."""

each_query = pytest.mark.parametrize("name", library.names())


def code(name: str) -> str:
    return cypher.body(cypher.load(f"explore/{name}"))


def test_there_are_more_than_twenty_questions_and_no_two_are_the_same():
    questions = [library.find(name).question for name in library.names()]

    assert len(questions) == len(set(questions)) >= 22
    assert library.names() == sorted(library.names())


@each_query
def test_its_summary_begins_with_the_question(name: str):
    query = library.find(name)

    assert query.question.endswith("?")
    assert query.summary.startswith(query.question)
    assert len(query.summary) > len(query.question)


@each_query
def test_its_lines_for_parameters_are_those_that_neo4j_browser_reads(name: str):
    for line in library.find(name).tries:
        assert BROWSER_PARAM.fullmatch(line), line
        assert line.count("=>") <= 1
        assert ";" not in line


@each_query
def test_pasted_whole_it_is_one_statement_with_comments_before_it(name: str):
    header, version, statement = library.find(name).cypher.partition("CYPHER 25\n")

    assert version
    assert all(line.startswith("//") for line in header.splitlines())
    assert ";" not in statement
    assert not [line for line in statement.splitlines() if line.lstrip().startswith((":", "//", "/*", "EXPLAIN"))]


@each_query
def test_no_pattern_of_it_is_without_an_end(name: str):
    assert not UNBOUNDED.search(code(name))


@pytest.mark.parametrize(
    "pattern",
    ["(a)-[:CITES*]->(b)", "(a)-[:CITES*2..]->(b)", "(a)-[:CITES]->+(b)", "(a)-[:CITES]->{1,}(b)", "((a)--(b))+(c)"],
)
def test_patterns_without_an_end_are_found(pattern: str):
    assert UNBOUNDED.search(pattern)


@each_query
def test_what_it_returns_is_in_a_total_order(name: str):
    order = code(name).rpartition("ORDER BY")[2]

    assert name == "reading_path" or re.search(r"\bid\b|\.id\b|_id\b|\byear\b|\bwork\b|\.ordinal\b|\bname\b", order)


def test_the_lines_of_a_file_are_evaluated_by_one_statement():
    text = "// A.\n// Parameters  $a  STRING  x\n//             $b  INTEGER  x\n// Returns     n\n"
    text += "// Try it      :param a => head(['x'])\n//             :param {b: 1}\nCYPHER 25\nRETURN $a, $b"

    trial, without = (cypher.to_try(Statement("a/b", text), but=but) for but in ((), ("a",)))

    assert trial is not None
    assert trial.text == "CYPHER 25\nRETURN head(['x']) AS a, {b: 1} AS `1`"
    assert without is not None
    assert without.text == "CYPHER 25\nRETURN {b: 1} AS `1`"
    assert cypher.tried({"a": "x", "1": {"b": 1}}) == {"a": "x", "b": 1}


def test_a_file_without_such_lines_needs_no_statement_and_another_form_is_told():
    head = "// A.\n// Parameters  none\n// Returns     n\n// Try it      "

    assert cypher.to_try(Statement("a/b", f"{head}paste it\nRETURN 1 AS n")) is None
    with pytest.raises(ValueError, match=r"a/b: cannot read ':param a: 1'"):
        cypher.to_try(Statement("a/b", f"{head}:param a: 1\nRETURN 1 AS n"))


def test_values_of_parameters_are_json_where_they_read_as_json():
    given = values(["limit=5", "entity=BM25", 'types=["Method"]', "text=a=b", 'name="5"'])

    assert given == {"limit": 5, "entity": "BM25", "types": ["Method"], "text": "a=b", "name": "5"}
    with pytest.raises(InputError, match="'limit' is not NAME=VALUE"):
        values(["limit"])


def test_a_query_that_there_is_not_is_told():
    with pytest.raises(NotFoundError):
        library.find("../papers/count")


def test_queries_are_listed_and_shown_without_a_store():
    run = CliRunner().invoke

    listed, shown = run(app, ["queries", "list"]), run(app, ["queries", "show", "coauthors"])

    assert listed.exit_code == shown.exit_code == 0
    assert all(name in listed.stdout for name in library.names())
    assert shown.stdout.rstrip() == library.find("coauthors").cypher.rstrip()
