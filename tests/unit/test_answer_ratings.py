"""Ratings of answers by experts: files, the command that collects them, and how far raters agree."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.answers.answer_ratings import (
    RatingFile,
    Shown,
    krippendorff_alpha,
    read_ratings,
    read_shown,
    summarised,
)

SOURCE = {"title": "T", "text": "x"}
ANSWERS = [
    {"id": f"q{n}", "reader": reader, "question": f"Why {n}?", "answer": f"So {n}.", "sources": [SOURCE]}
    for n in range(3)
    for reader in ("model", "extractive")
]  # fmt: skip
NAN = None
# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section D: four observers, twelve units
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.fixture
def given_file(tmp_path: Path) -> Path:
    path = tmp_path / "given.jsonl"
    path.write_text("".join(json.dumps(answer) + "\n" for answer in ANSWERS))
    return path


@pytest.fixture
def collect(given_file: Path, tmp_path: Path):
    """A function that runs the command with what a rater types, and gives its output and all ratings."""

    def run(typed: str, rater: str = "ada", *options: str):
        arguments = ["ratings", "collect", str(given_file), str(tmp_path / "ratings.jsonl"), "--rater", rater, *options]
        result = CliRunner().invoke(app, arguments, input=typed)
        return result, read_ratings(tmp_path / "ratings.jsonl")

    return run


class TestCollecting:
    def test_ratings_are_kept_and_what_was_rated_is_not_shown_again(self, collect):
        first, ratings = collect("7 quite good\n0\nq\n")
        second, more = collect("10\ns\n8\n1\n")

        assert first.exit_code == second.exit_code == 0
        assert [(one.rating, one.comment) for one in ratings] == [(7.0, "quite good"), (0.0, "")]
        assert "2 ratings added" in first.stdout and "4 answers are left" in first.stdout
        assert len({one.key for one in more}) == len(more) == 5
        assert "1 of 4" in second.stdout and "1 answers are left" in second.stdout

    def test_nothing_shown_tells_the_reader_and_raters_have_orders_of_their_own(self, collect, given_file, tmp_path):
        result, _ = collect("q\n")

        assert "extractive" not in result.stdout and "model" not in result.stdout
        file, shown = RatingFile(tmp_path / "new.jsonl"), read_shown(given_file)
        orders = {tuple((one.id, one.reader) for one in file.left(shown, rater)) for rater in ("ada", "bob", "eve")}
        assert len(orders) > 1
        assert file.left(shown, "ada") == file.left(list(reversed(shown)), "ada")

    def test_what_is_no_rating_is_asked_again(self, collect):
        result, ratings = collect("eleven\n11\n-1\n\nm\n5\nq\n")

        assert [one.rating for one in ratings] == [5.0]
        assert result.stdout.count("0 to 10, a comment behind it") == 4
        assert "sources whole" in result.stdout

    def test_an_end_of_input_keeps_what_was_rated(self, collect):
        result, ratings = collect("3\n")

        assert (result.exit_code, [one.rating for one in ratings]) == (0, [3.0])

    def test_answers_to_a_question_are_rated_side_by_side_without_their_readers(self, collect):
        result, ratings = collect("7\n7 3 both odd\nm\n9 9\ns\n", "ada", "--side-by-side")

        assert result.exit_code == 0
        assert [(one.rating, one.comment) for one in ratings] == [
            (7.0, "both odd"),
            (3.0, "both odd"),
            (9.0, ""),
            (9.0, ""),
        ]
        for first, second in (ratings[:2], ratings[2:]):
            assert first.id == second.id and {first.reader, second.reader} == {"model", "extractive"}
        assert "answer 1: So" in result.stdout and "answer 2: So" in result.stdout
        assert "one rating from 0 to 10 for each answer" in result.stdout and "model" not in result.stdout
        assert "4 ratings added" in result.stdout and "2 answers are left" in result.stdout
        report = summarised(ratings)
        assert report.n_compared == 2
        better = next(one.reader for one in ratings if one.rating == 7.0)
        assert report.preferred[better] == 0.75 and sum(report.preferred.values()) == 1.0

    def test_what_a_terminal_would_obey_is_not_written_to_it(self, collect, given_file):
        given_file.write_text(
            json.dumps({"id": "q", "question": "Why\x1b[2J?", "answer": "\x1b]0;owned\x07So."}) + "\n"
        )

        result, _ = collect("q\n")

        assert "\x1b" not in result.stdout and "\x07" not in result.stdout

    def test_a_line_that_was_cut_off_is_taken_off_and_the_rest_goes_on(self, collect, tmp_path):
        collect("7\nq\n")
        with (tmp_path / "ratings.jsonl").open("a") as file:
            file.write('{"rater": "ada", "id": "q1", "rea')

        _, ratings = collect("9\nq\n")

        assert [one.rating for one in ratings] == [7.0, 9.0]

    def test_a_rating_out_of_range_and_csv_are_not_written(self, tmp_path):
        file = RatingFile(tmp_path / "r.jsonl")

        with pytest.raises(InputError, match=r"a rating is 0 to 10, not 10\.5"):
            file.add("ada", Shown(id="q", question="Why?"), 10.5)
        with pytest.raises(InputError, match="CSV is read alone"):
            RatingFile(tmp_path / "r.csv")
        assert (tmp_path / "r.jsonl").read_bytes() == b""


class TestFiles:
    def test_csv_of_an_expert_is_read_and_the_last_word_counts(self, tmp_path):
        path = tmp_path / "expert.csv"
        path.write_text("rater,id,reader,rating,comment\nada,q1,model,3,\nada,q2,model,8.5,good\nada,q1,model,4,\n")

        told = [(one.id, one.rating, one.comment) for one in read_ratings(path)]
        assert told == [("q1", 4.0, ""), ("q2", 8.5, "good")]

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("r.jsonl", '{"rater": "a", "id": "q", "rating": 11}\n', "r.jsonl:1: is no rating: rating: Input"),
            ("r.jsonl", '{"rater": "a", "id": "q", "rating": NaN}\n', "rating: Input should be a finite number"),
            ("r.jsonl", "[1]\n", "r.jsonl:1: is no rating: not an object"),
            ("r.jsonl", "{\n", "is no file of ratings"),
            ("r.csv", "rater,id,rating\na,q,good\n", "r.csv:2: is no rating: rating"),
        ],
    )  # fmt: skip
    def test_what_is_no_rating_is_named_with_its_line(self, tmp_path, name, text, message):
        (tmp_path / name).write_text(text)

        with pytest.raises(FileContentError) as caught:
            read_ratings(tmp_path / name)
        assert message in str(caught.value)

    def test_answers_to_rate_need_an_id_and_a_question(self, tmp_path):
        (tmp_path / "g.jsonl").write_text('{"id": "q"}\n')

        with pytest.raises(FileContentError, match=r"g\.jsonl:1: is no answer to rate: question"):
            read_shown(tmp_path / "g.jsonl")


class TestAgreement:
    def test_alpha_is_that_of_krippendorffs_own_example(self):
        units = [[rating for rating in unit if rating is not None] for unit in zip(*OBSERVERS, strict=True)]

        assert krippendorff_alpha(units) == pytest.approx(0.849, abs=5e-4)

    def test_alpha_is_1_where_all_agree_and_not_defined_without_two_ratings_or_without_a_difference(self):
        assert krippendorff_alpha([[1, 1], [7, 7, 7]]) == pytest.approx(1.0)
        assert krippendorff_alpha([[1], [2]]) is None
        assert krippendorff_alpha([[5, 5], [5, 5]]) is None

    @given(st.lists(st.lists(st.integers(0, 10), max_size=4), max_size=8))
    def test_alpha_is_at_most_1_and_knows_no_order(self, units):
        alpha = krippendorff_alpha(units)

        assert alpha is None or alpha <= 1.0 + 1e-9
        turned = krippendorff_alpha([list(reversed(unit)) for unit in reversed(units)])
        assert turned == (None if alpha is None else pytest.approx(alpha))

    def test_a_summary_has_mean_spread_and_pairs_of_raters(self, tmp_path):
        lines = [("ada", "q1", "m", 8), ("bob", "q1", "m", 9), ("ada", "q2", "m", 2), ("bob", "q2", "m", 3)]
        lines += [("ada", "q3", "m", 5), ("bob", "q3", "m", 5), ("ada", "q1", "x", 10)]
        path = tmp_path / "r.csv"
        path.write_text("rater,id,reader,rating\n" + "".join(f"{','.join(map(str, line))}\n" for line in lines))

        report = summarised(read_ratings(path))
        result = CliRunner().invoke(app, ["ratings", "show", str(path), "--json"])

        model = report.readers["m"]
        assert (model.n, model.mean, model.median, model.lowest, model.highest) == (
            6,
            pytest.approx(32 / 6),
            5.0,
            2.0,
            9.0,
        )
        assert (model.share_good, report.readers["x"].sd, report.n_shared) == (pytest.approx(1 / 3), None, 3)
        assert report.spearman == {"ada, bob": pytest.approx(1.0)}
        assert json.loads(result.stdout)["raters"]["bob"]["n"] == 3
