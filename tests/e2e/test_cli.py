"""The command line on a real Neo4j: some commands as programs of their own, most within this process."""

import json
import re
import signal
import socketserver
import threading
import time
from pathlib import Path

import pytest

from papergraph import __version__
from papergraph.cli.groups import groups, words_of
from papergraph.ingest.chunkers import chunkers
from papergraph.server.graphql.schema import sdl
from tests.support.command import Papergraph
from tests.support.fake_arxiv import FakeArxiv
from tests.support.files import write
from tests.support.servers import RunningServer
from tests.support.waiting import free_port
from tests.support.web_site import Site

COMMANDS = [
    *([name] for name in ("demo", "serve", "mcp", "worker", "ingest", "enrich", "search", "ask", "cypher", "doctor")),
    *([name] for name in groups() if not groups()[name].top),
    *([group.name, word] for group in groups().values() if not group.top for word in words_of(group.app)),
]
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"


@pytest.fixture
def beside(server: RunningServer) -> Papergraph:
    """The command line in the home where a server runs, which it finds."""
    return server.papergraph


class TestHelp:
    def test_the_version_is_told(self, papergraph):
        result = papergraph.process("--version")

        assert (result.returncode, result.stdout, result.stderr) == (0, f"{__version__}\n", "")

    @pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
    def test_every_command_has_help(self, papergraph, command):
        result = papergraph(*command, "--help")

        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.split("\n\n")[1].strip()

    def test_the_exit_statuses_stand_in_the_help(self, papergraph):
        assert "4 some documents failed" in " ".join(papergraph.process("--help").stdout.split())

    @pytest.mark.parametrize(
        "arguments", [["nonsense"], ["search"], ["search", "x", "-k", "ten"], ["serve", "--port", "0"]]
    )
    def test_wrong_use_is_status_2(self, papergraph, arguments):
        result = papergraph(*arguments)

        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr

    def test_a_setting_that_nothing_reads_is_told_with_the_nearest_name(self, papergraph):
        result = papergraph("db", "status", PAPERGRAPH_TYPO="1", PAPERGRAPH_NEO4J_URL="bolt://x")

        assert "warning: PAPERGRAPH_TYPO is not a setting" in result.stderr
        assert "warning: PAPERGRAPH_NEO4J_URL is not a setting; did you mean PAPERGRAPH_NEO4J_URI?" in result.stderr

    @pytest.mark.slow
    def test_a_setting_that_cannot_be_is_status_2_with_its_name(self, papergraph):
        result = papergraph.process("db", "checksum", PAPERGRAPH_SERVER_PORT="many")

        assert result.returncode == 2
        assert "PAPERGRAPH_SERVER_PORT" in result.stderr
        assert "Traceback" not in result.stderr


class TestCollect:
    def test_a_topic_is_collected_into_a_folder_that_can_be_ingested(self, papergraph, tmp_path):
        with Site() as site:
            arxiv = FakeArxiv(site)
            arxiv.add("2601.00001", "Tides of a moon")
            arxiv.add("2601.00002", "Taken back", comment="Withdrawn")
            (tmp_path / "papergraph.toml").write_text(f'[mirrors]\narxiv = "{site.url("/")}"\n')
            settings = {
                "PAPERGRAPH_CONFIG": str(tmp_path / "papergraph.toml"),
                "PAPERGRAPH_FETCH_ALLOWED_HOSTS": "127.0.0.1",
            }
            arguments = ["fetch", "arxiv", tmp_path / "moon", "moon", "--field", "title", "--since", "2026-01-01"]

            result = papergraph(*arguments, "--json", **settings)
            blocked = papergraph(*arguments, **settings | {"PAPERGRAPH_FETCH_ALLOWED_HOSTS": "arxiv.org"})

        assert (result.returncode, result.stderr) == (0, "")
        told = json.loads(result.stdout)
        assert (told["n_papers"], told["n_new"], told["withdrawn"]) == (2, 2, ["2601.00002"])
        assert "ti%3A%22moon%22+AND+submittedDate%3A%5B202601010000" in site.requests[0]
        assert (tmp_path / "moon" / "papers.jsonl").read_text().count("\n") == 2
        assert (blocked.returncode, len(site.requests)) == (2, 1)
        assert "Run the same command again to resume." in blocked.stderr


class TestIngest:
    @pytest.mark.slow
    def test_bad_documents_are_named_with_the_reason_and_good_ones_stand(self, papergraph, tmp_path):
        good = write(tmp_path / "mixed" / "good.md", "---\ndoi: 10.1000/good\n---\n# A good paper\n\nIt has text.\n")
        bad = {
            write(good.with_name("empty.md"), ""): "EMPTY",
            write(good.with_name("latin.txt"), "caf\xe9 au lait".encode("latin-1")): "NOT_TEXT",
            write(good.parent / "deep" / "zero.md", "a\0b"): "NOT_TEXT",
            write(good.with_name("year.md"), "---\nyear: soon\n---\n# A paper\n\nText.\n"): "BAD_METADATA",
            write(tmp_path / "paper.pdf", "%PDF-1.7"): "PARTIAL",
            write(tmp_path / "paper.xls", "PK"): "UNSUPPORTED_TYPE",
            tmp_path / "gone.md": "NOT_FOUND",
        }

        result = papergraph.process(
            "ingest", good.parent, tmp_path / "paper.pdf", tmp_path / "paper.xls", tmp_path / "gone.md", "-c", "mixed"
        )
        good_again = papergraph("ingest", good, "-c", "mixed", "--json")

        assert result.returncode == 4
        assert "8 documents" in result.stdout
        assert "1 added" in result.stdout
        assert "7 refused" in result.stdout
        for path, reason in bad.items():
            (line,) = [line for line in result.stderr.splitlines() if str(path) in line]
            assert line.endswith(f"[{reason}]"), line
        assert (good_again.returncode, good_again.stderr) == (0, "")
        (item,) = json.loads(good_again.stdout)["items"]
        assert (item["source"], item["key"], item["outcome"]) == (str(good), "doi:10.1000/good", "unchanged")

        exported = papergraph("papers", "export", "https://doi.org/10.1000/Good", "-c", "mixed", "--json")
        assert (exported.returncode, exported.stderr) == (0, "")
        told = json.loads(exported.stdout)
        assert (told["key"], told["format"]) == ("doi:10.1000/good", "md")
        assert told["text"].startswith("---\ntitle: ")

        listed = papergraph("papers", "list", "-c", "mixed", "--json")
        shown = papergraph("papers", "show", "10.1000/good", "-c", "mixed")
        as_json = papergraph("papers", "show", "10.1000/good", "-c", "mixed", "--json")
        assert [(one["key"], one["title"]) for one in json.loads(listed.stdout)] == [
            ("doi:10.1000/good", "A good paper")
        ]
        assert shown.stdout.startswith("A good paper\nkey:      doi:10.1000/good\n")
        assert json.loads(as_json.stdout)["sections"] == [{"title": "A good paper", "level": 1, "n_chunks": 1}]

        deleted = papergraph("papers", "delete", "--yes", "https://doi.org/10.1000/Good", "-c", "mixed")
        unknown = papergraph("papers", "delete", "--yes", "10.1000/good", "-c", "mixed")

        assert (deleted.returncode, deleted.stdout) == (0, "deleted doi:10.1000/good\n")
        assert unknown.returncode == 3
        assert "10.1000/good" in unknown.stderr

    @pytest.mark.slow
    def test_nothing_but_bad_documents_is_status_1(self, papergraph, tmp_path):
        path = write(tmp_path / "empty.md", " \n")

        result = papergraph("ingest", path, "-c", "empty", "--json")

        assert (result.returncode, result.stderr) == (1, "")
        (item,) = json.loads(result.stdout)["items"]
        assert (item["source"], item["outcome"], item["reason"]) == (str(path), None, "EMPTY")

    def test_a_chunker_that_there_is_not_is_answered_with_the_nearest_one(self, papergraph, tmp_path, dead_end):
        result = papergraph("ingest", tmp_path, "--chunker", "sentences", PAPERGRAPH_NEO4J_URI=dead_end)

        assert result.returncode == 2
        assert "Did you mean sentence?" in result.stderr

    @pytest.mark.slow
    def test_papers_are_cut_as_asked_for_and_the_report_says_so(self, papergraph, tmp_path):
        path = write(
            tmp_path / "paper.md", "# Paper\n\nOne two three. Four five six. Seven.\n\n## References\n\n[1] A.\n"
        )

        result = papergraph(
            "ingest", path, "-c", "cut", "--chunker", "sentence", "--max-tokens", "8", "--overlap", "0",
            "--drop-back-matter", "--mask-urls", "--no-trim-stops",
        )  # fmt: skip
        in_words = papergraph("ingest", "--help").stdout

        assert result.returncode == 0
        assert (
            "cut by sentence, at most 8 tokens, 0 tokens of overlap; cleaned: drop-back-matter, mask-urls"
            in result.stdout
        )
        assert all(name in in_words for name in chunkers())

    def test_a_collections_name_is_checked_before_anything_is_opened(self, papergraph, tmp_path, dead_end):
        result = papergraph("ingest", tmp_path, "-c", "No Name", PAPERGRAPH_NEO4J_URI=dead_end)

        assert result.returncode == 2
        assert "'No Name' is not a collection's name" in result.stderr


class TestJobs:
    @pytest.mark.slow
    def test_a_queued_job_is_shown_worked_off_and_forgotten(self, papergraph, tmp_path):
        good = write(tmp_path / "queue" / "good.md", "# A paper in a queue\n\nIt has text.\n")
        bad = write(good.with_name("bad.md"), "a\0b")

        job = json.loads(papergraph("ingest", good.parent, "-c", "queue", "--queue", "--json").stdout)["id"]
        queued = papergraph("jobs", "list")
        again = papergraph("ingest", good.parent, "-c", "queue", "--queue")
        worked = papergraph("worker", "--once", "--quiet")
        shown = papergraph("jobs", "show", job[:8])
        followed = papergraph("jobs", "show", job[:8], "--follow", "--json")
        assert {json.loads(line)["job"]["id"] for line in followed.stdout.splitlines()} == {job}
        listed = json.loads(papergraph("jobs", "list", "--json").stdout)
        forgotten = papergraph("jobs", "delete", job)

        assert job in queued.stdout
        assert "2 queued" in queued.stdout
        advice = "No worker processes jobs. Start papergraph serve or papergraph worker.\n"
        told = f"job {job}: 2 of 2 documents queued\n"
        assert again.stdout in (told + advice, told)  # a worker of an earlier test is known for a while
        assert (worked.returncode, worked.stdout) == (0, "Processed 2 documents.\n")
        assert f"{good}: done, added as file:{good}\n" in shown.stdout
        assert f"{bad}: failed, at parse: " in shown.stdout
        assert [(one["state"], one["states"]) for one in listed if one["id"] == job] == [
            ("done", {"done": 1, "failed": 1})
        ]
        assert (forgotten.returncode, forgotten.stdout) == (0, f"job {job}: 2 documents deleted from the record\n")
        assert papergraph("jobs", "show", job).returncode == 3
        papergraph("papers", "delete", "--yes", good, "-c", "queue")

    @pytest.mark.slow
    def test_a_plan_tells_what_it_would_take_and_a_budget_stops_there(self, papergraph, tmp_path):
        folder = write(tmp_path / "plan" / "a.md", "# Paper a\n\nIt has text.\n").parent
        write(folder / "b.md", "# Paper b\n\nIt has more text.\n")

        told = papergraph("ingest", folder, "-c", "plan", "--estimate")
        part = papergraph("ingest", folder, "-c", "plan", "--budget", "1paper", "--quiet")
        rest = json.loads(papergraph("ingest", folder, "-c", "plan", "--estimate", "--json").stdout)
        both = papergraph("ingest", folder, "-c", "plan", "--estimate", "--budget", "1h")

        assert (told.returncode, told.stdout.splitlines()[0]) == (
            0,
            "2 documents: 2 are new or changed, 0 unchanged",
        )
        assert "language model  0 calls, cost 0" in told.stdout
        assert part.returncode == 6
        assert "paused (the budget of 1 papers is spent): 1 documents remain; run the same command again" in part.stderr
        assert (rest["n_new"], rest["n_unchanged"], rest["papers"]["value"]) == (1, 1, 1)
        assert (both.returncode, "Choose --estimate, --queue, or" in both.stderr) == (2, True)
        papergraph("papers", "delete", "--yes", folder, "-c", "plan")

    @pytest.mark.slow
    def test_an_interrupted_ingestion_says_how_it_goes_on_and_does(self, papergraph, tmp_path):
        for number in range(20):
            text = " ".join(f"Sentence {line} of paper {number} says a little more." for line in range(20))
            write(tmp_path / "long" / f"{number}.md", f"# Paper {number}\n\n{text}\n")
        with papergraph.started("ingest", tmp_path / "long", "-c", "long") as started:
            started.wait_for("loading the embedding model")
            status = started.send(signal.SIGINT, timeout_s=240)
            said = started.output.read_text()

        again = papergraph("ingest", tmp_path / "long", "-c", "long", "--json")

        assert status == 130
        assert "Run the same command again to resume." in said
        assert "Traceback" not in said
        report = json.loads(again.stdout)
        assert len(report["items"]) == 20
        assert report["stopped"] is None
        papergraph("papers", "delete", "--yes", tmp_path / "long", "-c", "long")


@pytest.mark.usefixtures("library")
class TestAsk:
    def test_without_a_server_it_answers_by_itself(self, papergraph):
        result = papergraph("ask", QUESTION, "--json")

        answer = json.loads(result.stdout)
        assert (result.returncode, result.stderr) == (0, "")
        assert not answer["llmGenerated"]
        assert all(f"[{one['number']}]" in answer["text"] for one in answer["citations"])

    @pytest.mark.slow
    def test_beside_a_server_the_answer_comes_with_its_citations_or_says_that_there_is_none(self, beside):
        told = beside("ask", QUESTION)
        refused = beside.process("ask", "Which yeast bakes the fluffiest brioche in a humid kitchen?")
        wrong = beside("ask", QUESTION, "--mode", "guess")

        assert told.returncode == 0, told.stderr
        assert "[1]" in told.stdout and "“" in told.stdout
        assert "no language model wrote this" in told.stderr
        assert refused.returncode == 3
        assert refused.stdout.startswith("The papers do not say: ")
        assert wrong.returncode == 2

    def test_a_question_about_the_graph_shows_its_papers_and_the_query(self, papergraph):
        told = papergraph("ask", "Which papers did Priya Sandhollow write?")

        assert told.returncode == 0, told.stderr
        assert "Dense Passage" in told.stdout and "dense-retrieval-vs-bm25.md" in told.stdout
        assert "rows of the graph, by the query papers" in told.stderr

    @pytest.mark.slow
    def test_a_citation_ends_with_the_file_and_never_with_an_id(self, papergraph):
        told = papergraph("ask", QUESTION)
        as_json = json.loads(papergraph("ask", QUESTION, "--json").stdout)

        files = {one["file"] for one in as_json["citations"]}
        assert files and all(re.search(rf"^    .*{re.escape(file)}", told.stdout, re.MULTILINE) for file in files)
        assert not re.search(r"\b[0-9a-f]{16,}\b", told.stdout)
        assert as_json["namedQuery"] is None

    def test_a_collection_is_told_what_it_is_about(self, beside):
        written = beside("collections", "subject", "main", "quantum computing")
        shown = beside("collections", "list", "--json")
        beside("collections", "subject", "main", "")

        assert written.returncode == 0, written.stderr
        assert {one["name"]: one["subject"] for one in json.loads(shown.stdout)}["main"] == "quantum computing"


class TestSearch:
    @pytest.mark.slow
    def test_without_a_server_it_searches_by_itself(self, papergraph):
        result = papergraph.process("search", QUESTION, "-k", "3", "--json")

        hits = json.loads(result.stdout)["hits"]
        assert (result.returncode, result.stderr, len(hits)) == (0, "", 3)
        assert hits[0]["chunk"]["text"].startswith("A patch of distance 7 uses 97 physical qubits")

    @pytest.mark.slow
    def test_it_explains_and_a_saved_run_gives_the_same_again(self, beside, tmp_path):
        run = tmp_path / "run.json"

        told = beside("search", QUESTION, "-p", "fused", "--set", "search.k=20", "--explain", "--save-run", run)
        assert told.returncode == 0, told.stderr
        same = beside("pipelines", "replay", run)
        kept = json.loads(run.read_text())
        run.write_text(json.dumps(kept | {"hits": kept["hits"][::-1]}))
        other = beside("pipelines", "replay", run, "--json")

        assert "1. search" in told.stdout and "retrieval/vector_top_k" in told.stdout
        assert "not higher: " in told.stdout
        assert (same.returncode, same.stdout) == (0, "the same 10 hits\n")
        assert other.returncode == 1
        assert json.loads(other.stdout) == {"same": False, "differences": ["the same hits come in another order"]}

    def test_a_selection_tells_its_certificate(self, beside):
        options = ["--select", "max_per_paper=1", "--select", "form=pairs", "--select", "pool=40"]
        told = beside("search", QUESTION, "-k", "4", "--diverse", "0.7", *options, "--explain")
        wrong = beside("search", QUESTION, "--select", "pol=40")

        assert told.returncode == 0, told.stderr
        assert "3. fuse" in told.stdout and "7. select" in told.stdout
        assert "selection: 4 passages, objective" in told.stdout
        assert "chosen: was " in told.stdout
        assert wrong.returncode == 2 and "a selection has no option 'pol'; it has k, pool, alpha" in wrong.stderr

    def test_it_looks_among_the_papers_of_a_filter(self, beside):
        told = beside("search", QUESTION, "--filter", '{"authors": ["Noor Winterbourne"]}', "--json")
        wrong = beside("search", QUESTION, "--filter", '{"author": ["Noor Winterbourne"]}')

        found = json.loads(told.stdout)
        assert {hit["paper"]["title"] for hit in found["hits"]} == {"Surface Codes and Their Logical Error Rates"}
        assert found["filter"]["filter"] == "authors Noor Winterbourne"
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert "did you mean authors?" in wrong.stderr

    def test_pipelines_are_listed_and_shown_as_a_file_would_have_them(self, papergraph, tmp_path):
        listed = json.loads(papergraph("pipelines", "list", "--json").stdout)
        shown = papergraph("pipelines", "show", "m8").stdout
        (tmp_path / "mine.toml").write_text(shown.replace("[m8]", "[pipelines.mine]"))
        mine = papergraph("pipelines", "show", "mine", PAPERGRAPH_CONFIG=str(tmp_path / "mine.toml"))
        unknown = papergraph("pipelines", "show", "m9")

        assert listed["m8"]["needs"] == ["language model", "reranker"]
        assert mine.stdout == shown.replace("[m8]", "[mine]")
        assert (unknown.returncode, unknown.stdout) == (2, "")
        assert unknown.stderr.startswith("error: There is no pipeline 'm9'; did you mean 'm")

    def test_queries_of_the_library_are_run_with_their_own_values_or_others(self, beside, library):
        table = beside("queries", "run", "coauthors", "--param", "limit=1")
        found = beside("queries", "run", "coauthors", "--param", "limit=2", "--json")
        nothing = beside("queries", "run", "who_works_on", "--param", "entity=nothing at all")
        unknown, no_pair = beside("queries", "run", "coauthor"), beside("queries", "run", "coauthors", "--param", "x")

        assert table.returncode == 0, table.stderr
        assert table.stdout.split()[:3] == ["author", "coauthor", "n_papers"]
        assert [list(row) for row in json.loads(found.stdout)] == [
            ["author", "coauthor", "n_papers", "since", "until"]
        ] * 2
        assert (nothing.returncode, nothing.stdout) == (3, "")
        assert 'nothing found; by default collection="main", limit=10, for others give --param' in nothing.stderr
        assert unknown.returncode == 3 and "There is no named query 'coauthor'" in unknown.stderr
        assert no_pair.returncode == 2 and "'x' is not NAME=VALUE, such as limit=5" in no_pair.stderr

    @pytest.mark.slow
    def test_with_a_server_it_is_fast(self, beside):
        times = []
        for _ in range(3):
            start = time.monotonic()
            result = beside.process("search", QUESTION, "--json")
            times.append(time.monotonic() - start)
            assert (result.returncode, len(json.loads(result.stdout)["hits"])) == (0, 10)

        print(f"search against a running server: {', '.join(f'{s:.2f}' for s in times)} s")
        assert min(times) < 8

    def test_hits_are_shown_with_where_they_stand(self, beside):
        result = beside("search", QUESTION)

        assert result.returncode == 0
        assert " 1. Surface Codes and Their Logical Error Rates > Results > Overhead  (vector 1, " in result.stdout
        assert "A patch of distance 7 uses 97 physical qubits" in result.stdout
        assert "10. " in result.stdout

    @pytest.mark.parametrize(
        ("arguments", "status", "message"),
        [
            (["qubits", "-c", "unsearched"], 3, "nothing found"),
            ([" "], 2, "error: query: It is empty; write some text"),
            (["x" * 4001], 2, "at most 4000"),
            (["qubits", "-k", "101"], 2, "k: Input should be less than or equal to 100"),
            (["qubits", "-c", "nowhere"], 3, "There is no collection 'nowhere'"),
        ],
        ids=["nothing", "empty", "long", "k", "collection"],
    )
    def test_what_cannot_be_answered_has_its_status(self, beside, arguments, status, message):
        result = beside("search", *arguments)

        assert (result.returncode, result.stdout) == (status, "")
        assert message in result.stderr

    @pytest.mark.slow
    def test_the_statuses_are_the_same_without_a_server(self, papergraph):
        nothing = papergraph.process("search", "qubits", "-c", "unsearched", "--json")
        empty = papergraph("search", "", "--quiet")

        assert (nothing.returncode, json.loads(nothing.stdout)) == (
            3,
            {
                "hits": [],
                "pipeline": "default",
                "queries": [{"text": "qubits", "origin": "query"}],
                **dict.fromkeys(("filter", "selection", "draft", "trace", "run")),
                "warnings": [],
            },
        )
        assert (empty.returncode, empty.stdout) == (2, "")
        assert empty.stderr == "error: query: It is empty; write some text\n"

    def test_a_server_can_be_named(self, papergraph, server, dead_end):
        url = f"http://127.0.0.1:{server.port}/"

        found = papergraph("search", QUESTION, "-k", "3", "--server", url, "--json", PAPERGRAPH_NEO4J_URI=dead_end)
        told = papergraph("ask", QUESTION, "--server", url, PAPERGRAPH_NEO4J_URI=dead_end)
        gone = papergraph("search", QUESTION, "--server", f"http://127.0.0.1:{free_port()}")
        wrong = papergraph("search", QUESTION, "--server", "file:///etc")

        assert (found.returncode, len(json.loads(found.stdout)["hits"])) == (0, 3), found.stderr
        assert told.returncode == 0 and "[1]" in told.stdout
        assert (gone.returncode, wrong.returncode) == (5, 2)
        assert "'file:///etc' is not the URL of a server" in wrong.stderr

    def test_a_server_on_another_neo4j_is_not_asked(self, beside, dead_end):
        assert beside("search", QUESTION, PAPERGRAPH_NEO4J_URI=dead_end).returncode == 5


@pytest.mark.slow
def test_the_checksum_is_one_number(papergraph, library):
    checksum, again = papergraph.process("db", "checksum"), papergraph("db", "checksum", "--json")

    assert checksum.returncode == 0
    assert re.fullmatch(r"[0-9a-f]{64}\n", checksum.stdout)
    counts = json.loads(again.stdout)
    assert counts["sha256"] == checksum.stdout.strip()
    assert counts["nodes"] > counts["vectors"] > 100


class TestQuestions:
    @pytest.mark.slow
    def test_a_store_without_questions_says_so(self, beside):
        listed = beside("questions", "list")
        report = beside("questions", "stats", "--json")
        rejected = beside("questions", "reject", "0" * 64)

        assert (listed.returncode, listed.stdout) == (0, "")
        assert json.loads(report.stdout)["n_questions"] == 0
        assert (rejected.returncode, rejected.stdout) == (3, "")
        assert "There is no question" in rejected.stderr


class TestDoctor:
    def test_a_healthy_graph_is_status_0_with_what_the_store_is(self, papergraph, library):
        result = papergraph("doctor", "--quiet")

        assert (result.returncode, result.stderr) == (0, "")
        assert re.match(r"Neo4j 20\d\d\.\d\d\.\d, schema \d+, (\d+) of \1 indexes online\n", result.stdout)
        assert re.search(r"^\d+ checks in [\d.]+ s: nothing is wrong$", result.stdout, re.MULTILINE)

    @pytest.mark.slow
    @pytest.mark.writes_by_hand
    def test_a_fault_is_status_1_until_it_is_mended(self, papergraph, database, tmp_path):
        path = write(tmp_path / "a.md", "# Tides\n\nWe study tides.\n\n## Result\n\nIt is wet.\n")
        assert papergraph("ingest", path).returncode == 0
        papergraph("db", "shell", "--write", "-e", "MATCH ()-[next:NEXT_CHUNK]->() DELETE next")

        found = papergraph("doctor")
        as_json = json.loads(papergraph("doctor", "--json").stdout)
        mended = papergraph("doctor", "--fix")
        again = papergraph("doctor", "--fix", "--json")

        assert found.returncode == 1
        assert re.search(r"next_gap +│ 1 +│ Chunks that are not linked .*│ papergraph doctor --fix", found.stdout)
        assert re.search(rf"next_gap: \w{{64}} number 0 has no link .*from {path}\)", found.stdout)
        assert as_json["healthy"] is False
        assert [(finding["check"], finding["n"]) for finding in as_json["findings"]] == [("next_gap", 1)]
        assert as_json["findings"][0]["examples"][0]["source"] == str(path)
        assert mended.returncode == 0
        assert "next_gap: 1 linked" in mended.stdout
        assert (again.returncode, json.loads(again.stdout)["repairs"]) == (0, [])

    @pytest.mark.slow
    def test_what_cannot_be_looked_at_is_status_5(self, papergraph, dead_end):
        result = papergraph.process("doctor", PAPERGRAPH_NEO4J_URI=dead_end)

        assert (result.returncode, result.stdout) == (5, "")
        assert f"no Neo4j answers at {dead_end}" in result.stderr


class TestServe:
    @pytest.mark.slow
    def test_an_open_address_is_refused_before_neo4j_is_touched(self, papergraph, dead_end):
        result = papergraph("serve", "--host", "0.0.0.0", PAPERGRAPH_NEO4J_URI=dead_end)  # noqa: S104

        assert result.returncode == 2
        assert "is not allowed without API keys" in result.stderr

    @pytest.mark.slow
    def test_a_port_that_is_taken_is_told_before_neo4j_is_touched(self, papergraph, server, dead_end):
        result = papergraph("serve", "--port", str(server.port), PAPERGRAPH_NEO4J_URI=dead_end)

        assert result.returncode == 2
        assert f"Port {server.port} on 127.0.0.1 is in use. Choose another with --port." in result.stderr

    @pytest.mark.slow
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_it_ends_cleanly_when_told_to(self, papergraph, number):
        with papergraph.started("serve", "--port", str(free_port())) as started:
            started.wait_for("serving; Ctrl-C stops")
            word = papergraph.home / "serve.json"
            assert json.loads(word.read_text())["pid"] == started.process.pid

            status = started.send(number, timeout_s=15)

        assert status == 0
        assert not word.exists()
        assert "Traceback" not in started.output.read_text()

    @pytest.mark.slow
    def test_it_can_be_interrupted_while_it_starts(self, papergraph):
        with papergraph.started("serve", "--port", str(free_port())) as started:
            started.wait_for("loading the embedding model")
            start = time.monotonic()
            status = started.send(signal.SIGINT, timeout_s=240)  # the model is loaded to its end

        print(f"Ctrl-C while the model is loaded: {time.monotonic() - start:.1f} s")
        assert status == 130
        assert started.output.read_text().endswith("interrupted\n")


class TestNeo4j:
    def test_a_wrong_address_is_status_5_with_what_to_do(self, papergraph, dead_end):
        result = papergraph("db", "checksum", PAPERGRAPH_NEO4J_URI=dead_end)

        assert result.returncode == 5
        assert f"no Neo4j answers at {dead_end}" in result.stderr
        assert "PAPERGRAPH_NEO4J_URI" in result.stderr
        assert "Traceback" not in result.stderr

    def test_a_wrong_password_is_status_5_with_what_to_do(self, papergraph):
        result = papergraph("db", "checksum", PAPERGRAPH_NEO4J_PASSWORD="wrong")

        assert result.returncode == 5
        assert "refuses user 'neo4j': set PAPERGRAPH_NEO4J_USER and PAPERGRAPH_NEO4J_PASSWORD" in result.stderr
        assert "wrong" not in result.stderr

    def test_what_is_no_address_is_status_5_with_what_to_do(self, papergraph):
        result = papergraph("db", "checksum", PAPERGRAPH_NEO4J_URI="localhost:7687")

        assert result.returncode == 5
        assert "'localhost:7687' is not an address of a Neo4j" in result.stderr

    @pytest.mark.parametrize(
        ("bolt", "found"),
        [(b"\x00\x00\x08\x05", "5.26.0"), (b"\x00\x00\x00\x05", "5.6 or older"), (b"\x00\x00\x04\x04", "5.6 or older")],
        ids=["Bolt 5.8", "Bolt 5.0", "Bolt 4.4"],
    )
    def test_an_older_neo4j_is_refused_with_both_versions(self, papergraph, bolt, found):
        with OldNeo4j(bolt) as uri:
            result = papergraph("db", "checksum", PAPERGRAPH_NEO4J_URI=uri)

        assert result.returncode == 5
        assert f"Neo4j {found} is not supported: papergraph needs 2026.09 or newer" in result.stderr
        assert "unset PAPERGRAPH_NEO4J_URI" in result.stderr


def test_the_schema_is_the_committed_file(papergraph):
    assert papergraph("dev", "schema").stdout == Path("schema/schema.graphql").read_text() == sdl()


class OldNeo4j:
    """Speaks just enough Bolt, of a version, to say that it is a Neo4j 5.26."""

    SUCCESS = b"\xb1\x70\xa2\x86server\x8cNeo4j/5.26.0\x8dconnection_id\x86bolt-1"
    GOODBYE = 0x02

    def __init__(self, bolt: bytes) -> None:
        class Conversation(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                assert self.rfile.read(20).startswith(b"\x60\x60\xb0\x17")
                self.wfile.write(bolt)
                while length := int.from_bytes(self.rfile.read(2)):
                    message = self.rfile.read(length + 2)
                    if message[1] == OldNeo4j.GOODBYE:
                        return
                    self.wfile.write(len(OldNeo4j.SUCCESS).to_bytes(2) + OldNeo4j.SUCCESS + b"\x00\x00")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Conversation)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"bolt://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class TestEntities:
    @pytest.mark.slow
    def test_what_is_given_is_listed_linked_and_decided_about(self, papergraph, tmp_path):
        paper = write(tmp_path / "glow.md", "# Glow\n\nGlowNet beats ShineNet on Sea.\n")
        given = write(
            tmp_path / "given.jsonl",
            json.dumps(
                {"_id": "glow.md", "entities": ["GlowNet", "ShineNet"], "triples": [["GlowNet", "beats", "ShineNet"]]}
            ),
        )
        assert papergraph("ingest", str(paper), "--collection", "glow").returncode == 0

        loaded = papergraph(
            "entities", "import", str(given), "--prefix", f"file:{paper.parent}/", "--collection", "glow", "--json"
        )
        decided = papergraph("entities", "merge", "glownet", "ShineNet", "--collection", "glow")
        shown = papergraph("entities", "show", "GLOWNET", "--collection", "glow", "--json")
        linked = papergraph("entities", "link", "Is shinenet good?", "--collection", "glow")
        missing = papergraph("entities", "show", "Nobody", "--collection", "glow")
        papergraph("papers", "delete", "--yes", str(paper), "--collection", "glow")

        assert json.loads(loaded.stdout)["n_mentions"] == 2, loaded.stdout + loaded.stderr
        assert decided.stdout == "GlowNet and ShineNet are same\n"
        found = json.loads(shown.stdout)
        assert [(one["name"], one["evidence"]) for one in found["same"]] == [("ShineNet", "review")]
        assert [(one["start"], one["type"], one["end"]) for one in found["related"]] == [
            ("GlowNet", "beats", "ShineNet")
        ]
        assert linked.stdout.startswith("shinenet  ->  ShineNet")
        assert missing.returncode == 3


@pytest.mark.slow
def test_papers_are_listed_as_pairs_merged_split_and_marked_as_different(papergraph, tmp_path):
    for name, day in (("one", "Monday"), ("two", "Friday")):
        write(tmp_path / f"{name}.md", f"# On the tides of a small sea\n\nWe measure them on {day}.\n")
    at = ("--collection", "pairs")
    assert papergraph("ingest", str(tmp_path), *at).returncode == 0
    one, two = str(tmp_path / "one.md"), str(tmp_path / "two.md")

    listed = [papergraph("papers", "pairs", *at).stdout]
    merged = papergraph("papers", "merge", one, two, *at)
    listed.append(papergraph("papers", "pairs", *at).stdout)
    parted = papergraph("papers", "split", one, *at, "--json")
    for more in ([], ["--undo"]):
        papergraph("papers", "merge", one, two, "--different", *more, *at)
        listed.append(papergraph("papers", "pairs", *at).stdout)
    asked = papergraph("papers", "corrections", one, *at)
    papergraph("papers", "delete", "--yes", str(tmp_path), *at)

    assert [text.count("same title") for text in listed] == [1, 0, 0, 1], listed
    assert "one.md" in merged.stdout and "two.md" in merged.stdout, merged.stderr
    assert len(json.loads(parted.stdout)["sources"]) == 1, parted.stderr
    assert "PAPERGRAPH_FETCH_CATALOGUES" in asked.stderr, asked
