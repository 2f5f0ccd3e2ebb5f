"""Our measures of answers beside the reference packages', on the same random verdicts and vectors.

What these packages ask of a model cannot be compared: prompts differ, and models are not here. What they do with the
model's verdicts is arithmetic, and so is BERTScore's matching of vectors; that is compared. It needs both packages
beside our own, in an environment of its own:

    uv run --no-sync --with-requirements benchmarks/peers/answer-measures.txt python -m benchmarks.peers.answer_measures
"""

import random
from importlib.metadata import version
from types import SimpleNamespace

import krippendorff
import numpy as np
import torch
from bert_score.utils import greedy_cos_idf
from ragas.metrics._answer_correctness import AnswerCorrectness
from ragas.metrics._answer_relevance import ResponseRelevancy
from ragas.metrics._context_precision import LLMContextPrecisionWithReference
from ragas.metrics._context_recall import LLMContextRecall
from ragas.metrics._faithfulness import Faithfulness

from papergraph.evaluation.answers.answer_ratings import krippendorff_alpha
from papergraph.evaluation.answers.answer_scores import (
    FACTS,
    MEANING,
    answer_correctness,
    answer_relevancy,
    bert_score,
    context_precision,
    factual_f1,
    share,
)

N_DRAWS = 1000
SEED = 20_26_11


def main() -> None:
    """Print the largest difference of each measure over all draws."""
    draw, numbers = random.Random(SEED), np.random.default_rng(SEED)  # noqa: S311
    largest = dict.fromkeys(("faithfulness", "context recall", "context precision", "answer relevancy"), 0.0)
    largest |= dict.fromkeys(
        ("answer correctness", "BERTScore P", "BERTScore R", "BERTScore F1", "alpha of raters"), 0.0
    )
    for _ in range(N_DRAWS):
        drawn = (_verdicts(draw), _relevancy(draw, numbers), _correctness(draw), _tokens(numbers), _raters(draw))
        for name, ours, theirs in (one for of in drawn for one in of):
            largest[name] = max(largest[name], abs(ours - theirs))
    told = ", ".join(f"{name} {version(name)}" for name in ("ragas", "bert-score", "krippendorff"))
    print(f"{told}; {N_DRAWS} draws each")
    for name, difference in largest.items():
        print(f"{name:20} largest difference {difference:.1e}")


def _verdicts(draw):
    drawn = [draw.random() < 0.5 for _ in range(draw.randint(1, 12))]
    statements = SimpleNamespace(statements=[SimpleNamespace(verdict=int(one)) for one in drawn])
    yield "faithfulness", share(drawn), Faithfulness._compute_score(None, statements)
    attributed = [SimpleNamespace(attributed=int(one)) for one in drawn]
    yield "context recall", share(drawn), LLMContextRecall._compute_score(None, attributed)
    useful = LLMContextPrecisionWithReference._calculate_average_precision(None, statements.statements)
    yield "context precision", context_precision(drawn), useful


def _relevancy(draw, numbers):
    question, *generated = numbers.standard_normal((draw.randint(2, 5), 8))
    avoids = draw.random() < 0.2
    embeddings = SimpleNamespace(embed_query=lambda text: question, embed_documents=lambda texts: generated)
    metric = ResponseRelevancy(llm=None, embeddings=embeddings)
    answers = [SimpleNamespace(question=f"question {n}", noncommittal=int(avoids)) for n in range(len(generated))]
    theirs = metric._calculate_score(answers, {"user_input": "asked"})
    lengths = np.linalg.norm(generated, axis=1) * np.linalg.norm(question)
    cosines = (np.array(generated) @ question / lengths).tolist()
    yield "answer relevancy", answer_relevancy(cosines, is_noncommittal=avoids), float(theirs)


def _correctness(draw):
    tp, fp, fn = draw.randint(1, 6), draw.randint(0, 6), draw.randint(0, 6)
    metric = AnswerCorrectness()
    facts = metric._compute_statement_presence(SimpleNamespace(TP=[0] * tp, FP=[0] * fp, FN=[0] * fn))
    cosine = draw.uniform(-1, 1)
    theirs = float(np.average([facts, cosine], weights=metric.weights))
    assert list(metric.weights) == [FACTS, MEANING]
    ours = factual_f1(true_positives=tp, false_positives=fp, false_negatives=fn)
    yield "answer correctness", answer_correctness(ours, cosine), theirs


def _tokens(numbers):
    candidate, reference = (
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        for vectors in (numbers.standard_normal((n, 16)) for n in numbers.integers(3, 12, size=2))
    )
    tensors = [torch.tensor(vectors, dtype=torch.float64)[None] for vectors in (reference, candidate)]
    masks = [torch.ones(1, tensor.shape[1]) for tensor in tensors]
    even = [torch.ones(1, tensor.shape[1], dtype=torch.float64) for tensor in tensors]
    theirs = greedy_cos_idf(
        tensors[0].float(), masks[0], even[0].float(), tensors[1].float(), masks[1], even[1].float()
    )
    ours = bert_score(candidate.astype(np.float32), reference.astype(np.float32))
    for name, one, other in zip(("P", "R", "F1"), (ours.precision, ours.recall, ours.f1), theirs, strict=True):
        yield f"BERTScore {name}", one, float(other)


def _raters(draw):
    table = [[draw.choice([np.nan, *range(11)]) for _ in range(8)] for _ in range(3)]
    units = [[rating for rating in unit if rating == rating] for unit in zip(*table, strict=True)]
    ours = krippendorff_alpha(units)
    if ours is not None:
        yield "alpha of raters", ours, krippendorff.alpha(table, level_of_measurement="interval")


if __name__ == "__main__":
    main()
