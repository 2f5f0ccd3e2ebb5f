"""Lists of names in the forms that bibliographies, lists of references and title pages print."""

import pytest

from papergraph.ingest.parsers import parse
from papergraph.ingest.parsers.common.entries import fields_of
from papergraph.ingest.parsers.pdf.authors import names_in
from papergraph.ingest.sources import RawDocument
from papergraph.ingest.sources.bibtex import read_entries
from papergraph.ingest.sources.names import inverted, names_of
from papergraph.ingest.sources.ris import read_entries as read_ris

LISTS = {
    "Robert C. Martin": ["Robert C. Martin"],
    "D. Niculescu, B. Nath": ["D. Niculescu", "B. Nath"],
    "Ivanov A. A., Petrov B. B.": ["A. A. Ivanov", "B. B. Petrov"],
    "Kostoff R N, Schaller R": ["R N Kostoff", "R Schaller"],
    "Knuth, Donald E.": ["Donald E. Knuth"],
    "Gibson, Tom A., Matthew Tucker": ["Tom A. Gibson", "Matthew Tucker"],
    "Garcia Marquez, Gabriel": ["Gabriel Garcia Marquez"],
    "Shotton, M. A., & Sailor, W.": ["M. A. Shotton", "W. Sailor"],
    "Kudsk KA, Fabian TC, Lorenzen ED": ["KA Kudsk", "TC Fabian", "ED Lorenzen"],
    "M. Weeber, H. Klein, L. T. W. de Jong-van den Berg, R. Vos": [
        "M. Weeber",
        "H. Klein",
        "L. T. W. de Jong-van den Berg",
        "R. Vos",
    ],
    "Xiang Wang, Yan Dong, Xiang qian Qi, Yi-Ming Li, and Lijun Hou": [
        "Xiang Wang",
        "Yan Dong",
        "Xiang qian Qi",
        "Yi-Ming Li",
        "Lijun Hou",
    ],
    "Jonathan Fiscus, John Garofolo, greg Sanders, and David Pallett": [
        "Jonathan Fiscus",
        "John Garofolo",
        "greg Sanders",
        "David Pallett",
    ],
    "R. Espinosa et E. Negre": ["R. Espinosa", "E. Negre"],
    "A. SMITH AND B. FERREIRA": ["A. SMITH", "B. FERREIRA"],
    "S. Ramón y Cajal": ["S. Ramón y Cajal"],
    "José Ortega y Gasset and Juan Pérez": ["José Ortega y Gasset", "Juan Pérez"],
    "Ana García y Luis Pérez": ["Ana García", "Luis Pérez"],
    "Yu.A.Pusep, A.K.Bakarov and A.I.Toropov": ["Yu.A. Pusep", "A.K. Bakarov", "A.I. Toropov"],
    "ARAUJO, L. C.": ["L. C. ARAUJO"],
    "R Core Team": ["R Core Team"],
    "Smith J and R Core Team": ["J Smith", "R Core Team"],
    "Centers for Disease Control and Prevention": ["Centers for Disease Control and Prevention"],
    "LEE, K. and KIM, J.": ["K. LEE", "J. KIM"],
    "Hu W., Barkana, R., & Gruzinov A.": ["W. Hu", "R. Barkana", "A. Gruzinov"],
    "Lee J. and Koh I.": ["J. Lee", "I. Koh"],
    "Andrigo Gomes": ["Andrigo Gomes"],
    "Gomes, Andrigo and Pettersson, Andreas": ["Andrigo Gomes", "Andreas Pettersson"],
    "Aurum A, Wohlin": ["A Aurum", "Wohlin"],
    "Siddhartha Guzman F., Urena-Lopez L. A.": ["F. Siddhartha Guzman", "L. A. Urena-Lopez"],
    "王明, 李华": ["王明", "李华"],
    "Иванов А. А., Петров Б. Б.": ["А. А. Иванов", "Б. Б. Петров"],
    "Иванов И. и Петров П.": ["И. Иванов", "П. Петров"],
    "Vincent A and Bob B": ["A Vincent", "B Bob"],
    "King, Jr., Martin Luther": ["Martin Luther King Jr"],
    "J. Smith, Jr., K. Doe": ["J. Smith Jr", "K. Doe"],
    "John Smith, Peter Doe": ["John Smith", "Peter Doe"],
    "Smith, John; Doe, Peter": ["John Smith", "Peter Doe"],
    "Smith, J.; Doe, P.; and Roe, K.": ["J. Smith", "P. Doe", "K. Roe"],
    "A. Smith, the ATLAS Collaboration": ["A. Smith", "the ATLAS Collaboration"],
    "Jan de Vries en Piet Bakker": ["Jan de Vries", "Piet Bakker"],
    "Matthew E. Peters, Waleed Ammar, Chandra Bhagavatula, and Russell Power": [
        "Matthew E. Peters",
        "Waleed Ammar",
        "Chandra Bhagavatula",
        "Russell Power",
    ],
    "P. Levis, A. Tavakoli,": ["P. Levis", "A. Tavakoli"],
    "Perlmutter S et al": ["S Perlmutter"],
    "Microsoft": ["Microsoft"],
    "J Ben Schafer, Dan Frankowski": ["J Ben Schafer", "Dan Frankowski"],
    "Hal Daumé III": ["Hal Daumé III"],
    "McGrath, Michael E": ["Michael E McGrath"],
    "van Elst H and Ellis G F R": ["H van Elst", "G F R Ellis"],
    "Bolón-Canedo, V., Sánchez-Maroño, N., Alonso-Betanzos, A.": [
        "V. Bolón-Canedo",
        "N. Sánchez-Maroño",
        "A. Alonso-Betanzos",
    ],
    "Öztürk, Ş., d'Arc, J., al-Rashid, M.": ["Ş. Öztürk", "J. d'Arc", "M. al-Rashid"],
    "Kim Anh Le Cao, Florian Rohart": ["Kim Anh Le Cao", "Florian Rohart"],
    "S. P. Ponzetto, R. Navigli, et al.": ["S. P. Ponzetto", "R. Navigli"],
    "Nature": ["Nature"],
    "Cai, D., X. He, J. Han": ["D. Cai", "X. He", "J. Han"],
    "Cai, Deng, Xiaofei He, and Jiawei Han": ["Deng Cai", "Xiaofei He", "Jiawei Han"],
    "Brown, Peter F., Vincent J. Della Pietra, Stephen A. Della Pietra, and Robert L. Mercer": [
        "Peter F. Brown",
        "Vincent J. Della Pietra",
        "Stephen A. Della Pietra",
        "Robert L. Mercer",
    ],
    "World Health Organization": ["World Health Organization"],
    "Blei, D. M., Ng, A. Y., and Jordan, M. I.": ["D. M. Blei", "A. Y. Ng", "M. I. Jordan"],
    "Smith J.R., Doe K.-P.": ["J.R. Smith", "K.-P. Doe"],
    "Lee and Seung": ["Lee", "Seung"],
    "Buchanan, B., Sutherland, G., & Feigenbaum, E.A.": ["B. Buchanan", "G. Sutherland", "E.A. Feigenbaum"],
    "Zhang Wei, Li Na": ["Zhang Wei", "Li Na"],
    "O. Maler, A. Pnueli, J. Sifakis": ["O. Maler", "A. Pnueli", "J. Sifakis"],
    "Emily Prud'hommeaux and Brian Roark": ["Emily Prud'hommeaux", "Brian Roark"],
    "Kohl 3rd HW, Swayze VW 2nd, Pope CA 3rd": ["HW Kohl III", "VW Swayze II", "CA Pope III"],
    "Hughes LL, Gray RJ, et al; Eastern Oncology Group; Cancer Foundation": [
        "LL Hughes",
        "RJ Gray",
        "Eastern Oncology Group",
        "Cancer Foundation",
    ],
    "Kluyver, Thomas, Benjamin Ragan-Kelley, Fernando Pérez, Kyle Kelley, et al.": [
        "Thomas Kluyver",
        "Benjamin Ragan-Kelley",
        "Fernando Pérez",
        "Kyle Kelley",
    ],
    "C. Fruteau, B. Voelkl, E. v. Damme, and R. Noë": ["C. Fruteau", "B. Voelkl", "E. v. Damme", "R. Noë"],
    "Kim, J.-h., Krumholz, M. R.": ["J.-h. Kim", "M. R. Krumholz"],
    "E. Brill, J. Lin, M. Banko, S. Dumais, and A. Ng": ["E. Brill", "J. Lin", "M. Banko", "S. Dumais", "A. Ng"],
}

NO_LISTS = [
    "J. Maldacena, Adv",
    "A. Smith, B. Jones, Machine Learning",
    "A. Smith and B. Jones, Machine Learning",
    "Deep learning, theory and applications",
    "There are three options for citing works of others",
    "Y. Ma. Deep Learning",
    "Bertsekas, D. P. and Tsitsiklis, J. N. Neuro-Dynamic Programming",
    "Tomas Mikolov, Kai Chen, Greg S. Corrado, Jeffrey Dean. Efficient estimation",
]


@pytest.mark.parametrize("text", LISTS)
def test_a_list_gives_its_names_with_given_names_first(text):
    assert names_of(text) == LISTS[text]


@pytest.mark.parametrize("text", NO_LISTS)
def test_text_with_words_that_are_no_names_gives_none(text):
    assert names_of(text) == []


@pytest.mark.parametrize("conjunction", ["and", "AND", "And", "&", "und", "et", "och", "og", "en", "ed", "e", "y", "i"])
def test_conjunctions_are_in_no_name(conjunction):
    assert names_of(f"A. Vega Ruiz {conjunction} B. Niemi") == ["A. Vega Ruiz", "B. Niemi"]


@pytest.mark.parametrize("particle", ["van der", "de", "von", "del", "ter", "al-", "d'"])
def test_particles_stay_with_their_surname(particle):
    surname = f"{particle}Berg" if particle[-1] in "-'" else f"{particle} Berg"
    assert names_of(f"A. Vega, J. {surname}, and C. Niemi") == ["A. Vega", f"J. {surname}", "C. Niemi"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lovelace, Ada", "Ada Lovelace"),
        ("King, Martin Luther, Jr.", "Martin Luther King Jr."),
        ("King, Jr., Martin Luther", "Martin Luther King Jr."),
        ("Ada Lovelace", "Ada Lovelace"),
        ("WHO", "WHO"),
    ],
)
def test_an_inverted_name_is_read_in_the_order_in_which_it_is_said(text, name):
    assert inverted(text) == name


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("Smith, J. and Jones, K.", ["J. Smith", "K. Jones"]),
        ("Smith, J., Jones, K., Vega, L.", ["J. Smith", "K. Jones", "L. Vega"]),
        ("{World Health Organization}", ["World Health Organization"]),
        ("Anna Meier und Jan Vos", ["Anna Meier", "Jan Vos"]),
        ("de la Vega, Ana and others", ["Ana de la Vega"]),
        ("Kostoff R N, Schaller R", ["R N Kostoff", "R Schaller"]),
    ],
)
def test_a_bibtex_field_of_another_form_than_its_own_gives_each_name(authors, names):
    [(_, record)] = read_entries(f"@misc{{key,\n author = {{{authors}}},\n title = {{Leaves}}\n}}")
    assert record["authors"] == names


EVERYWHERE = {
    "Nguyễn Văn An, Trần Thị Bình and Lê Hoàng Đức": ["Nguyễn Văn An", "Trần Thị Bình", "Lê Hoàng Đức"],
    "Nguyễn, V. A., Trần, T. B., and Lê, H. Đ.": ["V. A. Nguyễn", "T. B. Trần", "H. Đ. Lê"],
    "García Márquez, G. and Vargas Llosa, M.": ["G. García Márquez", "M. Vargas Llosa"],
    "José Luis García Pérez, María Rodríguez López y Ana de la Fuente": [
        "José Luis García Pérez",
        "María Rodríguez López",
        "Ana de la Fuente",
    ],
    "van der Berg, J., van den Broek, P., & ter Horst, A.": ["J. van der Berg", "P. van den Broek", "A. ter Horst"],
    "J. van\nder Berg and K. de\nVries": ["J. van der Berg", "K. de Vries"],
    "Smith, J.A., Jones, B., Miller, C.D.E.": ["J.A. Smith", "B. Jones", "C.D.E. Miller"],
}
AFTER_SURNAMES = {
    "García Márquez G, Vargas Llosa M, Ortega y Gasset J": ["G García Márquez", "M Vargas Llosa", "J Ortega y Gasset"],
    "Nguyễn VA, Trần TB, Lê HĐ": ["VA Nguyễn", "TB Trần", "HĐ Lê"],
    "Berg J van der, Broek P van den": ["J van der Berg", "P van den Broek"],
    "Smith J.A., Jones B., Miller C.D.E.": ["J.A. Smith", "B. Jones", "C.D.E. Miller"],
}
GROUPS = {
    "Food and Agriculture Organization": ["Food and Agriculture Organization"],
    "National Institute of Standards and Technology": ["National Institute of Standards and Technology"],
    "Ministry of Health and Family Welfare": ["Ministry of Health and Family Welfare"],
    "World Health Organization and United Nations Children's Fund": [
        "World Health Organization",
        "United Nations Children's Fund",
    ],
}


@pytest.mark.parametrize(
    ("authors", "names"), [*EVERYWHERE.items(), *AFTER_SURNAMES.items(), *GROUPS.items()]
)  # a title page prints surnames first as they are, and no groups alone
def test_one_list_of_names_is_read_alike_in_records_lists_of_references_and_title_pages(authors, names):
    [(_, record)] = read_entries(f"@misc{{key,\n author = {{{authors}}},\n title = {{Leaves}}\n}}")
    assert record["authors"] == names
    authors = " ".join(authors.split())
    entry = fields_of(f"{authors} (2019). Leaves of seagrass in moving air. Journal of Wet Plants 3, 1-9.")
    assert (list(entry.authors), entry.title) == (names, "Leaves of seagrass in moving air")
    entry = fields_of(f"{authors.rstrip('.')}. Leaves of seagrass in moving air. Journal of Wet Plants, 3:1-9, 2019.")
    assert (list(entry.authors), entry.title) == (names, "Leaves of seagrass in moving air")
    text = f'---\ntitle: Leaves\nauthors: "{authors}"\n---\n\n# Introduction\n\nWords.\n'
    assert list(parse(RawDocument("/a.md", text.encode(), "markdown", "0" * 64)).authors) == names
    if authors not in {*AFTER_SURNAMES, *GROUPS}:
        assert list(names_in(authors)) == names


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("García Márquez, Gabriel", "Gabriel García Márquez"),
        ("Trần TB", "TB Trần"),
        ("Smith J.A.", "J.A. Smith"),
        ("van der Berg, Jan", "Jan van der Berg"),
        ("Broek P van den", "P van den Broek"),
        ("Food and Agriculture Organization", "Food and Agriculture Organization"),
    ],
)
def test_an_author_of_ris_is_read_in_the_order_in_which_it_is_said(field, name):
    [(_, record)] = read_ris(f"TY  - JOUR\nAU  - {field}\nTI  - Leaves\nER  - \n")
    assert record["authors"] == [name]


@pytest.mark.parametrize(
    ("entry", "authors", "title"),
    [
        (
            "Sara Billey and V. Lakshmibai, Singular loci of varieties, Birkhäuser, 2000.",
            2,
            "Singular loci of varieties",
        ),
        ("Smith, J. and the Imaging Initiative (2010). Leaves in winter. Botany 3.", 2, "Leaves in winter"),
        ("Department of Energy. Leaves in winter. Journal of Wet Plants, 3:1-9, 2019.", 1, "Leaves in winter"),
    ],
)
def test_a_title_is_no_name_and_a_group_is_no_title(entry, authors, title):
    found = fields_of(entry)
    assert (len(found.authors), found.title) == (authors, title)
