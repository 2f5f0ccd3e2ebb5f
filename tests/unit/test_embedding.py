import hashlib
import json
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
    device,
    files,
    find_model,
    load_model,
    model_checksum,
    packaged,
    sentence_transformer,
    weights_checksum,
)
from papergraph.errors import Code, EmbeddingError
from papergraph.settings.groups import EmbeddingSettings
from tests.support.embedders import minilm_folder

PROBES = Path(__file__).parent / "packaged_probes"
HEAVY = {"torch", "sentence_transformers", "transformers", "tokenizers", "huggingface_hub", "onnxruntime"}


@pytest.fixture(autouse=True)
def _environment_comes_back(monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")


def test_the_default_model_is_a_file_with_the_checksum_of_the_lock():
    folder = find_model(DEFAULT_NAME)

    assert hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest() == DEFAULT_SHA256
    assert model_checksum(EmbeddingSettings(), DEFAULT_NAME) == DEFAULT_SHA256


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


def test_a_model_whose_files_cannot_be_read_is_an_error_of_ours(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"x")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    monkeypatch.setattr(sentence_transformer, "require_libraries", lambda name: None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if it were broken; the real one is slow

    with pytest.raises(EmbeddingError, match="cannot load the embedding model in"):
        load_model(str(tmp_path))


def test_a_model_without_the_extra_is_an_error_with_the_command(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"x")
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None)

    with pytest.raises(EmbeddingError, match=r"uv sync --inexact --extra models .*papergraph\[models\]"):
        load_model(str(tmp_path))


def test_importing_the_module_loads_no_model_library():
    code = "import json, sys, papergraph.embedding; print(json.dumps(sorted(sys.modules)))"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert not HEAVY & set(json.loads(answer.stdout))


@pytest.mark.slow
def test_the_packaged_model_is_known_by_its_card_and_embeds_without_pytorch():
    code = """
import json, sys
from papergraph.embedding import PackagedModel
model = PackagedModel()
tokens = len(model.tokenizer.encode("tides", add_special_tokens=False).ids)
before = sorted({"torch", "sentence_transformers", "onnxruntime"} & set(sys.modules))
query = model.encode_query("tides")
after = sorted({"torch", "sentence_transformers", "onnxruntime"} & set(sys.modules))
print(json.dumps([tokens, before, after, query.shape, model.card.dimension, model.card.max_tokens]))
"""

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert json.loads(answer.stdout) == [1, [], ["onnxruntime"], [384], 384, 256]


def test_a_query_has_the_prefix_of_the_model_and_a_document_none():
    model = PackagedModel()
    prefix = "Represent this sentence for searching relevant passages: "

    prefixed, plain = model.encode_documents([f"{prefix}tides", "tides"])

    assert np.array_equal(model.encode_query("tides"), prefixed)
    assert float(prefixed @ plain) < 0.95


def test_vectors_do_not_depend_on_the_other_texts_of_a_call():
    model, texts = PackagedModel(), ["tides", "", "one two three " * 300, "passage about tabu search"]

    together = model.encode_documents(texts)

    assert together.shape == (4, 384) and together.dtype == np.float32
    assert np.array_equal(together, np.concatenate([model.encode_documents([text]) for text in texts]))
    assert np.linalg.norm(together, axis=1) == pytest.approx(1)
    assert model.encode_documents([]).shape == (0, 384)


def test_each_processor_computes_the_committed_vectors(capsys):
    """The texts are of many lengths and scripts; the vectors are those of an AMD EPYC with AVX-512, in 16 bits."""
    texts = json.loads((PROBES / "texts.json").read_text(encoding="utf-8"))
    kept = np.load(PROBES / "vectors.npy").astype(np.float32)

    cosines = np.sum(kept * PackagedModel().encode_documents(texts), axis=1) / np.linalg.norm(kept, axis=1)

    with capsys.disabled():
        print(f"\nembedding probes: lowest cosine {cosines.min():.6f}, processor flags: {processor_flags()}")
    assert cosines.shape == (64,)
    assert cosines.min() >= 0.999


def processor_flags() -> str:
    path = Path("/proc/cpuinfo")
    known = set(path.read_text(encoding="utf-8").split()) if path.exists() else set()
    wanted = {"avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_int8", "amx_bf16", "asimd", "bf16"}
    return " ".join(sorted(wanted & known)) or "unknown"


def test_a_damaged_model_file_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"not a graph")

    with pytest.raises(EmbeddingError, match=r"cannot load .*model\.onnx: .* Delete the file"):
        packaged.OnnxEncoder(tmp_path / "model.onnx", find_model(DEFAULT_NAME), max_tokens=256)


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


@pytest.mark.slow
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

    assert SentenceTransformerModel.load(str(minilm_folder())).precision == precision


@pytest.mark.slow
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
