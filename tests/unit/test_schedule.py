"""Which tests a quick run leaves out, and in which order files go to the processes."""

from types import SimpleNamespace

import pytest

from tests.support import schedule
from tests.support.for_each import for_each

pytest_plugins = ["pytester"]


def item(nodeid, *fixtures, marks=()):
    marker = dict.fromkeys(marks, pytest.mark.slow.mark)
    return SimpleNamespace(nodeid=nodeid, fixturenames=fixtures, get_closest_marker=marker.get, stash=pytest.Stash())


def names(items):
    return [item.nodeid for item in items]


def test_the_quarters_are_all_files_once_and_take_about_as_long():
    seconds = {"a": 100.0, "b": 60.0, "c": 50.0, "d": 40.0, "e": 30.0, "f": 20.0, "g": 10.0}

    quarters = [schedule.quarter(seconds, number) for number in range(4)]

    assert sorted(file for part in quarters for file in part) == sorted(seconds)
    assert [sum(seconds[file] for file in part) for part in quarters] == [100, 70, 70, 70]


def test_files_with_the_library_come_first_and_the_longest_of_each_sort():
    tests = [
        item("short::1"),
        item("long::1"),
        item("new::1"),
        item("short::2"),
        item("deletes::1", "library"),
        item("deletes::2", "neo4j_driver"),
        item("library::1", "library"),
    ]

    schedule.in_order(tests, {"short": (50.0, 1.0), "long": (0.0, 20.0), "deletes": (0.0, 99.0), "library": (0.0, 1.0)})

    assert names(tests) == ["library::1", "deletes::1", "deletes::2", "long::1", "new::1", "short::1", "short::2"]


def test_the_time_of_slow_tests_counts_where_they_run():
    tests = [item("other::1"), item("file::1"), item("file::2", marks=["slow"])]

    schedule.in_order(tests, {"file": (50.0, 1.0), "other": (0.0, 20.0)})

    assert names(tests) == ["file::1", "file::2", "other::1"]


@pytest.mark.parametrize(
    ("commit", "examined"), [(None, {"a::1", "a::2", "b::2"}), (0, {"a::1", "b::2"}), (3, {"a::2", "b::2"})]
)
def test_the_doctor_examines_one_graph_of_a_module_or_all(commit, examined):
    tests = [
        item("a::1", "database"),
        item("b::1", "database", marks=["writes_by_hand"]),
        item("a::2", "database"),
        item("a::3"),
        item("b::2", "database"),
    ]

    schedule.choose_examined(tests, commit)

    assert {test.nodeid for test in tests if test.stash[schedule.EXAMINED]} == examined


def test_durations_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "durations.tsv"
    path.write_text("slow\tothers\tfile\n1.5\t2.0\ttests/a.py\n")

    assert schedule.read_durations(path) == {"tests/a.py": (1.5, 2.0)}
    assert schedule.read_durations(tmp_path / "none.tsv") == {}


def test_the_durations_of_this_repository_can_be_read():
    assert len(schedule.read_durations(schedule.DURATIONS)) > 100


FILES = {
    "test_slow_a": "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\ndef test_quick(): pass\n",
    "test_slow_b": "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\n",
    "test_slow_c": "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\n",
    "test_slow_d": "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\n",
}


@pytest.fixture
def run(pytester, monkeypatch):
    """Run the files with the plugin, as of a commit of this number."""
    pytester.makepyfile(**FILES)
    pytester.makeini("[pytest]\nmarkers =\n    slow\n    quick")
    monkeypatch.setattr(schedule, "DURATIONS", pytester.path / "durations.tsv")
    monkeypatch.setattr(schedule, "SLOW_TESTS", pytester.path / "slow_tests.txt")

    def run(commit, *arguments):
        monkeypatch.setattr(schedule, "commit_of", lambda root: commit)
        return pytester.inline_run("-p", "tests.support.schedule", *arguments)

    return run


def test_a_quick_run_has_a_quarter_of_the_slow_tests_and_four_commits_have_all(run):
    passed = [names(run(commit, "--quick").listoutcomes()[0]) for commit in range(4)]

    assert all("test_slow_a.py::test_quick" in ran for ran in passed)
    assert sorted(len(ran) for ran in passed) == [2, 2, 2, 2]
    assert len({name for ran in passed for name in ran}) == 5


def test_without_the_option_all_run_and_what_they_took_is_written_down(run, pytester):
    passed, _, failed = run(1, "--write-durations").listoutcomes()

    assert (len(passed), failed) == (5, [])
    head, *lines = written(pytester)
    assert head == "slow\tothers\tfile"
    assert [line.split("\t")[2] for line in lines] == [f"{name}.py" for name in FILES]


def test_what_took_long_is_slow_unless_it_is_marked_quick(run, pytester, monkeypatch):
    pytester.makepyfile(
        test_long="import pytest\nfrom time import sleep\ndef test_long(): sleep(0.2)\ndef test_short(): pass\n"
        "@pytest.mark.quick\ndef test_kept(): sleep(0.2)\n"
    )
    monkeypatch.setattr(schedule, "SLOW_S", 0.1)

    run(0, "--write-durations")
    slow, others, _ = next(line.split("\t") for line in written(pytester) if "test_long" in line)
    assert (float(slow), float(others)) == (pytest.approx(0.2, abs=0.1), pytest.approx(0.2, abs=0.1))

    ran = [names(run(commit, "--quick", "test_long.py").listoutcomes()[0]) for commit in range(4)]
    assert (pytester.path / "slow_tests.txt").read_text() == "test_long.py::test_long\n"
    assert all({"test_long.py::test_short", "test_long.py::test_kept"} <= set(one) for one in ran)
    assert sum("test_long.py::test_long" in one for one in ran) == 1


def test_what_takes_long_no_more_counts_among_the_others_again(run, pytester):
    pytester.makepyfile(test_mended="def test_mended(): pass\n")
    (pytester.path / "slow_tests.txt").write_text("test_mended.py::test_mended\ntest_slow_a.py::test_slow\n")

    run(0, "--write-durations")

    assert "0.0\t0.0\ttest_mended.py" in written(pytester)
    assert (pytester.path / "slow_tests.txt").read_text() == ""


def written(pytester):
    return (pytester.path / "durations.tsv").read_text().splitlines()


def test_the_log_ends_with_the_slowest(pytester, run):
    result = pytester.runpytest("-p", "tests.support.schedule", "--slowest", "2", "-rA")

    lines = result.outlines
    assert "2 slowest tests" in lines[-4]
    assert all("test_" in line and " s  " in line for line in lines[-3:-1])


def test_one_test_for_many_tells_all_that_fail():
    @for_each(number=[1, 2, 3, 4])
    def check(tmp_path, number):
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(pytest.fail.Exception, match=r"2 of 4 fail\n\n1: 1 is odd\n.*\n\n3: 3 is odd") as failed:
        check(tmp_path=None)

    assert "2 is odd" not in str(failed.value)


def test_one_test_for_many_takes_fixtures_and_passes_when_all_do(pytester):
    pytester.makepyfile(
        "from tests.support.for_each import for_each\n"
        "@for_each(name=['a', 'b'])\ndef test_it(tmp_path, name):\n    assert not (tmp_path / name).exists()\n"
        "    (tmp_path / name).write_text(name)\n"
    )

    result = pytester.inline_run()

    result.assertoutcome(passed=1)
