"""Recommended and installed models side by side."""

from dataclasses import asdict, dataclass
from typing import Any

from papergraph.embedding.files import is_default
from papergraph.model_hub.catalogue import for_language, recommended
from papergraph.model_hub.installation import installed, read_manifest


@dataclass(frozen=True)
class ListedModel:
    """A model; what is not known of an installed one that nobody recommends is None.

    Attributes:
        name: Name at the hub.
        kind, language, dimension, memory_gb, max_tokens: As of a recommended model.
        size_mb: Of its files where it is here, else of the download.
        licence: As its publisher states it.
        is_here: Whether it is installed.
    """

    name: str
    kind: str | None
    language: str | None
    dimension: int | None
    size_mb: int
    memory_gb: float | None
    max_tokens: int | None
    licence: str | None
    is_here: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as objects that JSON has."""
        return asdict(self)

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row: name, kind, language, dimension, size, memory, licence, whether it is here."""
        told = (self.kind, self.language, self.dimension, self.size_mb, self.memory_gb, self.licence)
        here = "packaged" if is_default(self.name) else "yes" if self.is_here else ""
        return (self.name, *("" if value is None else str(value) for value in told), here)


def overview(language: str | None = None) -> list[ListedModel]:
    """Return the recommended models for a language, then the others that are installed."""
    here = {one.name: one for one in installed()}
    rows = []
    for model in for_language(language):
        found = here.get(model.name)
        size_mb = model.size_mb if found is None else round(found.n_bytes / 1e6)
        rows.append(
            ListedModel(
                model.name,
                model.kind.value,
                model.language,
                model.dimension,
                size_mb,
                model.memory_gb,
                model.max_tokens,
                model.licence,
                found is not None or is_default(model.name),
            )
        )
    for name, one in here.items():
        if recommended(name) is None:
            noted = read_manifest(name)
            dimension, licence = noted.get("dimension"), noted.get("licence") or None
            size_mb = round(one.n_bytes / 1e6)
            rows.append(ListedModel(name, None, None, dimension, size_mb, None, None, licence, is_here=True))
    return rows
