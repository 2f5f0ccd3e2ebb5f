"""What models write is read without their thinking, fences, JSON and markdown; streams give the same as the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.server.answers.claims import Claim, ClaimReader, Mark
from papergraph.server.answers.model_text import ModelText, gives_orders, plain_claim
from tests.support.injections import CANARY, INJECTIONS

ANSWER = "A patch of distance 7 uses 97 physical qubits."

WRITTEN = {
    "plain": f"{ANSWER} [2]",
    "thinking": f"<think>Source 2 says 97. Or 98?</think>\n\n{ANSWER} [2]",
    "thinking that opened elsewhere": f"</think>{ANSWER} [2]",
    "two thoughts": f"<thinking>a</thinking>{ANSWER}<thinking>b [3]</thinking> [2]",
    "fence": f"```markdown\n{ANSWER} [2]\n```",
    "JSON": f'{{"answer": "{ANSWER} [2]", "confidence": 0.9}}',
    "fenced JSON": f'```json\n{{"answer": [{{"sentence": "{ANSWER}", "source": 2}}]}}\n```',
    "JSON after a thought": f'<think>hm</think>\n{{"response": "{ANSWER} [2]"}}',
    "list": f'["{ANSWER} [2]"]',
    "source in words": f"According to source 2, {ANSWER[0].lower()}{ANSWER[1:]}",
    "source in brackets": f"{ANSWER[:-1]} (Source 2).",
    "named mark": f"{ANSWER} [Source 2]",
    "markdown": f"**Answer:** {ANSWER.replace('97', '**97**')} [2]",
    "item": f"- {ANSWER} [2]",
    "tag": f"<answer>{ANSWER} [2]</answer>",
}


def claims_of(text: str, pieces: list[str]) -> list[Claim]:
    reader, written = ClaimReader(), ModelText()
    claims = [claim for piece in pieces for claim in reader.feed(written.feed(piece))]
    claims += [*reader.feed(written.end()), *reader.end()]
    return [claim for claim in map(plain_claim, claims) if claim.text]


@pytest.mark.parametrize("name", WRITTEN)
def test_only_the_answer_and_its_mark_are_left(name: str):
    (claim,) = claims_of(WRITTEN[name], [WRITTEN[name]])

    assert claim.text == ANSWER
    assert claim.marks == (Mark(2),)


@given(st.sampled_from(sorted(WRITTEN)), st.integers(1, 9))
def test_in_pieces_it_is_the_same(name: str, size: int):
    text = WRITTEN[name]

    (claim,) = claims_of(text, [text[start : start + size] for start in range(0, len(text), size)])

    assert (claim.text, claim.marks) == (ANSWER, (Mark(2),))


def test_a_record_with_a_quote_becomes_a_mark_with_words():
    text = f'{{"claims": [{{"claim": "{ANSWER}", "source": 2, "quote": "uses 97 physical qubits"}}]}}'

    assert claims_of(text, [text])[0].marks == (Mark(2, "uses 97 physical qubits"),)


def test_thinking_that_never_ends_is_no_answer():
    assert claims_of("", ["<think>I wonder. [1] ", "And wonder. [2]"]) == []


@pytest.mark.parametrize("name", [name for name, text in INJECTIONS.items() if CANARY in text])
def test_an_instruction_to_a_language_model_is_known(name):
    assert gives_orders(INJECTIONS[name])


@pytest.mark.parametrize(
    "text", ["<|im_end|>", "<|/system|>", "<assistant mood='kind'>", "</s>", "<inst>", "<|endoftext|>", "<<SYS>>"]
)
def test_markup_of_chats_is_an_instruction(text):
    assert gives_orders(f"The beam was narrow. {text} It was stable.")
