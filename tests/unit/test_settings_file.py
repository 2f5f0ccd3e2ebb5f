"""Settings of papergraph.toml: where it is found, what wins, what is refused, and what commands tell of them."""

import re
import tomllib
from pathlib import Path

import pytest

from papergraph.errors import InputError
from papergraph.settings import Settings, known_settings, read_settings
from papergraph.settings.origins import HIDDEN, template, values_with_origins
from scripts.docs.settings import PAGE, page_with_table


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The working folder and the user's are empty, and the environment is bare."""
    for one in known_settings():
        monkeypatch.delenv(one.variable, raising=False)
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    monkeypatch.setattr("papergraph.settings.sources.user_config_path", lambda name: tmp_path / "user" / name)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_an_argument_goes_before_the_environment_the_secrets_the_file_and_the_default(monkeypatch, tmp_path):
    written(tmp_path / "working" / "papergraph.toml", "[neo4j]\nuser = 'file'\ndatabase = 'file'\ntimeout_s = 5\n")
    secrets = written(tmp_path / "secrets" / "papergraph_neo4j_user", "secret").parent
    written(secrets / "papergraph_neo4j_password", "secret\n")
    monkeypatch.setenv("PAPERGRAPH_SECRETS_DIR", str(secrets))
    assert Settings().neo4j.user == "secret"
    monkeypatch.setenv("PAPERGRAPH_NEO4J_USER", "environment")
    monkeypatch.setenv("PAPERGRAPH_NEO4J_DATABASE", "environment")

    neo4j = Settings(neo4j={"user": "argument"}).neo4j

    assert (neo4j.user, neo4j.database, neo4j.timeout_s, neo4j.uri) == ("argument", "environment", 5.0, None)
    assert neo4j.password.get_secret_value() == "secret"


def test_the_file_that_is_named_is_read_else_that_of_the_working_folder_else_the_users(monkeypatch, tmp_path):
    assert Settings().config is None
    for folder, port in (("user/papergraph", 1), ("working", 2), ("named", 3)):
        file = written(tmp_path / folder / "papergraph.toml", f"[server]\nport = {port}\n")
        if folder == "named":
            assert Settings(config=file).server.port == 3
            monkeypatch.setenv("PAPERGRAPH_CONFIG", str(file))
        assert (Settings().server.port, Settings().config) == (port, file)


def test_a_file_that_is_named_and_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PAPERGRAPH_CONFIG", str(tmp_path / "none.toml"))

    with pytest.raises(InputError, match=r"PAPERGRAPH_CONFIG=.*none\.toml is not a file"):
        Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[llm\n", "Cannot read .*papergraph.toml"),
        ("[llm]\natempts = 3\n", "llm.atempts is not a setting; did you mean llm.attempts"),
        ("[lm]\nurl = 'x'\n", "lm is not a setting; did you mean llm"),
        ("[server]\nport = 0\n", r"papergraph.toml, \[server\] port: .*greater than"),
        ("server = 3\n", "server"),
        ("[pipelines]\nmine = 3\n", "pipelines"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_named(tmp_path, text, message):
    written(tmp_path / "working" / "papergraph.toml", text)

    with pytest.raises(InputError, match=message):
        read_settings()


def test_relative_paths_begin_at_the_folder_of_the_file(tmp_path):
    file = written(tmp_path / "there" / "p.toml", "home = 'store'\n[llm]\nprompts_dir = '~/prompts'\n")

    settings = Settings(config=file)

    assert settings.home == tmp_path / "there" / "store"
    assert settings.llm.prompts_dir == Path.home() / "prompts"
    assert settings.folder == tmp_path / "there"


def test_each_value_is_told_with_its_origin_and_secrets_are_not(monkeypatch, tmp_path):
    file = written(tmp_path / "working" / "papergraph.toml", "[llm]\nattempts = 2\n[server]\nport = 9000\n")
    secrets = written(tmp_path / "secrets" / "papergraph_neo4j_password", "s3cret").parent
    monkeypatch.setenv("PAPERGRAPH_SECRETS_DIR", str(secrets))
    monkeypatch.setenv("PAPERGRAPH_SERVER_PORT", "9001")

    told = {one.setting.path: (one.value, one.origin) for one in values_with_origins(Settings())}

    assert told["server", "port"] == (9001, "environment")
    assert told["llm", "attempts"] == (2, str(file))
    assert told["neo4j", "password"] == (HIDDEN, f"secrets folder {secrets}")
    assert told["neo4j", "user"] == ("neo4j", "default")
    assert told["api_key",] == ("", "default")
    assert told["secrets_dir",] == (str(secrets), "environment")


def test_the_template_changes_nothing_and_each_of_its_values_may_be_set(monkeypatch, tmp_path):
    text = template()
    assert all(not table for table in tomllib.loads(text).values())
    (tmp_path / "secrets").mkdir()
    written(tmp_path / "a.toml", text)
    set_all = re.sub(r"^# (\w+ = |\[|steps|  \{|\])", r"\1", text, flags=re.M).replace("/run/secrets", "secrets")
    written(tmp_path / "b.toml", set_all)

    plain, full = Settings(config=tmp_path / "a.toml"), Settings(config=tmp_path / "b.toml")

    assert plain.model_dump(exclude={"config"}) == Settings().model_dump(exclude={"config"})
    assert (full.llm.model, full.ingest.processes, list(full.pipelines)) == ("qwen3-8b", 4, ["careful"])
    set_there = {
        (group, name)
        for group, values in tomllib.loads(set_all).items()
        if isinstance(values, dict)
        for name in values
        if group not in ("pipelines", "enrichments")
    }
    assert set_there == {one.path for one in known_settings() if len(one.path) == 2}


def test_the_page_of_settings_has_a_row_for_each():
    page = PAGE.read_text(encoding="utf-8")

    assert page == page_with_table(page), "run python -m scripts.docs.settings"
    for one in known_settings():
        if not one.is_table:
            assert (f"`{one.variable}`" in page) is not one.toml_only
            assert f"| `{one.path[-1]}` |" in page
    assert "[pipelines.careful]" in page and "[enrichments.questions]" in page


def test_each_setting_is_described_in_one_line():
    for one in known_settings():
        assert one.description.endswith("."), one.path
        assert len(one.description) <= 110, one.path


ADDRESSES = {
    'url = "https://elsewhere.example"': "API_KEY",
    'home = "elsewhere"': "API_KEY",
    '[llm]\nurl = "https://elsewhere.example/v1"': "LLM_API_KEY",
    '[proxy]\nurl = "https://elsewhere.example/v1"': "PROXY_API_KEY",
    '[device]\nurl = "https://elsewhere.example"': "DEVICE_TOKEN",
    '[neo4j]\nuri = "bolt://elsewhere.example"': "NEO4J_PASSWORD",
    '[cypher]\nuri = "bolt://elsewhere.example"': "CYPHER_PASSWORD",
    '[mirrors]\nopenalex = "https://elsewhere.example"': "FETCH_OPENALEX_KEY",
    '[zotero]\nurl = "https://elsewhere.example"': "ZOTERO_KEY",
    '[zotero]\nwrite_to = "https://elsewhere.example/users/1"': "ZOTERO_KEY",
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_a_file_of_the_working_folder_chooses_no_place_for_secrets_of_others(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papergraph.toml").write_text(text)
    read_settings()  # without a secret it may
    monkeypatch.setenv(f"PAPERGRAPH_{ADDRESSES[text]}", "secret")

    with pytest.raises(InputError, match=f"PAPERGRAPH_{ADDRESSES[text]} is not sent to") as refused:
        read_settings()
    monkeypatch.setenv("PAPERGRAPH_CONFIG", "papergraph.toml")
    trusted = read_settings()

    assert "secret" not in str(refused.value).replace("secrets", "")
    assert trusted.config is not None


def test_its_own_secrets_go_where_it_says_and_the_environment_may_choose_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papergraph.toml").write_text('url = "https://mine.example"\napi_key = "mine"\n')
    assert read_settings().api_key.get_secret_value() == "mine"

    monkeypatch.setenv("PAPERGRAPH_API_KEY", "another")
    monkeypatch.setenv("PAPERGRAPH_URL", "https://chosen.example")
    assert (read_settings().url, read_settings().api_key.get_secret_value()) == ("https://chosen.example", "another")


def test_a_secrets_folder_that_it_names_is_no_place_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "papergraph_llm_api_key").write_text("secret")
    (tmp_path / "papergraph.toml").write_text(f'secrets_dir = "{secrets}"\n[llm]\nurl = "https://elsewhere.example/v1"')

    with pytest.raises(InputError, match="is not sent to"):
        read_settings()


def test_it_names_no_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papergraph.toml").write_text('[neo4j]\njava = "evil"')

    with pytest.raises(InputError, match="names a program"):
        read_settings()
