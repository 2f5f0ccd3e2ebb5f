"""What a user chooses of layers: checked with the nearest name, and kept with a job."""

from pathlib import Path

import pytest

from ingest.layers.choice import LayerChoice
from ingest.layers.layer import LayerName
from papergraph.errors import InputError


def test_all_layers_are_made_with_their_defaults_unless_some_are_named():
    assert LayerChoice.read().names == tuple(LayerName)
    assert LayerChoice.read(names="clusters, entities").names == (LayerName.ENTITIES, LayerName.CLUSTERS)


@pytest.mark.parametrize(
    ("names", "told"), [("entitys", "did you mean entities"), ("", "there is no layer"), ("all,x", "there is no layer")]
)
def test_a_layer_that_there_is_not_is_refused_with_the_nearest(names: str, told: str):
    with pytest.raises(InputError, match=told):
        LayerChoice.read(names=names)


def test_options_come_from_a_file_and_its_paths_are_relative_to_it(tmp_path: Path):
    config = tmp_path / "layers.toml"
    config.write_text('[questions]\nper_chunk = 12\n[entities]\ngazetteer = "names.csv"\n', encoding="utf-8")

    choice = LayerChoice.read(config, names="entities")

    assert (choice.questions.per_chunk, choice.entities.gazetteer) == (12, tmp_path / "names.csv")
    assert LayerChoice.model_validate_json(choice.model_dump_json()) == choice


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[question]\n", "did you mean questions"),
        ("[questions]\nper_chunks = 3\n", "per_chunks"),
        ("[questions]\nper_chunk = 'many'\n", "per_chunk"),
        ("[clusters]\nengine = 'gds'\n", "engine"),
        ("not toml", "cannot be read as TOML"),
    ],
)
def test_a_file_that_says_something_else_is_refused_with_the_place(tmp_path: Path, text: str, told: str):
    config = tmp_path / "layers.toml"
    config.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=told) as caught:
        LayerChoice.read(config)

    assert "layers.toml" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"nothing\.toml"):
        LayerChoice.read(tmp_path / "nothing.toml")
