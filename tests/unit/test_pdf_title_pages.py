"""Title and authors of the layouts that papers, repositories and universities use."""

import pytest

from papergraph.ingest.parsers.pdf.authors import names_in
from tests.support.pdf_documents import document
from tests.support.typeset import UNMARKED, prose

TITLE = "Growth of Seagrass in Clear Water"
HEAD = f'#align(center)[#text(16pt, weight: "bold")[{TITLE}]]\n'
PAGE = '#set page(paper: "a4", columns: 2)\n#set par(justify: true)\n'
PEOPLE = ["Ada B. Example", "Carl D. Martin", "Eva F. Muster", "Gil H. August", "Ida J. Mayer", "Kim Lo"]


def grid(n_columns, names):
    cells = ", ".join(
        f"[#text(12pt)[{name}]\\ Institute of Wet Plants\\ {name.split()[0].lower()}\\@example.org]" for name in names
    )
    return f"#align(center)[#grid(columns: (1fr,) * {n_columns}, row-gutter: 1.6em, {cells})]\n"


def two_columns(authors, body):
    top = f'#place(top, scope: "parent", float: true, clearance: 2em)[{HEAD}{authors}]\n'
    return document(f"{PAGE}{UNMARKED}{top}{body}")


BODY = f"= Abstract\n{prose(60)}\n= Introduction\n{prose(420)}\n= Methods\n{prose(120, first=420)}"


@pytest.mark.parametrize(("n_columns", "n_authors"), [(2, 2), (2, 4), (3, 3), (3, 6), (2, 3)])
def test_authors_beside_one_another_are_all_read_and_none_is_a_heading(n_columns, n_authors):
    parsed = two_columns(grid(n_columns, PEOPLE[:n_authors]), BODY)

    assert parsed.authors == tuple(PEOPLE[:n_authors])
    assert parsed.title == TITLE
    assert [section.title for section in parsed.sections if section.kind != "front"] == [
        "Abstract", "Introduction", "Methods",
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["Fay K.", "J. K.", "Max"])
def test_a_name_that_runs_over_the_end_of_a_line_is_whole(given):
    front = f"{HEAD}\n#align(center)[Ada Example, Carl D. Martin, {given}\\ Stankiewicz, Howard L. Weiner]\n\n"

    parsed = document(f"{UNMARKED}{front}{prose(90)}\n= Introduction\n{prose(200)}")

    assert parsed.authors == ("Ada Example", "Carl D. Martin", f"{given} Stankiewicz", "Howard L. Weiner")


def test_a_surname_on_the_next_line_belongs_to_two_given_names_and_a_place_there_does_not():
    front = f"{HEAD}\n#align(center)[Ada Example, Ben Hosein\\ Farzaei, Carl D. Martin\\ Googleville]\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").authors == ("Ada Example", "Ben Hosein Farzaei", "Carl D. Martin")


@pytest.mark.parametrize("journal", ["Iranian Journal of Wet Plants", "Annals of Small Seas", "Journal of Cryptology"])
def test_the_name_of_a_journal_above_a_smaller_title_is_no_title(journal):
    front = f"#text(20pt)[{journal}]\n\n#v(2em)\n#text(16pt)[{TITLE}]\n\nAda Example\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").title == TITLE


def test_names_with_addresses_in_parentheses_are_the_authors_alone():
    people = "\\ ".join(f"{name} ({name[0].lower()}.x\\@example.org)" for name in PEOPLE[:4])
    front = f"{HEAD}\n#align(center)[_Small Seas_\n\n{people}]\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").authors == tuple(PEOPLE[:4])


def test_labels_of_a_manuscript_are_in_neither_title_nor_authors():
    front = f"Title: {TITLE}\n\n#v(1em)\nAuthors: Ada Example, Carl D. Martin\n\n#v(1em)\n"
    parsed = document(f"{UNMARKED}{front}{prose(300)}")

    assert (parsed.title, parsed.authors) == (TITLE, ("Ada Example", "Carl D. Martin"))


@pytest.mark.parametrize("title", ["Numerical Solutions on Computers", "A System for Software Queries using Retrieval"])
def test_the_title_of_a_thesis_may_have_words_of_institutions(title):
    lines = f"#text(14pt)[*{title}*]\n\nA Dissertation\n\nby\n\nChuan He\n\nSubmitted to the Office of Studies of"
    degree = "Texas University\n\nfor the degree of Doctor of Philosophy\n\nMay 2007"
    page = f"#align(center)[{lines}\n\n{degree}]\n#pagebreak()\n"

    parsed = document(f"{UNMARKED}{page}{prose(300)}")

    assert (parsed.title, parsed.authors, parsed.year) == (title, ("Chuan He",), 2007)


@pytest.mark.parametrize("marks", ["#super[1], ", ", "])
def test_authors_above_the_title_are_read(marks):
    people = marks.join(PEOPLE[:3])
    parsed = document(f"{UNMARKED}{people}\n\n#text(16pt)[{TITLE}]\n\n{prose(300)}\n= Methods\n{prose(200)}")

    assert (parsed.title, parsed.authors) == (TITLE, tuple(PEOPLE[:3]))


@pytest.mark.parametrize("kind", ["Research Article", "Short Communication", "Department of Seas"])
def test_a_line_above_the_title_that_tells_its_kind_is_no_author(kind):
    assert document(f"{UNMARKED}{kind}\n\n#text(16pt)[{TITLE}]\n\n{prose(300)}").authors == ()


def test_a_raised_letter_within_a_name_is_part_of_it():
    rule = "#show super: set super(typographic: false)\n"
    front = f"{rule}{HEAD}\n#align(center)[Benjamin M#super[c]Kay#super[a] and Ada Example#super[b]]\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").authors == ("Benjamin McKay", "Ada Example")


@pytest.mark.parametrize("place", ["Университета ИТМО", "Кафедра Системного Программирования", "Uniwersytet Łódzki"])
def test_an_institution_below_an_author_is_no_author(place):
    front = f"{HEAD}\n#align(center)[Anna Volkova\\ {place}]\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").authors == ("Anna Volkova",)


def test_a_title_that_goes_on_after_a_comma_keeps_a_line_that_reads_as_names():
    title = "Programming with Bananas, Lenses,\\ Envelopes and Barbed Wire"
    front = f"#align(center)[#text(16pt)[{title}]\n\nAda Example]\n\n"
    assert (
        document(f"{UNMARKED}{front}{prose(300)}").title
        == "Programming with Bananas, Lenses, Envelopes and Barbed Wire"
    )


def test_letters_around_a_seal_are_in_no_title():
    letters = "".join(
        f"#place(dx: {9 * n}pt)[#rotate({20 * n + 20}deg)[#text(5pt)[{sign}]]]" for n, sign in enumerate("ARTI")
    )
    front = f"#place(right)[#box(width: 60pt)[{letters}]]#align(left)[#text(16pt)[{TITLE}]\n\nAda Example]\n\n"
    assert document(f"{UNMARKED}{front}{prose(300)}").title == TITLE


def test_a_line_for_each_author_with_the_affiliation_after_a_name_in_capitals_gives_each():
    places = ["University of A, USA", "Institute of B", "C Lab, Berkeley, USA", "D Inc."]
    lines = [f"#text(10pt)[{name.upper()}, {place}]" for name, place in zip(PEOPLE[:4], places, strict=True)]
    people = "\\ ".join(lines)
    head = f'#text(14pt, weight: "bold")[{TITLE}]'

    parsed = document(f"{UNMARKED}{head}\n\n{people}\n\n{prose(90)}\n= Introduction\n{prose(200)}")

    assert parsed.authors == tuple(name for name in PEOPLE[:4])


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "Yu.A.Pusep, L.Fernandes dos Santos and A.I.Toropov",
            ["Yu.A. Pusep", "L. Fernandes dos Santos", "A.I. Toropov"],
        ),
        ("Ruifang Ge   Raymond J. Mooney", ["Ruifang Ge", "Raymond J. Mooney"]),
        ("Tal August\x1f, Kyle Lo\x1f, April May\x1f", ["Tal August", "Kyle Lo", "April May"]),
        ("By Abraham Loeb on May 14, 2018", ["Abraham Loeb"]),
        ("Ana Vega y José Ruiz", ["Ana Vega", "José Ruiz"]),
        ("Anne Dupont et Luc Martin", ["Anne Dupont", "Luc Martin"]),
        ("AMIR SHAH AND ARMAN NOVAK", ["Amir Shah", "Arman Novak"]),
        ("The ATLAS and CMS Collaborations", ["The ATLAS and CMS Collaborations"]),
        ("Received in May 2014", []),
    ],
)
def test_a_line_of_authors_is_read_name_by_name(line, names):
    assert list(names_in(line)) == names


def test_a_given_name_at_the_end_of_a_line_belongs_to_the_next():
    lines = "#align(center)[#text(12pt)[Ada B. Example, Carl D. Martin, and Eva\\ F. Muster]]"

    parsed = document(f"{UNMARKED}{HEAD}\n{lines}\n\n= Abstract\n{prose(60)}\n= Introduction\n{prose(200)}")

    assert parsed.authors == ("Ada B. Example", "Carl D. Martin", "Eva F. Muster")


COVERS = {
    "HAL": "HAL Id: hal-01234567\n\n#text(13pt, weight: \"bold\")[HAL is a multi-disciplinary open access archive "
    "for the deposit of research documents, whether they are published or not.]\n\nTo cite this version: A. Example.",
    "Pure": "#text(18pt)[Northport Research Portal]\n\nCitation for published version (APA): Example, A. (2017).\n\n"
    "Document Version: Publisher's PDF\n\nGeneral rights\n\nTake down policy",
    "eprints": "#text(20pt, weight: \"bold\")[Northport Research Repository]\n\nThis is an author produced version of "
    "a paper.\n\nPlease cite the published version.\n\nReuse\n\nTakedown",
    "eScholarship": "#text(20pt)[UC Northport Previously Published Works]\n\nPermalink\n\neScholarship.org: Powered by",
    "JSTOR": "#text(16pt)[JSTOR]\n\nYour use of the JSTOR archive indicates your acceptance of the Terms of Use",
}  # fmt: skip


@pytest.mark.parametrize("cover", COVERS)
def test_a_cover_page_of_a_repository_gives_neither_title_nor_authors(cover):
    paper = f"{HEAD}\n#align(center)[Ada Example and Carl Martin\n\nInstitute of Wet Plants]\n= Abstract\n{prose(60)}"

    parsed = document(f"{UNMARKED}{COVERS[cover]}\n#pagebreak()\n{paper}\n= Introduction\n{prose(200)}")

    assert (parsed.title, parsed.authors) == (TITLE, ("Ada Example", "Carl Martin"))
    assert [section.title for section in parsed.sections if section.kind != "front"] == ["Abstract", "Introduction"]


THESES = {
    "en": ("University of Northport", "A thesis submitted in partial fulfilment of the requirements for the degree of "
           "Doctor of Philosophy", "by\n\nAda B. Example", "Supervisor: Prof. Carl Muster", "Northport, June 2016"),
    "de": ("Universität Nordhafen", "Dissertation zur Erlangung des akademischen Grades",
           "vorgelegt von Ada B. Example", "Betreuer: Carl Muster", "Nordhafen 2016"),
    "pt": ("Universidade do Porto Norte", "Dissertação de Mestrado", "Ada B. Example", "Orientador: Carl Muster",
           "julho de 2016"),
    "fr": ("Université de Port-Nord", "Thèse de doctorat", "présentée par Ada B. Example",
           "Directeur de thèse : Carl Muster", "2016"),
}  # fmt: skip


@pytest.mark.parametrize("language", THESES)
def test_the_title_page_of_a_thesis_gives_title_author_and_year_and_no_sections(language):
    university, kind, author, supervisor, date = THESES[language]
    page = (
        f'#align(center)[#text(20pt)[{university}]\n\n#v(2em)#text(17pt, weight: "bold")[{TITLE}]'
        f"\n\n#text(14pt)[{kind}]"
        f'\n\n#text(14pt, weight: "bold")[{author}]\n\n#text(12pt)[{supervisor}]\n\n#text(12pt)[{date}]]'
    )

    parsed = document(f"{UNMARKED}{page}\n#pagebreak()\n= Abstract\n{prose(60)}\n= Introduction\n{prose(200)}")

    assert (parsed.title, parsed.authors, parsed.year) == (TITLE, ("Ada B. Example",), 2016)
    assert [section.title for section in parsed.sections if section.kind != "front"] == ["Abstract", "Introduction"]


@pytest.mark.parametrize(
    "printed",
    [
        *("https:\\//doi.org/10.1371/journal.\\ pone.0197919", "DOI: 10.1371/journal.pone.0197919"),
        "Citation: Example A (2018) https:\\//doi.org/10.1371/\\ journal.pone.0197919",
    ],
)
def test_the_doi_of_a_note_is_read_over_the_end_of_its_line(printed):
    parsed = document(f"{UNMARKED}{HEAD}\n#align(center)[Ada Example]\n\n{printed}\n\n= Introduction\n{prose(200)}")

    assert parsed.doi == "10.1371/journal.pone.0197919"


def test_sections_one_level_below_the_abstract_are_of_the_body():
    sections = "\n".join(f"== {name}\n{prose(120)}" for name in ("Introduction", "Methods", "Results", "Discussion"))

    parsed = document(f"{UNMARKED}{HEAD}\n#align(center)[Ada Example]\n\n= Abstract\n{prose(60)}\n{sections}")

    kinds = {section.title: section.kind for section in parsed.sections}
    assert [kinds[name] for name in ("Abstract", "Introduction", "Results")] == ["abstract", "body", "body"]


BIOGRAPHIES = [
    "Ada B. Example is a research scientist with the University of Northport. She received her doctorate in 1997.",
    "Carl Martin received the Ph.D. degree in botany from Northport in 2003. His research interests are leaves.",
    "Eva van Muster joined the Institute of Wet Plants as a professor in 2005.",
    "Gil (Bo) Mayer holds a degree in computer science from the University of Southport since 2001.",
]


@pytest.mark.parametrize("first", range(len(BIOGRAPHIES)))
def test_biographies_after_the_references_are_no_references(first):
    entries = "\n\n".join(
        f"#par(hanging-indent: 2em)[Muster, E., and Probe, F. {year}. Weighing small leaves by hand and by eye. "
        f"Botanical Letters {number}: 44-50.]"
        for number, year in enumerate((2000, 2004, 2006), start=3)
    )
    people = "\n\n".join(BIOGRAPHIES[first:] + BIOGRAPHIES[:first])

    parsed = document(f"{UNMARKED}{HEAD}\n= Introduction\n{prose(120)}\n= References\n{entries}\n\n{people}")

    assert [entry.year for entry in parsed.references] == [2000, 2004, 2006]


def test_labels_left_of_the_right_column_belong_to_its_entries():
    entries = "\n".join(
        f"#block[#place(dx: -1.4em)[{number}]Muster, E., and Probe, F. ({1980 + number}) Weighing of leaves by hand "
        f"and eye. Bot. Lett. {number}, 44–50]"
        for number in range(1, 15)
    )
    page = '#set page(paper: "a4", columns: 2)\n'

    parsed = document(f"{page}{UNMARKED}{HEAD}\n= Introduction\n{prose(330)}\n= References\n{entries}\n")

    assert [entry.label for entry in parsed.references] == [str(number) for number in range(1, 15)]
