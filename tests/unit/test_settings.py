from pathlib import Path

import pytest
from pydantic import ValidationError

from papergraph.settings import FOREIGN_NAMES, PREFIX, Settings, unknown_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)


def test_without_environment_a_local_store_and_server_are_used():
    settings = Settings()

    assert settings.neo4j_uri is None
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.embedding_model == "all-MiniLM-L6-v2"


def test_a_setting_is_the_environment_variable_of_its_name(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_HOME", "/srv/papers")
    monkeypatch.setenv("PAPERGRAPH_PORT", "9000")

    assert (Path("/srv/papers"), 9000) == (Settings().home, Settings().port)


def test_settings_do_not_change_once_they_are_read():
    settings = Settings()

    with pytest.raises(ValidationError, match="frozen"):
        settings.port = 9000
    assert settings.port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "http"),
        ("DATABASE_DEADLINE_S", "0"),
        ("DATABASE_DEADLINE_S", "-1"),
        ("DATABASE_DEADLINE_S", "601"),
        ("DATABASE_DEADLINE_S", "nan"),
        ("DATABASE_DEADLINE_S", "inf"),
        ("MAX_FILE_BYTES", "0"),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(PREFIX + name, value)

    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_the_password_is_not_told_when_settings_are_printed(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_NEO4J_PASSWORD", "s3cret")

    settings = Settings()

    assert "s3cret" not in f"{settings!r} {settings}"
    assert settings.neo4j_password.get_secret_value() == "s3cret"


def test_a_file_of_the_folder_of_secrets_is_a_setting_unless_the_environment_says_otherwise(monkeypatch, tmp_path):
    (tmp_path / "papergraph_neo4j_password").write_text("s3cret\n")
    (tmp_path / "papergraph_port").write_text("9000")
    (tmp_path / "unrelated").write_text("x")
    monkeypatch.setenv("PAPERGRAPH_SECRETS", str(tmp_path))

    assert Settings().neo4j_password.get_secret_value() == "s3cret"
    assert Settings().port == 9000
    monkeypatch.setenv("PAPERGRAPH_PORT", "9001")
    assert Settings().port == 9001


def test_a_folder_of_secrets_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PAPERGRAPH_SECRETS", str(tmp_path / "none"))

    with pytest.raises(ValidationError, match="is not a folder"):
        Settings()


def test_a_secret_that_is_no_setting_is_told(tmp_path):
    (tmp_path / "papergraph_neo4j_passwort").write_text("x")
    (tmp_path / "neo4j_auth").write_text("x")

    (line,) = unknown_settings({"PAPERGRAPH_SECRETS": str(tmp_path)})

    assert line == "PAPERGRAPH_NEO4J_PASSWORT is not a setting; did you mean PAPERGRAPH_NEO4J_PASSWORD?"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PAPERGRAPH_HOMME", "PAPERGRAPH_HOME"),
        ("PAPERGRAPH_NEO4J_URL", "PAPERGRAPH_NEO4J_URI"),
        ("PAPERGRAPH_PASSWORD", "PAPERGRAPH_NEO4J_PASSWORD"),
        ("PAPERGRAPH_DATABASE_DEADLINE", "PAPERGRAPH_DATABASE_DEADLINE_S"),
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
    assert unknown_settings({PREFIX + name.upper(): "" for name in Settings.model_fields}) == []


def test_the_environment_of_the_process_is_looked_at_by_default(monkeypatch):
    monkeypatch.setenv("PAPERGRAPH_HOMME", "x")

    assert any(line.startswith("PAPERGRAPH_HOMME ") for line in unknown_settings())
