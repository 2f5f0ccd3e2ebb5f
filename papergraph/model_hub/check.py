"""Whether a local model works here, and is still the one that it was."""

import base64
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from papergraph.cross_encoder import Reranker
from papergraph.embedding import load_model
from papergraph.embedding.device import Execution, execution_of
from papergraph.embedding.files import find_model, is_folder, weights_checksum
from papergraph.embedding.model import Floats, check_vectors
from papergraph.embedding.served import LOWEST_COSINE, PROBES, lowest_cosine
from papergraph.model_hub.catalogue import Kind, recommended
from papergraph.model_hub.installation import damaged_files, read_manifest, write_manifest
from papergraph.settings import Settings

TIMED_TEXTS = 64


@dataclass(frozen=True)
class CheckedModel:
    """What a check found.

    Attributes:
        name: As given.
        kind: What it computes.
        folder: Where its files are.
        licence: As its publisher states it; '' where that is unknown.
        sha256: Checksum of the weights.
        dimension: Length of a vector; None of a reranker.
        max_tokens: Longest text; None of a reranker.
        device: Processor that it ran on.
        load_s: Seconds until it was loaded.
        texts_per_s: Short texts embedded in a second; None of a reranker.
        problems: What is wrong, each with the next step; empty if nothing.
    """

    name: str
    kind: Kind
    folder: str
    licence: str
    sha256: str
    dimension: int | None
    max_tokens: int | None
    device: str
    load_s: float
    texts_per_s: float | None
    problems: tuple[str, ...]


def check(settings: Settings, name: str) -> CheckedModel:
    """Load a local model without a network, embed the probe texts, and compare it with what is known of it.

    Compared are its files with those that were downloaded, its dimension with that of the catalogue, and the vectors of
    the probe texts with those of its first check.

    Raises:
        EmbeddingError: There is no such model here, or it cannot be loaded.
    """
    folder = find_model(name)
    known = recommended(name)
    noted = {} if is_folder(name) else read_manifest(name)
    problems = [f"{path} is damaged: papergraph models get {name}" for path in damaged_files(name, folder) if noted]
    licence = str(noted.get("licence") or (known.licence if known else ""))
    start = time.perf_counter()
    if kind_of(folder) == Kind.RERANKER:
        execution = Execution(settings.reranker.device, setting="PAPERGRAPH_RERANKER_DEVICE")
        reranker = Reranker(name, execution)
        load_s = round(time.perf_counter() - start, 2)
        if not all(0.0 <= score <= 1.0 for score in reranker.scores(PROBES[0], PROBES)):
            problems.append("its scores are not between 0 and 1: choose another model")
        checksum = weights_checksum(folder)
        found = (None, None, reranker.device, load_s, None)
        return CheckedModel(name, Kind.RERANKER, str(folder), licence, checksum, *found, tuple(problems))
    model = load_model(name, execution_of(settings.embedding, name))
    load_s = round(time.perf_counter() - start, 2)
    vectors = model.encode_documents(PROBES)
    check_vectors(list(vectors), dimension=model.card.dimension)
    if known is not None and known.dimension != model.card.dimension:
        problems.append(f"its vectors have {model.card.dimension} numbers, and {known.dimension} are expected")
    problems += _compare(name, noted, vectors, model.card.sha256)
    start = time.perf_counter()
    model.encode_documents([f"{number} {PROBES[1]}" for number in range(TIMED_TEXTS)])
    texts_per_s = round(TIMED_TEXTS / (time.perf_counter() - start), 1)
    found_too = (model.card.dimension, model.card.max_tokens, model.device, load_s, texts_per_s)
    return CheckedModel(name, Kind.EMBEDDING, str(folder), licence, model.card.sha256, *found_too, tuple(problems))


def kind_of(folder: Path) -> Kind:
    """Return what the model of a folder computes, as its configuration says."""
    if not (folder / "modules.json").exists():
        with suppress(OSError, ValueError):
            architectures = json.loads((folder / "config.json").read_bytes()).get("architectures") or ()
            if any(str(one).endswith("ForSequenceClassification") for one in architectures):
                return Kind.RERANKER
    return Kind.EMBEDDING


def _compare(name: str, noted: dict[str, object], vectors: Floats, sha256: str) -> list[str]:
    """Compare probe vectors with those that were noted, or note them."""
    if not noted:
        return []
    before = noted.get("probes")
    if not before or noted.get("sha256") != sha256:
        numbers = base64.b64encode(vectors.astype("<f4").tobytes()).decode()
        with suppress(OSError):  # of a cache that is read only: nothing is noted
            write_manifest(name, noted | {"sha256": sha256, "dimension": vectors.shape[1], "probes": numbers})
        return []
    former = np.frombuffer(base64.b64decode(str(before)), "<f4").reshape(len(PROBES), -1)
    cosine = lowest_cosine(vectors, former)
    if cosine >= LOWEST_COSINE:
        return []
    return [
        f"its vectors are not those of its first check (cosine {cosine:.4f}): return to the former versions of "
        "sentence-transformers and transformers, or embed anew with papergraph embeddings switch"
    ]
