"""Entities are found without a trained model, and names are held to be the same by what they say."""

import itertools
import random

import pytest

from papergraph.errors import InputError
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.entities.extraction import ExtractionLimits, find
from papergraph.ingest.enrichments.entities.gazetteer import Entry, known_names, read_gazetteer
from papergraph.ingest.enrichments.entities.llm_extraction import read_schema
from papergraph.ingest.enrichments.entities.resolution import Named, complete_link, normal, same
from papergraph.ingest.enrichments.entities.stored_entities import mentions_of
from papergraph.ingest.enrichments.entities.term_extraction import EntityType, c_values, kind_of, terms
from papergraph.ingest.enrichments.entities.training import read_given

PAPER = [
    "We propose a convolutional neural network (CNN) for semantic segmentation of street scenes.",
    "The CNN is trained on Cityscapes. On the GlimmerScape dataset, our SparkleNet improves accuracy by 3 points.",
    "As shown by Miller et al. (2019), conditional random fields are often slower. SparkleNet is not.",
]


def named(found):
    return {(one.name, one.type, one.by) for one in found}


# Finding


def test_terms_names_and_measures_are_found_with_their_types():
    first, second, third = map(named, find(PAPER))

    assert first == {
        ("convolutional neural network", "Method", "abbreviation"),
        ("CNN", "Method", "abbreviation"),
        ("semantic segmentation", "Task", "terms"),
        ("street scenes", "Term", "terms"),
    }
    assert second == {
        ("CNN", "Method", "abbreviation"),
        ("Cityscapes", "Dataset", "gazetteer"),
        ("GlimmerScape", "Dataset", "terms"),
        ("SparkleNet", "Method", "terms"),
        ("accuracy", "Metric", "terms"),
    }
    assert third == {("conditional random fields", "Term", "terms"), ("SparkleNet", "Method", "terms")}


def test_what_is_found_stands_where_it_says_and_nothing_overlaps():
    for text, found in zip(PAPER, find(PAPER), strict=True):
        assert all(" ".join(text[one.start : one.end].split()) == one.name for one in found)
        assert all(one.end <= other.start for one, other in itertools.pairwise(found))


def test_an_abbreviation_knows_its_long_form_wherever_the_paper_uses_it():
    found = find(PAPER)

    assert {one.aliases for one in found[1] if one.name == "CNN"} == {("convolutional neural network",)}
    assert find(PAPER[1:])[0] != found[1]  # another paper, which explains nothing


def test_function_words_and_numbers_are_no_terms():
    assert [term.name for term in terms("It is, however, of the 25 that we have shown. (1) 3.5 % 2018")] == []


def test_an_empty_paper_and_a_strange_one_have_no_entities():
    assert find([]) == []
    assert find(["", "   ", "\x00 \ud7ff ... (( [[ ]] ))"]) == [[], [], []]
    assert [one.name for one in find(["the ᏔᎾᏏ"])[0]] == ["ᏔᎾᏏ"]  # its small letters are the younger ones


def test_a_gazetteer_goes_before_everything_and_is_found_in_any_case_unless_it_is_short():
    gazetteer = (Entry("street scenes", "Place", ("Strassenbilder",)), Entry("it", "Pronoun"))

    first, second, _ = find([PAPER[0], "STREET SCENES, strassenbilder, It", PAPER[2]], gazetteer=gazetteer)

    assert ("street scenes", "Place", "gazetteer") in named(first)
    assert named(second) == {("STREET SCENES", "Place", "gazetteer"), ("strassenbilder", "Place", "gazetteer")}
    assert {one.aliases for one in second} == {("Strassenbilder",), ("street scenes",)}


def test_a_chunk_and_a_paper_keep_so_many_and_those_that_are_used_most():
    text = "SparkleNet beats GlowNet. SparkleNet beats ShineNet. " * 2 + "DimNet loses to GlowNet."

    (found,) = find([text], limits=ExtractionLimits(per_chunk=10, per_paper=2))

    assert {one.name for one in found} == {"SparkleNet", "GlowNet"}
    assert {one.name for one in find([text], limits=ExtractionLimits(per_chunk=1, per_paper=9))[0]} == {"SparkleNet"}


def test_c_value_of_a_nested_term_leaves_out_its_use_in_longer_ones():
    values = c_values([["soft", "contact", "lens"]] * 3 + [["contact", "lens"]] * 2)

    assert values["soft", "contact", "lens"] == pytest.approx(2 * 3)
    assert values["contact", "lens"] == pytest.approx(1.585 * 2, abs=0.01)


def test_the_type_follows_from_the_head_the_ending_or_the_shape():
    names = ("wall street corpus", "top-1 accuracy", "face detection", "BlurGAN", "GPT-9")

    assert [kind_of(name) for name in names] == [
        EntityType.DATASET, EntityType.METRIC, EntityType.TASK, EntityType.METHOD, EntityType.METHOD,
    ]  # fmt: skip
    assert kind_of("blue sky") is EntityType.TERM


def test_a_chunk_mentions_an_entity_once_with_all_its_spellings_and_places():
    text = "SparkleNet and sparklenet and SparkleNet"
    (found,) = find([text], gazetteer=(Entry("SparkleNet", "Method"),))

    (mention,) = mentions_of("c", "main", found)

    assert mention.names == ("SparkleNet", "sparklenet")
    assert mention.offsets == (0, 15, 30)
    assert (mention.type, mention.extractor) == ("Method", "gazetteer")


def test_another_option_gives_another_config_hash():
    config_hashes = {
        enrichment.config_hash
        for enrichment in (
            Entities(),
            Entities(limits=ExtractionLimits(5, 5)),
            Entities(gazetteer=(Entry("a", "B"),)),
            Entities(),
        )
    }

    assert len(config_hashes) == 3


# Gazetteers


def test_gazetteers_are_read_in_three_forms(tmp_path):
    forms = {
        "a.jsonl": '{"name": "Old  Lens", "type": "Method", "aliases": ["OL"]}\n\n',
        "a.csv": "name,type,aliases\nOld Lens,Method,OL\n",
        "a.toml": '[[entities]]\nname = "Old Lens"\ntype = "Method"\naliases = ["OL"]\n',
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        assert read_gazetteer(tmp_path / name) == (Entry("Old Lens", "Method", ("OL",)),)
    assert len(known_names()) > 100


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "Old Lens"),
        ("a.jsonl", "{"),
        ("a.jsonl", '["a"]'),
        ("a.jsonl", '{"name": "", "type": "T"}'),
        ("a.jsonl", '{"name": "A", "type": "T", "aliases": "B"}'),
        ("a.csv", "name,kind\nA,T\n"),
        ("a.toml", "entities = 1"),
        ("a.toml", '[[entities]]\nname = "A"\ntype = "' + "T" * 51 + '"'),
        ("missing.csv", None),
    ],
)
def test_what_is_no_gazetteer_is_refused_with_its_place(tmp_path, name, text):
    if text is not None:
        (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=name):
        read_gazetteer(tmp_path / name)


# Schemas of relations


def test_the_default_schema_allows_what_it_says():
    schema = read_schema()

    assert ("Method", "used for", "Task") in schema.triples
    assert ("Task", "used for", "Method") not in schema.triples
    assert "used for" in schema.text


@pytest.mark.parametrize(
    "text",
    [
        "no TOML",
        '[entities]\nA = "a"\n[relations]\nr = "r"\n',
        '[entities]\nA = "a"\n[relations]\nr = "r"\n[[triples]]\nrelation = "r"\nsubject = "A"\nobject = "B"\n',
        '[entities]\nA = "a"\n[relations]\nr = "r"\n[[triples]]\nrelation = "s"\nsubject = "A"\nobject = "A"\n',
        '[entities]\nA = 1\n[relations]\nr = "r"\n[[triples]]\nrelation = "r"\nsubject = "A"\nobject = "A"\n',
        '[entities]\nA = "a"\n[relations]\nr = "r"\ns = ""\n[[triples]]\nrelation = "r"\nsubject = "A"\nobject = "A"\n',
        '[more]\n[entities]\nA = "a"\n',
    ],
)
def test_a_schema_that_does_not_hold_together_is_refused(tmp_path, text):
    (tmp_path / "s.toml").write_text(text)

    with pytest.raises(InputError, match=r"s\.toml"):
        read_schema(tmp_path / "s.toml")


# The same thing


def entities(*names, **explained):
    return [Named(f"{number:02}", name, tuple(explained.get(name, {}).items())) for number, name in enumerate(names)]


def pairs(found, of):
    names = {entity.id: entity.name for entity in of}
    return {(names[one.start_id], names[one.end_id], one.score, one.evidence) for one in found}


def agree(value):
    return lambda pairs: [value] * len(pairs)


def test_plural_case_hyphen_and_space_do_not_tell_names_apart_but_numbers_do():
    assert len({normal(name) for name in ("Data base", "data-bases", "DATABASE", "databases")}) == 1
    assert len({normal(name) for name in ("GPT-2", "GPT-3", "v1.5", "v15", "C", "C++", "C#", "loss")}) == 8


def test_a_short_form_is_the_same_as_what_most_papers_explain_it_by():
    of = entities(
        "CNN", "convolutional neural network", "convolutional neural networks",
        "MT", "machine translation", "mean time",
        CNN={"convolutional neural networks": 3, "convolutional neural network": 2, "cable news network": 1},
        MT={"machine translation": 1, "mean time": 1},
    )  # fmt: skip

    assert pairs(same(of, reviews={}, cosine=agree(1.0)), of) == {
        ("CNN", "convolutional neural network", 0.833, "abbreviation"),
        ("CNN", "convolutional neural networks", 0.833, "abbreviation"),
        ("convolutional neural network", "convolutional neural networks", 1.0, "name"),
    }


def test_one_letter_of_a_long_word_may_differ_if_the_vectors_agree():
    of = entities("tokenisation step", "tokenization step", "inter-class", "intra-class", "encoder", "decoder")

    (found,) = same(of, reviews={}, cosine=agree(0.9))

    assert (found.start_id, found.end_id, found.evidence) == ("00", "01", "vector")
    assert 0.9 < found.score < 1
    assert same(of, reviews={}, cosine=agree(0.2)) == []


def test_a_chain_of_likenesses_joins_no_ends():
    groups = complete_link({("a", "b"): (0.9, "vector"), ("b", "c"): (0.8, "vector")})

    assert groups["a"] == groups["b"] != groups["c"]


def test_what_a_person_decided_goes_before_everything():
    of = entities("database", "databases", "apple", "pear")
    reviews = {("00", "01"): "different", ("02", "03"): "same", ("00", "99"): "same"}

    assert pairs(same(of, reviews=reviews, cosine=agree(1.0)), of) == {("apple", "pear", 1.0, "review")}


def test_the_order_of_names_decides_nothing():
    rng = random.Random(3)  # noqa: S311 nothing secret
    of = entities(
        *("graph kernel", "graph kernels", "graph-kernel", "colour model", "color model", "colour models", "GK", "CM"),
        GK={"graph kernel": 2}, CM={"colour model": 1, "color model": 1},
    )  # fmt: skip
    first = same(of, reviews={}, cosine=agree(0.8))

    for _ in range(10):
        rng.shuffle(of)
        assert same(of, reviews={}, cosine=agree(0.8)) == first
    assert all(one.start_id < one.end_id for one in first)


# Given elsewhere


def test_a_triple_without_three_parts_is_left_out_and_what_is_no_triple_refused(tmp_path):
    (tmp_path / "given.jsonl").write_text('{"paper": "a", "triples": [["x", "y"], ["x", "y", "z"]]}\n')

    (line,) = read_given(tmp_path / "given.jsonl")

    assert (line.triples, line.n_left_out) == ((("x", "y", "z"),), 1)
    (tmp_path / "given.jsonl").write_text('{"paper": "a", "triples": ["x"]}\n')
    with pytest.raises(InputError, match="line 1"):
        read_given(tmp_path / "given.jsonl")
