"""Dialogues with a follow-up question: is it answered, without a model, from the paper that the dialogue is about?"""

import asyncio
from collections.abc import Sequence
from typing import Any

from benchmarks.grounding.library import library
from server.answers.answer import answer
from server.answers.records import Answer, Refusal
from server.answers.request import AskRequest, Turn
from server.operations.ask import text_of
from server.retrieval.resources import Resources

DIALOGUES: Sequence[tuple[str, str, str]] = (
    # the first question, the follow-up question, words of the paper's title
    ("What is a surface code?", "How many data qubits does it have?", "Surface Codes"),
    ("Which decoders of surface codes were compared?", "Which one is slower?", "Surface Codes"),
    ("How do surface codes suppress logical errors?", "Which noise model was used?", "Surface Codes"),
    ("What is the distance of a surface code?", "And how many errors can it correct?", "Surface Codes"),
    ("What is zero-noise extrapolation?", "Does it need additional qubits?", "Zero-Noise"),
    ("How does gate folding scale the noise?", "What does it assume?", "Zero-Noise"),
    ("Which extrapolation models are compared for noisy circuits?", "What are the weights of the second one?", "Zero-Noise"),  # noqa: E501
    ("How is the Ising chain used to test noise extrapolation?", "How many spins does it have?", "Zero-Noise"),
    ("What is the variational quantum eigensolver?", "Which molecules were studied with it?", "Variational Quantum"),
    ("How many qubits does lithium hydride need in a minimal basis?", "And hydrogen?", "Variational Quantum"),
    ("Which ansätze does the variational quantum eigensolver use?", "When does the adaptive one stop growing?", "Variational Quantum"),  # noqa: E501
    ("What is chemical accuracy?", "Why does it matter?", "Variational Quantum"),
    ("Which optimiser was used for the eigensolver?", "And with shot noise?", "Variational Quantum"),
    ("What is simulated annealing?", "How is its starting temperature set?", "Annealing"),
    ("How does tabu search work?", "What happens if the tenure is too long?", "Annealing"),
    ("How do simulated annealing and tabu search compare?", "How many instances are in the dense set?", "Annealing"),
    ("What is tabu search?", "When does it restart?", "Annealing"),
    ("What does BM25 compare?", "Does it need training?", "Dense Passage"),
    ("How does the dense retriever score passages?", "How many dimensions does its encoder have?", "Dense Passage"),
    ("Which classes of queries compare BM25 with dense retrieval?", "How many queries were there for each?", "Dense Passage"),  # noqa: E501
    ("How does BM25 differ from dense retrieval?", "What do its parameters control?", "Dense Passage"),
    ("What is inverted question matching?", "Who wrote the questions of the experiments?", "Synthetic Questions"),
    ("How are synthetic questions filtered?", "When is one dropped as a duplicate?", "Synthetic Questions"),
    ("How many synthetic questions per passage are needed?", "What was the MRR without them?", "Synthetic Questions"),
    ("When is a citation checkable?", "What does it have to contain?", "Grounded Answers"),
    ("Which mechanical checks are applied to citations?", "What happens to a sentence that fails them?", "Grounded Answers"),  # noqa: E501
    ("How do language models attach citations?", "How many questions were used to test that?", "Grounded Answers"),
    ("Which tests does the package lmtest have?", "Which of them are for autocorrelation?", "Diagnostic Checking"),
    ("What is RcppArmadillo?", "Which language is it written in?", "RcppArmadillo"),
    ("What are HCL-based color palettes?", "Which types of them are there?", "Color Palettes"),
)  # fmt: skip


def measure() -> dict[str, Any]:
    """Return how many follow-up questions were answered from the right paper, and those that were not."""
    return asyncio.run(_measured())


async def _measured() -> dict[str, Any]:
    wrong = []
    async with library() as resources:
        for first, second, title in DIALOGUES:
            result = await followed(resources, first, second)
            cited = result.citations[0].paper_title if isinstance(result, Answer) else None
            if cited is None or title not in cited:
                wrong.append({"question": result.question, "cited": cited, "text": text_of(result)[:300]})
    return {"dialogues": len(DIALOGUES), "right": len(DIALOGUES) - len(wrong), "wrong": wrong}


async def followed(resources: Resources, first: str, second: str) -> Answer | Refusal:
    """Return the answer to a question that follows another one and its answer."""
    said = text_of(await answer(resources, AskRequest(first)))
    history = (Turn("user", first), Turn("assistant", said))
    return await answer(resources, AskRequest(second, history=history))
