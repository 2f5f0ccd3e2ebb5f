r"""Our figures of rankings beside those of ir-measures and ranx, on the same random judgements and rankings.

It needs both packages beside our own, in an environment of its own:

    uv run --no-sync --with-requirements benchmarks/peers/ranking-measures.txt \
        python -m benchmarks.peers.ranking_measures

Ends with status 1 where a figure differs in the sixth digit.
"""

import random
import sys
from importlib.metadata import version

import ir_measures
import ranx
from evaluation.experiment.figures import figure

from evaluation.experiment.questions import Question
from evaluation.measures import parse_measure, score_at

N_QUESTIONS = 500
CUTOFFS = (1, 3, 10, 100)
SEED = 20_26_11
AGREES = 5e-7
NAMES = {
    "nDCG": (lambda k: ir_measures.nDCG @ k, "ndcg"),
    "recall": (lambda k: ir_measures.R @ k, "recall"),
    "MRR": (lambda k: ir_measures.RR @ k, "mrr"),
    "hit": (lambda k: ir_measures.Success @ k, "hit_rate"),
}


def main() -> int:
    """Print the largest difference of each measure over all questions and cutoffs."""
    draw = random.Random(SEED)  # noqa: S311
    questions, runs = [], {}
    for number in range(N_QUESTIONS):
        papers = [f"p{one}" for one in range(200)]
        gains = {paper: float(draw.randrange(1, 4)) for paper in draw.sample(papers, draw.randrange(1, 12))}
        questions.append(Question(f"q{number}", "?", gains))
        runs[f"q{number}"] = draw.sample(papers, draw.randrange(1, 150))
    qrels = {one.id: {paper: int(gain) for paper, gain in one.gains.items()} for one in questions}
    scores = {id: {paper: score_at(place) for place, paper in enumerate(ids, start=1)} for id, ids in runs.items()}
    print(f"ir-measures {version('ir-measures')}, ranx {version('ranx')}; {N_QUESTIONS} questions, cutoffs {CUTOFFS}")
    largest = 0.0
    for name, (of_ir_measures, of_ranx) in NAMES.items():
        for k in CUTOFFS:
            measure = parse_measure(f"{name}@{k}")
            assert measure is not None
            ours = {one.id: figure(measure, one, runs[one.id]) for one in questions}
            ir = {one.query_id: one.value for one in ir_measures.iter_calc([of_ir_measures(k)], qrels, scores)}
            run = ranx.Run(scores)
            ranx.evaluate(ranx.Qrels(qrels), run, f"{of_ranx}@{k}")
            other = run.scores[f"{of_ranx}@{k}"]
            apart = [max(abs(ours[id] - float(of[id])) for id in ours) for of in (ir, other)]
            largest = max(largest, *apart)
            mean = sum(ours.values()) / len(ours)
            print(f"{name}@{k}, mean {mean:.4f}: ir-measures {apart[0]:.1e}, ranx {apart[1]:.1e}")
    print("largest difference", f"{largest:.1e}")
    return 1 if largest > AGREES else 0


if __name__ == "__main__":
    sys.exit(main())
