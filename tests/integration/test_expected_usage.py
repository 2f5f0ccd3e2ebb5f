"""The expected use of a language model by enrichments, compared with what a run then took."""

from pathlib import Path

import llama_index.core
import pytest
import tiktoken

from benchmarks.rule_model import RuleModel
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers.options import ChunkOptions
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.estimate import plan
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.language_model import LanguageModel
from papergraph.settings import Settings
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

SAMPLES = Path("ingest/samples")
FACTOR = 1.5


def texts(*, chars: int, joined: int) -> list[str]:
    """Return beginnings of sample papers, several joined as one paper."""
    read = [path.read_text()[:chars] for path in sorted(SAMPLES.glob("*.md"))]
    return ["\n\n".join(read[at : at + joined]) for at in range(0, len(read), joined)]


@pytest.mark.parametrize(
    ("chunker", "papers"),
    [
        ("default", texts(chars=9000, joined=1)[:6]),
        ("quim", texts(chars=9000, joined=4)),
        ("hierarchical", texts(chars=1500, joined=1)),
    ],
    ids=["papers", "long papers", "abstracts"],
)
async def test_is_near_the_usage_of_each_enrichment(
    database: Database, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *,
    chunker: str, papers: list[str],
):  # fmt: skip
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", f"{Path(llama_index.core.__file__).parent}/_static/tiktoken_cache")
    encoding = tiktoken.get_encoding("cl100k_base")
    for at, text in enumerate(papers):
        (tmp_path / f"{at}.md").write_text(text)
    await ingest(database, embedder, [tmp_path], options=ChunkOptions.choose(chunker))
    with RuleModel(lambda text: len(encoding.encode(text, disallowed_special=()))) as server:
        settings = Settings(llm={"url": server.url, "model": "rules"}, cache=tmp_path / "cache")
        async with LanguageModel.from_settings(settings) as model:
            resources = EnrichmentContext(embedder, model)
            every = EnrichmentOptions.read(None, names="all").enrichments(model)
            estimate = await plan(database, every, resources, collection="main")
            expected = {one.enrichment: one for one in estimate.expected}
            for one in every:
                before = model.usage
                report = await enrich(database, [one], resources, collection="main")
                n_requests = model.usage.requests - before.requests
                n_tokens = model.usage.tokens - before.tokens
                assert not report.failed
                if one.name in expected:
                    ratios = expected[one.name].n_requests / n_requests, expected[one.name].n_tokens / n_tokens
                    print(f"{one.name}: {n_requests} requests, {n_tokens} tokens; expected/used", *ratios)
                    assert all(1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
                else:
                    assert n_tokens == 0
    assert {one.name for one in every} == set(enrichments())
