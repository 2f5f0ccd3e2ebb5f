"""spaCy's pipelines by one command: a wheel with a known checksum, unpacked, and used by the enrichment of entities."""

import hashlib
import random
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
from spacy.cli.package import package
from spacy.training import Example
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.errors import InputError, UnavailableError
from papergraph.ingest.enrichments.entities import EntityOptions
from papergraph.ingest.enrichments.entities.extraction import find
from papergraph.model_hub import spacy_pipelines
from papergraph.model_hub.spacy_pipelines import SpacyPipeline, known_pipeline
from tests.support.maven_repository import Repository

NAME = "spacy:en_core_glow"
TEXT = "We tried Glow5 on the coast today, and it was as good as it was on the day before that one in the town."


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> bytes:
    """Return a wheel as spaCy's own are: of a pipeline with a trained component, laid out by ``spacy package``."""
    folder = tmp_path_factory.mktemp("wheel")
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").add_label("Instrument")
    texts = [f"We tried Glow{n} on the {place} today." for n in range(9) for place in ("coast", "hill", "boat")]
    examples = [Example.from_dict(nlp.make_doc(text), {"entities": [(9, 14, "Instrument")]}) for text in texts]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        random.Random(0).shuffle(examples)  # noqa: S311
        nlp.update(examples, sgd=optimizer)
    nlp.meta |= {"name": "core_glow", "version": "3.8.0"}
    nlp.to_disk(folder / "model")
    package(folder / "model", folder, create_sdist=False, create_wheel=False, silent=True)
    (made,) = folder.glob("en_core_glow-*")
    with zipfile.ZipFile(folder / "made.whl", "w") as packed:
        for path in (made / "en_core_glow").rglob("*"):
            if path.is_file():
                packed.write(path, path.relative_to(made))
        packed.writestr("../outside.txt", "no")
        packed.writestr("en_core_glow-3.8.0.dist-info/LICENSE", "MIT")
    return (folder / "made.whl").read_bytes()


@pytest.fixture
def releases(wheel: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    checksum = hashlib.sha256(wheel).hexdigest()
    monkeypatch.setattr(spacy_pipelines, "KNOWN", (SpacyPipeline("en_core_glow", "3.8.0", checksum, 1),))
    monkeypatch.setenv("PAPERGRAPH_CACHE", str(tmp_path / "cache"))
    with Repository() as repository:
        place = "/maven/en_core_glow-3.8.0/en_core_glow-3.8.0-py3-none-any.whl"
        repository.files[place] = wheel
        yield repository


def get(url: str, *options: str):
    return CliRunner().invoke(app, ["models", "get", NAME, "--mirror", url, *options])


@pytest.mark.slow
def test_one_command_fetches_a_pipeline_and_entities_are_found_with_it(releases: Repository, tmp_path: Path):
    assert EntityOptions().enrichment(None).pipeline is None

    first, again = get(releases.url, "--yes"), get(releases.url, "--yes")
    chosen = EntityOptions().enrichment(None)
    (found,) = find([TEXT], pipeline=chosen.pipeline, left_out=chosen.left_out)
    listed = CliRunner().invoke(app, ["models", "list"]).stdout

    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert "licence: MIT" in first.stdout
    assert "here already" in again.stdout
    assert len(releases.asked) == 1
    assert [(one.name, one.type) for one in found if one.by == "core_glow"][:1] == [("Glow5", "Instrument")]
    assert chosen.note.startswith("with en_core_glow-3.8.0;")
    assert EntityOptions(pipeline="none").enrichment(None).pipeline is None
    (row,) = [line for line in listed.splitlines() if line.startswith(NAME)]
    assert row.split() == [NAME, "entities", "en", "1", "MIT", "yes"]
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert not [path for path in kept if path.suffix in {".py", ".whl", ".part", ".lock", ".txt"}]
    assert not (tmp_path / "cache" / "models" / "outside.txt").exists()


def test_another_content_is_refused_and_nothing_is_kept(releases: Repository, tmp_path: Path):
    (place,) = releases.files
    releases.files[place] += b"more"

    told = get(releases.url, "--yes")

    assert isinstance(told.exception, UnavailableError)
    assert "sha-256 differs" in str(told.exception)
    assert EntityOptions().enrichment(None).pipeline is None
    assert not list((tmp_path / "cache").rglob("*.whl"))


def test_without_a_network_the_error_names_the_setting_of_a_mirror(releases: Repository, monkeypatch):
    monkeypatch.setattr("papergraph.maven.FIRST_PAUSE_S", 0.0)

    told = get("http://127.0.0.1:1/releases", "--yes")

    assert isinstance(told.exception, UnavailableError)
    assert "[mirrors] spacy" in str(told.exception)
    assert "what is fetched is kept" in str(told.exception)


def test_nothing_is_fetched_without_consent_and_other_names_are_refused(releases: Repository):
    told = get(releases.url)
    other = CliRunner().invoke(app, ["models", "get", "spacy:en_core_other", "--yes"])

    assert isinstance(told.exception, InputError)
    assert "--yes" in str(told.exception)
    assert releases.asked == []
    assert isinstance(other.exception, InputError)
    assert NAME in str(other.exception)


def test_a_wheel_without_its_pipeline_is_told(releases: Repository, monkeypatch):
    (known,) = spacy_pipelines.KNOWN
    (content,) = releases.files.values()
    monkeypatch.setattr(spacy_pipelines, "KNOWN", (replace(known, package="en_core_other"),))
    releases.files["/maven/en_core_other-3.8.0/en_core_other-3.8.0-py3-none-any.whl"] = content

    told = CliRunner().invoke(app, ["models", "get", "spacy:en_core_other", "--yes", "--mirror", releases.url])

    assert isinstance(told.exception, UnavailableError)
    assert "holds no pipeline" in str(told.exception)


def test_known_pipelines_are_the_releases_for_the_installed_spacy():
    major, minor, *_ = spacy.__version__.split(".")

    for name in ("spacy:en_core_web_sm", "spacy:en_core_web_md", "spacy:en_core_web_lg"):
        assert known_pipeline(name).version.startswith(f"{major}.{minor}.")
