"""Processes that ingest are killed, or meet each other; ingesting again leaves what an undisturbed one would."""

import asyncio
import signal

from tests.faults.conftest import in_the_middle, ingest_rest, worker


async def test_nothing_acknowledged_is_lost_with_a_killed_worker(store, neo4j_server, papers, seed):
    after_papers, later_s = in_the_middle(seed)
    with worker(neo4j_server.uri, neo4j_server.password, papers.shuffled(seed)) as first:
        await asyncio.to_thread(first.read_until, after_papers)
        await asyncio.sleep(later_s)
        first.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(first.end)

    print(f"seed {seed}: killed with {len(first.acknowledged)} papers acknowledged")
    await ingest_rest(store, neo4j_server.uri, neo4j_server.password, papers, first.acknowledged)


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
