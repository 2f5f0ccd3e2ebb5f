"""Processes that ingest are killed, or meet each other; ingesting again leaves what an undisturbed one would."""

import asyncio
import json
import random
import signal

import pytest

from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.faults import SEEDS, TOPICS, empty, in_the_middle, ingest_rest, worker
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest

pytestmark = pytest.mark.faults

PAPERS_IN_A_GROUP = 4


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_with_a_killed_worker(store, neo4j_server, papers, seed):
    after_papers, later_s = in_the_middle(seed)
    with worker(neo4j_server.uri, neo4j_server.password, papers.shuffled(seed), WORKER_GROUP="16") as first:
        await asyncio.to_thread(first.read_until, after_papers)
        await asyncio.sleep(later_s)
        first.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(first.end)

    print(f"seed {seed}: killed with {len(first.acknowledged)} papers acknowledged")
    await ingest_rest(store, neo4j_server.uri, neo4j_server.password, papers, first.acknowledged)


@pytest.mark.slow
async def test_two_workers_on_the_same_papers_make_the_graph_of_one_even_when_one_is_killed(
    store, neo4j_server, papers, seed
):
    after_papers, later_s = in_the_middle(seed)
    address = neo4j_server.uri, neo4j_server.password
    with (
        worker(*address, papers.shuffled(seed)) as one,
        worker(*address, papers.shuffled(seed + 100)) as other,
        worker(*address, papers.paths) as killed,
    ):
        await asyncio.to_thread(killed.read_until, after_papers)
        await asyncio.sleep(later_s)
        killed.process.send_signal(signal.SIGKILL)
        statuses = await asyncio.gather(*(asyncio.to_thread(each.end) for each in (one, other)))

    assert statuses == [0, 0]
    assert sorted(one.acknowledged) == sorted(other.acknowledged) == [str(path) for path in papers.paths]


@pytest.mark.slow
async def test_an_ingestion_that_is_killed_time_and_again_and_resumed_is_as_if_it_had_never_been(
    store, neo4j_server, papers
):
    """Killed as often as there are seeds, each time with up to a group acknowledged; make faults does it 20 times."""
    choice = random.Random(0)  # noqa: S311
    address = neo4j_server.uri, neo4j_server.password
    acknowledged: set[str] = set()
    for _ in SEEDS:
        with worker(*address, papers.paths, WORKER_GROUP=str(PAPERS_IN_A_GROUP)) as killed:
            await asyncio.to_thread(killed.read_until, choice.randint(1, PAPERS_IN_A_GROUP) + len(acknowledged))
            await asyncio.sleep(choice.uniform(0, 0.05))
            killed.process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(killed.end)
        assert acknowledged <= set(killed.acknowledged)
        acknowledged = set(killed.acknowledged)

    print(f"killed {len(SEEDS)} times; {len(acknowledged)} of {len(papers.paths)} papers acknowledged by then")
    assert len(acknowledged) < len(papers.paths)
    await ingest_rest(store, *address, papers, sorted(acknowledged))


N_RECORDS, KILLED_AT = 240, (0.2, 0.5, 0.8)
EMBEDDED = Statement(
    "test/embedded",
    "MATCH (p:Paper) RETURN count(*) AS papers, count(p.embedding) AS embedded, count(DISTINCT p.doi) AS dois",
)


@pytest.mark.slow
async def test_vectors_of_records_that_a_kill_cut_off_are_made_once(empty_store, neo4j_server, hashed, tmp_path):
    """Killed three times while stored records get their vectors, and resumed."""
    choice = random.Random(0)  # noqa: S311
    file = tmp_path / "records.jsonl"
    records = [
        {"title": f"Record {n} on {topic}", "doi": f"10.1000/{n}", "abstract": f"Study {n}. Of {n} runs all agreed."}
        for n, topic in enumerate(choice.choices(TOPICS, k=N_RECORDS))
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    await ingest(empty_store, hashed, [file])
    expected = await graph_checksum(empty_store)
    await empty(empty_store)

    address, before = (neo4j_server.uri, neo4j_server.password), 0
    for part in KILLED_AT:
        with worker(*address, [file], WORKER_GROUP="8") as killed:
            counts = {"embedded": 0}
            while counts["embedded"] < part * N_RECORDS and killed.process.poll() is None:
                await asyncio.sleep(choice.uniform(0, 0.05))
                counts = dict((await empty_store.read(EMBEDDED))[0])
            killed.process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(killed.end)
        (found,) = await empty_store.read(EMBEDDED)
        print(f"killed with vectors of {found['embedded']} of {found['papers']} papers")
        assert found["papers"] == found["dois"] == N_RECORDS
        assert before < found["embedded"] < N_RECORDS
        before = found["embedded"]
    with worker(*address, [file]) as again:
        assert await asyncio.to_thread(again.end) == 0

    await assert_healthy(empty_store)
    assert (await graph_checksum(empty_store)).same_graph(expected)
    (found,) = await empty_store.read(EMBEDDED)
    assert found.values() == [N_RECORDS] * 3
