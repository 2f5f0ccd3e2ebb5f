"""Emulated p-bit devices, each a process of its own on a port of its own: importing what they run happens once.

``python -m tests.support.pbit_emulators JSON`` takes the devices' options by name, writes their addresses as JSON once
all of them answer, and ends with them when its standard input does.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

READY_WITHIN_S = 60


@contextmanager
def emulators(devices: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """Run devices while the context is open; give their addresses by name."""
    command = [sys.executable, "-m", "tests.support.pbit_emulators", json.dumps(devices)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(30)


def main() -> None:
    import uvicorn.lifespan.off  # what is imported late, here and not in each process
    import uvicorn.loops.auto
    import uvicorn.protocols.http.auto
    import uvicorn.protocols.websockets.auto  # noqa: F401

    import papergraph.server.process.pbit_emulator  # noqa: F401
    from papergraph.server.process.pbit_emulator import Fault, Pairs, PbitDevice, Sign, compile_it
    from papergraph.server.process.sockets import listening, url_of

    kinds = {"fault": Fault, "sign": Sign, "pairs": Pairs, "declared_sign": Sign, "declared_pairs": Pairs}
    compile_it()
    children, urls, ready = [], {}, []
    for name, options in json.loads(sys.argv[1]).items():
        device = PbitDevice(**{key: kinds.get(key, lambda value: value)(value) for key, value in options.items()})
        sock = listening("127.0.0.1", 0, chosen_by="--port")
        urls[name] = url_of(sock)
        reads, writes = os.pipe()
        if not (child := os.fork()):
            serve(device, sock, writes)
        children.append(child)
        ready.append(reads)
        sock.close()
        os.close(writes)
    for reads in ready:
        os.read(reads, 1)
    print(json.dumps(urls), flush=True)
    sys.stdin.read()
    for child in children:
        os.kill(child, signal.SIGTERM)  # one that has ended is not waited for yet, so that its id is nobody else's
    for child in children:
        os.waitpid(child, 0)


def serve(device: Any, sock: socket.socket, writes: int) -> None:
    from papergraph.server.process.pbit_emulator import emulate

    asyncio.run(emulate(device, sock, token="", ready=lambda: os.write(writes, b"1")))
    os._exit(0)


if __name__ == "__main__":
    main()
