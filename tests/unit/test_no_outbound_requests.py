"""Nothing leaves the machine unless a user asked for it: each connection and look-up of a process is heard."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fake_hub import FakeHub
from tests.support.fake_model_server import FakeModelServer

CANARY = "http://canary.invalid:9"
"""A proxy that nobody may ask."""

HEAR = """
import json, sys
heard = []
def hear(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        heard.append(list(arguments[1][:2]))
    if event == "socket.getaddrinfo":
        heard.append([arguments[0], arguments[1]])
sys.addaudithook(hear)
"""

PROGRAM = (
    HEAR
    + """
from papergraph.cross_encoder import Reranker
from papergraph.embedding import open_model
from papergraph.errors import PapergraphError
from papergraph.settings import read_settings
from papergraph.text.language import language_of

chosen = read_settings().embedding
problem = None
try:
    model = open_model(chosen, chosen.model)
    model.tokenizer
    assert model.encode_query("tides").shape == (model.card.dimension,)
except PapergraphError as error:
    problem = str(error)
assert language_of("Welche Wörter der Frage sind deutsch?") == "de"
try:
    Reranker("nobody/no-such-reranker")
except PapergraphError:
    pass
print(json.dumps({"heard": heard, "problem": problem}))
"""
)


COMMAND = (
    HEAR
    + """
from papergraph.cli.main import main

try:
    main()
except SystemExit as ended:
    print(json.dumps({"heard": heard, "status": ended.code}))
"""
)


def heard_of(tmp_path: Path, *words: str, program: str = PROGRAM, **settings: str) -> dict:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERGRAPH_EMBEDDING", "HF_"))}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), CANARY)
    environment = {**kept, **proxies, "HF_HOME": str(tmp_path), **settings}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_packaged_model_asks_nobody(tmp_path):
    found = heard_of(tmp_path)

    assert found == {"heard": [], "problem": None}


def test_a_model_that_is_not_here_is_not_downloaded(tmp_path):
    found = heard_of(tmp_path, PAPERGRAPH_EMBEDDING_MODEL="nobody/no-such-model")

    assert found["heard"] == [] and "no-such-model" in found["problem"]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["openai", "tei"])
def test_a_served_model_asks_its_server_alone(tmp_path, protocol):
    with FakeModelServer() as server:
        url = server.url if protocol == "openai" else server.address
        found = heard_of(
            tmp_path,
            PAPERGRAPH_EMBEDDING_URL=url,
            PAPERGRAPH_EMBEDDING_MODEL="some/model",
            PAPERGRAPH_EMBEDDING_PROTOCOL=protocol,
        )

        port = int(server.address.rpartition(":")[2])
        assert found["problem"] is None and server.texts
        assert {tuple(address) for address in found["heard"]} == {("127.0.0.1", port)}


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        pytest.param(("check", "bge-small-en-v1.5"), marks=pytest.mark.slow),
        pytest.param(("check", "nobody/no-such-model"), marks=pytest.mark.slow),
    ],
)
def test_models_are_listed_and_checked_without_a_request(tmp_path, words):
    found = heard_of(tmp_path, "models", *words, "--json", program=COMMAND)

    assert found["heard"] == []


@pytest.mark.slow
def test_a_download_asks_its_mirror_alone(tmp_path):
    files = {"model.safetensors": b"weights", "config.json": b"{}"}
    direct = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    with FakeHub("tiny/model", files) as hub:
        words = ("models", "get", "tiny/model", "--yes", "--mirror", hub.url)
        found = heard_of(tmp_path, *words, program=COMMAND, **direct)

        port = int(hub.url.rpartition(":")[2])
        assert {tuple(address) for address in found["heard"]} == {("127.0.0.1", port)}
    assert (tmp_path / "hub" / "models--tiny--model" / "refs" / "main").exists()


@pytest.mark.slow
def test_a_download_uses_the_proxy_of_the_environment(tmp_path):
    words = ("models", "get", "tiny/model", "--yes", "--mirror", "http://hub.invalid")

    found = heard_of(tmp_path, *words, program=COMMAND, NO_PROXY="", no_proxy="")

    assert {host for host, _ in found["heard"]} == {"canary.invalid"}
