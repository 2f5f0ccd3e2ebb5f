"""Which enrichments an evaluation makes of a judged corpus, for the pipelines that it compares."""

import pytest

from papergraph.evaluation.corpus_store import enrichments_for
from papergraph.evaluation.retrieval.retrieval_evaluation import parse_pipelines
from papergraph.server.retrieval.pipelines import shipped


@pytest.mark.parametrize(
    ("pipelines", "wanted"),
    [
        ("sv,am,m1", ()),
        ("sv,default", ("links",)),
        ("sv,kv", ("entities",)),
        ("quim,rag", ("questions", "prototypes")),
        ("pr3-naive", ("questions",)),
        ("pr3", ("questions", "metadata")),
        ("ensemble", ("questions", "entities", "clusters")),
    ],
)
def test_what_pipelines_read_is_made_with_what_that_is_made_of(pipelines: str, wanted: tuple[str, ...]):
    assert set(enrichments_for(parse_pipelines(pipelines, shipped()))) == set(wanted)
