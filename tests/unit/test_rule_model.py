"""The model of rules gives usable answers to the prompts that a comparison of all pipelines does not ask."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.rule_model import answered
from papergraph.evaluation.answers.testset import Made
from papergraph.ingest.enrichments.questions.llm_questions import SharedPairs
from papergraph.ingest.enrichments.summaries import _Answer
from papergraph.language_model.completion import joined_values
from papergraph.language_model.prompts import load_prompt, numbered_passages
from papergraph.server.retrieval.steps.iterate import _Next
from tests.support.fake_llm import Request

TEXTS = (
    "Paper: Tides\nTides follow the pull of the Moon at sea.",
    "Paper: Wind\nWind drives the waves of the outer sea.",
)
PASSAGES = numbered_passages(TEXTS, most_chars=500)
GIVEN = {"n": "2", "title": "Tides", "metadata": "field: sea", "about": "sea", "question": "What drives waves?"}
GIVEN |= {"passages": PASSAGES, "parts": "\n".join(TEXTS), "history": "none"}
FOLDERS = {"testset": "evaluation/answers", "questions": "ingest/enrichments", "summary": "ingest/enrichments"}


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((f"testset_{kind}", Made) for kind in ("simple", "reasoning", "multi_context", "cross_document")),
        ("questions_of_group", SharedPairs),
        ("summary_of_parts", _Answer),
        ("follow_up", _Next),
        ("standalone", None),
    ],
)
def test_each_prompt_gets_an_answer_of_its_form(name, form):
    place = {"follow_up": "server/retrieval/steps", "standalone": "server/answers"}
    folder = Path(place.get(name) or FOLDERS[name.partition("_")[0]]) / "prompts"
    names = frozenset(re.findall(r"\$(\w+)", (folder / f"{name}.txt").read_text()))
    messages = list(load_prompt(name, names, folder=folder).fill({key: GIVEN[key] for key in names}))
    if form is not None:
        schema = {"schema": json.dumps(form.model_json_schema(), sort_keys=True)}
        messages += load_prompt("json", frozenset({"schema"})).fill(schema)
    sent = [{"role": one.role, "content": one.text} for one in joined_values(messages)]

    answer = answered(Request("", {}, {"messages": sent}, 0.0))

    if form is None:
        assert answer == GIVEN["question"]
    else:
        assert form.model_validate_json(answer)
        assert name == "follow_up" or any(word in answer for word in ("Moon", "Wind"))
