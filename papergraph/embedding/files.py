"""Files of embedding models, and the languages that they are made for."""

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from papergraph.embedding.packaged_files import DEFAULT_NAME, packaged_folder
from papergraph.errors import EmbeddingError
from papergraph.text.language import ENGLISH, NAMES, language_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# Files of embedding models on this machine: where they are, their checksums and their tokenizers.
#
# Only the packaged model is fetched when it is missing, see :mod:`papergraph.embedding.packaged_files`.


def find_model(name: str) -> Path:
    """Return the folder of a model's files.

    Raises:
        EmbeddingError: The name is unknown (packaged model, folder, local Hugging Face cache), or the packaged model
            cannot be fetched.
    """
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    if is_default(name):
        return packaged_folder()
    if is_folder(name):
        return Path(name).expanduser().resolve()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise EmbeddingError(
            f"there is no embedding model {name!r} on this machine: set PAPERGRAPH_EMBEDDING_MODEL to {DEFAULT_NAME}, "
            "to a folder, or to a name in the local Hugging Face cache. To download it: papergraph models get "
            f"{name or 'NAME'}"
        ) from error


def load_tokenizer(name: str) -> "Tokenizer":
    """Return the tokenizer of a model, named as :func:`load_model` takes it, without truncation and padding.

    Raises:
        EmbeddingError: There is no such model here, or its tokenizer cannot be read.
    """
    return read_tokenizer(find_model(name))


def weights_checksum(folder: Path) -> str:
    """Return the sha-256 of the safetensors weights in and below ``folder``; of several files, read in order of name.

    Raises:
        EmbeddingError: There are none; other formats can run code when they are loaded.
    """
    files = sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*/*.safetensors"))  # those of further layers
    if not files:
        raise EmbeddingError(f"{folder} holds no .safetensors weights")
    checksum = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                checksum.update(block)
    return checksum.hexdigest()


def read_tokenizer(folder: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library's own errors are bare Exceptions
        raise EmbeddingError(f"cannot load the tokenizer in {folder}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tokenizer_checksum(folder: Path) -> str:
    """Return the sha-256 of what the tokenizer's file says, where it cuts and fills up texts aside: we never do."""
    try:
        tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
        says = {name: value for name, value in tokenizer.items() if name not in ("truncation", "padding")}
    except (OSError, ValueError, AttributeError) as error:
        raise EmbeddingError(f"cannot read the tokenizer in {folder}: {error}") from error
    return hashlib.sha256(json.dumps(says, sort_keys=True).encode()).hexdigest()


def is_folder(name: str) -> bool:
    with suppress(OSError, RuntimeError):  # a name that is too long for a path, a ~user who does not exist
        return bool(name) and Path(name).expanduser().is_dir()
    return False


def is_default(name: str) -> bool:
    return name == DEFAULT_NAME


# Languages of embedding models, as far as their names tell


_ENGLISH_ONLY = re.compile(
    r"all-(?:MiniLM|mpnet|distilroberta)|multi-qa-|msmarco-|(?:^|[-_/])en(?:[-_.]|$)|scincl|specter|allenai",
    re.IGNORECASE,
)
_MULTILINGUAL = re.compile(r"multilingual|paraphrase-xlm|labse|[-_/]m3(?:$|[-_])|xlm", re.IGNORECASE)


def languages_of(name: str) -> frozenset[str] | None:
    """Return the languages that an embedding model was trained on, as ISO 639-1 codes; None where that is unknown.

    Args:
        name: Of the model, as configured.
    """
    if _MULTILINGUAL.search(name):
        return None
    return frozenset({ENGLISH}) if is_default(name) or _ENGLISH_ONLY.search(name) else None


def supported_languages(language: str | None, model: str) -> str | None:
    """Return the names of a model's languages if ``language`` is missing among them; else None.

    Args:
        language: ISO 639-1 code; None if uncertain.
        model: Name of an embedding model, as configured.
    """
    known = languages_of(model)
    if language is None or known is None or language in known:
        return None
    return ", ".join(NAMES[one] for one in sorted(known))


def shown_name(model: str) -> str:
    """Return the name of a model for users of a server: of a folder its own name."""
    return PurePath(model).name if PurePath(model).is_absolute() else model


def query_warning(query: str, model: str) -> str | None:
    """Return a warning that a model does not support the language of a query; None if it may."""
    language = language_of(query)
    if language is None or (supported := supported_languages(language, model)) is None:
        return None
    return (
        f"The query is in {NAMES[language]}, but the embedding model {shown_name(model)} supports {supported} only, "
        f"so passages may be missed. Ask in {supported}, or switch to another model with papergraph embeddings switch."
    )
