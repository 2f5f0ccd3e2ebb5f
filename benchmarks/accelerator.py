"""Local models on a GPU beside the CPU: the same vectors and scores, how fast, and what a full memory does.

Usage: python -m benchmarks.accelerator

Nothing is imported but what runs models, so it also runs where little more than PyTorch, sentence-transformers and
pydantic-settings is installed. Texts are passages of this repository's documentation. Weights of the packaged model are
the real ones; the reranker has them too, below a random last layer. ``base`` and ``large`` are BERT in the sizes of
bge-base and bge-large with random weights, which take as long as real ones. Without a GPU it runs on the CPU alone.
"""

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from papergraph.cross_encoder import Reranker
from papergraph.embedding import DEFAULT_NAME, PackagedModel, SentenceTransformerModel, find_model, load_model
from papergraph.embedding import sentence_transformer as library
from papergraph.embedding.device import CPU, CUDA, Batches, Execution, devices
from papergraph.embedding.packaged import BULK_TEXTS
from papergraph.embedding.served import LOWEST_COSINE, PROBES, lowest_cosine
from papergraph.errors import DeviceMemoryError
from papergraph.model_hub.check import check
from papergraph.settings import Settings

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "benchmarks" / "results" / "accelerator.json"
SHAPES = {"base": (12, 768, 12), "large": (24, 1024, 16)}
"""Layers, width and heads."""

WORDS = {"packaged": 180, "base": 350, "large": 350}
"""Words of a text: about as many tokens as the model reads, 256 or 512."""

N_TEXTS = {"packaged": 2048, "base": 1024, "large": 512}
N_COMPARED = {"packaged": 512, "base": 32, "large": 16}
"""Texts whose vectors are compared with those of the CPU, in 32 bits there."""

N_RERANKED, N_TRIED = 1000, 256
BATCH_SIZES = (16, 64, 256, 1024)
PRECISIONS = ("float32", "tf32", "bfloat16", "float16")
QUERY = "How is the graph of papers searched?"
SPARE_MIB = (2000, 300, 100, 30, 1)
"""Memory that a model is left beside its weights, in MiB."""
MIB = 2**20

Figures = dict[str, Any]


def passages(words: int) -> list[str]:
    """Return the documentation in pieces of so many words, all different."""
    found: dict[str, None] = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        told = page.read_text(encoding="utf-8").split()
        found |= {" ".join(told[start : start + words]): None for start in range(0, len(told), words // 3)}
    return [text for text in found if len(text.split()) > words // 2]


def rate(work: Callable[[], object], n: int) -> float:
    """Return how many of ``n`` texts are done in a second, the better of two runs."""
    best = 0.0
    for _ in range(2):
        start = time.perf_counter()
        work()
        best = max(best, n / (time.perf_counter() - start))
    return round(best, 1)


def embedding(name: str, model: str, gpu: str) -> Figures:
    """Compare a model on both processors."""
    texts = passages(WORDS[name])[: N_TEXTS[name]]
    compared = texts[: N_COMPARED[name]]
    exact = exactly(model, compared)
    start = time.perf_counter()
    there = SentenceTransformerModel.load(model, Execution(gpu))
    found: Figures = {
        "texts": len(texts),
        "tokens_of_a_text": round(float(np.mean([len(there.tokenizer.encode(text).ids) for text in texts[:200]]))),
        "load_s": round(time.perf_counter() - start, 1),
        "precision": there.precision,
        "batch": there._batches.size,
        "texts_per_s": rate(lambda: there.encode_documents(texts), len(texts)),
        "texts_per_s_in_calls_of_64": rate(
            lambda: [there.encode_documents(texts[at : at + 64]) for at in range(0, len(texts), 64)], len(texts)
        ),
        "lowest_cosine": round(lowest_cosine(there.encode_documents(compared), exact), 6),
        "by_batch": {},
        "by_precision": {},
    }
    for size in BATCH_SIZES:
        there._batches.size = size
        found["by_batch"][size] = rate(lambda: there.encode_documents(texts), len(texts))
    there._batches = Batches(gpu)
    chosen = there._bfloat16
    for precision in PRECISIONS:
        found["by_precision"][precision] = in_precision(there, precision, texts, compared, exact)
    there._bfloat16 = chosen
    found["small_memory"] = small_memory(there, there.encode_documents, texts[:N_TRIED])
    return found


def on_cpu(texts: Sequence[str], gpu: str) -> Figures:
    """Return what the packaged model does on the CPU, with the vectors of tokens beside those of the GPU."""
    model, there = (SentenceTransformerModel.load(DEFAULT_NAME, Execution(device)) for device in (CPU, gpu))
    return {
        "precision": model.precision,
        "texts_per_s": rate(lambda: model.encode_documents(texts), len(texts)),
        "lowest_cosine": round(lowest_cosine(model.encode_documents(texts), exactly(DEFAULT_NAME, texts)), 6),
        "tokens_lowest_cosine": tokens_cosine(there, model, texts[:8]),
    }


def exactly(model: str, texts: Sequence[str]) -> Any:
    """Return the vectors of texts on the CPU in 32 bits."""
    opened = library.open_sentence_transformer(find_model(model))
    vectors = opened.encode_document(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def tokens_cosine(one: SentenceTransformerModel, other: SentenceTransformerModel, texts: Sequence[str]) -> float:
    """Return the lowest cosine of the vectors of tokens."""
    pairs = zip(one.encode_tokens(texts), other.encode_tokens(texts), strict=True)
    return round(min(lowest_cosine(a, b) for a, b in pairs), 6)


def in_precision(
    model: SentenceTransformerModel, precision: str, texts: Sequence[str], compared: Sequence[str], exact: Any
) -> Figures:
    """Return speed and loss with one format of numbers."""
    import torch

    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    own = library._precision
    dtype = {"bfloat16": torch.bfloat16, "float16": torch.float16}.get(precision)
    model._bfloat16 = dtype is not None
    library._precision = lambda device, *, bfloat16: torch.autocast(device, dtype=dtype, enabled=bfloat16)
    try:
        cosine = lowest_cosine(model.encode_documents(compared), exact)
        return {
            "texts_per_s": rate(lambda: model.encode_documents(texts), len(texts)),
            "lowest_cosine": round(cosine, 6),
        }
    finally:
        library._precision = own
        torch.set_float32_matmul_precision("highest")


def small_memory(
    model: SentenceTransformerModel | Reranker, work: Callable[[Sequence[str]], object], texts: Sequence[str]
) -> list[Figures]:
    """Leave a model less and less memory beside its weights, and tell what batch is left, or the error."""
    import torch

    if model.device != CUDA:
        return []
    found = []
    total = torch.cuda.get_device_properties(0).total_memory
    for spare in SPARE_MIB:
        model._batches = Batches(CUDA)
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + spare * MIB) / total)
        told: Figures = {"spare_mib": spare}
        try:
            work(texts)
        except DeviceMemoryError as error:
            told["error"] = str(error)
        told["batch"] = model._batches.size
        found.append(told)
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()
    model._batches = Batches(CUDA)
    return found


def reranker(folder: Path, gpu: str) -> Figures:
    """Compare a cross-encoder on both processors."""
    texts = passages(WORDS["packaged"])[:N_RERANKED]
    there, here = Reranker(str(folder), Execution(gpu)), Reranker(str(folder))
    compared = texts[:N_TRIED]
    start = time.perf_counter()
    expected = np.array(here.scores(QUERY, compared))
    cpu_rate = len(compared) / (time.perf_counter() - start)
    got = np.array(there.scores(QUERY, compared))
    return {
        "passages": len(texts),
        "passages_per_s": rate(lambda: there.scores(QUERY, texts), len(texts)),
        "passages_per_s_in_calls_of_100": rate(
            lambda: [there.scores(QUERY, texts[at : at + 100]) for at in range(0, len(texts), 100)], len(texts)
        ),
        "batch": there._batches.size,
        "largest_difference": float(np.abs(got - expected).max()),
        "spread_of_scores": float(expected.std()),
        "same_order_of_best_20": bool((np.argsort(-got)[:20] == np.argsort(-expected)[:20]).all()),
        "cpu_passages_per_s": round(cpu_rate, 1),
        "small_memory": small_memory(there, lambda passages: there.scores(QUERY, passages), compared),
    }


def identity(gpu: str) -> Figures:
    """Return whether vectors of both processors count as those of one model, in the way that papergraph uses them."""
    packaged, here = load_model(DEFAULT_NAME, Execution(gpu)), PackagedModel()
    texts = passages(WORDS["packaged"])[: BULK_TEXTS + 256]
    bulk = packaged.encode_documents(texts)  # more than pays for loading PyTorch
    small = np.concatenate([here._small.encode(texts[at : at + 64]) for at in range(0, len(texts), 64)])
    queries = np.stack([packaged.encode_query(text) for text in PROBES])
    checked = check(Settings(embedding={"device": gpu}), DEFAULT_NAME)
    probes = lowest_cosine(
        SentenceTransformerModel.load(DEFAULT_NAME, Execution(gpu)).encode_documents(PROBES), queries
    )
    return {
        "same_card": packaged.card == here.card,
        "bulk_beside_onnx_lowest_cosine": round(lowest_cosine(bulk, small), 6),
        "probes_lowest_cosine": round(probes, 6),
        "accepted": probes >= LOWEST_COSINE and not checked.problems,
        "check": {"device": checked.device, "texts_per_s": checked.texts_per_s, "problems": checked.problems},
    }


def save_shape(folder: Path, name: str) -> Path:
    """Save BERT in one of the sizes with random weights, for the tokenizer of the packaged model."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    n_layers, width, n_heads = SHAPES[name]
    tokenizer = AutoTokenizer.from_pretrained(str(find_model(DEFAULT_NAME)), model_max_length=512)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        intermediate_size=4 * width,
    )
    BertModel(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def save_reranker(folder: Path) -> Path:
    """Save a cross-encoder of the packaged model's weights and a random last layer."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    torch.manual_seed(0)
    source = str(find_model(DEFAULT_NAME))
    disable_progress_bar()  # type: ignore[no-untyped-call]
    set_verbosity_error()  # type: ignore[no-untyped-call]
    model = AutoModelForSequenceClassification.from_pretrained(source, num_labels=1)
    with torch.no_grad():
        model.classifier.weight.normal_(std=0.2)
    model.save_pretrained(str(folder))
    AutoTokenizer.from_pretrained(source, model_max_length=512).save_pretrained(str(folder))
    return folder


def measure() -> Figures:
    """Return the figures of all models on the fastest processor that is here."""
    import torch

    gpu = devices()[0]
    shapes = SHAPES if gpu != CPU else {}
    figures: Figures = {
        "measuredOn": {
            "date": datetime.now(UTC).date().isoformat(),
            "cores": os.cpu_count(),
            "device": torch.cuda.get_device_name(0) if gpu == CUDA else gpu,
            "python": platform.python_version(),
            **{package: version(package) for package in ("torch", "sentence-transformers", "transformers")},
        },
    }
    with tempfile.TemporaryDirectory() as scratch:
        figures["identity"] = identity(gpu)
        figures["packaged"] = embedding("packaged", DEFAULT_NAME, gpu)
        figures["packaged on the CPU"] = on_cpu(passages(WORDS["packaged"])[: N_COMPARED["packaged"]], gpu)
        figures["reranker"] = reranker(save_reranker(Path(scratch) / "reranker"), gpu)
        for name in shapes:
            figures[name] = embedding(name, str(save_shape(Path(scratch) / name, name)), gpu)
    return figures


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    text = json.dumps(measure(), indent=2)
    target.write_text(f"{text}\n", encoding="utf-8")
    print(text)
