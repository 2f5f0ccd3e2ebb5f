import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.sources import Format, RawDocument

PATH = "/papers/a.md"


def source(text: str, *, markdown: bool = True) -> RawDocument:
    return RawDocument(PATH, text.encode(), Format.MARKDOWN if markdown else Format.TEXT, "0" * 64)


def markdown(text: str) -> Document:
    return parse(source(text))


def plain(text: str) -> Document:
    return parse(source(text, markdown=False))


def tree(document: Document) -> list[tuple[str, int, int | None]]:
    return [(section.title, section.level, section.parent) for section in document.sections]


def titles(document: Document) -> list[str]:
    return [section.title for section in document.sections]


def kinds(document: Document) -> dict[str, str]:
    return {section.title: section.kind for section in document.sections}


def own_texts(text: str, document: Document) -> list[str]:
    return [text[section.start : section.end] for section in document.sections]


def refusal(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        markdown(text)
    assert caught.value.reason is Reason.BAD_METADATA
    assert PATH in str(caught.value)
    return caught.value


# Markdown: the section tree


def test_headings_become_a_tree_in_reading_order():
    document = markdown("# Paper\n\n## A\n\n### A1\n\n### A2\n\n## B\n\n### B1\n")

    assert tree(document) == [("A", 1, None), ("A1", 2, 0), ("A2", 2, 0), ("B", 1, None), ("B1", 2, 3)]


def test_a_tree_that_skips_levels_has_no_gaps():
    document = markdown("# Paper\n\n## A\n\n##### Deep\n\n#### Less deep\n\n### Middle\n\n## B\n")

    assert tree(document) == [("A", 1, None), ("Deep", 2, 0), ("Less deep", 2, 0), ("Middle", 2, 0), ("B", 1, None)]


def test_a_first_heading_may_be_deeper_than_the_ones_after_it():
    document = markdown("Before.\n\n### Deep\n\n## Flat\n")

    assert tree(document) == [("Before. ### Deep ## Flat", 1, None), ("Deep", 1, None), ("Flat", 1, None)]


def test_a_section_is_its_own_text_without_heading_and_subsections():
    text = "# Paper\n\nFront.\n\n## A\nOwn text.\n\n### A1\n\nBelow.\n"

    document = markdown(text)

    assert titles(document) == ["Paper", "A", "A1"]
    assert own_texts(text, document) == ["\nFront.\n\n", "Own text.\n\n", "\nBelow.\n"]


def test_a_section_without_text_is_kept_for_its_place_in_the_tree():
    text = "# Paper\n\n## A\n### A1\nText.\n## Last"

    document = markdown(text)

    assert tree(document) == [("A", 1, None), ("A1", 2, 0), ("Last", 1, None)]
    assert own_texts(text, document) == ["", "Text.\n", ""]


def test_text_before_the_first_heading_is_the_front_under_the_papers_title():
    document = markdown("# Paper\n\nFront.\n\n## A\n\nText.\n")

    assert (
        document.sections[0].title,
        document.sections[0].level,
        document.sections[0].kind,
        document.sections[0].parent,
    ) == ("Paper", 1, "front", None)


@pytest.mark.parametrize(
    "block",
    [
        "```python\n# not a heading\n```",
        "~~~\n# not a heading\n~~~",
        "    # not a heading",
        "> # not a heading",
        "- # not a heading",
        "<!--\n# not a heading\n-->",
        "\\# not a heading",
        "#not a heading",
    ],
)
def test_a_hash_sign_inside_another_block_is_no_heading(block):
    text = f"# Paper\n\n## A\n\n{block}\n\n## B\n"

    document = markdown(text)

    assert titles(document) == ["A", "B"]
    assert block in own_texts(text, document)[0]


def test_an_open_fence_reaches_to_the_end():
    document = markdown("# Paper\n\n## A\n\n```\n## no heading\n")

    assert titles(document) == ["A"]


def test_underlined_headings_count_and_may_have_several_lines():
    text = "Paper\n=====\n\nA long\nheading\n-------\nText.\n"

    document = markdown(text)

    assert (document.title, tree(document)) == ("Paper", [("A long heading", 1, None)])
    assert own_texts(text, document) == ["Text.\n"]


def test_a_heading_is_told_without_its_markup():
    document = markdown("# Paper\n\n## *On* `code`,  [links](http://x.y) &amp; ![images](z.png) ##\n")

    assert titles(document) == ["On code, links & images"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_offsets_count_in_the_text_as_it_was_read_whatever_its_line_ends(line_end):
    text = "# Paper\n\nFront.\n\n## A\n\nÄpfel.\n\nB\n-\nText.\n".replace("\n", line_end)

    document = markdown(text)

    assert titles(document) == ["Paper", "A", "B"]
    assert [own.strip() for own in own_texts(text, document)] == ["Front.", "Äpfel.", "Text."]


def test_mixed_line_ends_do_not_shift_offsets():
    text = "# Paper\r\r\nFront.\r\n\n\r## A\rOne.\n\r\n## B\r\nTwo."

    document = markdown(text)

    assert [own.strip() for own in own_texts(text, document)] == ["Front.", "One.", "Two."]


@pytest.mark.parametrize("front_matter", ["", "---\nyear: 2020\n---\n"])
def test_a_byte_order_mark_is_passed_over(front_matter):
    text = f"\ufeff{front_matter}# Paper\n\n## A\nText.\n"

    document = markdown(text)

    assert (document.title, titles(document)) == ("Paper", ["A"])
    assert own_texts(text, document) == ["Text.\n"]


# Kinds


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Abstract", "abstract"),
        ("SUMMARY:", "abstract"),
        ("1 Introduction", "body"),
        ("Summary of results", "body"),
        ("References", "references"),
        ("6. Bibliography", "references"),
        ("Literature cited", "references"),
        ("Acknowledgments", "acknowledgements"),
        ("Acknowledgement", "acknowledgements"),
        ("Appendix", "appendix"),
        ("Appendix B: Proofs", "appendix"),
        ("Supplementary material", "appendix"),
        ("Appendixes are useful", "body"),
    ],
)
def test_the_heading_says_what_kind_of_section_it_is(heading, kind):
    assert {heading: kind} == kinds(markdown(f"# Paper\n\n## {heading}\n\nText.\n"))


def test_subsections_of_references_and_appendices_are_of_their_kind():
    document = markdown(
        "# P\n\nFront.\n\n## Method\n\n### Detail\n\n## Appendix A\n\n### Proofs\n\n#### Lemma\n\n### References\n\n"
        "## References\n\n### Data sets\n"
    )

    assert kinds(document) == {
        "P": "front",
        "Method": "body",
        "Detail": "body",
        "Appendix A": "appendix",
        "Proofs": "appendix",
        "Lemma": "appendix",
        "References": "references",
        "Data sets": "references",
    }


# Front matter


def test_front_matter_tells_what_is_known_of_the_paper():
    document = markdown(
        "---\ntitle: A  Title\nauthors: [Ada Lovelace, ' Kurt  Gödel', Ada Lovelace, '']\nyear: 1931\n"
        "doi: https://doi.org/10.1000/ABC\narxiv: arXiv:2401.01234v3\ncategories: quant-ph\nlicense: CC-BY-4.0\n"
        "abstract: |\n  Two\n  lines.\nunknown: {is: ignored}\n---\n# Another title\n\n## A\n\nText.\n"
    )

    assert document.title == "A Title"
    assert document.authors == ("Ada Lovelace", "Kurt Gödel")
    assert (document.year, document.doi, document.arxiv_id) == (1931, "10.1000/abc", "2401.01234")
    assert (document.categories, document.license) == (("quant-ph",), "CC-BY-4.0")
    assert document.abstract == "Two lines."
    assert titles(document) == ["A"]


@pytest.mark.parametrize(
    ("identifiers", "key"),
    [
        ("doi: 10.1000/182\narxiv: '2401.01234'", "doi:10.1000/182"),
        ("arxiv: 2401.01234v2", "arxiv:2401.01234"),
        ("arxiv: https://arxiv.org/abs/quant-ph/9901001v1", "arxiv:quant-ph/9901001"),
        ("doi: ''", "file:/papers/a.md"),
        ("year: 2020", "file:/papers/a.md"),
    ],
)
def test_the_key_is_the_doi_else_the_arxiv_id_else_the_file(identifiers, key):
    assert markdown(f"---\n{identifiers}\n---\n# Paper\n").key == key


@pytest.mark.parametrize("arxiv", ["2401.01230", "2401.12300", "0704.0010", "1501.00001"])
def test_an_arxiv_id_that_looks_like_a_number_keeps_its_zeros(arxiv):
    assert markdown(f"---\narxiv: {arxiv}\n---\n# Paper\n").arxiv_id == arxiv


def test_a_title_that_looks_like_a_number_is_kept_to_the_letter():
    assert markdown("---\ntitle: 1.10\n---\nText.\n").title == "1.10"


@pytest.mark.parametrize("text", ["---\r\ntitle: T\r\n---\r\n# H\r\n", "---\rtitle: T\r---\r# H\r"])
def test_front_matter_is_read_whatever_its_line_ends(text):
    assert markdown(text).title == "T"


@pytest.mark.parametrize("front_matter", ["---\n---\n", "---\n\n---\n", "---\n# a comment\n---\n"])
def test_empty_front_matter_says_nothing(front_matter):
    document = markdown(f"{front_matter}# Paper\n\n## A\n\nText.\n")

    assert (document.title, titles(document)) == ("Paper", ["A"])


def test_front_matter_alone_is_a_document_without_sections():
    assert markdown("---\ntitle: T\n---").sections == ()


def test_rules_later_in_the_text_are_no_front_matter():
    document = markdown("# Paper\n\n---\n\nyear: none\n\n---\n")

    assert (document.title, document.year) == ("Paper", None)


@pytest.mark.parametrize(
    ("front_matter", "detail"),
    [
        ("title: a: b", "not YAML"),
        ("title: [", "not YAML"),
        ("title: !!python/object/apply:os.getcwd []", "not YAML"),
        ("a: \x07", "not YAML"),
        ("- a\n- b", "list of names and values"),
        ("just text", "list of names and values"),
        ("doi: 11.1000/182", "not a DOI"),
        ("doi: 10.1000/18 2", "not a DOI"),
        ("arxiv: one", "not an arXiv id"),
        ("year: 12", "not a year"),
        ("year: 20201", "not a year"),
        ("year: true", "not a year"),
        ("year: soon", "not a year"),
        ("title: [a]", "title must be text"),
        ("title: yes", "title must be text"),
        ("authors: yes", "authors must be a list of names"),
        ("authors: {a: b}", "authors must be a list of names"),
        ("authors: [a, yes]", "authors must be a list of names"),
        (f"authors: [{'x' * 201}]", "longer than 200 characters"),
        (f"title: {'x' * 501}", "longer than 500 characters"),
        (f"title: 0x{'F' * 5000}", ""),
        (f"year: 0x{'F' * 5000}", ""),
    ],
    ids=lambda value: value[:40],
)
def test_front_matter_that_cannot_be_so_refuses_the_document_and_says_why(front_matter, detail):
    assert detail in refusal(f"---\n{front_matter}\n---\n# Paper\n").detail


def test_front_matter_that_nests_without_end_is_refused_like_any_bad_one():
    refusal(f"---\na: {'[' * 5000}\n---\n# Paper\n")


# Titles


@pytest.mark.parametrize(
    ("text", "title", "sections"),
    [
        ("# One\n\n## A\n", "One", ["A"]),
        ("# One\n\n# Two\n\n# Three\n", "One", ["Two", "Three"]),
        ("---\ntitle: Named\n---\n# One\n\n## A\n", "Named", ["A"]),
        ("---\ntitle: Named\n---\n# One\n\n# Two\n", "Named", ["One", "Two"]),
        ("---\ntitle: Named\n---\n# NAMED\n\n# Two\n", "Named", ["Two"]),
        ("## A\n\n## B\n", "## A ## B", ["A", "B"]),
        ("Text first.\n\n# One\n", "Text first. # One", ["Text first. # One", "One"]),
        ("Only   some\ntext.\n", "Only some text.", ["Only some text."]),
    ],
)
def test_the_title_is_the_named_one_else_the_first_heading_of_level_one_else_the_first_words(text, title, sections):
    document = markdown(text)

    assert (title, sections) == (document.title, titles(document))


def test_a_long_text_without_title_gets_its_first_words_with_an_ellipsis():
    document = markdown("word " * 100)

    assert document.title == "word " * 15 + "word …"


@pytest.mark.parametrize("read", [markdown, plain])
def test_first_words_exist_in_a_script_without_spaces(read):
    document = read("量子アニーリング" * 50)

    assert document.title.startswith("量子アニーリング")
    assert len(document.title) <= 82


@pytest.mark.parametrize("read", [markdown, plain])
def test_blank_lines_at_the_beginning_do_not_hide_the_first_words(read):
    assert read("\n" * 400 + "First words.\nMore.").title == "First words. More."


def test_a_heading_too_long_for_a_title_stays_a_section():
    document = markdown(f"# {'word ' * 101}\n\nText.\n")

    assert len(document.title) <= 82
    assert len(document.sections) == 1


# Abstracts


def test_the_abstract_is_the_text_of_its_section_wherever_it_stands():
    assert markdown("# P\n\nFront.\n\n## Method\n\nM.\n\n## Abstract\n\nWe show.\n\nMore.\n").abstract == (
        "We show.\n\nMore."
    )


def test_the_abstract_has_its_subsections_text_when_it_is_structured():
    abstract = markdown(
        "# P\n\n## Abstract\n\n### Aim\n\nWe aim.\n\n### Result\n\nWe hit.\n\n## Method\n\nM.\n"
    ).abstract

    assert "We aim." in abstract
    assert "We hit." in abstract
    assert "M." not in abstract


def test_without_an_abstract_the_text_before_the_first_heading_is_it():
    assert markdown("# P\n\nFront.\n\nMore.\n\n## Method\n\nM.\n").abstract == "Front.\n\nMore."


def test_a_paper_that_begins_with_a_section_has_no_abstract():
    assert markdown("# P\n\n## Method\n\nM.\n").abstract == ""


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_of_a_long_text_before_the_first_heading_the_first_whole_paragraphs_are_the_abstract(line_end):
    paragraph = "x" * 1400
    text = f"# P\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n\n## Method\n".replace("\n", line_end)

    assert markdown(text).abstract == f"{paragraph}{line_end}{line_end}{paragraph}"


def test_one_paragraph_without_end_is_no_abstract():
    assert markdown("# P\n\n" + "x" * 3001).abstract == ""


# Plain text


def test_plain_text_has_a_title_line_and_numbered_and_known_headings():
    text = (
        "On Things\n\nAbstract\n\nWe show.\n\n1 Introduction\n\nText.\n\n1.1. What Is Known\n\nMuch.\n\n"
        "2. Our Method\n\nNew.\n\nB.2 Proofs\n\nHard.\n\nREFERENCES\n\n[1] One.\n"
    )

    document = plain(text)

    assert (document.title, document.abstract) == ("On Things", "We show.")
    assert tree(document) == [
        ("Abstract", 1, None),
        ("Introduction", 1, None),
        ("What Is Known", 2, 1),
        ("Our Method", 1, None),
        ("Proofs", 2, 3),
        ("REFERENCES", 1, None),
    ]
    assert [o.strip() for o in own_texts(text, document)] == ["We show.", "Text.", "Much.", "New.", "Hard.", "[1] One."]
    assert (kinds(document)["Abstract"], kinds(document)["REFERENCES"]) == ("abstract", "references")


@pytest.mark.parametrize(
    "line",
    [
        "1 introduction",
        "1. First item of a list.",
        "Results were good",
        "2020 Was A Year",
        "Introduction\nto a paragraph",
        "Text before\nIntroduction",
        "3.14159 Is Pi",
        "# Introduction",
    ],
)
def test_a_line_of_plain_text_that_only_resembles_a_heading_is_text(line):
    text = f"On Things\n\nFront.\n\n{line}\n\nText.\n"

    assert titles(plain(text)) == ["On Things"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_offsets_in_plain_text_hold_for_every_line_end(line_end):
    text = "\ufeffOn Things\n\nFront.\n\n1 First\n\nText.\n".replace("\n", line_end)

    document = plain(text)

    assert (document.title, titles(document)) == ("On Things", ["On Things", "First"])
    assert [own.strip() for own in own_texts(text, document)] == ["Front.", "Text."]


def test_plain_text_without_headings_is_one_section():
    text = "First line\nof a paragraph.\n\nAnother.\n"

    document = plain(text)

    assert ("First line of a paragraph. Another.", [text]) == (document.title, own_texts(text, document))
    assert document.key == "file:/papers/a.md"


def test_one_line_of_plain_text_is_both_title_and_text():
    document = plain("Just a line.")

    assert (document.title, document.abstract) == ("Just a line.", "Just a line.")


@pytest.mark.parametrize("indent", ["", "  "])
def test_plain_text_that_begins_with_a_heading_has_its_first_words_for_a_title(indent):
    document = plain(f"{indent}1 Introduction\n\nText.\n")

    assert (document.title, titles(document)) == ("1 Introduction Text.", ["Introduction"])


@pytest.mark.parametrize("title", ["12 Monkeys", "F. S. Ellis", "1 Samuel", "3.5 Ways to Go", "Z. Zeta Functions"])
@pytest.mark.parametrize("rest", ["Text.\n", "Text.\n\n1 Introduction\n\nMore.\n"])
def test_a_title_that_looks_like_a_numbered_heading_is_the_title(title, rest):
    document = plain(f"{title}\n\n{rest}")

    assert document.title == title
    assert "Introduction" in titles(document) or "Introduction" not in rest


@pytest.mark.parametrize("second", ["4 What We Saw", "3.1 Who Came"])
def test_a_first_line_whose_number_goes_on_in_the_next_is_a_heading(second):
    document = plain(f"3 How We Did It\n\nText.\n\n{second}\n\nMore.\n")

    assert titles(document) == ["How We Did It", second.partition(" ")[2]]


def test_a_title_that_begins_with_the_article_a_is_no_lettered_heading():
    document = plain("A Survey of Graphs\n\nWe survey.\n\n1 Introduction\n\nText.\n")

    assert (document.title, document.abstract) == ("A Survey of Graphs", "We survey.")


def test_front_matter_is_a_thing_of_markdown_only():
    assert plain("---\ntitle: T\n---\n\nText.\n").title == "--- title: T --- Text."


# Any text

LINES = st.one_of(
    st.builds(
        "{}{} {}".format,
        st.sampled_from(["", "", "  ", "    ", "> ", "- "]),
        st.sampled_from(["#" * n for n in range(1, 8)]),
        st.text(max_size=8),
    ),
    st.builds(
        "{} {}".format,
        st.from_regex(r"(\d{1,2}|[A-Z])(\.\d{1,2}){0,4}\.?", fullmatch=True),
        st.sampled_from(["Title Case", "x", ""]),
    ),
    st.sampled_from(["", "", "", "===", "---", "```", "~~~", "Abstract", "References", "Text.", "\t", "<!--", "-->"]),
    st.text(max_size=20),
)
TEXTS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n"])), max_size=25).map(
    lambda lines: "".join(line + end for line, end in lines)
)


@settings(deadline=None)
@given(text=TEXTS, is_markdown=st.booleans())
def test_any_text_gives_an_ordered_tree_of_disjoint_sections_within_it(text, is_markdown):
    try:
        document = parse(source(text, markdown=is_markdown))
    except SourceError:
        assume(False)

    end = 0
    for number, section in enumerate(document.sections):
        assert end <= section.start <= section.end <= len(text)
        end = section.end
        if section.parent is None:
            assert section.level == 1
        else:
            assert section.parent < number
            assert section.level == document.sections[section.parent].level + 1


HEADINGS_WITH_TEXTS = st.lists(
    st.tuples(st.integers(2, 6), st.sampled_from(["", "Text.\n", "\n- item\n\n", "    # code\n", "\r\n\r\nMore.\r\n"])),
    max_size=12,
)


@settings(deadline=None)
@given(sections=HEADINGS_WITH_TEXTS)
def test_every_heading_that_is_written_comes_back_with_its_own_text(sections):
    text = "# Paper\n" + "".join(f"{'#' * level} Heading {n}\n{own}" for n, (level, own) in enumerate(sections))

    document = markdown(text)

    assert [f"Heading {number}" for number in range(len(sections))] == titles(document)
    assert [own for _, own in sections] == own_texts(text, document)
    for number, section in enumerate(document.sections):
        above = [n for n in range(number) if sections[n][0] < sections[number][0]]
        parents = [n for n in above if all(sections[m][0] >= sections[number][0] for m in range(n + 1, number))]
        assert section.parent == (parents[-1] if parents else None)


def test_authors_may_be_given_with_more_than_their_names_and_the_year_in_a_date():
    document = markdown(
        "---\ntitle: T\nauthors:\n  - name: Ada Lovelace\n    orcid: 0000\n  - name: Kurt Gödel\n"
        "date: 21 Mar 2021\n---\nText.\n"
    )

    assert document.authors == ("Ada Lovelace", "Kurt Gödel")
    assert document.year == 2021


@pytest.mark.parametrize("date", ["soon", "2020 or 2021", "12345", "[2021, 2022]"])
def test_a_date_without_one_year_tells_no_year(date: str):
    assert markdown(f"---\ntitle: T\ndate: {date}\n---\nText.\n").year is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("cafe\u0301", "café"),
        ("ｑＰＣＲ １２", "qPCR 12"),
        ("wo\ufb04e", "woffle"),
        ("x² and ℝ", "x² and ℝ"),
        ("①", "①"),
    ],
)
def test_letters_are_composed_and_of_ordinary_width_and_signs_stay(written, read):
    assert f"The {read} is." in markdown(f"# Title\n\n## One\n\nThe {written} is.\n").text
