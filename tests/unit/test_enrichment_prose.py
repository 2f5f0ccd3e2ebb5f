"""References, code, output and URLs are no prose; names of people, places, publishers and numbers are no entities."""

import pytest

from papergraph.ingest.enrichments.entities.extraction import find
from papergraph.ingest.enrichments.entities.gazetteer import called_functions, cited_people, is_excluded
from papergraph.ingest.enrichments.prose import MASK, is_prose, prose
from papergraph.schema.ids import entity_id
from papergraph.text.words import singular

SENTENCE = "The sandwich estimator is consistent when the errors are heteroskedastic (Zeileis 2006)."


@pytest.mark.parametrize(
    "block",
    [
        'R> fm <- lm(dist ~ speed, data = cars, na.action = "na.omit")',
        "> summary(fm1)",
        "> fm1",
        "+ data = sleepstudy, subset = Days > 2)",
        "## ltheta 2.187954 2.429738",
        "healthexcellent -0.329 -2.310 -0.378 -4.312",
        "GRanges object with 2 ranges and 3 metadata columns:",
        "$TX2 GRangesList object of length 2:",
        "seqnames ranges strand | score GC",
        "[2] chMT [121, 237] * | gene",
        "Pinheiro JC, Bates DM (2000). Mixed-Effects Models in S. Springer-Verlag, New York. ISBN 0-387-98957-9.",
        "[3] A. Author and B. Writer. On tides. Journal of Physics, 12(3):45-67, 2001. https://doi.org/10.1000/182.",
    ],
)
def test_a_block_of_code_output_or_references_is_masked_as_a_whole(block: str):
    masked = prose(f"{SENTENCE}\n\n{block}")

    assert masked == f"{SENTENCE}\n\n{MASK * len(block)}"


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "Die Schätzung ist im Jahr 1987 stabil.",
        "The loss $L(x_1) = \\sum_i w_i x_i$ is convex in $x$.",
        "> We hold that the estimator (Zeileis 2006) is consistent, and so do others.",
        "The density of y given x is written p(y | x) here.",
        "A GRanges object with 2 ranges is a container of intervals.",
        "+ Fast search over many papers",
        "[12] show that the sum of squares is finite.",
    ],
)
def test_prose_of_any_language_and_with_formulas_stays(text: str):
    assert is_prose(text, prose(text))


def test_urls_and_calls_within_a_sentence_are_masked_where_they_stand():
    text = "See https://example.org/a and use lm() for it."

    masked = prose(text)

    assert masked.replace(MASK, "") == "See  and use  for it."
    assert len(masked) == len(text)


def test_a_list_of_references_has_no_prose_at_all():
    assert not is_prose(SENTENCE, prose(SENTENCE, section_kind="references"))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "TRUE",
            "NULL",
            "New York",
            "John Wiley",
            "2nd edition",
            "URL http",
            "Model 1",
            "H0",
            "2.2e-16",
            "fY",
            "W1/2",
        ),
        *("fY", "W1/2", "data frame", "character strings", "S4 object", "return value", "Min 1Q Median 3Q Max"),
    ],
)
def test_places_publishers_numbers_constants_and_parts_of_programs_are_no_entities(name: str):
    assert is_excluded(name)


@pytest.mark.parametrize("name", ["language model", "training algorithm", "object detection", "pH", "path analysis"])
def test_common_words_beside_one_of_a_field_are_an_entity(name: str):
    assert not is_excluded(name)


def test_functions_that_a_paper_calls_are_no_entities_and_orders_of_models_are_no_calls():
    text = (
        "With setCor(x) or cca(y ~ x, data = d), and Solver(). CCA, an AR(1) and a VAR(p = 2) process; see Table (b)."
    )

    names = {found.name for found in find([text], functions=called_functions([text]))[0]}

    assert called_functions([text]) == {"setCor", "Solver"}
    assert "CCA" in names
    assert not names & {"setCor", "Solver"}


def test_variables_of_formulas_are_no_entities():
    text = (
        "The linear statistic T of the covariate Xj has the conditional expectation µ, and the influence function h "
        "is fixed. Here ZΛθ and RX are known, RX = LX − RZ, with an HR = 1.5 and TNFα. Patients with hepatitis B, "
        "that is viral hepatitis B, had a high HR."
    )

    names = {found.name for found in find([text])[0]}

    assert {"linear statistic", "conditional expectation", "HR", "TNFα", "viral hepatitis B"} <= names
    assert not names & {"linear statistic T", "covariate Xj", "ZΛθ", "RX", "LX", "RZ", "influence function h"}


@pytest.mark.parametrize(
    "text",
    [
        "Wir lesen die Texte mit BERT. Der Aufbau ist nicht einfach. Die Daten sind auch von uns und für alle da.",
        "Lorem ipsum dolor sit amet, consectetuer adipiscing elit. Donec BERT vehicula augue. Nulla facilisi sed.",
    ],
)
def test_of_text_in_another_language_only_made_up_names_are_entities(text):
    assert {found.name for found in find([text])[0]} == {"BERT"}


def test_the_name_of_a_printed_list_is_no_prose():
    assert prose("$Comp.1\nThe price is $5.") == "\0" * 7 + "\nThe price is $5."


def test_a_cited_person_is_no_entity_but_what_bears_the_name_is():
    people = cited_people(
        [
            "As Powell (1986) and Geyer (submitted) say.",
            "The Powell estimator of Rcpp is fast. Rcpp Rcpp Rcpp Rcpp Rcpp",
        ]
    )

    assert people == {"powell", "geyer"}
    assert is_excluded("Powell", people)
    assert not is_excluded("Powell estimator", people)


def test_plural_and_singular_are_one_entity():
    assert entity_id("main", "p-values") == entity_id("main", "P-value")
    assert entity_id("main", "covariance matrices") == entity_id("main", "covariance matrix")
    assert entity_id("main", "bias") != entity_id("main", "bia")
    assert singular("databases") == "database"


def test_entities_come_from_prose_alone():
    texts = [prose(f"{SENTENCE}\nR> x <- rnorm(10, mean = 0, sd = TRUE)\nSpringer-Verlag, New York.")]

    names = {found.name for found in find(texts, people=cited_people(texts))[0]}

    assert "sandwich estimator" in names
    assert not names & {"TRUE", "New York", "Springer-Verlag", "Zeileis", "rnorm"}
