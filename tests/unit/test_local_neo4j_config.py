import pytest

from papergraph.local_neo4j.config import (
    Memory,
    Ports,
    memory_for,
    memory_of,
    memory_of_this_machine,
    render_config,
)
from papergraph.settings import Settings

MIB, GIB = 1024**2, 1024**3


def settings_of(config: str) -> dict[str, str]:
    lines = [line for line in config.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_only_this_machine_can_reach_the_server_and_is_told_the_chosen_ports():
    settings = settings_of(render_config(ports=Ports(bolt=7690, http=7480), memory=Memory(700, 128)))

    assert settings["server.bolt.listen_address"] == settings["server.bolt.advertised_address"] == "127.0.0.1:7690"
    assert settings["server.http.listen_address"] == settings["server.http.advertised_address"] == "127.0.0.1:7480"
    assert settings["server.default_listen_address"] == "127.0.0.1"


def test_cypher_reads_neither_files_nor_the_web_and_the_server_tells_nobody_that_it_exists():
    settings = settings_of(render_config(ports=Ports(1, 2), memory=Memory(700, 128)))

    assert settings["dbms.security.allow_csv_import_from_file_urls"] == "false"
    assert settings["dbms.security.auth_max_failed_attempts"] == "0"
    assert settings["internal.dbms.cypher_ip_blocklist"] == "0.0.0.0/0,::/0"
    assert settings["dbms.usage_report.enabled"] == "false"
    assert settings["server.fleet_discovery.enabled"] == "false"
    assert settings["db.logs.query.enabled"] == "OFF"


@pytest.mark.parametrize(("heap_mb", "transaction"), [(700, "350m"), (4096, "1024m")])
def test_one_transaction_takes_half_the_heap_and_at_most_one_gib(heap_mb, transaction):
    settings = settings_of(render_config(ports=Ports(1, 2), memory=Memory(heap_mb, 128)))

    assert settings["db.memory.transaction.max"] == transaction


def test_only_a_replica_is_read_only_and_gives_one_transaction_less():
    def rendered(memory: Memory, *, read_only: bool) -> dict[str, str]:
        return settings_of(render_config(ports=Ports(1, 2), memory=memory, read_only=read_only))

    assert "server.databases.read_only" not in rendered(Memory(4096, 128), read_only=False)
    assert rendered(Memory(4096, 128), read_only=True)["server.databases.read_only"] == "neo4j"
    assert rendered(Memory(4096, 128), read_only=True)["db.memory.transaction.max"] == "256m"
    assert rendered(Memory(400, 128), read_only=True)["db.memory.transaction.max"] == "200m"


@pytest.mark.parametrize(
    ("total_bytes", "memory"),
    [
        (256 * MIB, Memory(heap_mb=512, page_cache_mb=128)),
        (1 * GIB, Memory(heap_mb=512, page_cache_mb=341)),
        (12 * GIB, Memory(heap_mb=2048, page_cache_mb=4096)),
        (24 * GIB, Memory(heap_mb=4096, page_cache_mb=8192)),
        (384 * GIB, Memory(heap_mb=65536, page_cache_mb=131072)),
    ],
)
def test_memory_grows_with_the_machine_without_an_upper_limit(total_bytes, memory):
    assert memory_for(total_bytes) == memory


def test_settings_replace_either_size_and_a_replica_has_its_share(monkeypatch):
    monkeypatch.setattr("papergraph.local_neo4j.config.memory_of_this_machine", lambda: 48 * GIB)

    assert memory_of(Settings()) == Memory(8192, 16384)
    assert memory_of(Settings().replace(neo4j={"heap_mb": 700})) == Memory(700, 16384)
    both = Settings().replace(neo4j={"heap_mb": 60_000, "page_cache_mb": 4000})
    assert memory_of(both) == Memory(60_000, 4000)
    assert memory_of(both, share=4) == Memory(15_000, 1000)
    assert memory_of(Settings().replace(neo4j={"heap_mb": 700}), share=4) == Memory(512, 4096)


@pytest.mark.parametrize(("limit", "expected"), [(str(64 * 1024 * 1024), 64 * 1024 * 1024), ("max", None)])
def test_the_limit_of_a_container_counts_as_its_memory(tmp_path, monkeypatch, limit, expected):
    (tmp_path / "memory.max").write_text(limit + "\n")
    monkeypatch.setattr("papergraph.local_neo4j.config.CGROUP_LIMITS", (tmp_path / "absent",))
    machine = memory_of_this_machine()
    monkeypatch.setattr("papergraph.local_neo4j.config.CGROUP_LIMITS", (tmp_path / "memory.max",))

    assert memory_of_this_machine() == (expected or machine)


def test_other_settings_of_neo4j_stand_beside_ours():
    settings = settings_of(render_config(ports=Ports(1, 2), memory=Memory(700, 128), more={"dbms.a": "24h", "b": "1"}))

    assert (settings["dbms.a"], settings["b"]) == ("24h", "1")
    assert settings["server.bolt.listen_address"] == "127.0.0.1:1"
