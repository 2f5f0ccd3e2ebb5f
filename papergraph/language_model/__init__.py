"""Client of a language model behind an OpenAI-compatible server: validated, cached answers within a budget.

    async with LanguageModel.from_settings(settings) as model:
        prompt = model.prompt("questions", frozenset({"passage"}))
        reply = await model.answer_json(prompt, {"passage": text}, answer=Questions, budget=budget)
        reply.value, reply.usage.cost, model.usage

It is optional: without settings, calls raise ``ModelUnavailableError`` with the next step.
"""

from papergraph.language_model.completion import Budget, ModelUsage, Reply
from papergraph.language_model.model import LanguageModel, Options
from papergraph.language_model.prompts import Image, Prompt

__all__ = ["Budget", "Image", "LanguageModel", "ModelUsage", "Options", "Prompt", "Reply"]
