"""Where local models run, and whether program code among their files does."""

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from papergraph.embedding import PackagedModel, device, load_model, open_model
from papergraph.embedding.device import Batches, Execution, devices, resolve_device
from papergraph.errors import DeviceMemoryError, EmbeddingError, InputError
from papergraph.settings import Settings, read_settings
from papergraph.settings.groups import EmbeddingSettings
from tests.support.embedders import save_projected_model, save_tiny_cross_encoder

CODE = """
from pathlib import Path
from sentence_transformers.models import Normalize

Path({ran!r}).touch()


class Own(Normalize):
    pass
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    return save_projected_model(tmp_path_factory.mktemp("models") / "plain", dimension=16)


@pytest.fixture
def with_code(plain: Path, tmp_path: Path) -> Path:
    """A model whose last module is a class of a Python file among its files."""
    folder = tmp_path / "own"
    folder.mkdir()
    for path in plain.iterdir():
        (folder / path.name).symlink_to(path)
    modules = json.loads((plain / "modules.json").read_text())
    modules.append({"idx": len(modules), "name": str(len(modules)), "path": "", "type": "own_module.Own"})
    (folder / "modules.json").unlink()
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "own_module.py").write_text(CODE.format(ran=str(folder / "ran")))
    return folder


def test_the_processor_is_the_cpu_unless_another_is_chosen(monkeypatch):
    monkeypatch.setattr(device, "devices", lambda: ["cuda", "cpu"])

    chosen = [resolve_device(Execution(name)) for name in ("cpu", "auto", "cuda")]

    assert EmbeddingSettings().device == "cpu"
    assert chosen == ["cpu", "cuda", "cuda"]


def test_a_processor_that_is_not_there_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(device, "devices", lambda: ["cpu"])
    settings = EmbeddingSettings(device="cuda")

    with pytest.raises(EmbeddingError, match=r"PAPERGRAPH_EMBEDDING_DEVICE is cuda, .*finds cpu.* set it to auto"):
        open_model(settings, settings.model)


@pytest.mark.slow
def test_a_reranker_has_a_setting_of_its_own(monkeypatch, tmp_path):
    from papergraph.cross_encoder import Rerankers

    monkeypatch.setattr(device, "devices", lambda: ["cpu"])
    folder = save_tiny_cross_encoder(tmp_path / "reranker")
    rerankers = Rerankers(str(folder), served=Settings(reranker={"device": "mps"}).reranker)

    with pytest.raises(EmbeddingError, match="PAPERGRAPH_RERANKER_DEVICE is mps"):
        rerankers._get(str(folder))


@pytest.mark.slow
def test_the_processor_and_the_trust_go_along_to_another_process(plain):
    model = pickle.loads(pickle.dumps(load_model(str(plain), Execution("auto"))))  # noqa: S301

    assert model._execution == Execution("auto")


def test_the_packaged_model_runs_on_the_cpu_alone():
    with pytest.raises(EmbeddingError, match="PAPERGRAPH_EMBEDDING_DEVICE is cuda"):
        PackagedModel(Execution("cuda"))
    assert PackagedModel(Execution("auto")).device == "cpu"


@pytest.mark.slow
def test_a_batch_that_does_not_fit_into_memory_is_halved_and_stays_so():
    tried = []

    def work(size: int) -> int:
        tried.append(size)
        if size > 64:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return size

    batches = Batches("cuda")

    assert [batches.run(work), batches.run(work)] == [64, 64]
    assert tried == [256, 128, 64, 64]


@pytest.mark.slow
def test_a_text_that_does_not_fit_alone_is_told_with_what_to_do():
    batches = Batches("cuda", setting="PAPERGRAPH_RERANKER_DEVICE")

    def work(size: int) -> None:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")

    with pytest.raises(DeviceMemoryError, match=r"memory of cuda is too small.* set PAPERGRAPH_RERANKER_DEVICE to cpu"):
        batches.run(work)
    assert batches.run(lambda size: size) == 256  # the memory may be free again


@pytest.mark.slow
def test_one_shortage_that_two_threads_meet_halves_a_batch_once():
    batches = Batches("cuda")
    both = threading.Barrier(2)

    def work(size: int) -> int:
        if size > 128:
            both.wait(10)
            raise RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")
        return size

    with ThreadPoolExecutor(2) as pool:
        assert [one.result() for one in [pool.submit(batches.run, work) for _ in range(2)]] == [128, 128]
    assert batches.size == 128


def test_other_failures_are_not_tried_again():
    def work(size: int) -> None:
        raise RuntimeError("size mismatch")

    with pytest.raises(RuntimeError, match="size mismatch"):
        Batches("cpu").run(work)


@pytest.mark.slow
def test_program_code_of_a_model_runs_only_where_it_is_trusted(with_code: Path, monkeypatch):
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(with_code.parent / "modules"))
    name = str(with_code)

    with pytest.raises(EmbeddingError) as caught:
        open_model(EmbeddingSettings(), name)
    refused = (with_code / "ran").exists()
    model = open_model(EmbeddingSettings(trust_remote_code=name), name)

    assert f"PAPERGRAPH_EMBEDDING_TRUST_REMOTE_CODE={name}" in str(caught.value)
    assert not refused and (with_code / "ran").exists()
    assert np.linalg.norm(model.encode_query("tides")) == pytest.approx(1)


@pytest.mark.slow
def test_code_that_a_configuration_names_is_seen_before_anything_is_loaded(plain: Path, tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "somebody/else--modeling.Model"}}))

    assert device.has_code(tmp_path) and not device.has_code(plain)


def test_a_file_of_the_working_folder_cannot_trust_code(monkeypatch, tmp_path):
    (tmp_path / "papergraph.toml").write_text('[embedding]\ntrust_remote_code = ["evil/model"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAPERGRAPH_CONFIG", raising=False)

    with pytest.raises(InputError, match=r"trust_remote_code.* if you trust this file"):
        read_settings()


@pytest.mark.slow
def test_a_gpu_gives_the_vectors_of_the_cpu(plain: Path):
    gpu = devices()[0]
    if gpu == "cpu":
        pytest.skip("PyTorch finds no GPU on this machine")
    texts = [f"passage {number} about tabu search " * (1 + number % 40) for number in range(300)]

    cosines = np.sum(
        load_model(str(plain), Execution(gpu)).encode_documents(texts) * load_model(str(plain)).encode_documents(texts),
        axis=1,
    )

    assert cosines.min() > 0.999
