"""Models by name: from a hub over a real socket to a folder that works offline, whole or not at all."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.embedding import find_model, load_model, weights_checksum
from papergraph.embedding.model import KNOWN_MODELS
from papergraph.errors import EmbeddingError, InputError, NotFoundError, UnavailableError
from papergraph.model_hub import hub as model_hub
from papergraph.model_hub.catalogue import RECOMMENDED, Kind, for_language
from papergraph.model_hub.hub import ModelHub, check, install, installed, is_wanted, plan, read_manifest, write_manifest
from papergraph.settings import Settings
from tests.support.embedders import save_tiny_cross_encoder, save_tiny_model
from tests.support.fake_hub import COMMIT, FakeHub, HubFault
from tests.support.waiting import wait_until

NAME = "tiny/model"
WEIGHTS = "model.safetensors"
GB = 1_000_000_000


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny", dimension=16)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch) -> Path:
    """An empty local cache."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(model_hub, "PAUSES_S", (0.0,) * 4)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    return tmp_path / "hub"


@pytest.fixture
def hub(model_folder: Path) -> Iterator[FakeHub]:
    with FakeHub.of_folder(NAME, model_folder) as running:
        running.files |= {"pytorch_model.bin": b"a pickle", "modeling.py": b"import os", "onnx/model.onnx": b"graph"}
        yield running


@pytest.fixture
def small(cache: Path) -> Iterator[FakeHub]:
    """A hub whose model is no model, but has a file of each kind."""
    files = {WEIGHTS: os.urandom(300_000), "config.json": b"{}", "1_Pooling/config.json": b"{}", "LICENSE": b"MIT"}
    with FakeHub(NAME, files) as running:
        yield running


def fetch(hub: FakeHub, **more) -> Path:
    reached = ModelHub(hub.url)
    return install(reached, plan(reached, NAME, **more), most_bytes=GB)


@pytest.mark.slow
def test_a_model_comes_whole_from_the_hub_and_works_offline(cache, hub, model_folder):
    folder = fetch(hub)
    n_requests = len(hub.requests)
    model, original = load_model(NAME), load_model(str(model_folder))

    assert folder == find_model(NAME) == cache / "models--tiny--model" / "snapshots" / COMMIT
    assert model.card.sha256 == original.card.sha256
    assert model.encode_query("tides") == pytest.approx(original.encode_query("tides"), abs=1e-3)
    assert not {path.name for path in folder.rglob("*")} & {"pytorch_model.bin", "modeling.py", "model.onnx"}
    assert len(hub.requests) == n_requests
    assert not any("authorization" in one.headers or "cookie" in one.headers for one in hub.requests)
    assert plan(ModelHub(hub.url), NAME).is_here


def test_code_comes_only_on_request(small):
    small.files["modeling.py"] = b"import os"

    names = [{file.path for file in plan(ModelHub(small.url), NAME, code=code).files} for code in (False, True)]

    assert names[1] - names[0] == {"modeling.py"}


@pytest.mark.parametrize(
    "path",
    [
        *(
            "pytorch_model.bin",
            "model.pt",
            "model.ckpt",
            "data.pkl",
            "x.h5",
            "run.sh",
            "onnx/model.onnx",
            ".gitattributes",
        ),
        *("../model.safetensors", "/etc/x.json", "a\\b.json", "1_Pooling/../x.json", "openvino/x.json", "1_a/b/c.json"),
        *("./x.json", "1_Pooling//config.json", ".cache/x.json", ""),
    ],
)
def test_other_kinds_of_files_and_other_places_are_left_out(path):
    assert not is_wanted(path, code=True)


def test_a_model_with_pickles_alone_is_refused(small):
    small.files = {"pytorch_model.bin": b"x", "config.json": b"{}"}

    with pytest.raises(UnavailableError, match=r"no weights as safetensors, .*\(papergraph models list\)"):
        plan(ModelHub(small.url), NAME)


@pytest.mark.slow
def test_a_broken_connection_is_continued_where_it_broke(small):
    small.faults.extend([HubFault(cut_after=100_000), HubFault(status=503), HubFault(cut_after=50_000)])

    folder = fetch(small)

    assert (folder / WEIGHTS).read_bytes() == small.files[WEIGHTS]
    ranges = [one.range for one in small.fetched(WEIGHTS) if one.path.startswith("/cdn")]
    assert ranges == ["", "bytes=100000-", "bytes=100000-", "bytes=150000-"]


@pytest.mark.slow
def test_a_hub_that_is_gone_is_told_after_some_attempts_and_what_came_is_kept(small):
    small.faults.extend([HubFault(cut_after=100_000), *[HubFault(status=503)] * 9])

    with pytest.raises(UnavailableError, match=r"status 503\. Run the command again to continue, or name a mirror"):
        fetch(small)
    small.faults.clear()

    assert installed() == []
    fetch(small)
    assert small.requests[-1].range == "bytes=100000-" or small.fetched(WEIGHTS)[-1].range == "bytes=100000-"
    assert [one.name for one in installed()] == [NAME]


@pytest.mark.slow
@pytest.mark.parametrize("content", ["other", "longer", "shorter"])
def test_other_content_than_the_hub_states_is_never_installed(small, content):
    data = small.files[WEIGHTS]
    body, said = {
        "other": (bytes(len(data)), "checksum"),
        "longer": (data + b"x", "longer than"),
        "shorter": (data[:-1], "another length"),
    }[content]
    small.faults.append(HubFault(body=body))

    with pytest.raises(UnavailableError, match=said):
        fetch(small)

    assert installed() == []
    assert (fetch(small) / WEIGHTS).read_bytes() == data


@pytest.mark.slow
def test_small_files_are_checked_too(small, monkeypatch):
    listing = small._listing()
    small.files["config.json"] = b"[]"
    monkeypatch.setattr(small, "_listing", lambda: listing)

    with pytest.raises(UnavailableError, match=r"config\.json does not have the checksum"):
        fetch(small)


@pytest.mark.slow
def test_a_model_that_is_too_large_or_does_not_fit_is_refused_before_it_is_fetched(small, monkeypatch):
    reached = ModelHub(small.url)
    with pytest.raises(InputError, match="set --max-gb"):
        install(reached, plan(reached, NAME), most_bytes=1000)
    monkeypatch.setattr(model_hub.shutil, "disk_usage", lambda path: SimpleNamespace(free=9))

    with pytest.raises(UnavailableError, match="are free"):
        fetch(small)
    assert small.fetched(WEIGHTS) == []


@pytest.mark.parametrize(("status", "error"), [(401, NotFoundError), (404, NotFoundError), (403, UnavailableError)])
def test_a_model_that_the_hub_does_not_show_is_told(small, status, error):
    small.status = status

    with pytest.raises(error, match="hf download tiny/model" if status == 403 else "has no model 'tiny/model'"):
        plan(ModelHub(small.url), NAME)


@pytest.mark.parametrize("name", ["", "../x", "a/b/c", "a b", "a/../b", "-x", "a--b", "https://x/y"])
def test_what_is_no_name_is_not_asked_for(small, name):
    with pytest.raises(InputError, match="is no name at a hub"):
        plan(ModelHub(small.url), name)
    assert small.requests == []


@pytest.mark.parametrize(
    "mirror", ["ftp://x", "hub", "https://user:key@hub.example.org", "https://hub.example.org/?a=1"]
)
def test_what_is_no_address_of_a_mirror_is_refused(mirror):
    with pytest.raises(InputError, match="is no address such as"):
        ModelHub(mirror)


@pytest.mark.slow
@pytest.mark.parametrize("location", ["http://127.0.0.1:9/x", "http://elsewhere.invalid/x", "file:///etc/passwd"])
def test_a_redirect_to_an_address_without_https_is_not_followed(small, location):
    small.faults.append(HubFault(location=location))

    with pytest.raises(UnavailableError, match="leads to an address without HTTPS"):
        fetch(small)


@pytest.mark.parametrize("answer", [b"[]", b"<html>", b"{}", b'{"sha": "main", "siblings": []}'])
def test_a_server_that_is_no_hub_is_told(small, monkeypatch, answer):
    monkeypatch.setattr(small, "_listing", lambda: json.loads(answer))

    with pytest.raises(UnavailableError):
        plan(ModelHub(small.url), NAME)


@pytest.mark.slow
def test_a_snapshot_of_another_tool_that_is_incomplete_is_replaced(small, cache):
    snapshot = cache / "models--tiny--model" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("half")

    assert (fetch(small) / "config.json").read_bytes() == b"{}"
    assert [path.name for path in (cache / "models--tiny--model" / model_hub.WORK_FOLDER).iterdir()] == ["lock"]


@pytest.mark.slow
def test_huggingface_hub_stays_offline_but_for_the_download(small, monkeypatch):
    from huggingface_hub import HfApi
    from huggingface_hub.errors import OfflineModeIsEnabled

    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch(small)
    n_requests = len(small.requests)

    with pytest.raises(OfflineModeIsEnabled):
        HfApi(small.url).model_info(NAME)
    assert len(small.requests) == n_requests
    assert not any("authorization" in one.headers for one in small.requests)


def command(cache: Path, *words: str) -> subprocess.Popen[str]:
    environment = os.environ | {"HF_HUB_CACHE": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-m", "papergraph.cli.main", "models", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_killed_download_leaves_no_model_and_goes_on_where_it_was(small, cache):
    small.files[WEIGHTS] = os.urandom(40_000_000)  # huggingface_hub writes 10 MiB at a time
    small.faults.append(HubFault(pause_s=0.001))
    with command(cache, "get", NAME, "--yes", "--mirror", small.url) as process:
        wait_until(lambda: small.n_sent > 20_000_000, timeout_s=60)
        process.send_signal(signal.SIGKILL)

    with pytest.raises(EmbeddingError, match=f"papergraph models get {NAME}"):
        find_model(NAME)
    with command(cache, "get", NAME, "--yes", "--json", "--mirror", small.url) as process:
        told = json.loads(process.communicate(timeout=60)[0])

    assert told["downloaded"] and (find_model(NAME) / WEIGHTS).read_bytes() == small.files[WEIGHTS]
    assert small.fetched(WEIGHTS)[-1].range.startswith("bytes=")


@pytest.mark.slow
def test_nothing_is_downloaded_without_consent(small, cache):
    result = CliRunner().invoke(app, ["models", "get", NAME, "--mirror", small.url])

    assert (result.exit_code, "licence: mit" in result.stdout, "--yes" in str(result.exception)) == (1, True, True)
    assert small.fetched(WEIGHTS) == []
    assert installed() == []


@pytest.mark.slow
def test_a_check_tells_the_model_and_notices_what_changed(cache, hub, monkeypatch):
    fetch(hub)
    first = check(Settings(), NAME)
    again = check(Settings(), NAME)
    noted = read_manifest(NAME)
    monkeypatch.setattr("papergraph.model_hub.hub.lowest_cosine", lambda one, other: 0.5)
    other = check(Settings(), NAME)
    (Path(first.folder) / "config_sentence_transformers.json").write_text("{}")
    damaged = check(Settings(), NAME)

    assert (first.kind, first.dimension, first.licence, first.device) == (Kind.EMBEDDING, 16, "mit", "cpu")
    assert first.problems == again.problems == ()
    assert (noted["dimension"], noted["sha256"]) == (16, first.sha256)
    assert "cosine 0.5000" in other.problems[0]
    assert any("is damaged: papergraph models get" in problem for problem in damaged.problems)


@pytest.mark.slow
def test_a_reranker_is_checked_by_its_scores(tmp_path):
    folder = save_tiny_cross_encoder(tmp_path / "reranker")

    found = check(Settings(), str(folder))

    assert (found.kind, found.dimension, found.problems) == (Kind.RERANKER, None, ())
    assert found.sha256 == weights_checksum(folder)


@pytest.mark.slow
def test_the_list_names_recommended_and_installed_models(small, cache):
    fetch(small)
    write_manifest(NAME, read_manifest(NAME) | {"dimension": 7})
    runner = CliRunner()

    rows = json.loads(runner.invoke(app, ["models", "list", "--json"]).stdout)
    table = runner.invoke(app, ["models", "list", "--language", "zh"]).stdout

    by_name = {row["name"]: row for row in rows}
    assert [row["name"] for row in rows if row["kind"] != "entities"] == [*(model.name for model in RECOMMENDED), NAME]
    assert (by_name[NAME]["is_here"], by_name[NAME]["dimension"], by_name[NAME]["licence"]) == (True, 7, "mit")
    assert {name for name, row in by_name.items() if row["is_here"]} == {NAME, RECOMMENDED[0].name}
    assert "bge-small-zh" in table and "multilingual-e5" in table and "bge-small-en" not in table


def test_recommended_models_agree_with_what_is_known_of_them():
    known = {model.name: model for model in KNOWN_MODELS}

    shared = [model for model in RECOMMENDED if model.name in known]

    assert len(shared) >= 8
    assert [model.name for model in shared if model.max_tokens != known[model.name].max_tokens] == []
    assert {model.language for model in for_language("de")} == {"multilingual"}
