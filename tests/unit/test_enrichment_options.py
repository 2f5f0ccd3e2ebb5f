"""What a user chooses of enrichments: checked with the nearest name, and kept with a job."""

from pathlib import Path

import pytest

from papergraph.errors import InputError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.entities import EntityOptions
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions


def test_all_enrichments_are_made_with_their_defaults_unless_some_are_named():
    assert EnrichmentOptions.read().names == tuple(enrichments())
    assert EnrichmentOptions.read(names="clusters, entities").names == (
        "entities",
        "clusters",
    )


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("entitys", "Did you mean entities"),
        ("", "Enrichment '' does not exist"),
        ("all,x", "Enrichment 'all' does not exist"),
    ],
)
def test_an_enrichment_that_there_is_not_is_refused_with_the_nearest(names: str, told: str):
    with pytest.raises(InputError, match=told):
        EnrichmentOptions.read(names=names)


def test_options_come_from_a_file_and_its_paths_are_relative_to_it(tmp_path: Path):
    config = tmp_path / "enrichments.toml"
    config.write_text('[questions]\nper_chunk = 12\n[entities]\ngazetteer = "names.csv"\n', encoding="utf-8")

    choice = EnrichmentOptions.read(config, names="entities")

    questions, entities = choice.sections["questions"], choice.sections["entities"]
    assert isinstance(questions, QuestionOptions) and isinstance(entities, EntityOptions)
    assert (questions.per_chunk, entities.gazetteer) == (12, tmp_path / "names.csv")
    assert EnrichmentOptions.from_json(choice.to_json()) == choice


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[question]\n", "Did you mean questions"),
        ("[questions]\nper_chunks = 3\n", "per_chunks"),
        ("[questions]\nper_chunk = 'many'\n", "per_chunk"),
        ("not toml", "cannot be read as TOML"),
    ],
)
def test_a_file_that_says_something_else_is_refused_with_the_place(tmp_path: Path, text: str, told: str):
    config = tmp_path / "enrichments.toml"
    config.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=told) as caught:
        EnrichmentOptions.read(config)

    assert "enrichments.toml" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"nothing\.toml"):
        EnrichmentOptions.read(tmp_path / "nothing.toml")
