"""Drafts: sentences with the entries that they cite, and the verdict of the cited paper."""

import pytest
from typer.testing import CliRunner

from papergraph.cli.commands import check
from papergraph.errors import InputError
from papergraph.server.answers.draft import DraftVerdict, read_draft, verdict_on
from tests.support.records import sources

BIB = """
@article{glover1989, author={Glover, Fred}, title={Tabu search, part one}, year={1989}, doi={10.1000/182}}
@article{smith2019, author={Smith, A. and Jones, B. and Lee, C.}, title={Dogs at night}, year={2019}}
"""
MARKDOWN = """# My draft

## Intro

Tabu search is slower than annealing [@glover1989; @kirk83], while it needs no temperature [see @doe2020, p. 3].
Smith et al. (2019) found that dogs bark more at night. Nothing is cited in this sentence.
As shown in [1], cats bark less by day. They purr at noon.[1]

## References

[1] A. Writer. The nice title of it. 2001.
"""
LATEX = r"""\documentclass{article}\begin{document}\section{Intro}
Tabu search is slower than annealing~\cite{glover1989,kirk83}, while it needs no temperature~\citep[see][p. 3]{doe2020}.
\citet{smith2019} found that dogs bark more at night. Nothing is cited in this sentence. % \cite{hidden}
As shown in \cite[p. 2]{w}, cats bark less by day. They purr at noon~\cite{w}.
\end{document}"""
CLAIMS = [
    "Tabu search is slower than annealing, while it needs no temperature.",
    "Found that dogs bark more at night.",
    "Nothing is cited in this sentence.",
    "Cats bark less by day.",
    "They purr at noon.",
]


@pytest.mark.parametrize(
    ("name", "text", "last"),
    [
        ("a.md", MARKDOWN, "1"),
        pytest.param("a.tex", LATEX, "w", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("bibliography", [BIB, ""])
def test_a_draft_is_read_as_sentences_with_what_they_cite(name: str, text: str, last: str, bibliography: str):
    found = read_draft(name, text.encode(), bibliography)

    named = bibliography or name == "a.tex"
    assert [one.claim for one in found][2:] == CLAIMS[2:]
    assert found[0].claim == CLAIMS[0]
    assert [[entry.label for entry, _ in one.cited] for one in found] == [
        ["glover1989", "kirk83", "doe2020"],
        ["smith2019"] if named else [],
        [],
        [last],
        [last],
    ]
    assert [clause for _, clause in found[0].cited] == [
        "Tabu search is slower than annealing",
        "Tabu search is slower than annealing",
        "It needs no temperature.",
    ]
    entry = found[0].cited[0][0]
    assert (entry.doi, entry.title) == (("10.1000/182", "Tabu search, part one") if bibliography else (None, None))


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(InputError, match=r"\.md"):
        read_draft("a.pdf", b"%PDF")


PAPER = (
    "Tabu search reached a gap of 1.5 % within ten minutes on all instances. Its memory may shorten the search on "
    "large graphs. The choice of the tenure did not change the result. Annealing was faster than tabu search."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Tabu search reached a gap of 1.5 % within ten minutes.", DraftVerdict.SUPPORTED),
        ("We use tabu search.", DraftVerdict.UNCHECKED),
        ("Glover et al. showed that tabu search reached a gap of 1.5 %.", DraftVerdict.SUPPORTED),
        ("Tabu search reached a gap of 2.5 % within ten minutes on all instances.", DraftVerdict.CONTRADICTS),
        ("The choice of the tenure did change the result.", DraftVerdict.CONTRADICTS),
        ("Annealing was slower than tabu search.", DraftVerdict.CONTRADICTS),
        ("Its memory shortens the search on large graphs.", DraftVerdict.PARTLY),
        (
            "Annealing was faster than tabu search, while both were invented by nothing but sheer accident.",
            DraftVerdict.PARTLY,
        ),
        ("Whales sing songs across wide oceans every winter.", DraftVerdict.NOT_SAID),
        ("No study showed that annealing was faster than tabu search.", DraftVerdict.NOT_SAID),
        ("The tenure of each node was set by simulated evolution.", DraftVerdict.NOT_SAID),
    ],
)
def test_a_citation_is_judged_by_the_passages_of_its_paper(claim: str, verdict: DraftVerdict):
    found, reason, quotes = verdict_on(claim, sources(PAPER), context="Glover, tabu search")

    assert found is verdict
    assert bool(reason) is (verdict is not DraftVerdict.SUPPORTED)
    assert quotes or verdict in (DraftVerdict.UNCHECKED, DraftVerdict.NOT_SAID)


def test_of_several_citations_the_own_clause_is_enough():
    claim = "Annealing was faster than tabu search, while whales sing songs."

    assert (
        verdict_on(claim, sources(PAPER), clause="Annealing was faster than tabu search")[0] is DraftVerdict.SUPPORTED
    )


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Dogs bark more at night. [@a] Cats purr at noon.", [["a"], []]),
        ("Dogs bark more at night. [@a].", [["a"]]),
        ("Dogs bark more at night. [@a; @b]", [["a", "b"]]),
        ("Dogs bark more at night.[1] Cats purr at noon.", [["1"], []]),
        ("Dogs bark more at night. [@a] shows that cats purr at noon.", [[], ["a"]]),
        ("Dogs bark more at night.\n\n[@a] Cats purr at noon.", [[], ["a"]]),
    ],
)
def test_marks_behind_a_full_stop_belong_to_its_sentence(text: str, cited: list[list[str]]):
    found = read_draft("a.md", f"# T\n\n{text}\n\n## References\n\n[1] A. Writer. A title. 2001.\n".encode())

    assert [[entry.label for entry, _ in one.cited] for one in found] == cited


REPORT = {
    "name": "a.md",
    "nSentences": 2,
    "leftOut": 0,
    "citations": [
        {
            "number": 1,
            "sentence": "Dogs <bark> more.",
            "cited": "smith2019",
            "reference": "",
            "paperTitle": "Dogs at night",
            "verdict": "contradicts",
            "detail": "the quoted sentence says the opposite of 'more'",
            "quotes": [{"text": "Dogs bark less.", "page": 3}],
        }
    ],
}


@pytest.mark.parametrize(("fail_on", "status"), [([], 1), (["--fail-on", "not_said"], 0), (["--fail-on", "x"], None)])
def test_the_command_shows_each_citation_and_fails_on_chosen_verdicts(tmp_path, monkeypatch, fail_on, status):
    sent: dict[str, object] = {}
    monkeypatch.setattr("papergraph.cli.client.request", lambda path, body, **_: sent.update(body, path=path) or REPORT)
    (tmp_path / "a.md").write_text("Dogs bark more [@smith2019].")
    (tmp_path / "r.bib").write_text(BIB)
    arguments = ["draft", str(tmp_path / "a.md"), "--bib", str(tmp_path / "r.bib"), "--html", str(tmp_path / "r.html")]

    result = CliRunner().invoke(check.app, [*arguments, *fail_on])

    if status is None:
        assert isinstance(result.exception, InputError)
        return
    assert (result.exit_code, sent["path"], sent["bibliography"]) == (status, "/drafts", BIB)
    assert "smith2019" in result.stdout and "contradicted" in result.stdout
    page = (tmp_path / "r.html").read_text()
    assert "Dogs &lt;bark&gt; more." in page and "Dogs bark less. (p. 3)" in page


@pytest.mark.parametrize("arguments", [["b.md"], ["a.md", "--bib", "b.bib"], ["a.md", "--html", "nowhere/r.html"]])
def test_a_file_that_is_not_there_is_refused_before_anything_is_asked(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("papergraph.cli.client.request", lambda *_, **__: pytest.fail("it asked"))
    (tmp_path / "a.md").write_text("Dogs bark more [@smith2019].")

    result = CliRunner().invoke(check.app, ["draft", *arguments])

    assert result.exit_code == 2 or isinstance(result.exception, InputError)


def test_citations_of_a_sentence_without_end_are_kept_without_a_claim():
    text = f"# T\n\nDogs bark {'and cats purr ' * 200}at night [@a]. Dogs bark more at night [@a].\n"

    long, short = read_draft("a.md", text.encode())

    assert [[one.label for one, _ in sentence.cited] for sentence in (long, short)] == [["a"], ["a"]]
    assert (long.claim, short.claim) == ("", "Dogs bark more at night.")


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Dogs bark more at night (see Bar-Hillel et al., 2019; Smith 2020a).", "Dogs bark more at night."),
        ("Dogs bark more at night (from 2019 to 2020).", "Dogs bark more at night (from 2019 to 2020)."),
        ("Dogs bark more at night (no year).", "Dogs bark more at night (no year)."),
        (f"Dogs bark at night ({'A' * 300} 2019 x).", f"Dogs bark at night ({'A' * 300} 2019 x)."),
    ],
)
def test_brackets_with_citations_alone_do_not_belong_to_a_claim(text: str, claim: str):
    (found,) = read_draft("a.md", f"# T\n\n{text}\n".encode())

    assert found.claim == claim
