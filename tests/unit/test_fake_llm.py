"""The scripted model speaks to the official client as a server would; test_language_model.py tries its faults."""

import json
import subprocess
import sys

import httpx
from openai import OpenAI

from tests.support.fake_llm import MODEL, FakeLLM, Reply


def client(llm: FakeLLM) -> OpenAI:
    return OpenAI(base_url=llm.url, api_key="none", max_retries=0)


def ask(llm: FakeLLM, text: str) -> str | None:
    messages = [{"role": "user", "content": text}]
    return client(llm).chat.completions.create(model=MODEL, messages=messages).choices[0].message.content


def test_the_official_client_gets_the_script_in_turn_rules_by_prompt_first(fake_llm):
    fake_llm.script("one", lambda request: request.prompt.upper())
    fake_llm.when("weather", "rain")
    fake_llm.otherwise("nothing")

    answers = [ask(fake_llm, text) for text in ("a", "the weather", "b", "c")]

    assert answers == ["one", "rain", "B", "nothing"]
    assert [request.prompt for request in fake_llm.requests] == ["a", "the weather", "b", "c"]


def test_the_official_client_streams_with_usage_at_the_end(fake_llm):
    fake_llm.script(Reply("to be or not to be", piece=5))

    messages = [{"role": "user", "content": "say it"}]
    chunks = list(
        client(fake_llm).chat.completions.create(
            model=MODEL, messages=messages, stream=True, stream_options={"include_usage": True}
        )
    )

    deltas = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert deltas == ["to be", " or n", "ot to", " be"]
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (2, 6)


def test_its_models_are_listed(fake_llm):
    assert [model.id for model in client(fake_llm).models.list()] == [MODEL]


def test_what_the_script_has_no_answer_for_is_an_error_that_a_test_sees():
    with FakeLLM() as llm:
        response = httpx.post(f"{llm.url}/chat/completions", json={"messages": [{"role": "user", "content": "hm"}]})

        assert (response.status_code, len(llm.unexpected)) == (500, 1)


def test_it_runs_as_a_program_of_its_own_with_the_standard_library_alone():
    command = [sys.executable, "-I", "-S", "tests/support/fake_llm.py", "--reply", "yes"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        response = httpx.post(f"{url}/chat/completions", json={"messages": []})
        process.stdin.close()

    assert json.loads(response.content)["choices"][0]["message"]["content"] == "yes"
    assert process.returncode == 0
