"""Configuration of Neo4j: settings, logging, and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from papergraph.settings import Settings

CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Memory limits of containers, in control groups version 2 and 1."""
MIB = 1024 * 1024
LEAST_HEAP_MB, LEAST_PAGE_CACHE_MB = 512, 128
OTHERS_MB = 1536
"""Memory of a server and a worker with their models, in MiB; a worker was measured at 0.8 GB."""
MOST_WRITTEN_MB, MOST_READ_MB = 1024, 256
"""Most memory of one transaction, of a server that is written to and of one that is only read."""

READ_ONLY = """
# A replica for researchers: nobody may change it.
server.databases.read_only=neo4j
"""


@dataclass(frozen=True)
class Memory:
    """Memory of the server in MiB: Java heap, and page cache of the store."""

    heap_mb: int
    page_cache_mb: int


@dataclass(frozen=True)
class Ports:
    """Ports of the server on 127.0.0.1."""

    bolt: int
    http: int


def memory_for(total_bytes: int, *, heap_mb: int | None = None, page_cache_mb: int | None = None) -> Memory:
    """Return the memory of a server: what is given, else a sixth of ``total_bytes`` as heap, a third as page cache.

    Half is left for the embedding models, and for the file cache, through which Neo4j reads its vector and full-text
    indexes. The page cache grows with the store, so that a small one never has that much.
    """
    total_mb = total_bytes // MIB
    return Memory(
        heap_mb=heap_mb or max(total_mb // 6, LEAST_HEAP_MB),
        page_cache_mb=page_cache_mb or max(total_mb // 3, LEAST_PAGE_CACHE_MB),
    )


def memory_of(settings: Settings, *, share: int = 1) -> Memory:
    """Return the memory of the local server by the settings and this machine, or one of ``share`` equal parts of it."""
    chosen = settings.neo4j
    whole = memory_for(memory_of_this_machine(), heap_mb=chosen.heap_mb, page_cache_mb=chosen.page_cache_mb)
    if share == 1:
        return whole
    return Memory(max(whole.heap_mb // share, LEAST_HEAP_MB), max(whole.page_cache_mb // share, LEAST_PAGE_CACHE_MB))


def memory_of_this_machine() -> int:
    """Return the bytes that this machine has, or that this container may use if that is less."""
    import psutil

    return min([psutil.virtual_memory().total, *(limit for file in CGROUP_LIMITS if (limit := _limit(file)))])


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return None


def render_config(
    *, ports: Ports, memory: Memory, read_only: bool = False, more: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the text of ``neo4j.conf``; its folders are relative to the server's home.

    Neo4j does not read an é in this file, so no path of this machine is written there.

    Args:
        ports: Ports of the server.
        memory: Sizes; the heap itself is set on Java's command line.
        read_only: True to forbid changes to all users; a transaction then takes at most 256 MiB.
        more: Other settings of Neo4j; it refuses to start with one that is also above.
    """
    transaction_mb = min(memory.heap_mb // 2, MOST_READ_MB if read_only else MOST_WRITTEN_MB)
    return f"""\
# Written by papergraph at every start; changes here are lost.

# Only this machine can reach the server. The advertised addresses are what drivers and browsers are told.
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{ports.bolt}
server.bolt.advertised_address=127.0.0.1:{ports.bolt}
server.http.listen_address=127.0.0.1:{ports.http}
server.http.advertised_address=127.0.0.1:{ports.http}
server.http_enabled_modules=QUERY_API_ENDPOINTS
server.http.x_forward.enabled=false
# No lock after wrong passwords, by which any local process could keep papergraph out: the password is random.
dbms.security.auth_max_failed_attempts=0

# It tells nobody that it exists.
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false

# Cypher reads no files and no web pages: a query may come from a reader. The folder is empty.
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
server.directories.import=import

# A link into the cache. Of the plugins, only the graph algorithms may be called.
server.directories.plugins=plugins
dbms.security.procedures.unrestricted=gds.*
dbms.security.procedures.allowlist=gds.*

db.query.default_language=CYPHER_25

# A query that runs away ends, and takes neither the heap nor the disk with it.
db.transaction.timeout=60s
db.memory.transaction.max={transaction_mb}m
server.memory.pagecache.size={memory.page_cache_mb}m
# Room for the log is taken beforehand: a log that a full disk ends amid a transaction cannot be read at the next start.
db.tx_log.preallocate=true
db.tx_log.rotation.size=64m
db.tx_log.rotation.retention_policy=256m size

# Stopping takes a second, not ten: by default, Bolt listens for new connections twice five seconds longer.
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s

# Texts and parameters of queries are the reader's own: they are not logged.
db.logs.query.enabled=OFF
{READ_ONLY if read_only else ""}""" + "".join(f"{name}={value}\n" for name, value in more.items())


LOGGING = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by papergraph at every start. Neo4j's own default, without its second copy on the console. -->
<Configuration status="ERROR">
  <Appenders>
    <RollingRandomAccessFile name="RollingFile" fileName="${config:server.directories.logs}/neo4j.log"
                             filePattern="$${config:server.directories.logs}/neo4j.log.%02i">
      <PatternLayout pattern="%d{yyyy-MM-dd HH:mm:ss.SSSZ}{GMT+0} %-5p %m%n"/>
      <Policies><SizeBasedTriggeringPolicy size="5 MB"/></Policies>
      <DefaultRolloverStrategy fileIndex="min" max="3"/>
    </RollingRandomAccessFile>
  </Appenders>
  <Loggers>
    <Root level="info"><AppenderRef ref="RollingFile"/></Root>
  </Loggers>
</Configuration>
"""
"""The text of ``user-logs.xml``; what else Neo4j logs is bounded by its default, seven files of 20 MB."""
