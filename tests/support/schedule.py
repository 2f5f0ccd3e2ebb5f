"""Which tests run and in which order, as a pytest plugin: the longest files first, with ``--quick`` not all of them.

``--quick`` is what ``make test`` does. Of the slow tests it runs a quarter, and in each module the doctor examines the
graph of one test. The commit decides which: the same commit always runs the same tests, and commits that follow each
other go through all of them. Without the option everything runs. A test is slow if it is marked so, or if it took at
least 1.5 s when durations were last written and is not marked ``quick``.

``make durations`` writes ``tests/durations.tsv``, the seconds of each file, in total over all its tests, and
``tests/slow_tests.txt``, the tests that took long.
Modules that use the ``library`` come first, together: it is made once, while no other test deletes it.
"""

import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

DURATIONS = Path(__file__).parents[1] / "durations.tsv"
SLOW_TESTS = DURATIONS.with_name("slow_tests.txt")
SLOW_S = 1.5
"""Seconds from which a test is slow, those of its fixtures not counted."""
UNKNOWN_S = 5.0
"""What a file is taken to need that has no line yet."""

HELPERS = [path.stem for path in Path(__file__).parent.glob("*.py") if path != Path(__file__)]
pytest.register_assert_rewrite(*(f"tests.support.{name}" for name in HELPERS))

QUARTERS = 4
TOOK_LONG = "took_long"
"""Keyword of the tests that are slow only because they took long when durations were last written."""
DELETING = ("database", "neo4j_driver")
"""Fixtures that delete all papers before a test."""
EXAMINED = pytest.StashKey[bool]()
"""Of each test: whether the doctor examines the graph that it leaves."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("papergraph")
    group.addoption("--quick", action="store_true", help="run a quarter of the slow tests, the doctor once per module")
    group.addoption("--slowest", type=int, default=0, metavar="N", help="end with the N slowest tests, set-up included")
    group.addoption("--write-durations", action="store_true", help=f"write {DURATIONS.name} anew from this run")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # reports of all workers come together in the first process
        config.pluginmanager.register(Stopwatch(config), "papergraph-stopwatch")


def pytest_report_header(config: pytest.Config) -> str | None:
    if not config.getoption("--quick"):
        return None
    commit = commit_of(config.rootpath)
    return f"slow tests: quarter {commit % QUARTERS + 1} of {QUARTERS}, chosen by the commit; make test-all runs all"


@pytest.hookimpl(trylast=True)  # after -m and -k have deselected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    quick, commit, seconds = config.getoption("--quick"), commit_of(config.rootpath), read_durations(DURATIONS)
    took_long = read_slow_tests(SLOW_TESTS)
    for item in items:
        if item.nodeid in took_long and not is_slow(item) and item.get_closest_marker("quick") is None:
            item.add_marker("slow")
            item.keywords[TOOK_LONG] = True
    if quick:
        slow = {file_of(item.nodeid) for item in items if is_slow(item)}
        chosen = quarter({file: seconds.get(file, (UNKNOWN_S, 0.0))[0] for file in slow}, commit % QUARTERS)
        left_out = [item for item in items if is_slow(item) and file_of(item.nodeid) not in chosen]
        items[:] = [item for item in items if not is_slow(item) or file_of(item.nodeid) in chosen]
        config.hook.pytest_deselected(items=left_out)
    choose_examined(items, commit if quick else None)
    in_order(items, seconds)


def is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def file_of(nodeid: str) -> str:
    """Return the file of a test's id."""
    return nodeid.partition("::")[0]


def quarter(seconds: Mapping[str, float], number: int) -> set[str]:
    """Return the files of one of four parts that take about the same time, each file being in one of them."""
    parts: list[list[str]] = [[] for _ in range(QUARTERS)]
    for file in sorted(seconds, key=lambda file: (-seconds[file], file)):
        min(parts, key=lambda part: sum(seconds[one] for one in part)).append(file)
    return set(parts[number])


def choose_examined(items: Iterable[pytest.Item], commit: int | None) -> None:
    """Note in each test whose graph must be healthy whether it is examined.

    With a commit that is one test per module, without all of them.
    """
    modules: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        item.stash[EXAMINED] = False
        healthy = item.get_closest_marker("writes_by_hand") is None
        if healthy and "database" in getattr(item, "fixturenames", ()):
            modules[file_of(item.nodeid)].append(item)
    for tests in modules.values():
        for position, item in enumerate(tests):
            item.stash[EXAMINED] = commit is None or position == commit % len(tests)


def in_order(items: list[pytest.Item], seconds: Mapping[str, tuple[float, float]]) -> None:
    """Sort files: those of the library, those that also delete it, then the others, each by falling duration."""
    fixtures: dict[str, set[str]] = defaultdict(set)
    slow: dict[str, bool] = defaultdict(bool)
    for item in items:
        fixtures[file_of(item.nodeid)].update(getattr(item, "fixturenames", ()))
        slow[file_of(item.nodeid)] |= is_slow(item)

    def rank(item: pytest.Item) -> tuple[int, float, str]:
        file = file_of(item.nodeid)
        of_slow, of_others = seconds.get(file, (UNKNOWN_S, UNKNOWN_S))
        sort = 2 if "library" not in fixtures[file] else int(not fixtures[file].isdisjoint(DELETING))
        return sort, -(of_others + (of_slow if slow[file] else 0.0)), file

    items.sort(key=rank)


def commit_of(root: Path) -> int:
    """Return the number of the commit that is checked out, 0 outside of a repository."""
    try:
        result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return 0
    return int(result.stdout, 16) if result.returncode == 0 else 0


def read_durations(path: Path) -> dict[str, tuple[float, float]]:
    """Return the seconds of each file's slow tests and of its others."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
    rows = (line.split("\t") for line in lines)
    return {file: (float(of_slow), float(of_others)) for of_slow, of_others, file in rows}


def read_slow_tests(path: Path) -> frozenset[str]:
    """Return the ids of the tests that took long."""
    return frozenset(path.read_text(encoding="utf-8").splitlines()) if path.exists() else frozenset()


class Stopwatch:
    """Adds up what tests take, tells the slowest at the end, and keeps the sums of files."""

    def __init__(self, config: pytest.Config) -> None:
        self._slowest, self._writes = config.getoption("--slowest"), config.getoption("--write-durations")
        self._tests: dict[str, float] = defaultdict(float)
        self._marked: set[str] = set()
        self._long: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tests[report.nodeid] += report.duration
        if "slow" in report.keywords and TOOK_LONG not in report.keywords:
            self._marked.add(report.nodeid)
        if report.when == "call" and report.duration >= SLOW_S and "quick" not in report.keywords:
            self._long.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self._writes:
            files: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
            slow = self._marked | self._long  # what the next run takes for slow, not what this one did
            for nodeid, seconds in self._tests.items():
                files[file_of(nodeid)][nodeid not in slow] += seconds
            rows = (f"{of_slow:.1f}\t{others:.1f}\t{file}" for file, (of_slow, others) in sorted(files.items()))
            DURATIONS.write_text("\n".join(("slow\tothers\tfile", *rows, "")), encoding="utf-8")
            SLOW_TESTS.write_text("".join(f"{nodeid}\n" for nodeid in sorted(self._long)), encoding="utf-8")

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # after the summary, which is of a wrapper too
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        yield
        if not self._slowest:
            return
        terminalreporter.section(f"{self._slowest} slowest tests, {sum(self._tests.values()):.0f} s in all")
        for nodeid in sorted(self._tests, key=lambda nodeid: -self._tests[nodeid])[: self._slowest]:
            terminalreporter.write_line(f"{self._tests[nodeid]:7.1f} s  {nodeid}")
