import re

import pytest

from papergraph.schema import model
from papergraph.schema.indexes import (
    LARGEST_DIMENSION,
    NAMES,
    Index,
    constraint_statement,
    expected_indexes,
    vector_indexes,
)
from papergraph.schema.migrate import FIRST_VERSION, PROPERTIES, TYPES, Migration, latest, migrations
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

DIMENSION = 384
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BOTH = {VectorSlot.FIRST: 7, VectorSlot.SECOND: 8}


# Migrations


def test_migrations_are_numbered_without_gaps_after_the_version_of_a_new_store():
    names = [migration.name for migration in migrations()]

    assert [name.partition("_")[0] for name in names] == [
        f"{number:04}" for number in range(FIRST_VERSION + 1, FIRST_VERSION + 1 + len(names))
    ]
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+", name) for name in names)
    assert latest() == FIRST_VERSION + len(names)


def test_the_last_migration_has_the_latest_version():
    known = (Migration("0002_a", ""), Migration("0003_b", ""))

    assert [one.version for one in known] == [2, 3]
    assert latest(known) == 3
    assert latest(()) == FIRST_VERSION == 1


def test_statements_come_in_order_with_a_name_for_errors_and_without_comments():
    migration = Migration("0007_things", "// One; two.\nCREATE A;\n// Three.\nCREATE\n  B;\n\n")

    assert list(migration.statements()) == [
        Statement("0007_things, statement 1", "CREATE A"),
        Statement("0007_things, statement 2", "CREATE\n  B"),
    ]


# Statements


def test_a_constraint_is_created_by_its_label_and_properties():
    one, several = model.Constraint("paper_id", "Paper", ("id",)), model.Constraint("k", "Paper", ("collection", "key"))

    assert [constraint_statement(constraint).text for constraint in (one, several)] == [
        "CREATE CONSTRAINT paper_id IF NOT EXISTS FOR (n:Paper) REQUIRE (n.id) IS UNIQUE",
        "CREATE CONSTRAINT k IF NOT EXISTS FOR (n:Paper) REQUIRE (n.collection, n.key) IS UNIQUE",
    ]


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (
            Index("paper_listing", "RANGE", ("Paper",), ("collection", "title")),
            "CREATE INDEX paper_listing IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.title)",
        ),
        (
            Index("title_text", "FULLTEXT", ("Paper", "Section"), ("title", "abstract"), {"fulltext.analyzer": "cjk"}),
            "CREATE FULLTEXT INDEX title_text IF NOT EXISTS FOR (n:Paper|Section) ON EACH [n.title, n.abstract] "
            "OPTIONS $options",
        ),
        (
            Index("entity", "VECTOR", ("__Entity__",), ("embedding", "collection", "type"), {"vector.dimensions": 7}),
            "CYPHER 25 CREATE VECTOR INDEX entity IF NOT EXISTS FOR (n:__Entity__) ON n.embedding "
            "WITH [n.collection, n.type] OPTIONS $options",
        ),
    ],
    ids=lambda value: value.type if isinstance(value, Index) else "",
)
def test_an_index_is_created_by_its_definition(index: Index, text: str):
    assert index.statement.text == text
    assert index.parameters == ({"options": {"indexConfig": index.options}} if index.options else {})


def test_every_name_that_enters_a_statement_is_a_plain_identifier():
    indexes = expected_indexes(BOTH).values()
    names = [name for one in model.CONSTRAINTS for name in (one.name, one.label, *one.properties)]
    names += [name for one in indexes for name in (one.name, *one.labels, *one.properties)]

    assert all(IDENTIFIER.fullmatch(name) for name in names)


@pytest.mark.parametrize("dimension", [1, DIMENSION, 4096])
def test_a_vector_index_has_the_dimension_that_is_asked_for(dimension):
    made = vector_indexes(VectorSlot.FIRST, dimension=dimension, quantization="none")

    assert {index.options["vector.dimensions"] for index in made} == {dimension}


def test_the_largest_dimension_is_what_neo4j_allows():
    assert LARGEST_DIMENSION == 4096


@pytest.mark.parametrize(
    "dimension", [0, -1, 4097, True, False, 384.0, "384", None, "1}}; MATCH (n) DETACH DELETE n //"], ids=repr
)
def test_a_dimension_that_no_index_has_is_refused(dimension):
    with pytest.raises(ValueError, match="1 to 4096 dimensions"):
        expected_indexes({VectorSlot.FIRST: dimension})


def test_the_second_place_of_vectors_has_a_partner_of_each_vector_index_with_the_same_options():
    made = vector_indexes(VectorSlot.SECOND, dimension=7, quantization="scalar")

    assert [index.name for index in made] == [VectorSlot.SECOND.called(one.name) for one in model.VECTOR_INDEXES]
    assert made[3] == Index(
        "second_entity",
        "VECTOR",
        ("__Entity__",),
        ("secondEmbedding", "collection", "type"),
        {"vector.dimensions": 7, **model.VECTOR_OPTIONS, "vector.quantization.type": "SCALAR"},
    )


def test_the_analyzer_of_the_store_is_that_of_texts_and_titles_alone():
    made = expected_indexes({}, analyzer="german")

    analyzers = {name: index.options["fulltext.analyzer"] for name, index in made.items() if index.type == "FULLTEXT"}
    assert analyzers == {"chunk_text": "german", "title_text": "german", "name_text": "standard-folding"}


def test_names_are_those_of_all_indexes_in_both_places():
    assert expected_indexes(BOTH).keys() == NAMES


def test_every_name_that_queries_may_mention_is_created():
    stored = {one.name for kind in (*model.NODES, *model.RELATIONSHIPS) for one in kind.properties}

    assert stored | {"secondEmbedding", "secondEmbeddingModel", "secondEmbeddingHash"} <= set(PROPERTIES)
    assert set(TYPES) == {one.type for one in model.RELATIONSHIPS}
    assert all(map(IDENTIFIER.fullmatch, (*PROPERTIES, *TYPES)))


# The model


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
    assert expected["paper_listing"] == Index("paper_listing", "RANGE", ("Paper",), ("collection", "title", "id"))
    assert expected["cluster_embedding"] == Index(
        "cluster_embedding",
        "VECTOR",
        ("Cluster",),
        ("embedding", "collection", "kind", "level"),
        {"vector.dimensions": DIMENSION, **model.VECTOR_OPTIONS},
    )
    assert expected["title_text"] == Index(
        "title_text",
        "FULLTEXT",
        ("Paper",),
        ("title", "abstract", "collectionTerm"),
        {"fulltext.analyzer": "english", "fulltext.eventually_consistent": False},
    )
