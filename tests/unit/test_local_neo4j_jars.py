import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph import maven
from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j.home import distribution
from papergraph.maven import Jar, damaged, fetch, read_lock
from papergraph.progress import Silent
from tests.support.maven_repository import Repository

LOCK = """
[metadata]
jgo_version = "2.0.0"

[[dependencies]]
groupId = "org.example.graph"
artifactId = "walks"
version = "1.2"
packaging = "jar"
sha256 = "aa"

[[dependencies]]
groupId = "org.example"
artifactId = "native"
version = "3"
packaging = "jar"
classifier = "linux-x86_64"
sha256 = "bb"
"""
LARGE = os.urandom(300_000)


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as repository:
        yield repository


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maven, "FIRST_PAUSE_S", 0.01)


def part_of(jar: Jar, folder: Path) -> Path:
    part = folder / (jar.name + ".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    return part


def test_the_lock_files_name_241_jars_of_the_server_and_142_more_of_the_graph_algorithms():
    neo4j = distribution()

    folders = Counter(Path(jar.name).parent.name for jar in neo4j.jars)
    assert folders == {"lib": 241, "plugins": 142}
    assert len({jar.name for jar in neo4j.jars}) == len(neo4j.jars)
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) for jar in neo4j.jars)
    assert neo4j.folder(Path("/cache")) == Path(f"/cache/neo4j-{neo4j.version}-{neo4j.key}")


def test_the_notices_name_the_locked_versions_with_their_licence():
    notices = Path("docs/installation.md").read_text(encoding="utf-8")
    gds = next(jar for jar in distribution().jars if jar.artifact == "org/neo4j/gds/proc")

    assert f"| Neo4j Community | {distribution().version} | GPL-3.0 |" in notices
    assert f"| Graph Data Science (OpenGDS) | {gds.version} | GPL-3.0 |" in notices


def test_a_lock_file_gives_the_place_of_a_jar_in_a_repository_with_its_classifier(tmp_path):
    lock = tmp_path / "jgo.lock.toml"
    lock.write_text(LOCK)

    assert read_lock(lock, folder="lib") == [
        Jar(name="lib/walks-1.2.jar", path="org/example/graph/walks/1.2/walks-1.2.jar", sha256="aa"),
        Jar(
            name="lib/native-3-linux-x86_64.jar",
            path="org/example/native/3/native-3-linux-x86_64.jar",
            sha256="bb",
        ),
    ]


def test_jars_are_fetched_once_and_then_only_checked(repository, tmp_path):
    jars = [repository.holds(f"jar{i}", os.urandom(1000)) for i in range(20)]

    assert fetch(jars, tmp_path, base_url=repository.url) == 20
    assert fetch(jars, tmp_path, base_url=repository.url) == 0

    assert len(repository.asked) == 20
    assert damaged(jars, tmp_path) == []
    assert not list(tmp_path.rglob("*.part"))


def test_a_changed_and_a_truncated_jar_are_fetched_anew(repository, tmp_path):
    jars = [repository.holds(name, os.urandom(1000)) for name in ("whole", "changed", "short")]
    fetch(jars, tmp_path, base_url=repository.url)
    (tmp_path / jars[1].name).write_bytes(b"x" * 1000)
    (tmp_path / jars[2].name).write_bytes((tmp_path / jars[2].name).read_bytes()[:500])

    assert damaged(jars, tmp_path) == jars[1:]
    assert fetch(jars, tmp_path, base_url=repository.url) == 2
    assert damaged(jars, tmp_path) == []


def test_a_part_is_continued_where_it_ends(repository, tmp_path):
    jar = repository.holds("large", LARGE)
    part_of(jar, tmp_path).write_bytes(LARGE[:100_000])

    fetch([jar], tmp_path, base_url=repository.url)

    assert [wanted for _, wanted in repository.asked] == ["bytes=100000-"]
    assert damaged([jar], tmp_path) == []


def test_a_repository_without_ranges_gives_the_whole_jar_again(repository, tmp_path):
    jar = repository.holds("large", LARGE)
    repository.knows_ranges = False
    part_of(jar, tmp_path).write_bytes(LARGE[:100_000])

    fetch([jar], tmp_path, base_url=repository.url)

    assert damaged([jar], tmp_path) == []


def test_a_part_that_is_already_whole_is_taken(repository, tmp_path):
    jar = repository.holds("large", LARGE)
    part_of(jar, tmp_path).write_bytes(LARGE)

    fetch([jar], tmp_path, base_url=repository.url)

    assert [wanted for _, wanted in repository.asked] == [f"bytes={len(LARGE)}-"]  # answered with 416
    assert damaged([jar], tmp_path) == []


@pytest.mark.parametrize("part", [LARGE + b"more", b"other" * 1000], ids=["too long", "of another jar"])
def test_a_wrong_part_is_thrown_away_and_the_jar_fetched_from_zero(repository, tmp_path, part):
    jar = repository.holds("large", LARGE)
    part_of(jar, tmp_path).write_bytes(part)

    fetch([jar], tmp_path, base_url=repository.url)

    assert [wanted for _, wanted in repository.asked] == [f"bytes={len(part)}-", None]
    assert damaged([jar], tmp_path) == []


def test_a_broken_connection_is_continued(repository, tmp_path):
    jar = repository.holds("large", LARGE)
    repository.cut_after[f"/maven/{jar.path}"] = 200_000

    fetch([jar], tmp_path, base_url=repository.url)

    first, second = repository.asked
    assert first[1] is None
    assert re.fullmatch(r"bytes=\d+-", second[1])
    assert damaged([jar], tmp_path) == []


def test_a_repository_that_is_busy_for_a_moment_is_asked_again(repository, tmp_path):
    jar = repository.holds("small", b"content")
    repository.refusals[f"/maven/{jar.path}"] = 3

    assert fetch([jar], tmp_path, base_url=repository.url) == 1
    assert len(repository.asked) == 4


def test_another_content_than_the_lock_names_is_refused_after_one_more_try(repository, tmp_path):
    jar = repository.holds("forged", b"what the lock names")
    repository.files[f"/maven/{jar.path}"] = b"something else"

    with pytest.raises(LocalNeo4jError, match=r"forged-1\.jar from 127\.0\.0\.1 is not the file"):
        fetch([jar], tmp_path, base_url=repository.url)

    assert len(repository.asked) == 2
    assert list((tmp_path / "lib").iterdir()) == []


def test_a_jar_that_the_repository_lacks_is_named_with_what_to_do(repository, tmp_path):
    jar = Jar(name="lib/absent-1.jar", path="org/example/absent/1/absent-1.jar", sha256="00")

    with pytest.raises(LocalNeo4jError, match=r"absent-1\.jar .* answers 404 .*maven in papergraph.toml"):
        fetch([jar], tmp_path, base_url=repository.url)

    assert len(repository.asked) == 1


def test_an_unreachable_repository_is_an_error_that_keeps_a_password_in_its_address_secret(repository, tmp_path):
    jar = repository.holds("small", b"content")
    address = "http://user:secret@127.0.0.1:9/maven"  # the discard port: nobody listens there

    with pytest.raises(LocalNeo4jError, match="cannot fetch") as caught:
        fetch([jar], tmp_path, base_url=address)

    assert "secret" not in str(caught.value)


def test_what_was_fetched_of_other_jars_is_kept_when_one_cannot_be_had(repository, tmp_path):
    absent = Jar(name="lib/absent-1.jar", path="org/example/absent/1/absent-1.jar", sha256="00")
    slow = repository.holds("slow", LARGE)
    repository.pauses_s |= {f"/maven/{slow.path}": 0.5, f"/maven/{absent.path}": 0.1}

    with pytest.raises(LocalNeo4jError, match="absent"):
        fetch([absent, slow], tmp_path, base_url=repository.url)

    part = part_of(slow, tmp_path).read_bytes()
    assert part
    assert LARGE.startswith(part)


def test_a_jar_that_nobody_named_is_removed(repository, tmp_path):
    jar = repository.holds("known", b"content")
    fetch([jar], tmp_path, base_url=repository.url)
    stranger = tmp_path / "lib" / "stranger.jar"
    stranger.write_bytes(b"code")

    fetch([jar], tmp_path, base_url=repository.url)

    assert not stranger.exists()


def test_a_folder_that_cannot_be_made_is_named(repository, tmp_path):
    jar = repository.holds("small", b"content")
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(LocalNeo4jError, match=r"cannot write to .*PAPERGRAPH_CACHE"):
        fetch([jar], tmp_path / "file" / "jars", base_url=repository.url)


def test_progress_is_told_for_every_jar(repository, tmp_path):
    told: list[tuple[int, int]] = []

    class Listener(Silent):
        def step(self, message: str) -> None:
            assert message == "checking jars"

        def advance(self, message: str, done: int, total: int) -> None:
            told.append((done, total))

    fetch([repository.holds(f"jar{i}", b"x") for i in range(3)], tmp_path, base_url=repository.url, progress=Listener())

    assert told == [(1, 3), (2, 3), (3, 3)]


def test_two_processes_at_once_fetch_every_jar_only_once(repository, tmp_path):
    jars = [repository.holds(f"jar{i}", os.urandom(20_000)) for i in range(30)]
    program = "\n".join(
        [
            "from pathlib import Path",
            "from papergraph.maven import Jar, fetch",
            f"print(fetch({jars!r}, Path({str(tmp_path)!r}), base_url={repository.url!r}))",
        ]
    )
    both = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    fetched = sorted(int(process.communicate(timeout=60)[0]) for process in both)

    assert fetched == [0, 30]
    assert Counter(path for path, _ in repository.asked).most_common(1)[0][1] == 1
    assert damaged(jars, tmp_path) == []
