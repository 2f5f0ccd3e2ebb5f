import hashlib

import pytest

from papergraph.errors import FileContentError
from papergraph.language_model.prompts import OUR_FOLDER, Message, load_prompt

GIVEN = frozenset({"text", "title"})


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, *, folder: str = "ours", name: str = "ask"):
        path = tmp_path / folder / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path.parent

    return write


def test_values_stand_in_their_places_in_both_parts(write):
    folder = write("[system]\nYou know $title.\n\n[user]\n$text costs $$5.\n")

    prompt = load_prompt("ask", GIVEN, folder=folder)

    assert prompt.fill({"title": "Hamlet", "text": "A ${ticket}"}) == (
        Message("system", "You know Hamlet."),
        Message("user", "A ${ticket} costs $5."),
    )


def test_a_value_cannot_bring_in_another_value(write):
    prompt = load_prompt("ask", GIVEN, folder=write("[user]\n$title: $text"))

    assert prompt.fill({"title": "$text", "text": "secret"})[0].text == "$text: secret"


def test_the_version_is_the_checksum_of_the_file(write):
    content = "[user]\n$title $text\n"

    assert load_prompt("ask", GIVEN, folder=write(content)).version == hashlib.sha256(content.encode()).hexdigest()


def test_a_users_file_replaces_ours_and_has_its_own_version(write):
    ours = write("[user]\n$title $text")
    theirs = write("[user]\nBriefly: $title $text", folder="theirs")

    first, replaced = load_prompt("ask", GIVEN, folder=ours), load_prompt("ask", GIVEN, folder=ours, own=theirs)

    assert replaced.fill({"title": "a", "text": "b"})[0].text == "Briefly: a b"
    assert replaced.version != first.version


def test_ours_is_taken_where_the_user_has_none(write):
    ours, theirs = write("[user]\n$title $text"), write("[user]\nother", folder="theirs", name="other")

    assert load_prompt("ask", GIVEN, folder=ours, own=theirs) == load_prompt("ask", GIVEN, folder=ours)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[user]\n$text", r"lacks \$title"),
        ("[user]\n$text $title $author", r"has \$author, which nothing fills"),
        ("[user]\n$text $title costs 5 $", r"write \$\$"),
        ("$text $title", r"\[system\] or \[user\]"),
        ("Hello\n[user]\n$text $title", r"\[system\] or \[user\]"),
        ("", r"\[system\] or \[user\]"),
        ("[user]\n$text\n[system]\n$title", "then"),
        ("[user]\n$text\n[user]\n$title", "once"),
        ("[system]\n\n[user]\n$text $title", "empty part"),
        (b"[user]\n$text $title \xff", "UTF-8"),
        ("[user]\n$text $title" + "x" * 100_000, "100000 are allowed"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_when_it_is_loaded(write, content, says):
    with pytest.raises(FileContentError, match=says):
        load_prompt("ask", GIVEN, folder=write(content))


def test_a_missing_prompt_and_a_missing_folder_of_the_users_are_named(tmp_path):
    with pytest.raises(FileContentError, match=r"nothing\.txt"):
        load_prompt("nothing", GIVEN)
    with pytest.raises(FileContentError, match=r"prompts_dir in papergraph\.toml"):
        load_prompt("json", frozenset({"schema"}), own=tmp_path / "gone")


def test_values_that_are_not_those_of_the_placeholders_are_wrong_arguments(write):
    prompt = load_prompt("ask", GIVEN, folder=write("[user]\n$title $text"))

    with pytest.raises(ValueError, match=r"takes \['text', 'title'\], got \['text'\]"):
        prompt.fill({"text": "b"})


def test_every_prompt_that_comes_with_the_code_can_be_loaded():
    loaded = [load_prompt("json", frozenset({"schema"})), load_prompt("repair", frozenset({"problem"}))]

    assert sorted(path.stem for path in OUR_FOLDER.iterdir()) == sorted(prompt.name for prompt in loaded)
