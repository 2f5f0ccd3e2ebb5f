"""What a release consists of: the wheel by itself, and packages of the lock for each platform."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.python_environments import environment, installer, told_by

pytestmark = [pytest.mark.slow, pytest.mark.release]

PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin")
OLDEST_MACOS = "15.0"


@pytest.mark.timeout(900)
def test_the_wheel_alone_answers_the_first_search(tmp_path: Path):
    root = Path.cwd()
    told_by(installer(), "build", "--quiet", "--wheel", "--out-dir", tmp_path, root, folder=root)
    (wheel,) = tmp_path.glob("*.whl")
    python = environment(tmp_path, wheel)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PAPERGRAPH_")}

    done = subprocess.run(
        [python.with_name("papergraph"), "demo", "--once"],
        cwd=tmp_path,
        env=variables | {"PAPERGRAPH_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr
    assert "A patch of distance 7 uses 97 physical qubits" in done.stdout
    assert str(root) not in done.stdout + done.stderr


def test_the_source_archive_gives_the_same_wheel_with_one_package(tmp_path: Path):
    names = []
    for made, options in (("archive", ()), ("tree", ("--wheel",))):
        told_by(installer(), "build", "--quiet", *options, "--out-dir", tmp_path / made, Path.cwd(), folder=tmp_path)
        (wheel,) = (tmp_path / made).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            names.append(sorted(packed.namelist()))

    assert names[0] == names[1]
    assert {name.split("/")[0] for name in names[0]} == {"papergraph", "papergraph-0.1.0.dist-info"}
    assert "papergraph/cypher/retrieval/vector_top_k.cypher" in names[0]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_lock_has_wheels_of_the_default_packages_for(platform: str, tmp_path: Path):
    uv, root, listed = installer(), Path.cwd(), tmp_path / "requirements.txt"
    export = ("export", "--frozen", "--quiet", "--no-dev", "--no-emit-project", "--no-hashes", "--output-file", listed)
    told_by(uv, *export, folder=root)
    told = told_by(
        *(uv, "pip", "install", "--dry-run", "--no-deps", "--only-binary", ":all:", "--requirement", listed),
        *("--python", sys.executable, "--python-platform", platform, "--target", tmp_path / "target"),
        folder=root,
        MACOSX_DEPLOYMENT_TARGET=OLDEST_MACOS,
    )

    assert "Would install" in told
    assert "neo4j==" in told
