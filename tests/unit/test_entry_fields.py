"""Authors, year and title of entries as the common styles print them."""

import pytest

from papergraph.ingest.parsers.common.citations import find_author_years, listed_references
from papergraph.ingest.parsers.common.entries import fields_of
from papergraph.ingest.parsers.common.entries import reference as entry_of
from papergraph.ingest.parsers.document import Heading, Reference, section_tree
from papergraph.schema.ids import title_key

ENTRIES = {
    "plain": (
        "R. L. Brown, J. Durbin, and J. M. Evans. Techniques for testing the constancy of regression relationships "
        "over time. Journal of the Royal Statistical Society, B 37:149-163, 1975.",
        ("R. L. Brown", "J. Durbin", "J. M. Evans"),
        1975,
        "Techniques for testing the constancy of regression relationships over time",
    ),
    "year after authors": (
        "Patricia S. Abril and Robert Plant. 2007. The patent holder’s dilemma: Buy, sell, or troll? Commun. ACM 50, 1 "
        "(Jan. 2007), 36–44.",
        ("Patricia S. Abril", "Robert Plant"),
        2007,
        "The patent holder’s dilemma: Buy, sell, or troll?",
    ),
    "Vancouver with a colon": (
        "Kudsk KA, Fabian TC, Lorenzen ED: Silent deep vein thrombosis in trauma patients. Am J Surg 1989, 158:515-9.",
        ("KA Kudsk", "TC Fabian", "ED Lorenzen"),
        1989,
        "Silent deep vein thrombosis in trauma patients",
    ),
    "year in parentheses, quoted": (
        "Zeileis A, Hornik K (2007). “Generalized M-Fluctuation Tests for Parameter Instability.” Statistica "
        "Neerlandica, 61(4), 488–508.",
        ("A Zeileis", "K Hornik"),
        2007,
        "Generalized M-Fluctuation Tests for Parameter Instability",
    ),
    "APA": (
        "Shotton, M. A., & Sailor, W. (1989). Computer addiction? A study of computer dependency. Taylor & Francis.",
        ("M. A. Shotton", "W. Sailor"),
        1989,
        "Computer addiction? A study of computer dependency",
    ),
    "commas": (
        "A. Prosperetti and G. Tryggvason, Computational Methods for Multiphase Flow (Cambridge, 2009).",
        ("A. Prosperetti", "G. Tryggvason"),
        2009,
        "Computational Methods for Multiphase Flow",
    ),
    "given names last": (
        "Gibson, Tom A. and Tucker, Matthew. The Big Book of Cellular Studies, 2nd ed. John Wiley, New York (2008).",
        ("Tom A. Gibson", "Matthew Tucker"),
        2008,
        "The Big Book of Cellular Studies",
    ),
    "capitals": (
        "ARAUJO, L. C. A classe abntex2: modelo de trabalhos acadêmicos. [S.l.], 2015.",
        ("L. C. ARAUJO",),
        2015,
        "A classe abntex2: modelo de trabalhos acadêmicos",
    ),
    "a group": (
        "R Core Team (2015). R: A Language and Environment for Statistical Computing. R Foundation, Vienna.",
        ("R Core Team",),
        2015,
        "R: A Language and Environment for Statistical Computing",
    ),
}


@pytest.mark.parametrize("style", ENTRIES)
def test_authors_year_and_title_are_told_apart(style):
    text, authors, year, title = ENTRIES[style]
    found = fields_of(text)
    assert (found.authors, found.year, found.title) == (authors, year, title)


MONTH_LIKE = ["Martin", "Mayer", "Decker", "Martinez", "Novak", "Marsi", "Junker", "Augustin", "Mai", "May", "Octavio"]


@pytest.mark.parametrize("surname", MONTH_LIKE)
@pytest.mark.parametrize("form", ["Robert C. {}. 2008.", "Ada Vega and Robert {}. 2008.", "R. {} (2008)."])
def test_a_surname_that_begins_like_a_month_stays(surname, form):
    found = fields_of(form.format(surname) + " Clean rules for small leaves. Northport Press.")
    assert (found.authors[-1].split()[-1], found.year, found.title) == (surname, 2008, "Clean rules for small leaves")


@pytest.mark.parametrize("month", ["May", "Mar.", "Sept.", "October", "juin", "Mai", "March/April", "June 12,"])
def test_a_month_before_the_year_is_in_no_name(month):
    found = fields_of(f"Ada Vega and Jon Decker, {month} 2008. Clean rules for small leaves. Northport Press.")
    assert (found.authors, found.year) == (("Ada Vega", "Jon Decker"), 2008)


UNTITLED = {
    "N. Arkani-Hamed, S. Dimopoulos, Phys. Lett. B 429, 263 (1998) [hep-ph/9803315].": (
        ("N. Arkani-Hamed", "S. Dimopoulos"), 1998, "hep-ph/9803315"),
    "J. Maldacena, Adv. Theor. Math. Phys. 2, 231 (1998), hep-th/9711200.": (
        ("J. Maldacena",), 1998, "hep-th/9711200"),
    "Hu W., Barkana, R., & Gruzinov A. Phys. Rev. Lett. 85, 1158 - 1161 (2000), [astro-ph/0003365].": (
        ("W. Hu", "R. Barkana", "A. Gruzinov"), 2000, "astro-ph/0003365"),
    "Ellis G F R and Stoeger W, 1987 Class. Quantum Grav. 4 1697 [SPIRES]": (("G F R Ellis", "W Stoeger"), 1987, None),
    "Ellis G F R, 2008 Nature 452 158": (("G F R Ellis",), 2008, None),
    "Kolb E W, Marra V and Matarrese S, 2008 arXiv:0807.0401": (
        ("E W Kolb", "V Marra", "S Matarrese"), 2008, "0807.0401"),
    "Matos T., and Guzman F. Class.Quant.Grav.17:L9-L16,2000, [gr-qc/9810028].": (
        ("T. Matos", "F. Guzman"), 2000, "gr-qc/9810028"),
    "Guzman F. Phys. Rev. D 73, 021501(R) (2006), [grqc/0512081].": (("F. Guzman",), 2006, "gr-qc/0512081"),
    "Jae-Weon Lee and In-gyu Koh. Phys. Rev. D 53, 2236 (1996).": (("Jae-Weon Lee", "In-gyu Koh"), 1996, None),
    "G. M. Gusev, Yu.A.Pusep, and J. C. Portal, Phys.Rev.B 81 (2010), p.165302.": (
        ("G. M. Gusev", "Yu.A. Pusep", "J. C. Portal"), 2010, None),
    "G. Aad et al. [ATLAS Collaboration], Phys. Lett. B 716, 1 (2012) [arXiv:1207.7214 [hep-ex]].": (
        ("G. Aad",), 2012, "1207.7214"),
    "Bernal A., Núñez D., 2008, RMxAA, 44, 149, [astroph/0303455].": (
        ("A. Bernal", "D. Núñez"), 2008, "astro-ph/0303455"),
}  # fmt: skip


@pytest.mark.parametrize("text", UNTITLED)
def test_a_journal_after_the_authors_is_no_title(text):
    found, entry = fields_of(text), entry_of(label="1", text=text)
    assert (found.authors, found.year, entry.arxiv_id) == UNTITLED[text]
    assert found.title is None


TITLED = {
    "J. D. Bekenstein, Black Holes and Entropy, Phys. Rev. D 7, 2333 (1973).": (
        ("J. D. Bekenstein",), "Black Holes and Entropy"),
    "R. Abbott et al. (LIGO and Virgo Collaborations), Observation of waves, Phys. Rev. Lett. 116, 6 (2016).": (
        ("R. Abbott",), "Observation of waves"),
    "ATLAS Collaboration, The ATLAS Simulation Infrastructure, Eur. Phys. J. C 70 (2010) 823.": (
        ("ATLAS Collaboration",), "The ATLAS Simulation Infrastructure"),
    "NNPDF Collaboration, R. D. Ball et al., Parton distributions with LHC data, Nucl. Phys. B 867 (2013) 244.": (
        ("NNPDF Collaboration", "R. D. Ball"), "Parton distributions with LHC data"),
    "M. Grazzini and M. Wiesemann, Fully differential computations with MATRIX, Eur. Phys. J. C 78 (2018) 537": (
        ("M. Grazzini", "M. Wiesemann"), "Fully differential computations with MATRIX"),
    "Mehdi, S.; Tiwary, P. Thermodynamics of Interpretation. 2022.": (
        ("S. Mehdi", "P. Tiwary"), "Thermodynamics of Interpretation"),
    "Poole C, Greenland S. Random-effects meta-analyses are conservative. Am J Epidemiol 1999;150: 469.": (
        ("C Poole", "S Greenland"), "Random-effects meta-analyses are conservative"),
    "Vijayan G, Bobby Z, et al.Increased plasma in infected patients. J Med. 2007": (
        ("G Vijayan", "Z Bobby"), "Increased plasma in infected patients"),
    "Sara Billey and V. Lakshmibai, Singular loci of varieties, Progress in Mathematics, vol. 182, Boston, 2000.": (
        ("Sara Billey", "V. Lakshmibai"), "Singular loci of varieties"),
    "Ada Vega, Ben T. Ito, and Cy Noor, Linear Groups, Math. Z. 264 (2010), no. 3, 633–670.": (
        ("Ada Vega", "Ben T. Ito", "Cy Noor"), "Linear Groups"),
    "A. NEWELL AND J. C. SHAW, Programming the machine, Proc. Western Joint Comput. Conference, Feb. 1957.": (
        ("A. NEWELL", "J. C. SHAW"), "Programming the machine"),
    "Oz Yilmaz, S. M. Doherty, Seismic data analysis: Processing and inversion, 2nd edition, Tulsa, OK, 2000.": (
        ("Oz Yilmaz", "S. M. Doherty"), "Seismic data analysis: Processing and inversion"),
    "Dmitri N. Akhiezer, Lie group actions in complex analysis, Aspects of Mathematics, Braunschweig, 1995.": (
        ("Dmitri N. Akhiezer",), "Lie group actions in complex analysis"),
    "2021. New Standards for Summaries. https://example.org": ((), "New Standards for Summaries"),
    "Libraries at Northport. 2020. Copyright and fair use.": (("Libraries at Northport",), "Copyright and fair use"),
}  # fmt: skip


@pytest.mark.parametrize("text", TITLED)
def test_titles_are_told_from_names_of_people_groups_and_journals(text):
    found = fields_of(text)
    assert (found.authors, found.title) == TITLED[text]


@pytest.mark.parametrize(
    "text",
    [
        "E. Witten, String theory in various dimensions, Nucl. Phys. B 443 (1995) 85 [hep-th/9503124].",
        "E. Witten. String theory in various dimensions. Nucl. Phys. B, 443:85, 1995.",
        "Edward Witten. 1995. String theory in various dimensions. Nucl. Phys. B 443, 85.",
        "Witten, E. (1995), “String theory in various dimensions,” Nucl. Phys. B 443, 85.",
    ],
)
def test_a_title_before_an_abbreviated_journal_is_kept(text):
    assert fields_of(text).title == "String theory in various dimensions"


def test_text_that_is_no_entry_has_no_authors():
    assert fields_of("There are three options for citing works of others.").authors == ()


def reference(authors, year, letter=""):
    return Reference("", f"{authors[0]} and others ({year}{letter}). A title.", "A title", tuple(authors), year)


WORKS = (
    reference(["Douglas Bates"], 2015),
    reference(["J. Smith", "A. Jones"], 2014),
    reference(["C. Li", "W. H. Wong"], 2001, "a"),
    reference(["C. Li", "W. H. Wong"], 2001, "b"),
    reference(["Eero Höhle", "B. Three", "C. Four"], 2009),
    reference(["M. von Davier", "X. Xu", "C. Carstensen"], 2011),
)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("as shown (Bates 2015).", [0]),
        ("(Bates, 2015; Smith & Jones, 2014)", [0, 1]),
        ("Smith and Jones (2014) say", [1]),
        ("Li and Wong (2001a,b)", [2, 3]),
        ("Li and Wong (2001)", []),
        ("H\u00f6hle et al. (2009)", [4]),
        ("Bates’s (2015) model", [0]),
        ("(von Davier et al., 2011)", [5]),
        ("Baker (2015) and in 2014", []),
        ("Smith and Brown (2014)", []),
    ],
)
def test_names_with_a_year_cite_the_one_entry_that_they_fit(text, cited):
    places = list(find_author_years(text, [(0, len(text))], WORKS))
    assert sorted(place.reference for place in places) == cited
    assert all(text[place.start].isalnum() for place in places)


def test_entries_of_a_list_in_running_text_have_titles_and_authors():
    text = "References\n\nAgresti A (2002). Categorical Data Analysis. John Wiley & Sons, Hoboken.\n"
    sections = tuple(section_tree(text, [Heading("References", 1, 0, 12)], "T", 0))
    (entry,) = listed_references(text, sections)
    assert (entry.title, entry.authors, entry.year) == ("Categorical Data Analysis", ("A Agresti",), 2002)


def test_title_keys_have_neither_accents_nor_blanks_and_are_long_enough():
    assert title_key("zoo: S3 Infrastructure for Régular Series") == "zoos3infrastructureforregularseries"
    assert title_key("Linear Models") is None
    assert title_key(None) is None
