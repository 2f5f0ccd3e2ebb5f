"""Models of the OpenAI-compatible API: one per pipeline, and one without a language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from papergraph.errors import NotFoundError
from server.answers.records import Mode
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline

PREFIX = "papergraph-"
RETRIEVAL_ONLY = "retrieval-only"
"""The default pipeline, with sentences of the papers for an answer; a pipeline of this name is itself instead."""
OWNER = "papergraph"


@dataclass(frozen=True)
class Model:
    """What a model's name stands for.

    Attributes:
        id: The name.
        pipeline: How passages are found.
        mode: Who writes, where a request does not say.
        about: The same in words.
    """

    id: str
    pipeline: str
    mode: Mode
    about: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as OpenAI's clients read it; pipelines have no date."""
        return {
            "id": self.id,
            "object": "model",
            "created": 0,
            "owned_by": OWNER,
            "description": self.about,
        }


def models_of(pipelines: Mapping[str, Pipeline]) -> Mapping[str, Model]:
    """Return all models by name, the default one first."""
    names = sorted(pipelines, key=lambda name: (name != DEFAULT_PIPELINE, name))
    made = [Model(PREFIX + name, name, Mode.AUTO, pipelines[name].about) for name in names]
    if RETRIEVAL_ONLY not in pipelines:
        about = "Answers with sentences of the papers, and asks no language model."
        made.append(Model(PREFIX + RETRIEVAL_ONLY, DEFAULT_PIPELINE, Mode.EXTRACTIVE, about))
    return {model.id: model for model in made}


def is_ours(name: str) -> bool:
    """Say whether a model's name is one that we give."""
    return name.startswith(PREFIX)


def find_model(name: str, pipelines: Mapping[str, Pipeline]) -> Model:
    """Return the model of a name.

    Raises:
        NotFoundError: There is none.
    """
    if (model := models_of(pipelines).get(name)) is None:
        raise NotFoundError("model", name[:200], field="model")
    return model
