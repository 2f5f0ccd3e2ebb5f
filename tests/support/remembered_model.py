"""The packaged model with a memory: the samples are embedded by dozens of modules."""

from collections.abc import Sequence

import numpy as np

from papergraph.embedding import Floats, PackagedModel


class RememberedModel(PackagedModel):
    """The packaged model, which embeds each text of a document once in a process."""

    def __init__(self) -> None:
        super().__init__()
        self._vectors: dict[str, Floats] = {}

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= dict(zip(new, super().encode_documents(new), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.card.dimension)
