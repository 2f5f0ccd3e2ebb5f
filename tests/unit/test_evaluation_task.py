"""Data folders as they may look, each written in the test."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import FileContentError
from papergraph.evaluation.queries import Evidence, Judged, Span, Subtopics
from papergraph.evaluation.task import Task, read_task

CORPUS = [
    {"_id": "a", "title": "Annealing", "text": "A slow descent."},
    {"_id": "b", "title": "Tabu", "text": "A list of moves."},
    {"_id": "c", "title": "", "text": "No title here."},
]
QUERIES = [{"_id": "1", "text": "slow descent"}, {"_id": "2", "text": "moves"}, {"_id": "3", "text": "not judged"}]
QRELS = [("1", "a", "2"), ("1", "b", "1"), ("2", "b", "1"), ("2", "c", "0")]
TASK: dict[str, Any] = {
    "name": "small",
    "corpus": "corpus.jsonl",
    "text_fields": ["title", "text"],
    "splits": {"test": {"queries": "queries.jsonl", "qrels": "qrels.tsv"}},
    "default_split": "test",
    "query": "text",
    "unit": "document",
    "pool": False,
    "gold": None,
    "relevance_threshold": 1,
    "measures": ["nDCG@10"],
}


def write_jsonl(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_bytes("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode())


def write_qrels(path: Path, rows: list[tuple[str, str, str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join("\t".join(row) for row in [("query-id", "corpus-id", "score"), *rows]) + "\n")


def write_folder(folder: Path, task: Mapping[str, Any] | None = None) -> None:
    """Write the small corpus, its queries and qrels, and a task file with these changes; None for no task file."""
    write_jsonl(folder / "corpus.jsonl", CORPUS)
    write_jsonl(folder / "queries.jsonl", QUERIES)
    write_qrels(folder / "qrels.tsv", QRELS)
    if task is not None:
        (folder / "task.json").write_text(json.dumps(TASK | task))


def read(folder: Path, **changes: Any) -> Task:
    write_folder(folder, changes)
    return read_task(folder)


def without_qrels(**changes: Any) -> dict[str, Any]:
    return {"splits": {"test": {"queries": "queries.jsonl", "qrels": None}}, **changes}


def judged(task: Task, number: int) -> Judged:
    gold = task.queries[number].gold
    assert isinstance(gold, Judged)
    return gold


class TestCorpus:
    def test_a_title_stands_on_a_line_of_its_own_in_what_is_ingested_and_before_a_blank_in_the_text(self, tmp_path):
        first, _, untitled = read(tmp_path).documents

        assert (first.text, first.file_text) == ("Annealing A slow descent.", "Annealing\n\nA slow descent.")
        assert (untitled.text, untitled.file_text) == ("No title here.", "No title here.")

    def test_the_shift_takes_an_offset_of_the_file_to_the_text(self, tmp_path):
        write_folder(tmp_path, {})
        write_jsonl(tmp_path / "corpus.jsonl", [{"_id": "a", "title": "Two \n words", "text": "The evidence."}])
        write_qrels(tmp_path / "qrels.tsv", [("1", "a", "1")])

        (document,) = read_task(tmp_path).documents

        place = document.file_text.index("evidence") + document.shift
        assert document.text.startswith("evidence", place)

    def test_fields_may_be_lists_of_strings_or_of_objects_with_text(self, tmp_path):
        write_folder(tmp_path, {"text_fields": ["title", "sentences", "facets"]})
        record = {"_id": "a", "title": "T", "sentences": ["One.", "Two."], "facets": [{"facet": "x", "text": "Three."}]}
        write_jsonl(tmp_path / "corpus.jsonl", [record, {**CORPUS[1], "sentences": None}])

        first, second = read_task(tmp_path).documents

        assert (first.text, second.text) == ("T One. Two. Three.", "Tabu")

    def test_several_files_are_read_one_after_the_other(self, tmp_path):
        write_jsonl(tmp_path / "more.jsonl", [{"_id": "d", "title": "More", "text": "x"}])

        task = read(tmp_path, corpus=["corpus.jsonl", "more.jsonl"])

        assert [document.id for document in task.documents] == ["a", "b", "c", "d"]
        assert [source.name for source in task.sources] == ["corpus.jsonl", "more.jsonl"]

    def test_an_alternative_corpus_is_taken_by_name(self, tmp_path):
        write_jsonl(tmp_path / "large.jsonl", [*CORPUS, {"_id": "d", "title": "More", "text": "x"}])
        write_folder(tmp_path, {"alternatives": {"large": "large.jsonl"}})

        assert len(read_task(tmp_path, corpus="large").documents) == 4
        with pytest.raises(FileContentError, match="no alternative corpus 'huge'; those there are: large"):
            read_task(tmp_path, corpus="huge")

    def test_only_a_line_feed_ends_a_record(self, tmp_path):
        write_folder(tmp_path, {})
        text = "one\u2028two\u0085three\x0bfour"
        first_line = json.dumps({"_id": "a", "title": "T", "text": text}, ensure_ascii=False)
        (tmp_path / "corpus.jsonl").write_bytes(f"{first_line}\r\n{json.dumps(CORPUS[1])}".encode())

        first, _ = read_task(tmp_path).documents

        assert first.body == text

    def test_the_checksum_tells_corpora_apart_and_not_tasks(self, tmp_path):
        one = read(tmp_path)
        other_task = read(tmp_path, name="other", measures=["recall@5"])
        write_jsonl(tmp_path / "corpus.jsonl", [{**CORPUS[0], "text": "A slow descent!"}, *CORPUS[1:]])
        other_corpus = read_task(tmp_path)

        assert one.checksum == other_task.checksum != other_corpus.checksum

    def test_a_document_without_text_is_noted(self, tmp_path):
        write_folder(tmp_path, {})
        write_jsonl(tmp_path / "corpus.jsonl", [*CORPUS, {"_id": "d", "title": " ", "text": ""}])

        assert read_task(tmp_path).notes == ("1 documents without text, never found: d",)

    def test_identifiers_may_stand_in_another_field(self, tmp_path):
        write_folder(tmp_path, {"id": "key"})
        write_jsonl(tmp_path / "corpus.jsonl", [{"key": n, **document} for n, document in enumerate(CORPUS)])
        write_jsonl(tmp_path / "queries.jsonl", [{"key": 7, "text": "slow"}])
        write_qrels(tmp_path / "qrels.tsv", [("7", "0", "1")])

        task = read_task(tmp_path)

        assert [document.id for document in task.documents] == ["0", "1", "2"]
        assert judged(task, 0).relevant == {"0"}


class TestQueries:
    def test_those_with_nothing_right_are_left_out(self, tmp_path):
        task = read(tmp_path, relevance_threshold=1)

        assert [query.id for query in task.queries] == ["1", "2"]
        assert task.notes == ()  # the third was never judged, so nothing is wrong with it

    def test_a_judged_query_without_anything_right_is_noted(self, tmp_path):
        write_folder(tmp_path, {})
        write_qrels(tmp_path / "qrels.tsv", [*QRELS, ("3", "a", "0"), ("9", "a", "1")])

        notes = read_task(tmp_path).notes

        assert notes == (
            "1 queries left out: nothing right, or no text: 3",
            "1 queries left out: judged, but not in the file of queries: 9",
        )

    def test_the_text_may_be_joined_from_fields(self, tmp_path):
        write_folder(tmp_path, {"query": ["text", "more"]})
        write_jsonl(tmp_path / "queries.jsonl", [{"_id": "1", "text": "slow", "more": "descent"}])

        assert read_task(tmp_path).queries[0].text == "slow descent"

    def test_nested_queries_are_numbered_and_inherit_their_record(self, tmp_path):
        changes = without_qrels(
            query={"nested": "qas", "text": "question"}, gold={"field": "_id", "matches": "_id"}, within_gold=True
        )
        write_folder(tmp_path, changes)
        records = [{"_id": "b", "qas": [{"question": "which list?"}, {"question": "which moves?"}]}]
        write_jsonl(tmp_path / "queries.jsonl", records)

        one, two = read_task(tmp_path).queries

        assert [(q.id, q.text, q.within) for q in (one, two)] == [
            ("b#0", "which list?", ("b",)),
            ("b#1", "which moves?", ("b",)),
        ]

    def test_a_paper_as_query_is_left_out_of_its_own_ranking_and_of_its_pool(self, tmp_path):
        write_folder(tmp_path, {"query": {"paper_facet": ["paper", "facet"]}, "pool": True})
        write_jsonl(tmp_path / "queries.jsonl", [{"_id": "1", "paper": "a", "facet": "method"}])

        (query,) = read_task(tmp_path).queries

        assert (query.text, query.left_out, query.within) == ("Annealing A slow descent.", "a", ("b",))

    def test_a_pool_is_what_was_judged(self, tmp_path):
        task = read(tmp_path, pool=True)

        assert [query.within for query in task.queries] == [("a", "b"), ("b", "c")]

    def test_without_a_pool_all_documents_are_ranked(self, tmp_path):
        assert [query.within for query in read(tmp_path).queries] == [None, None]


class TestGold:
    def test_grades_are_gains_and_the_threshold_says_what_is_relevant_without_them(self, tmp_path):
        gold = judged(read(tmp_path, relevance_threshold=2), 0)

        assert gold.gains == {"a": 2, "b": 1}
        assert gold.relevant == {"a"}

    def test_fractions_stay_exact(self, tmp_path):
        write_folder(tmp_path, {"relevance_threshold": 1.0})
        write_qrels(tmp_path / "qrels.tsv", [("1", "a", "0.8667"), ("1", "b", "1.0")])

        gold = judged(read_task(tmp_path), 0)

        assert gold.gains == {"a": Decimal("0.8667"), "b": Decimal(1)}
        assert gold.relevant == {"b"}

    def test_relevant_scores_replace_the_threshold_and_the_grades(self, tmp_path):
        write_folder(tmp_path, {"relevance_threshold": None, "relevant_scores": [1, 2]})
        write_qrels(tmp_path / "qrels.tsv", [("1", "a", "1"), ("1", "b", "-1"), ("1", "c", "5"), ("2", "b", "2")])

        task = read_task(tmp_path)

        assert judged(task, 0).gains == {"a": 1, "b": 0, "c": 0}
        assert [judged(task, number).relevant for number in (0, 1)] == [{"a"}, {"b"}]

    def test_a_field_names_documents_by_one_of_theirs(self, tmp_path):
        write_folder(tmp_path, without_qrels(gold={"field": "titles", "matches": "title"}))
        records = [{"_id": "1", "text": "x", "titles": ["Tabu", "Gone"]}, {"_id": "2", "text": "y", "titles": "Tabu"}]
        write_jsonl(tmp_path / "queries.jsonl", records)

        task = read_task(tmp_path)

        assert [judged(task, number).relevant for number in (0, 1)] == [{"b", "Gone"}, {"b"}]
        assert task.notes == ("1 right documents that are not in the corpus: Gone",)

    def test_subtopics_have_documents_of_their_own(self, tmp_path):
        write_folder(tmp_path, without_qrels(gold={"subtopics": "parts", "relevant": "docs"}))
        records = [{"_id": "1", "text": "x", "parts": [{"docs": ["a"]}, {"docs": ["a", "b"]}]}]
        write_jsonl(tmp_path / "queries.jsonl", records)

        assert read_task(tmp_path).queries[0].gold == Subtopics({"0": frozenset("a"), "1": frozenset("ab")})

    def evidence(self, folder: Path, *records: dict[str, Any]) -> Task:
        gold = {"doc": "doc", "start": "start", "evidence": "evidence"}
        write_folder(folder, without_qrels(gold=gold, unit="chunk", measures=["hit@5"]))
        write_jsonl(folder / "queries.jsonl", [{"_id": str(n), "text": "x", **r} for n, r in enumerate(records)])
        return read_task(folder)

    def test_evidence_stands_where_it_is_said_to(self, tmp_path):
        task = self.evidence(tmp_path, {"doc": "a", "start": 12, "evidence": "slow"})

        assert task.asks_for_evidence
        assert task.queries[0].gold == Evidence((Span("a", 12, 16),))

    def test_evidence_without_a_start_stands_where_it_first_occurs(self, tmp_path):
        task = self.evidence(tmp_path, {"doc": "c", "start": None, "evidence": "e"})

        assert task.queries[0].gold == Evidence((Span("c", 7, 8),))

    def test_of_several_spans_each_is_kept(self, tmp_path):
        record = {"doc": ["a", "b"], "start": [10, None], "evidence": ["A slow", "list"]}

        task = self.evidence(tmp_path, record)

        assert task.queries[0].gold == Evidence((Span("a", 10, 16), Span("b", 7, 11)))

    def test_evidence_that_is_not_there_is_left_out_and_noted(self, tmp_path):
        good = {"doc": "a", "start": 12, "evidence": "slow"}

        task = self.evidence(tmp_path, good, {**good, "start": 13}, {**good, "doc": "z"})

        assert [query.id for query in task.queries] == ["0"]
        assert task.notes[0].startswith("2 pieces of evidence left out")

    @pytest.mark.parametrize(
        ("start", "end", "covered"), [(0, 15, True), (0, 14, False), (15, 99, True), (16, 99, False)]
    )
    def test_half_of_a_span_is_enough(self, start, end, covered):
        assert Span("a", 10, 20).is_covered_by(Span("a", start, end)) == covered
        assert not Span("a", 10, 20).is_covered_by(Span("b", start, end))


class TestMeasures:
    def test_those_of_answers_are_skipped_with_the_reason(self, tmp_path):
        task = read(tmp_path, answer="answer", measures=["ROUGE-L", "nDCG%20", "F1"])

        assert [measure.name for measure in task.measures] == ["nDCG%20"]
        assert task.skipped == dict.fromkeys(
            ["ROUGE-L", "F1"], "it measures answers, which papergraph eval answers computes"
        )


class TestBeir:
    def test_a_folder_without_a_task_file_is_read_as_beir(self, tmp_path):
        write_folder(tmp_path)

        task = read_task(tmp_path)

        assert (task.name, task.split) == (tmp_path.name, "test")
        assert [measure.name for measure in task.measures] == ["nDCG@10", "recall@100", "MRR@10"]
        assert [query.id for query in task.queries] == ["1", "2"]

    def test_a_split_is_a_file_of_qrels(self, tmp_path):
        write_folder(tmp_path)
        (tmp_path / "qrels.tsv").unlink()
        write_qrels(tmp_path / "qrels" / "dev.tsv", [("2", "b", "1")])

        assert [query.id for query in read_task(tmp_path).queries] == ["2"]
        assert read_task(tmp_path, split="dev").split == "dev"
        with pytest.raises(FileContentError, match="no split 'train', only dev"):
            read_task(tmp_path, split="train")


class TestWhatIsWrong:
    def test_no_folder(self, tmp_path):
        with pytest.raises(FileContentError, match="no such folder"):
            read_task(tmp_path / "gone")

    def test_neither_layout(self, tmp_path):
        with pytest.raises(FileContentError, match="holds neither task"):
            read_task(tmp_path)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"unit": "sentence"}, "unit: Input should be 'document', 'passage' or 'chunk'"),
            ({"measures": ["nDCG"]}, "measure 'nDCG' is not known"),
            ({"corpus": "gone.jsonl"}, "gone.jsonl: cannot be read: No such file"),
            ({"text_fields": ["abstract"]}, "no document has the text field 'abstract'"),
            ({"text_fields": []}, "text_fields is empty"),
            ({"id": "key"}, r"corpus.jsonl:1: the record has no identifier 'key'"),
            ({"default_split": "dev"}, "no split 'dev', only test"),
            (without_qrels(), "no qrels, and there is no gold"),
            (
                {"corpus": ["corpus.jsonl", "corpus.jsonl"]},
                "corpus.jsonl:1: the id 'a' is already taken",
            ),
        ],
    )
    def test_a_task_file_that_cannot_be_followed(self, tmp_path, changes, message):
        with pytest.raises(FileContentError, match=message):
            read(tmp_path, **changes)

    def test_an_entry_that_nothing_reads_is_noted(self, tmp_path):
        assert read(tmp_path, colour="blue").notes == ("1 entries of task.json that nothing reads: colour",)

    @pytest.mark.parametrize("line", ["1\ta", "1\ta\tgood", "1 a 1", "1\ta\tNaN"])
    def test_a_line_of_qrels_that_cannot_be_read_is_named(self, tmp_path, line):
        write_folder(tmp_path, {})
        (tmp_path / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n1\ta\t1\n{line}\n")

        with pytest.raises(FileContentError, match=r"qrels.tsv:3: is not query, document and score"):
            read_task(tmp_path)

    @pytest.mark.parametrize("line", [b"{", b"[]", b"\xff"])
    def test_a_line_of_json_that_cannot_be_read_is_named(self, tmp_path, line):
        write_folder(tmp_path, {})
        (tmp_path / "queries.jsonl").write_bytes(line + b"\n")

        with pytest.raises(FileContentError, match=r"queries.jsonl:1: is not "):
            read_task(tmp_path)
