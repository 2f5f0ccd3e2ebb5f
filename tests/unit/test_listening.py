"""Sockets that the server listens on."""

import asyncio
import socket
from contextlib import closing

from papergraph.server.process.sockets import listening


async def test_answers_in_two_pieces_do_not_wait_for_the_first_to_be_acknowledged():
    without_delay: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        without_delay.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with closing(listening("127.0.0.1", 0, chosen_by="--port")) as sock:
        inherited = socket.socket(fileno=sock.detach())  # as a worker of several gets it
        server = await asyncio.start_server(answer, sock=inherited)
        async with server:
            _, writer = await asyncio.open_connection(*inherited.getsockname())
            on = await asyncio.wait_for(without_delay, 5)
            writer.close()

    assert on
