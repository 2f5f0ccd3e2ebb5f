"""A paper is a function of its sources: which belong together, whose text is shown, and whose value wins."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.ingest.graph.paper_sources import MERGE, SPLIT, PaperSource, Provider, SourceKind, papers_of
from papergraph.schema.ids import is_template_doi, paper_id, title_letters

PDF = PaperSource(
    "/p/bates.pdf",
    "file:/p/bates.pdf",
    SourceKind.TEXT,
    Provider.DOCUMENT,
    content="pdf",
    n_chars=1000,
    fields={
        "title": "Fitting Linear Mixed-Effects Models Using lme4",
        "abstract": "We fit.",
        "authors": ["Douglas Bates"],
    },
)
ENTRY = PaperSource(
    "/p/my.bib#bates",
    "/p/my.bib#bates",
    SourceKind.RECORD,
    Provider.PUBLISHER,
    content="bib",
    fields={
        "title": "Fitting linear mixed-effects models using {lme4}",
        "authors": ["Douglas Bates", "Martin Mächler"],
        "year": 2015,
        "doi": "10.18637/jss.v067.i01",
    },
)
ARXIV = PaperSource(
    "arxiv:1406.5823",
    "arxiv:1406.5823",
    SourceKind.RECORD,
    Provider.ARXIV,
    content="arxiv",
    n_chars=20,
    fields={
        "title": "Fitting linear mixed-effects models using lme4",
        "abstract": "Maximum likelihood.",
        "authors": ["D. Bates"],
        "year": 2014,
        "doi": "10.18637/jss.v067.i01",
        "arxivId": "1406.5823",
    },
)
EDIT = PaperSource(
    "edit:file:/p/bates.pdf",
    "file:/p/bates.pdf",
    SourceKind.EDIT,
    Provider.PERSON,
    aliases=("file:/p/bates.pdf",),
    fields={"year": 2016},
    cleared=("abstract",),
)


def one_paper(*sources: PaperSource):
    (plan,) = papers_of("main", sources)
    return plan


def test_a_record_completes_and_corrects_a_text_and_never_replaces_it():
    plan = one_paper(PDF, ENTRY)

    assert plan.leading == PDF
    assert (plan.key, plan.id) == (PDF.key, paper_id("main", PDF.key))
    assert plan.pairs == ((PDF.key, PDF.name), (ENTRY.key, ENTRY.name))
    assert plan.fields == {**PDF.fields, **ENTRY.fields}
    assert plan.stated_by["abstract"] == PDF.name
    assert {plan.stated_by[name] for name in ENTRY.fields} == {ENTRY.name}


def test_a_person_goes_before_the_publisher_before_arxiv_before_the_front_page():
    plan = one_paper(PDF, ARXIV, ENTRY, EDIT)

    assert plan.fields["year"] == 2016
    assert "abstract" not in plan.fields
    assert plan.stated_by["abstract"] == EDIT.name
    assert plan.stated_by["title"] == ENTRY.name
    assert plan.stated_by["arxivId"] == ARXIV.name
    assert one_paper(PDF, ARXIV).stated_by["title"] == ARXIV.name
    assert EDIT.name not in dict(map(reversed, plan.pairs))


@pytest.mark.parametrize("sources", list(itertools.permutations((PDF, ENTRY, ARXIV, EDIT))))
def test_the_order_of_sources_does_not_matter(sources):
    assert one_paper(*sources) == one_paper(PDF, ENTRY, ARXIV, EDIT)


kinds = st.sampled_from((SourceKind.TEXT, SourceKind.RECORD))
some_sources = st.lists(
    st.builds(
        lambda number, kind, title, doi, year, content, n_chars: PaperSource(
            f"/s/{number}",
            f"doi:{doi}" if doi else f"file:/s/{number}",
            kind,
            Provider.DOCUMENT if kind is SourceKind.TEXT else Provider.PUBLISHER,
            content=content,
            n_chars=n_chars,
            fields={"title": title, **({"doi": doi} if doi else {}), **({"year": year} if year else {})},
        ),
        st.integers(0, 20),
        kinds,
        st.sampled_from(("A study of the tides in May", "On winds and waves of June", "Note")),
        st.sampled_from((None, "10.1000/a", "10.1000/b")),
        st.sampled_from((None, 2001, 2009)),
        st.sampled_from(("x", "y", "z", "u", "v", "w")),
        st.sampled_from((10, 1000)),
    ),
    max_size=7,
    unique_by=lambda source: source.name,
)


@given(some_sources, st.randoms())
def test_the_papers_of_any_sources_depend_on_these_alone_and_no_two_share_an_identity(sources, random):
    shuffled = random.sample(sources, len(sources))

    plans = papers_of("main", sources)

    assert papers_of("main", shuffled) == plans
    assert sorted(one.name for plan in plans for one in plan.sources) == sorted(one.name for one in sources)
    identities = [set().union(*(one.identities for one in plan.sources)) for plan in plans]
    assert not any(one & other for one, other in itertools.combinations(identities, 2))
    assert len({plan.id for plan in plans}) == len(plans)


def test_a_title_joins_a_record_to_a_text_but_no_two_texts():
    other = replace(PDF, name="/p/draft.pdf", key="file:/p/draft.pdf", content="draft")

    assert len(papers_of("main", [PDF, other])) == 2
    assert len(papers_of("main", [PDF, other, ENTRY])) == 3  # it might be of either


@pytest.mark.parametrize(
    "other",
    [
        {"year": 2001},
        {"doi": "10.1000/182"},
        {"authors": ["Ada Lovelace"]},
        {"title": "Fitting mixed-effects models"},
    ],
)
def test_what_contradicts_keeps_equal_titles_apart(other):
    text = replace(PDF, fields={**PDF.fields, "year": 2015, **other})

    assert len(papers_of("main", [text, ENTRY])) == 2


def test_the_later_year_in_which_a_document_was_typeset_contradicts_no_record():
    typeset = replace(PDF, fields={**PDF.fields, "authors": ENTRY.fields["authors"], "year": 2023})

    assert one_paper(typeset, ENTRY).fields["year"] == 2015
    assert len(papers_of("main", [replace(typeset, fields={**typeset.fields, "authors": []}), ENTRY])) == 2
    assert len(papers_of("main", [replace(typeset, provider=Provider.ARXIV), ENTRY])) == 2


def test_a_file_that_an_entry_names_belongs_to_it_whatever_its_title_says():
    text = replace(PDF, fields={"title": "untitled-3.dvi"})

    assert one_paper(text, replace(ENTRY, file=PDF.name)).fields["title"] == ENTRY.fields["title"]


def test_of_two_texts_a_much_shorter_one_is_not_shown_and_of_equals_the_last_by_name():
    short = replace(PDF, name="/p/z.pdf", content="short", n_chars=100, key="doi:10.1/a")
    long = replace(PDF, key="doi:10.1/a")
    other = replace(long, name="/p/c.pdf", content="other", n_chars=900)

    assert one_paper(short, long).leading == long
    assert one_paper(long, other).leading == other


def test_a_title_made_of_the_first_words_gives_way_to_any_other():
    untitled = replace(
        PDF, provider=Provider.PUBLISHER, fields={"title": "Words of a text without a …", "doi": "10.1/a"}
    )
    titled = replace(ENTRY, provider=Provider.ARXIV, fields={"title": "Its real title", "doi": "10.1/a"})

    assert one_paper(untitled, titled).fields["title"] == "Its real title"


def test_a_title_key_has_letters_and_digits_without_case_or_accents():
    assert title_letters("Poincaré’s  3-body Problem ∗") == "poincares3bodyproblem"


@pytest.mark.parametrize(
    "doi",
    [
        "10.18637/jss.v000.i00",
        "10.1145/nnnnnnn.nnnnnnn",
        "10.1145/1122445.1122456",
        "https://doi.org/10.1109/XXXXXXX",
        "10.XXXX/XXXXXXX",
        "10.1007/s00000-000-0000-0",
    ],
)
def test_dois_of_templates_are_told_from_real_ones(doi):
    assert is_template_doi(doi)


@pytest.mark.parametrize(
    "doi", ["10.18637/jss.v067.i01", "10.1371/journal.pone.0000217", "10.1038/s41586-020-0000-0", "10.1000/182"]
)
def test_real_dois_are_none_of_templates(doi):
    assert not is_template_doi(doi)


def test_a_split_keeps_sources_of_one_work_apart_unless_a_merge_joins_them():
    name = f"{SPLIT}1"
    split = PaperSource(name, f"{ENTRY.key}#1", SourceKind.EDIT, Provider.PERSON, aliases=(ENTRY.name,))
    merges = [
        PaperSource(f"{MERGE}x/{n}", "", SourceKind.EDIT, Provider.PERSON, aliases=(alias, f"{MERGE}x"))
        for n, alias in enumerate((PDF.key, name))
    ]

    for sources in itertools.permutations((PDF, ENTRY, ARXIV, EDIT, split)):
        found = {plan.key: {one.name for one in plan.sources} for plan in papers_of("main", sources)}
        assert found == {PDF.key: {PDF.name, ARXIV.name, EDIT.name}, split.key: {ENTRY.name, name}}
    assert one_paper(PDF, ENTRY, ARXIV, EDIT, split, *merges).key == PDF.key
    copy = replace(ENTRY, name="/p/copy.bib#bates", key="copy")
    assert len(papers_of("main", (PDF, ENTRY, copy, split))) == 1, "one content is one paper"
