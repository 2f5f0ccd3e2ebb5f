"""Ask a running server by OpenAI's client, whichever version this environment has: ADDRESS, which ends in /v1.

uv run --no-project --with 'openai>=3,<4' python tests/support/openai_client.py http://127.0.0.1:8000/v1
"""

import asyncio
import sys

import openai

MODEL = "papergraph-retrieval-only"
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
MESSAGES = [{"role": "user", "content": QUESTION}]


def check(url: str) -> int:
    """Return how many answers were as they should be; an AssertionError says what was not."""
    client = openai.OpenAI(base_url=url, api_key="not-asked-for", max_retries=0)
    names = [model.id for model in client.models.list()]
    assert MODEL in names, names
    assert client.models.retrieve(MODEL).owned_by == "papergraph"

    whole = client.chat.completions.create(model=MODEL, messages=MESSAGES)
    text = whole.choices[0].message.content
    assert "[1]" in text and whole.choices[0].finish_reason == "stop", whole
    chunks = list(
        client.chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
    assert chunks[-1].usage.total_tokens == whole.usage.total_tokens

    response = client.responses.create(model=MODEL, input=QUESTION)
    events = list(client.responses.create(model=MODEL, input=QUESTION, stream=True))
    assert events[0].type == "response.created" and events[-1].type == "response.completed"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert deltas == response.output_text == text
    assert response.output[0].content[0].annotations

    try:
        client.chat.completions.create(model="gpt-9", messages=MESSAGES)
    except openai.NotFoundError as error:
        assert error.code == "model_not_found"
    else:
        raise AssertionError("a model that is not there was found")

    async def by_the_other() -> str:
        async with openai.AsyncOpenAI(base_url=url, api_key="not-asked-for", max_retries=0) as other:
            answer = await other.chat.completions.create(model=MODEL, messages=MESSAGES)
            return answer.choices[0].message.content

    assert asyncio.run(by_the_other()) == text
    return 7


if __name__ == "__main__":
    n_right = check(sys.argv[1])
    print(f"openai {openai.__version__}: {n_right} answers as they should be")
