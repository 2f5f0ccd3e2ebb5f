"""``papergraph db``: the prompt for Cypher, and the local server that it starts and stops."""

import json

import httpx
import pytest

from tests.support.command import Papergraph


class TestShell:
    def test_a_statement_shows_its_rows(self, papergraph):
        result = papergraph("db", "shell", "-e", "RETURN 1 AS one, [x IN range(1, 30) | x] AS many, {a: 2} AS map")

        assert (result.returncode, result.stderr) == (0, "")
        for text in ("one", "1, 2, 3, … 30 in all", "{a: 2}"):
            assert text in result.stdout

    @pytest.mark.parametrize(
        "statement", ["CREATE (:Note {text: 'x'})", "MATCH (n) DETACH DELETE n", "CREATE INDEX x FOR (n:X) ON (n.y)"]
    )
    def test_nothing_is_changed_without_being_asked_for(self, papergraph, statement):
        result = papergraph("db", "shell", "-e", statement)

        assert result.returncode == 1
        assert "start the shell with --write to change the graph" in result.stdout
        assert self._count(papergraph, "Note") == 0

    def test_what_is_asked_for_is_changed(self, papergraph):
        created = papergraph("db", "shell", "--write", "-e", "CREATE (:Note {text: 'x'})")
        try:
            assert (created.returncode, self._count(papergraph, "Note")) == (0, 1)
            assert "nodes_created" in created.stdout
        finally:
            papergraph("db", "shell", "--write", "-e", "MATCH (n:Note) DELETE n")

        assert self._count(papergraph, "Note") == 0

    def test_what_may_have_written_gives_all_papers_another_revision_also_where_it_failed(self, papergraph):
        revisions = [self._revision(papergraph)]
        try:
            for statement in ("MATCH (n:Note) DELETE n", "UNWIND [1, 0] AS n CREATE (:Note {n: 1 / n})", "RETURN 1"):
                papergraph("db", "shell", "--write", "-e", statement)
                revisions.append(self._revision(papergraph))
        finally:
            papergraph("db", "shell", "--write", "-e", "MATCH (n:SchemaVersion {id: 'revision'}) REMOVE n.waiting")

        first, written, failed, read = revisions
        assert len({first, written, failed}) == 3 and read == failed

    def test_statements_come_from_a_pipe_one_up_to_each_semicolon(self, papergraph):
        result = papergraph("db", "shell", stdin="RETURN 'first'\n  AS a;\n\nRETURN 'a;b' AS c;\nRETURN 'last' AS d")

        assert result.returncode == 0
        assert [word for word in ("first", "a;b", "last") if word in result.stdout] == ["first", "a;b", "last"]

    def test_a_mistake_is_told_and_the_rest_goes_on(self, papergraph):
        result = papergraph("db", "shell", stdin="RETURN nonsense;\nRETURN 'after' AS it;\n")
        last = papergraph("db", "shell", stdin="RETURN 'before' AS it;\nRETURN nonsense;\n")

        assert (result.returncode, last.returncode) == (0, 1)
        assert "nonsense" in result.stdout
        assert "after" in result.stdout

    def test_long_results_are_cut(self, papergraph):
        result = papergraph("db", "shell", "-e", "UNWIND range(1, 1000) AS n RETURN 'row ' + n AS it")

        assert result.stdout.count("│ row ") == 200
        assert "the first 200 rows" in result.stdout

    def test_an_address_where_nothing_answers_is_told(self, papergraph, dead_end):
        result = papergraph("db", "shell", "-e", "RETURN 1", PAPERGRAPH_NEO4J_URI=dead_end)

        assert result.returncode != 0
        assert "Traceback" not in result.stderr

    def _revision(self, papergraph: Papergraph) -> str:
        text = "OPTIONAL MATCH (whole:SchemaVersion {id: 'revision'}) RETURN 'is ' + whole.touched + '.' AS it"
        found: str = papergraph("db", "shell", "-e", text).stdout.partition("is ")[2].partition(".")[0]
        return found

    def _count(self, papergraph: Papergraph, label: str) -> int:
        result = papergraph("db", "shell", "-e", f"MATCH (n:{label}) RETURN 'found ' + count(n) AS n")
        return int(result.stdout.partition("found ")[2].split()[0])


@pytest.mark.slow
def test_the_local_server_is_started_looked_at_and_stopped(tmp_path):
    papergraph = Papergraph(tmp_path / "home")
    neo4j = tmp_path / "home" / "neo4j"
    assert papergraph.process("db", "status").returncode == 3
    assert papergraph.process("db", "logs").returncode == 3
    try:
        started, again = papergraph.process("db", "start"), papergraph.process("db", "start")
        status, logs = papergraph.process("db", "status", "--json"), papergraph.process("db", "logs", "-n", "100")
        (java,) = papergraph.neo4j_processes()
        found = json.loads(status.stdout)
        answer = httpx.get(f"http://127.0.0.1:{found['http_port']}", timeout=10).json()
        shell = papergraph.process("db", "shell", "-e", "RETURN 'one' AS it")
    finally:
        stopped = papergraph.process("db", "stop")

    assert [result.returncode for result in (started, again, status, logs, shell, stopped)] == [0] * 6
    assert "started: bolt://127.0.0.1:" in started.stdout
    assert "runs already" in again.stdout
    assert str(neo4j / "password") in started.stdout
    assert (neo4j / "password").read_text().strip() not in started.stdout + started.stderr
    assert (found["running"], found["pid"]) == (True, java.pid)
    assert answer["neo4j_version"] == found["version"]
    assert "Started." in logs.stdout
    assert "one" in shell.stdout
    assert stopped.stdout == "stopped\n"
    assert not papergraph.neo4j_processes()
    assert papergraph.process("db", "status").returncode == 3
    assert papergraph.process("db", "stop").stdout == "it was not running\n"
