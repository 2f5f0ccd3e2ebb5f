"""The page on the graph model says what the model says."""

import re
from pathlib import Path

from papergraph.ingest.sources import Format
from papergraph.schema import model
from scripts.docs import graph_model as draw

DOCS = Path("docs")


def test_the_page_and_its_picture_are_those_that_the_model_gives():
    assert (DOCS / "graph-model.md").read_text(encoding="utf-8") == draw.markdown()
    assert (DOCS / "graph-model.svg").read_text(encoding="utf-8") == draw.svg()


def test_a_papers_format_is_described_by_every_format_that_a_parser_can_give_it():
    (paper,) = (node for node in model.NODES if node.label == "Paper")
    (described,) = (one.meaning for one in paper.properties if one.name == "format")

    assert set(re.split(", | or ", described)) == set(Format) - {Format.XML}  # told apart by its root: JATS or TEI


def test_every_label_of_a_relationship_or_index_is_in_the_model():
    labels = {label for node in model.NODES for label in (node.label, *node.also)}

    used = {label for rel in model.RELATIONSHIPS for label in (*rel.starts, *rel.ends)}
    used |= {entry.label for entry in (*model.CONSTRAINTS, *model.RANGE_INDEXES, *model.VECTOR_INDEXES)}
    used |= {label for index in model.FULLTEXT_INDEXES for label in index.labels}

    assert used <= labels
