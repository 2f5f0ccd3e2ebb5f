"""The files below docker/: valid by their schemas, linted, and as closed as docs/docker.md says. None is run here."""

import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from papergraph.local_neo4j.config import Memory, Ports, render_config
from papergraph.local_neo4j.home import distribution
from papergraph.settings import Settings, unknown_settings

DOCKER = Path("docker")
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SCRIPTS = sorted(DOCKER.rglob("*.sh"))
OURS = ("server", "worker")


def run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "command",
    [
        ("hadolint", "--failure-threshold", "info", DOCKER / "Dockerfile"),
        ("shellcheck", *SCRIPTS),
        ("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / "compose.yaml"),
    ],
    ids=lambda command: str(command[0]),
)
def test_linters_and_the_schema_of_compose_files_find_nothing(command):
    done = run(*command)

    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_linters_would_find_something(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd /tmp\n")
    (tmp_path / "step.sh").write_text("#!/bin/sh\nrm $1\n")
    (tmp_path / "compose.yaml").write_text("services: {a: {imagee: b}}\n")

    assert run("hadolint", tmp_path / "Dockerfile").returncode == 1
    assert run("shellcheck", tmp_path / "step.sh").returncode == 1
    schema = ("--builtin-schema", "vendor.compose-spec")
    assert run("check-jsonschema", *schema, tmp_path / "compose.yaml").returncode == 1


def test_each_step_is_a_script_that_can_be_run():
    steps = re.findall(r"^RUN (?:--mount=\S+ )?(\S+)", DOCKERFILE, re.MULTILINE)

    assert {Path(step).name for step in steps} == {script.name for script in (DOCKER / "steps").iterdir()}
    assert all(script.stat().st_mode & stat.S_IXUSR for script in SCRIPTS)


def test_what_is_sent_to_be_built_is_what_is_copied():
    copied = {
        source for line in re.findall(r"^COPY (?!--)(.+) \S+$", DOCKERFILE, re.MULTILINE) for source in line.split()
    }
    sent = {line[1:] for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}

    assert sent == copied
    assert all(Path(name).exists() for name in sent)


@pytest.mark.parametrize("name", OURS)
def test_server_and_worker_may_do_little(name):
    service = SERVICES[name]

    assert "USER 10001:10001" in DOCKERFILE
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "user" not in service and "privileged" not in service
    assert service["secrets"] == ["papergraph_neo4j_password"]


def test_every_setting_named_is_one():
    of_image = dict(re.findall(r"(PAPERGRAPH_\w+)=(\S+)", DOCKERFILE))
    of_services = {name: value for service in OURS for name, value in SERVICES[service]["environment"].items()}

    assert unknown_settings(of_image | of_services) == []
    assert of_image["PAPERGRAPH_SERVER_REQUIRE_API_KEY"] == "true"
    assert "PAPERGRAPH_SERVER_REQUIRE_API_KEY" not in of_services


def test_no_password_is_written_down():
    text = "".join(file.read_text() for file in DOCKER.rglob("*") if file.is_file() and "secrets" not in file.parts)

    for line in text.splitlines():
        if (re.search(r"PASSWORD|_AUTH|password:", line) and "=" in line) or "PASSWORD" in line:
            assert re.search(r"_FILE|secrets/|keep |random", line), line
    assert {secret["file"] for secret in COMPOSE["secrets"].values()} == {
        f"./secrets/{name}" for name in COMPOSE["secrets"]
    }


def test_only_the_server_and_the_dashboards_are_reached_and_from_this_machine():
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert ports == {"server": ["${PAPERGRAPH_LISTEN:-127.0.0.1:8000}:8000"], "grafana": ["127.0.0.1:3000:3000"]}
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert SERVICES["neo4j"]["networks"] == SERVICES["prometheus"]["networks"] == ["inside"]


def test_neo4j_in_a_container_is_as_closed_as_the_local_one():
    local = dict(
        line.split("=", 1)
        for line in render_config(ports=Ports(1, 2), memory=Memory(512, 128)).splitlines()
        if "=" in line and not line.startswith("#")
    )
    contained = {
        re.sub(r"__|_", lambda found: "_" if found[0] == "__" else ".", name.removeprefix("NEO4J_")): value
        for name, value in SERVICES["neo4j"]["environment"].items()
        if name != "NEO4J_AUTH_FILE"
    }
    closing = ("dbms.", "internal.dbms.cypher", "db.query", "db.transaction", "db.logs", "server.fleet")

    del local["dbms.security.auth_max_failed_attempts"]  # no other machine reaches the local one
    for name, value in local.items():
        if name.startswith(closing):
            assert contained[name] == value, name


def test_the_images_are_named_with_their_versions():
    assert f"ARG NEO4J={distribution().version.rpartition('.')[0]}\n" in DOCKERFILE
    assert "ARG PYTHON=3.11-" in DOCKERFILE
    for service in SERVICES.values():
        if "build" not in service:
            assert re.search(r":\$\{[A-Z]+_TAG:-v?\d+\.\d+", service["image"])


def test_no_service_takes_all_memory_or_keeps_a_capability():
    for name, service in SERVICES.items():
        assert re.fullmatch(r"(\$\{[A-Z0-9]+_MEMORY:-)?\d+[mg]\}?", service["mem_limit"]), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "test" in service.get("healthcheck", {}) or ("HEALTHCHECK" in DOCKERFILE and name == "server")
    assert SERVICES["neo4j"]["user"] == "7474:7474"


class TestPins:
    TAGS = ("PYTHON_TAG", "NEO4J_TAG", "PROMETHEUS_TAG", "GRAFANA_TAG")

    def pin(self, folder: Path, answer: str) -> "subprocess.CompletedProcess[str]":
        """Run the script with a docker that answers so."""
        program = folder / "docker"
        program.write_text(f"#!/bin/sh\necho {answer}\n")
        program.chmod(0o755)
        environment = {"PATH": f"{folder}:/usr/bin:/bin"}
        script = [DOCKER.absolute() / "pin.sh", folder / ".env"]
        return subprocess.run(script, env=environment, capture_output=True, text=True, timeout=60)

    def test_tags_get_the_digest_that_the_registry_names_and_other_lines_stay(self, tmp_path):
        (tmp_path / ".env").write_text("NEO4J_HEAP=1g\nNEO4J_TAG=old\n")

        assert self.pin(tmp_path, "sha256:" + "a" * 64).returncode == 0
        lines = dict(line.split("=", 1) for line in (tmp_path / ".env").read_text().splitlines())

        assert set(lines) == {"NEO4J_HEAP", *self.TAGS}
        for tag in self.TAGS:
            assert re.fullmatch(rf"[\w.-]+@sha256:{'a' * 64}", lines[tag])
            assert f"${{{tag}:-{lines[tag].partition('@')[0]}}}" in (DOCKER / "compose.yaml").read_text()

    def test_what_is_no_digest_pins_nothing(self, tmp_path):
        done = self.pin(tmp_path, "unauthorized")

        assert done.returncode == 1 and "names no digest of python" in done.stderr
        assert (tmp_path / ".env").read_text() == ""

    def test_the_tags_are_those_of_the_dockerfile(self):
        for name in ("PYTHON", "NEO4J"):
            (tag,) = re.findall(rf"^ARG {name}=(\S+)$", DOCKERFILE, re.MULTILINE)
            assert COMPOSE["services"]["neo4j"]["build"]["args"][name] == f"${{{name}_TAG:-{tag}}}"


class TestSecrets:
    def test_each_is_random_and_made_once(self, tmp_path):
        folder = tmp_path / "secrets"

        assert run(DOCKER / "secrets.sh", folder).returncode == 0
        made = {file.name: file.read_text() for file in folder.iterdir()}
        again = run(DOCKER / "secrets.sh", folder)

        assert set(made) == set(COMPOSE["secrets"])
        assert made["neo4j_auth"] == f"neo4j/{made['papergraph_neo4j_password']}"
        assert re.fullmatch(r"[0-9a-f]{48}", made["papergraph_neo4j_password"])
        assert made["grafana_password"] != made["papergraph_neo4j_password"]
        assert again.stdout.count("is there already") == len(made)
        assert {file.name: file.read_text() for file in folder.iterdir()} == made

    def test_nobody_else_looks_into_the_folder(self, tmp_path):
        run(DOCKER / "secrets.sh", tmp_path / "secrets")

        assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700

    def test_papergraph_reads_the_one_that_is_its_own(self, tmp_path, monkeypatch):
        run(DOCKER / "secrets.sh", tmp_path)
        monkeypatch.setenv("PAPERGRAPH_SECRETS_DIR", str(tmp_path))

        password = Settings().neo4j.password.get_secret_value()

        assert password == (tmp_path / "papergraph_neo4j_password").read_text()
