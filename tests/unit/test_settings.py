from pathlib import Path

import pytest
from pydantic import ValidationError

from papergraph.errors import InputError
from papergraph.settings import FOREIGN_NAMES, PREFIX, Settings, known_settings, read_settings, unknown_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for one in known_settings():
        monkeypatch.delenv(one.variable, raising=False)


def test_without_environment_a_local_store_and_server_are_used():
    settings = Settings()

    assert settings.neo4j.uri is None
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 8000)
    assert settings.embedding.model == "bge-small-en-v1.5"


def test_a_setting_is_the_environment_variable_of_its_name(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_HOME", "/srv/papers")
    monkeypatch.setenv("PAPERGRAPH_SERVER_PORT", "9000")

    assert (Path("/srv/papers"), 9000) == (Settings().home, Settings().server.port)


def test_settings_do_not_change_once_they_are_read():
    settings = Settings()

    with pytest.raises(ValidationError, match="frozen"):
        settings.server.port = 9000
    with pytest.raises(ValidationError, match="frozen"):
        settings.home = Path("/")
    assert settings.server.port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVER_PORT", "0"),
        ("SERVER_PORT", "65536"),
        ("SERVER_PORT", "http"),
        ("NEO4J_TIMEOUT_S", "0"),
        ("NEO4J_TIMEOUT_S", "-1"),
        ("NEO4J_TIMEOUT_S", "601"),
        ("NEO4J_TIMEOUT_S", "nan"),
        ("NEO4J_TIMEOUT_S", "inf"),
        ("INGEST_MAX_FILE_BYTES", "0"),
        ("METRICS_ADDRESS", "9464"),
        ("METRICS_ADDRESS", "0.0.0.0:port"),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(PREFIX + name, value)

    with pytest.raises(ValidationError, match=name.lower().replace("_", r"\.", 1)):
        Settings()
    with pytest.raises(InputError, match=f"^{PREFIX}{name}: "):
        read_settings()


def test_the_password_is_not_told_when_settings_are_printed(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_NEO4J_PASSWORD", "s3cret")

    settings = Settings()

    assert "s3cret" not in f"{settings!r} {settings}"
    assert settings.neo4j.password.get_secret_value() == "s3cret"


def test_a_file_of_the_folder_of_secrets_is_a_setting_unless_the_environment_says_otherwise(monkeypatch, tmp_path):
    (tmp_path / "papergraph_neo4j_password").write_text("s3cret\n")
    (tmp_path / "papergraph_server_port").write_text("9000")
    (tmp_path / "unrelated").write_text("x")
    monkeypatch.setenv("PAPERGRAPH_SECRETS_DIR", str(tmp_path))

    assert Settings().neo4j.password.get_secret_value() == "s3cret"
    assert Settings().server.port == 9000
    monkeypatch.setenv("PAPERGRAPH_SERVER_PORT", "9001")
    assert Settings().server.port == 9001


def test_a_folder_of_secrets_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PAPERGRAPH_SECRETS_DIR", str(tmp_path / "none"))

    with pytest.raises(ValidationError, match="is not a folder"):
        Settings()


def test_a_secret_that_is_no_setting_is_told(tmp_path):
    (tmp_path / "papergraph_neo4j_passwort").write_text("x")
    (tmp_path / "neo4j_auth").write_text("x")

    (line,) = unknown_settings({"PAPERGRAPH_SECRETS_DIR": str(tmp_path)})

    assert line == "PAPERGRAPH_NEO4J_PASSWORT is not a setting; did you mean PAPERGRAPH_NEO4J_PASSWORD?"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PAPERGRAPH_HOMME", "PAPERGRAPH_HOME"),
        ("PAPERGRAPH_NEO4J_URL", "PAPERGRAPH_NEO4J_URI"),
        ("PAPERGRAPH_PASSWORD", "PAPERGRAPH_NEO4J_PASSWORD"),
        ("PAPERGRAPH_NEO4J_TIMEOUT", "PAPERGRAPH_NEO4J_TIMEOUT_S"),
    ],
)
def test_a_name_that_is_no_setting_is_told_with_the_nearest_that_is(name, nearest):
    assert unknown_settings({name: "x"}) == [f"{name} is not a setting; did you mean {nearest}?"]


def test_a_name_like_none_is_told_without_a_guess():
    assert unknown_settings({"PAPERGRAPH_QQQQ": "x"}) == ["PAPERGRAPH_QQQQ is not a setting"]


def test_unknown_names_are_told_in_order_and_known_and_foreign_ones_not():
    environment = {
        "PAPERGRAPH_ZZ": "",
        "PAPERGRAPH_HOME": "",
        "PAPERGRAPH_TEST_NEO4J_URI": "",
        "PAPERGRAPH_AA": "",
        "PATH": "",
        **dict.fromkeys(FOREIGN_NAMES, ""),
    }

    assert [line.split()[0] for line in unknown_settings(environment)] == ["PAPERGRAPH_AA", "PAPERGRAPH_ZZ"]


def test_every_setting_is_known():
    assert unknown_settings({one.variable: "" for one in known_settings() if not one.toml_only}) == []


def test_the_environment_of_the_process_is_looked_at_by_default(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_HOMME", "x")

    assert any(line.startswith("PAPERGRAPH_HOMME ") for line in unknown_settings())


@pytest.mark.parametrize("setting", [one for one in known_settings() if one.toml_only], ids=lambda one: one.variable)
def test_a_variable_that_has_no_effect_stops_the_start(monkeypatch, setting):
    monkeypatch.setenv(setting.variable, "1")

    with pytest.raises(InputError) as caught:
        read_settings()

    assert setting.variable in str(caught.value)
    assert "papergraph.toml" in str(caught.value)


def test_settings_are_replaced_within_their_group_and_stay_set():
    settings = Settings(neo4j={"uri": "bolt://a:1", "user": "b"})

    other = settings.replace(home=Path("/x"), neo4j={"uri": None}, embedding={"model": "m"})

    assert (other.neo4j.uri, other.neo4j.user, other.home) == (None, "b", Path("/x"))
    assert settings.neo4j.uri == "bolt://a:1"
    assert "model" in other.embedding.model_fields_set
    assert "model" not in settings.embedding.model_fields_set
