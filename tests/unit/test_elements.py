"""Tables, equations, captions, references and citations of Markdown and plain text, where they say them plainly."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.document import ElementKind, Reference
from papergraph.ingest.sources import Format, RawDocument


def read(text: str, form: Format = Format.MARKDOWN) -> Document:
    return parse(RawDocument("/papers/a", text.encode(), form, "0" * 64))


def elements(document: Document) -> list[tuple[str, str, str]]:
    return [(e.kind.value, e.label, document.text[e.start : e.end]) for e in document.elements]


def of_kind(document: Document, kind: ElementKind) -> list[str]:
    return [document.text[e.start : e.end] for e in document.elements if e.kind is kind]


def equations(text: str, form: Format = Format.MARKDOWN) -> list[str]:
    return of_kind(read(f"# Paper\n\n{text}\n", form), ElementKind.EQUATION)


def citations(document: Document) -> list[tuple[str, str]]:
    return [(document.text[c.start : c.end], document.references[c.reference].label) for c in document.cited_at]


def references(entries: str, form: Format = Format.MARKDOWN) -> list[tuple[str, str]]:
    heading = "## References" if form is Format.MARKDOWN else "References"
    return [(entry.label, entry.text) for entry in read(f"# Paper\n\n{heading}\n\n{entries}", form).references]


def one_reference(entry: str) -> Reference:
    (found,) = read(f"# Paper\n\n## References\n\n{entry}\n").references
    return found


# Equations


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.TEXT])
@pytest.mark.parametrize(
    "equation",
    [
        "$$E = mc^2$$",
        "$$\nE = mc^2\n$$",
        "$$ E = m\nc^2 $$ (1)",
        "$$E$$ {#eq:energy}",
        "$$E = mc^2$$.",
        "\\[ E = mc^2 \\]",
        "\\[\nE\n\\],",
        "\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
    ],
)
def test_what_fills_whole_lines_is_a_displayed_equation(equation, form):
    assert equations(f"The energy is\n{equation}\nas we know.", form) == [equation]
    assert equations(f"Energy.\n\n{equation}\n\nAs we know.", form) == [equation]


@pytest.mark.parametrize(
    "text",
    [
        "The sum $$x + y$$ stands in a sentence.",
        "$$x$$ begins one, and $$y$$",
        "It costs $$5.",
        "$$\nThis paragraph\n\nis cut\n$$",
        "\\begin{align}\nwithout an end",
        "$$\n# A heading\n$$",
        "```\n$$x$$\n```",
        "    $$x$$",
        "$$ $$",
        "\\begin{tabular}{l}\na\n\\end{tabular}",
    ],
)
def test_what_does_not_is_running_text(text):
    assert equations(text) == []


def test_a_line_of_an_equation_makes_no_heading_and_no_list():
    document = read("# Paper\n\n## A\n\nLet\n$$\na\n=\nb\n- c\n$$\n\n## B\n\nText.\n")

    assert [section.title for section in document.sections] == ["A", "B"]
    assert elements(document) == [("equation", "", "$$\na\n=\nb\n- c\n$$")]


def test_an_equation_is_called_by_its_number():
    text = "$$a \\tag{7}$$\n\n$$b$$ (8)\n\n$$f(9)$$\n"

    assert [label for _, label, _ in elements(read(f"# Paper\n\n{text}"))] == ["(7)", "(8)", ""]


# Tables and captions


def test_tables_figures_and_their_captions_are_apart_from_running_text():
    text = (
        "# Paper\n\nBefore.\n| A | B |\n|---|--:|\n| 1 | 2 |\n\n*Table 2: Numbers.*\n\nBetween.\n\n"
        "![Waves at sea.](waves.png){width=50%}\n\n![](waves.png)\n**Figure 3.** More waves.\n\nFigure 3 shows waves.\n"
    )

    assert elements(read(text)) == [
        ("table", "Table 2", "| A | B |\n|---|--:|\n| 1 | 2 |"),
        ("caption", "Table 2", "*Table 2: Numbers.*"),
        ("caption", "", "![Waves at sea.](waves.png){width=50%}"),
        ("caption", "Figure 3", "![](waves.png)\n**Figure 3.** More waves."),
    ]


@pytest.mark.parametrize(
    ("paragraph", "label"),
    [
        ("Figure 1: Waves.", "Figure 1"),
        ("Fig. 2a. Waves.", "Fig. 2a"),
        ("FIG. 1. Waves.", "FIG. 1"),
        ("**Table S1**: Waves.", "Table S1"),
        ("**Table 4** Waves.", "Table 4"),
        ("Table A.1: Waves.", "Table A.1"),
        ("_Figure 5 – Waves._", "Figure 5"),
        ("Table II. Waves.", "Table II"),
        ("Algorithm 1: Waves.", "Algorithm 1"),
    ],
)
@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.TEXT])
def test_a_paragraph_that_begins_with_its_name_is_a_caption(paragraph, label, form):
    assert elements(read(f"# Paper\n\nText.\n\n{paragraph}\n\nText.\n", form)) == [("caption", label, paragraph)]


@pytest.mark.parametrize(
    "paragraph",
    [
        "Figure 1 shows waves.",
        "Figures 1: waves.",
        "Table manners: none.",
        "![](waves.png)",
        "![Waves](waves.png) and words.",
        "See ![Waves](waves.png)",
        "[![Build](badge.svg)](https://example.org)",
        ": no table is near",
        "- Figure 1: in a list",
    ],
)
def test_other_paragraphs_are_none(paragraph):
    assert elements(read(f"# Paper\n\nText.\n\n{paragraph}\n")) == []


def test_pandoc_s_captions_stand_beside_a_table():
    text = "# Paper\n\nTable: Above.\n\n| A |\n|---|\n\n| B |\n|---|\n\n: Below.\n"

    assert of_kind(read(text), ElementKind.CAPTION) == ["Table: Above.", ": Below."]


# References


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.TEXT])
@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("[1] One,\n  goes on.\n[2] Two.\n", [("1", "One, goes on."), ("2", "Two.")]),
        ("[Knu97] One.\n\n[ABC+19b] Two.\n", [("Knu97", "One."), ("ABC+19b", "Two.")]),
        ("[Knuth et al., 1997] One.\n", [("Knuth et al., 1997", "One.")]),
        ("- \\[1\\] One.\n- \\[2\\] Two.\n", [("1", "One."), ("2", "Two.")]),
        ("1. One in\n2010. Two.\n2. Three.\n", [("1", "One in 2010. Two."), ("2", "Three.")]),
        ("1. One.\n1. Two.\n", [("1", "One."), ("2", "Two.")]),
        ("- One.\n- Two.\n", [("#1", "One."), ("#2", "Two.")]),
        ("As always.\n\nOne (2010).\n\narXiv:2401.00001.\n", [("#1", "One (2010)."), ("#2", "arXiv:2401.00001.")]),
        ("[1] One.\n[Online] here.\n[2] Two.\n\nNo entry.\n", [("1", "One. [Online] here."), ("2", "Two.")]),
        ("[1] One.\n[1] Two.\n", [("1", "One."), ("#2", "Two.")]),
        ("A,\n2017. B.\n\nC, 2018\n[2019] or\n- D.\n", [("#1", "A, 2017. B."), ("#2", "C, 2018 [2019] or - D.")]),
        ("See the supplement.\n", []),
    ],
)  # fmt: skip
def test_entries_are_told_apart_by_their_marks(entries, expected, form):
    assert references(entries, form) == expected


def test_an_entry_is_its_words_with_its_year_and_identifiers():
    entry = one_reference(
        '- <a id="r1"></a>[1] Knuth, *Art*, pp. 1968–1973 (1997). [Link](https://doi.org/10.1000/ABC).'
    )

    assert entry == Reference("1", "Knuth, Art, pp. 1968–1973 (1997). Link.", year=1997, doi="10.1000/abc")
    assert one_reference("- Doe, 2019, 2020-2021.").year == 2019  # the one after the authors
    assert one_reference("- Doe, arXiv:2001.01234, 2019.") == Reference(
        "#1", "Doe, arXiv:2001.01234, 2019.", authors=("Doe",), year=2019, arxiv_id="2001.01234"
    )


def test_front_matter_may_tell_the_references_as_pandoc_reads_them():
    document = read(
        "---\nreferences:\n- id: knuth97\n  title: Art\n  author: [{given: Donald, family: Knuth}, literal: Both]\n"
        "  issued: {date-parts: [[1997, 1]]}\n  DOI: 10.1000/ABC\n  container-title: Books\n- no map\n---\n\n"
        "# Paper\n\nAs [see @knuth97, p. 3] and @knuth97. Mail me@knuth97 or `@knuth97`.\n"
    )

    assert document.references == (
        Reference(
            "knuth97",
            "Donald Knuth, Both. Art. Books. 1997. doi:10.1000/ABC",
            title="Art",
            authors=("Donald Knuth", "Both"),
            year=1997,
            doi="10.1000/abc",
        ),
    )
    assert citations(document) == [("@knuth97", "knuth97")] * 2


# Citations

LISTED = "\n\n## References\n\n[1] One.\n[2] Two.\n[3] Three.\n[Knu97] Four.\n[Doe et al., 2001] Five.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So [1].", [("[1]", "1")]),
        ("So\\[1\\].", [("\\[1\\]", "1")]),
        ("So [1,\n2; 3].", [("[1,\n2; 3]", "1"), ("[1,\n2; 3]", "2"), ("[1,\n2; 3]", "3")]),
        ("So [1–3].", [("[1–3]", "1"), ("[1–3]", "2"), ("[1–3]", "3")]),
        ("So [1]–[3].", [("[1]–[3]", "1"), ("[1]–[3]", "2"), ("[1]–[3]", "3")]),
        ("So [2][3].", [("[2]", "2"), ("[3]", "3")]),
        ("So [2, Theorem 4].", [("[2, Theorem 4]", "2")]),
        ("So [Knu97, 1].", [("[Knu97, 1]", "1"), ("[Knu97, 1]", "Knu97")]),
        ("So [Doe et al., 2001].", [("[Doe et al., 2001]", "Doe et al., 2001")]),
        ("A method[2] and [1](#r1).", [("[2]", "2"), ("[1]", "1")]),
        ("| A |\n|---|\n| [2] |", [("[2]", "2")]),
        ("So [4], [1, 4], [2–4], [3-1], [see 1] and Knuth (1997).", []),
        ("The cell x[1], `[1]`, $a[1]$ and ![1](one.png).", []),
        ("```\n[1]\n```", []),
    ],
)
def test_marks_that_the_list_has_are_citations(text, expected):
    assert citations(read(f"# Paper\n\n## A\n\n{text}{LISTED}")) == expected


def test_what_the_list_of_references_says_of_itself_is_no_citation():
    assert citations(read("# Paper\n\n## References\n\n[1] One, a reply to [2].\n[2] Two.\n")) == []


# All


@settings(max_examples=150, deadline=None)
@example(
    lines=["# A", "\\[", "$$", "\\]", "==="], line_end="\n", form=Format.MARKDOWN
)  # a heading with an equation in it
@example(lines=["\\[", "", "x", "\\]", "==="], line_end="\n", form=Format.MARKDOWN)
@given(
    st.lists(
        st.sampled_from(
            ["# A", "## References", "$$", "\\[", "\\]", "\\begin{align}", "\\end{align}", "| a |", "|---|", "", "",
             "[1] One (2001).", "1. One", "Figure 1: x", "![x](y)", "text [1]", "```", "    x", "===", "---", ": x"]
        ),
        max_size=25,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([Format.MARKDOWN, Format.TEXT]),
)  # fmt: skip
def test_elements_lie_in_order_each_within_one_section_and_citations_in_the_text(lines, line_end, form):
    document = read(line_end.join(["start", *lines]), form)

    ends = [0, *(element.end for element in document.elements)]
    for element, before in zip(document.elements, ends, strict=False):
        assert before <= element.start < element.end
        assert sum(s.start <= element.start and element.end <= s.end for s in document.sections) == 1
        text = document.text[element.start : element.end]
        assert text == text.strip()
    assert all(0 <= cited.start < cited.end <= len(document.text) for cited in document.cited_at)
