import hashlib
import re

import pytest

from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot, exchange
from schema import model
from schema.indexes import expected_indexes
from schema.migrate import (
    LARGEST_DIMENSION,
    Migration,
    fill_template,
    migrations,
    search_index_statements,
    vector_index_statements,
)

DIMENSION = 384
VERSION = r"(?:CYPHER \d+ )?"
CONSTRAINT = re.compile(VERSION + r"CREATE CONSTRAINT (\w+) IF NOT EXISTS FOR \((\w+):(\w+)\) REQUIRE (.+) IS UNIQUE")
RANGE_INDEX = re.compile(VERSION + r"CREATE INDEX (\w+) IF NOT EXISTS FOR \((\w+):(\w+)\) ON \((.+)\)")
VECTOR_INDEX = re.compile(
    VERSION + r"CREATE VECTOR INDEX (\w+) IF NOT EXISTS FOR \((\w+):(\w+)\) ON \(?\2\.embedding\)? "
    r"WITH \[(.+?)\] OPTIONS \{indexConfig: \{(.+)\}\}"
)
FULLTEXT_INDEX = re.compile(
    VERSION + r"CREATE FULLTEXT INDEX (\w+) IF NOT EXISTS FOR \((\w+):([\w|]+)\) ON EACH \[(.+?)\] "
    r"OPTIONS \{indexConfig: \{(.+)\}\}"
)
NEW_NAME = re.compile(r"CALL db\.create(?:Property|RelationshipType)\('\w+'\)")
IN_BATCHES = re.compile(r"CYPHER 25 MATCH .+ CALL \([\w, ]+\) \{ .+ \} IN TRANSACTIONS OF 1000 ROWS")
DROPPED = re.compile(r"DROP (?:CONSTRAINT|INDEX) (\w+) IF EXISTS")
RENAMED_MODEL = re.compile(VERSION + r"MATCH \(model:EmbeddingModel \{id: 'active'\}\) SET model\.id = 'first'.+")


def statements() -> list[Statement]:
    return [statement for migration in migrations() for statement in migration.statements(dimension=DIMENSION)]


def found(pattern: re.Pattern[str]) -> list[re.Match[str]]:
    one_line = (" ".join(statement.text.split()) for statement in statements())
    return [match for text in one_line if (match := pattern.fullmatch(text))]


def kept(pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the statements that make what is there after all migrations."""
    made: dict[str, re.Match[str]] = {}
    for statement in statements():
        text = " ".join(statement.text.split())
        if dropped := DROPPED.fullmatch(text):
            made.pop(dropped[1], None)
        elif match := pattern.fullmatch(text):
            made.setdefault(match[1], match)
    return list(made.values())


def properties(text: str, variable: str) -> tuple[str, ...]:
    names = [part.strip() for part in text.strip("()").split(",")]
    assert all(name.startswith(f"{variable}.") for name in names)
    return tuple(name.removeprefix(f"{variable}.") for name in names)


def options(text: str) -> dict[str, object]:
    values = dict(re.findall(r"`([\w.]+)`: ('[^']*'|\$?\w+)", text))
    assert text.count(":") == len(values)
    return {name: value.strip("'").upper() if value.startswith("'") else value for name, value in values.items()}


def as_written(wanted: dict[str, object]) -> dict[str, str]:
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value).upper() for name, value in wanted.items()
    }


def test_migrations_are_numbered_from_one_without_gaps():
    names = [migration.name for migration in migrations()]

    assert [f"{number:04}" for number in range(1, len(names) + 1)] == [name.partition("_")[0] for name in names]
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+", name) for name in names)


def test_a_migrations_checksum_is_that_of_its_text():
    assert Migration("0001_a", "ü").checksum == hashlib.sha256("ü".encode()).hexdigest()


def test_statements_come_in_order_with_a_name_for_errors_and_without_comments():
    migration = Migration("0007_things", "// One; two.\nCREATE A;\n// Three.\nCREATE\n  B {{dimension}};\n\n")

    assert [
        Statement("0007_things, statement 1", "CREATE A"),
        Statement("0007_things, statement 2", "CREATE\n  B 3"),
    ] == list(migration.statements(dimension=3))


@pytest.mark.parametrize("dimension", [1, DIMENSION, 4096])
def test_every_place_of_the_dimension_is_filled_in(dimension):
    assert fill_template("{{dimension}}, {{dimension}}", dimension=dimension) == f"{dimension}, {dimension}"


def test_the_largest_dimension_is_what_neo4j_allows():
    assert LARGEST_DIMENSION == 4096


@pytest.mark.parametrize(
    "dimension", [0, -1, 4097, True, False, 384.0, "384", None, "1}}; MATCH (n) DETACH DELETE n //"], ids=repr
)
def test_a_dimension_that_no_index_has_is_refused_even_where_it_is_not_used(dimension):
    for template in ("{{dimension}}", "RETURN 1"):
        with pytest.raises(ValueError, match="1 to 4096 dimensions"):
            fill_template(template, dimension=dimension)


@pytest.mark.parametrize("name", ["name", "Dimension", " dimension ", "dimension.x", ""])
def test_a_template_with_another_name_is_refused_with_that_name(name):
    with pytest.raises(ValueError, match=re.escape(f"{{{{{name}}}}}")):
        fill_template(f"CREATE {{{{dimension}}}} {{{{{name}}}}}", dimension=DIMENSION)


def test_no_template_name_is_left_in_a_statement():
    assert all("{{" not in statement.text and "}}}" not in statement.text for statement in statements())


def test_every_statement_can_be_run_again_without_harm():
    others = [statement.text for statement in statements() if " IF NOT EXISTS " not in statement.text]

    harmless = (NEW_NAME, RENAMED_MODEL, IN_BATCHES, DROPPED)
    assert all(found(pattern) for pattern in harmless)
    assert len(others) == sum(len(found(pattern)) for pattern in harmless)


def test_every_statement_makes_or_drops_a_rule_or_a_name_or_renames_what_is_stored():
    patterns = (CONSTRAINT, RANGE_INDEX, VECTOR_INDEX, FULLTEXT_INDEX, NEW_NAME, RENAMED_MODEL, IN_BATCHES, DROPPED)

    assert sum(len(found(pattern)) for pattern in patterns) == len(statements())


def test_the_second_place_of_vectors_has_a_partner_of_each_vector_index_with_the_same_options():
    made = [" ".join(s.text.split()) for s in vector_index_statements(VectorSlot.SECOND, dimension=7)]

    first = [VECTOR_INDEX.fullmatch(exchange(text, PARTNERS)) for text in made]
    assert [m and m[1] for m in first] == [index.name for index in model.VECTOR_INDEXES]
    assert all(options(m[5])["vector.dimensions"] == "7" for m in first if m)
    assert {options(m[5])["vector.quantization.type"] for m in first if m} == {"$quantization"}
    assert expected_indexes({VectorSlot.SECOND: 7})["second_entity"] == {
        "type": "VECTOR",
        "labels": ["__Entity__"],
        "properties": ["secondEmbedding", "collection", "type"],
        "options": {"vector.dimensions": 7, **model.VECTOR_OPTIONS},
    }


def test_every_full_text_and_vector_index_can_be_made_by_itself_for_the_options_of_the_store():
    made = search_index_statements({VectorSlot.FIRST: 7, VectorSlot.SECOND: 8})

    vectors = [index.name for index in model.VECTOR_INDEXES]
    second = [VectorSlot.SECOND.called(name) for name in vectors]
    assert set(made) == {index.name for index in model.FULLTEXT_INDEXES} | {*vectors, *second}
    assert list(made)[-12:] == [*vectors, *second]
    assert all(f"INDEX {name} IF NOT EXISTS" in statement.text for name, statement in made.items())
    assert "`vector.dimensions`: 8, " in made["second_chunk_embedding"].text
    assert "`fulltext.analyzer`: $analyzer" in made["chunk_text"].text
    assert "n.paperId" in made["chunk_text"].text  # as the last of the migrations that make it says
    assert "'standard-folding'" in made["name_text"].text


def test_the_migrations_make_exactly_the_constraints_of_the_model():
    made = [model.Constraint(m[1], m[3], properties(m[4], m[2])) for m in kept(CONSTRAINT)]

    assert sorted(made, key=lambda c: c.name) == sorted(model.CONSTRAINTS, key=lambda c: c.name)


def test_the_migrations_make_exactly_the_look_up_indexes_of_the_model():
    made = [model.RangeIndex(m[1], m[3], properties(m[4], m[2])) for m in kept(RANGE_INDEX)]

    assert sorted(made, key=lambda i: i.name) == sorted(model.RANGE_INDEXES, key=lambda i: i.name)


def test_the_migrations_make_exactly_the_vector_indexes_of_the_model():
    made = [model.VectorIndex(m[1], m[3], properties(m[4], m[2])) for m in found(VECTOR_INDEX)]

    assert sorted(made, key=lambda i: i.name) == sorted(model.VECTOR_INDEXES, key=lambda i: i.name)


def test_every_vector_index_has_the_options_of_the_model():
    wanted = as_written({"vector.dimensions": DIMENSION, **model.VECTOR_OPTIONS})

    assert all(options(match[5]) == wanted for match in found(VECTOR_INDEX))


def test_the_migrations_make_exactly_the_fulltext_indexes_of_the_model():
    made = []
    for match in kept(FULLTEXT_INDEX):
        written = options(match[5])
        assert written.pop("fulltext.eventually_consistent") == "false"
        analyzer = str(written.pop("fulltext.analyzer")).lower()
        assert written == {}
        made.append(model.FulltextIndex(match[1], tuple(match[3].split("|")), properties(match[4], match[2]), analyzer))

    assert sorted(made, key=lambda i: i.name) == sorted(model.FULLTEXT_INDEXES, key=lambda i: i.name)


def test_what_is_dropped_was_made_before_and_has_gone_from_the_model_or_is_made_again():
    patterns = (CONSTRAINT, RANGE_INDEX, FULLTEXT_INDEX)
    dropped = {match[1] for match in found(DROPPED)}
    of_model = {one.name for one in (*model.CONSTRAINTS, *model.RANGE_INDEXES, *model.FULLTEXT_INDEXES)}

    assert dropped <= {match[1] for pattern in patterns for match in found(pattern)}
    assert dropped & of_model == dropped & {match[1] for pattern in patterns for match in kept(pattern)}


def test_constraints_and_indexes_have_names_of_their_own():
    indexes = (*model.RANGE_INDEXES, *model.VECTOR_INDEXES, *model.FULLTEXT_INDEXES)

    names = [thing.name for thing in (*model.CONSTRAINTS, *indexes)]

    assert len(names) == len(set(names))


def test_what_is_constrained_or_indexed_is_a_property_of_the_model():
    by_label: dict[str, set[str]] = {}
    for node in model.NODES:
        for label in (node.label, *node.also):
            by_label.setdefault(label, set()).update(prop.name for prop in node.properties)

    for single in (*model.CONSTRAINTS, *model.RANGE_INDEXES):
        assert set(single.properties) <= by_label[single.label], single.name
    for vector in model.VECTOR_INDEXES:
        assert {"embedding", *vector.filters} <= by_label[vector.label], vector.name
    for text in model.FULLTEXT_INDEXES:
        assert set(text.properties) <= set().union(*(by_label[label] for label in text.labels)), text.name


def test_every_label_has_a_unique_id():
    unique = {constraint.label for constraint in model.CONSTRAINTS if constraint.properties == ("id",)}

    assert {label for node in model.NODES for label in (node.label, *node.also)} == unique


def test_the_start_up_check_expects_every_index_of_the_model_with_its_options():
    expected = expected_indexes({VectorSlot.FIRST: DIMENSION})

    assert len(expected) == len(model.RANGE_INDEXES) + len(model.VECTOR_INDEXES) + len(model.FULLTEXT_INDEXES)
    assert expected["paper_listing"] == {
        "type": "RANGE",
        "labels": ["Paper"],
        "properties": ["collection", "title", "id"],
    }
    assert expected["cluster_embedding"] == {
        "type": "VECTOR",
        "labels": ["Cluster"],
        "properties": ["embedding", "collection", "kind", "level"],
        "options": {"vector.dimensions": DIMENSION, **model.VECTOR_OPTIONS},
    }
    assert expected["title_text"] == {
        "type": "FULLTEXT",
        "labels": ["Paper", "Section"],
        "properties": ["title", "abstract", "collectionTerm"],
        "options": {"fulltext.analyzer": "english", "fulltext.eventually_consistent": False},
    }
