"""How many of the names in 2Wiki's queries are linked to the titles that they are, among 6,119 titles.

The passages of corpus_6119.jsonl are ingested as records, and each is given its title as an entity (``papergraph
entities load``). A name to be linked is a gold title of a query that stands in the query's text when case, forms of
letters and spaces are left aside: 74 in 51 queries. It counts if one of the links of the query is the entity of this
very title. Without vectors: what is embedded here is a hash. Beside recall, how many links there are and how many of
them are gold.

    PAPERGRAPH_DATA=... python -m benchmarks.linking
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.common import data_folder, empty_store, write_result
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.entities.annotations import load_given
from ingest.ingestor import Ingestor
from papergraph.store import Address
from schema.ids import entity_id, normalise
from schema.migrate import prepare
from server.retrieval.entity_linking import link
from tests.support.embedders import ToyModel

COLLECTION = "main"


async def main(address: Address, data: Path, folder: Path) -> None:
    """Load the titles, link the queries, write and show what came of it."""
    corpus = [json.loads(line) for line in (data / "corpus_6119.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [json.loads(line) for line in (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    records, given = folder / "records.jsonl", folder / "given.jsonl"
    records.write_text(
        "".join(
            json.dumps({"id": f"p{one['_id']}", "title": one["title"], "abstract": one["text"]}) + "\n"
            for one in corpus
        )
    )
    given.write_text(
        "".join(json.dumps({"_id": f"p{one['_id']}", "entities": [one["title"]]}) + "\n" for one in corpus)
    )
    model = ToyModel("linking", dimension=16)
    async with await address.connect() as database:
        await prepare(database, model.card)
        await Ingestor(database, model).ingest([records], collection=COLLECTION)
        loaded = await load_given(
            database, given, EnrichmentContext(model), collection=COLLECTION, prefix=f"file:{records}#"
        )
        n_named = n_linked = n_links = n_gold_links = 0
        missed, times = [], []
        for query in queries:
            start = time.perf_counter()
            found = {one.entity_id for one in await link(database, COLLECTION, query["text"])}
            times.append(1000 * (time.perf_counter() - start))
            gold = {entity_id(COLLECTION, title): title for title in query["gold_titles"]}
            named = {id: title for id, title in gold.items() if normalise(title) in normalise(query["text"])}
            n_named, n_linked = n_named + len(named), n_linked + len(named.keys() & found)
            n_links, n_gold_links = n_links + len(found), n_gold_links + len(gold.keys() & found)
            missed += [f"{title}: {query['text']}" for id, title in named.items() if id not in found]
    write_result(
        "linking",
        {
            "papers": loaded.n_papers,
            "queries": len(queries),
            "names": n_named,
            "linked": n_linked,
            "recall": round(n_linked / n_named, 3),
            "links": n_links,
            "gold": n_gold_links,
            "missed": missed,
            "ms": {f"p{p}": round(float(np.percentile(times, p)), 1) for p in (50, 95)},
        },
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work, empty_store("linking") as address:
        asyncio.run(main(address, data_folder() / "multihop_2wiki", Path(work)))
