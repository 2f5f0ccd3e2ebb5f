"""Processes that ingest are killed, or meet each other; ingesting again leaves what an undisturbed one would."""

import asyncio
import random
import signal

import pytest

from tests.support.faults import SEEDS, in_the_middle, ingest_rest, worker

PAPERS_IN_A_GROUP = 4


async def test_nothing_acknowledged_is_lost_with_a_killed_worker(store, neo4j_server, papers, seed):
    after_papers, later_s = in_the_middle(seed)
    with worker(neo4j_server.uri, neo4j_server.password, papers.shuffled(seed)) as first:
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
