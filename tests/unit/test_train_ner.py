"""Data to train a pipeline with is read in three forms, and what is trained can be loaded and used."""

import json

import pytest
import spacy
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.errors import InputError
from papergraph.ingest.enrichments.entities import EntityOptions
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.entities.extraction import find
from papergraph.ingest.enrichments.entities.training import Text, read_texts, train

SENTENCES = [(f"We tried Glow{n} on Sea{n} today", [(9, 14, "Method"), (18, 22, "Dataset")]) for n in range(1, 10)]


def write_spacy(path):
    lines = [
        {"text": text, "spans": [{"start": start, "end": end, "label": label} for start, end, label in spans]}
        for text, spans in SENTENCES
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_three_forms_say_the_same(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "A B C D", "entities": [[2, 5, "X"], [6, 7, "Y"]]}) + "\n")
    (tmp_path / "b.jsonl").write_text(
        json.dumps({"sentences": [["A", "B", "C", "D"]], "ner": [[[1, 2, "X"], [3, 3, "Y"]]]})
    )
    (tmp_path / "c.txt").write_text("-DOCSTART- NN O O\n\nA NN O O\nB NN O I-X\nC NN O I-X\nD NN O I-Y\n")
    (tmp_path / "d.txt").write_text("A O\nB B-X\nC I-X\nD B-Y\n")

    for name in ("a.jsonl", "b.jsonl", "c.txt", "d.txt"):
        assert read_texts(tmp_path / name) == [Text("A B C D", ((2, 5, "X"), (6, 7, "Y")))]


def test_positions_of_dygie_count_over_the_document_and_two_of_a_type_may_touch(tmp_path):
    said = {"sentences": [["A", "B"], ["C", "D"]], "ner": [[], [[2, 2, "X"], [3, 3, "X"]]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(said))
    (tmp_path / "b.txt").write_text("C B-X\nD B-X\n")

    assert (
        read_texts(tmp_path / "a.jsonl")[1]
        == read_texts(tmp_path / "b.txt")[0]
        == Text("C D", ((0, 1, "X"), (2, 3, "X")))
    )


@pytest.mark.parametrize(
    "content",
    [
        "A X\n",
        "A\n",
        '{"text": "A", "spans": [{"start": 0, "end": 9, "label": "X"}]}\n',
        '{"sentences": [["A"]], "ner": [[[5, 5, "X"]]]}\n',
        '{"words": []}\n',
        "A O\n",
        "",
    ],
)
def test_what_is_of_no_form_is_refused_with_its_place(tmp_path, content):
    (tmp_path / "data.x").write_text(content)

    with pytest.raises(InputError, match=r"data\.x"):
        read_texts(tmp_path / "data.x")


@pytest.mark.slow
def test_a_trained_pipeline_is_measured_saved_and_used_by_its_folder(tmp_path):
    data = write_spacy(tmp_path / "data.jsonl")

    done = train(data, data, tmp_path / "pipeline", test=data, steps=20)

    assert done.labels == ("Dataset", "Method")
    assert done.test is not None
    assert (done.test.n_gold, done.test.f1) == (18, 1.0)
    (found,) = find(["We tried Glow3 on Sea3 today"], pipeline=str(tmp_path / "pipeline"))
    assert {(one.name, one.type, one.by) for one in found} >= {("Sea3", "Dataset", "papergraph_ner")}
    assert Entities(pipeline=str(tmp_path / "pipeline")).config_hash != Entities().config_hash
    with pytest.raises(InputError, match="exists already"):
        train(data, data, tmp_path / "pipeline")


@pytest.mark.slow
def test_the_command_trains_and_tells_the_figures(tmp_path):
    data = str(write_spacy(tmp_path / "data.jsonl"))
    options = ["--steps", "20", "--json", "--quiet"]

    done = CliRunner().invoke(app, ["entities", "train", data, data, str(tmp_path / "ner"), *options])

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["dev"]["n_gold"] == 18


def test_a_pipeline_that_is_not_there_is_told():
    with pytest.raises(InputError, match="no spaCy pipeline"):
        find(["A"], pipeline="no_such_pipeline")


def install(folder, name, nlp):
    """Lay a pipeline out as pip does with its package."""
    package = folder / name
    package.mkdir()
    nlp.meta |= {"name": name.removeprefix("en_"), "version": "1.0"}
    nlp.to_disk(package / f"{name}-1.0")
    (package / "meta.json").write_text((package / f"{name}-1.0" / "meta.json").read_text())
    (package / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n\n\n"
        "def load(**given):\n    return load_model_from_init_py(__file__, **given)\n"
    )
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[spacy_models]\n{name} = {name}\n")


def test_an_installed_pipeline_is_used_unless_it_is_declined(tmp_path, monkeypatch):
    ruler = spacy.blank("en")
    ruler.add_pipe("entity_ruler").add_patterns(
        [{"label": "Instrument", "pattern": "Glow3"}, {"label": "PERSON", "pattern": "Ada Byron"}]
    )
    news = spacy.blank("en")
    news.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Lisbon"}])
    for name, nlp in (("en_glow", ruler), ("en_news", news)):
        install(tmp_path, name, nlp)
    monkeypatch.syspath_prepend(tmp_path)
    text = "We tried Glow3 in Lisbon with Ada Byron, and it was as good as it was the day before that one."

    chosen, declined = EntityOptions().enrichment(None), EntityOptions(pipeline="none").enrichment(None)

    assert chosen.pipeline == "en_glow"
    assert "en_glow" in chosen.note
    assert (declined.pipeline, declined.note) == (None, "")
    assert chosen.config_hash != declined.config_hash
    (found,) = find([text], pipeline=chosen.pipeline, left_out=chosen.left_out)
    assert [(one.name, one.type) for one in found if one.by == "glow"] == [("Glow3", "Instrument")]
    (named,) = find([text], pipeline="en_glow")
    assert [one.name for one in named if one.by == "glow"] == ["Glow3", "Ada Byron"]
    german = "Wir haben Glow3 in Lissabon mit der Hilfe von Ada Byron versucht, und es war so gut wie am Tag davor."
    assert not [one for one in find([german], pipeline="en_glow", left_out=chosen.left_out)[0] if one.by == "glow"]


def test_without_a_suitable_pipeline_none_is_used(tmp_path, monkeypatch):
    assert EntityOptions().enrichment(None).pipeline is None

    about = tmp_path / "en_gone-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: en_gone\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[spacy_models]\nen_gone = en_gone\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert EntityOptions().enrichment(None).pipeline is None
