"""Metadata of papers: what a file of fields may hold, what is chosen without a model, and what a model is held to."""

import json
from dataclasses import replace

import pytest

from papergraph.errors import AnswerFault, InputError, ModelAnswerError, ModelUnavailableError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredChunk, StoredPaper
from papergraph.ingest.enrichments.metadata.enrichment import (
    OTHER,
    MetadataEnrichment,
    MetadataField,
    MetadataValue,
    PaperValue,
    fields_text,
    from_categories,
    from_terms,
    parse_fields,
    read_fields,
)
from papergraph.language_model import LanguageModel
from papergraph.language_model.client import Retries
from papergraph.settings import Settings
from tests.support.embedders import ToyModel
from tests.support.fake_llm import Reply, rate_limited
from tests.support.metadata import FIELDS

AREA, TASK = FIELDS
TOY = ToyModel("toy", dimension=8)


def paper(title: str = "Tides", abstract: str = "", text: str = "", **other: object) -> StoredPaper:
    chunk = StoredChunk("c", 0, "body", text, "s", "Method", "body")
    bare = StoredPaper("p", "main", "file:p", title, abstract, None, (), None, "h", "r", (), (chunk,))
    return replace(bare, **other)


@pytest.fixture
async def model(fake_llm, tmp_path):
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path)
    async with LanguageModel.from_settings(chosen, retries=Retries(3, 5.0, first_pause_s=0.01)) as model:
        yield model


class TestAFileOfFields:
    def test_of_ours_can_be_read_and_has_no_value_twice(self):
        fields = read_fields()

        assert [field.name for field in fields] == ["area", "domain", "task", "method", "contribution"]
        assert parse_fields(fields_text(), place="copy") == fields

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "has 0 fields"),
            ("[area", "is not TOML"),
            ("[Area]", "'Area' is not a field's name"),
            ("[area_other]", "'area_other' is not a field's name"),
            ("[area]\n[area.values.a]\n[area.values.b]", "area.asks: Field required"),
            ('[area]\nasks = "?"\n[area.values.a]', "area.values: Dictionary should have at least 2 items"),
            ('[area]\nasks = "?"\n[area.values.a]\n[area.values.A]', "has the value 'a' twice"),
            ('[area]\nasks = "?"\n[area.values.a]\n[area.values.Other]', "lists 'other', which is always allowed"),
            ('[area]\nasks = "?"\nmost = 0\n[area.values.a]\n[area.values.b]', "area.most: "),
            ('[area]\nasks = "?"\n[area.values.a]\nterm = []\n[area.values.b]', "area.values.a.term: Extra inputs"),
            ('[area]\nasks = "?"\n[area.values.a]\narxiv = ["cs.C*"]\n[area.values.b]', "area.values.a.arxiv.0: "),
        ],
    )
    def test_that_is_wrong_is_refused_with_the_place(self, text, message):
        with pytest.raises(InputError) as refused:
            parse_fields(text, place="own.toml")

        assert message in str(refused.value)
        assert str(refused.value).startswith("own.toml ")

    def test_that_cannot_be_read_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read as UTF-8"):
            read_fields(tmp_path / "none.toml")


class TestWithoutAModel:
    def test_categories_give_values_the_primary_one_first(self):
        assert from_categories(AREA, ["cond-mat.str-el", "cs.CL"]) == ["physics"]
        assert from_categories(AREA, ["cs.CL", "quant-ph"]) == ["computing"]
        assert from_categories(AREA, ["math.AG", "cond-mat"]) == []

    def test_a_better_place_goes_before_a_more_frequent_term(self):
        places = ("On ranking", "clustering, clustering, clustering", "", "QA QA QA QA")

        assert from_terms(TASK, places) == ["ranking", "clustering"]
        assert from_terms(replace(TASK, most=1), places) == ["ranking"]

    def test_headings_and_text_give_one_value_where_title_and_abstract_give_none(self):
        assert from_terms(TASK, ("", "", "Ranking; QA and QA", "clustering")) == ["answering questions"]
        assert from_terms(TASK, ("", "", "", "clustering, ranking, clustering")) == ["clustering"]
        assert from_terms(TASK, ("", "", "", "nothing of it")) == []

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("Question-Answering systems", True),
            ("question\nanswerings", True),
            ("QA", True),
            ("qa", False),  # a term with a capital is found as it is written
            ("AQA", False),
            ("squash answering", False),
        ],
    )
    def test_terms_are_found_as_words_in_any_case_and_hyphenation(self, text, found):
        assert from_terms(TASK, (text, "", "", "")) == (["answering questions"] if found else [])

    async def test_what_nothing_is_found_for_is_left_out(self):
        enrichment = MetadataEnrichment.choose(FIELDS)
        resources = EnrichmentContext(TOY)

        made = await enrichment.make(paper("QA for law", categories=("cs.CL", "quant-ph")), resources)
        nothing = await enrichment.make(paper(), resources)

        assert made == (PaperValue("area", "computing", "arxiv"), PaperValue("task", "answering questions", "terms"))
        assert nothing == ()
        assert enrichment.requests(paper()) == 0

    def test_the_config_hash_is_that_of_the_fields(self):
        config_hash = MetadataEnrichment.choose(FIELDS).config_hash
        other = MetadataField("task", "What it does.", 2, (*TASK.values[:2], MetadataValue("grouping")))

        assert config_hash == MetadataEnrichment.choose(FIELDS).config_hash
        assert (
            len(
                {
                    config_hash,
                    MetadataEnrichment.choose((AREA,)).config_hash,
                    MetadataEnrichment.choose((AREA, other)).config_hash,
                }
            )
            == 3
        )


class TestAModel:
    async def test_chooses_from_the_lists_and_says_what_other_is(self, fake_llm, model):
        enrichment = MetadataEnrichment.choose(FIELDS, model)
        fake_llm.script(json.dumps({"area": ["Physics"], "task": ["other", "ranking"], "task_other": " tide tables "}))

        made = await enrichment.make(paper("Tides", "We study tides.", "The sea rises."), EnrichmentContext(TOY, model))

        assert made == (
            PaperValue("area", "physics", "scripted"),
            PaperValue("task", OTHER, "scripted", "tide tables"),
            PaperValue("task", "ranking", "scripted"),
        )
        (request,) = fake_llm.requests
        assert all(part in request.prompt for part in ("Tides", "We study tides.", "Method", "The sea rises."))
        schema = request.body["response_format"]["json_schema"]["schema"]["properties"]["task"]
        assert schema["maxItems"] == 2
        assert schema["items"]["enum"] == ["answering questions", "ranking", "clustering", OTHER]

    @pytest.mark.parametrize(
        "bad",
        [
            "no JSON at all",
            json.dumps({"area": ["chemistry"], "task": []}),
            json.dumps({"area": ["physics", "computing"], "task": []}),
            json.dumps({"area": ["physics"]}),
            json.dumps({"area": ["physics"], "task": [], "mood": ["sad"]}),
        ],
        ids=["not JSON", "a value that is not in the list", "more values than allowed", "a field less", "a field more"],
    )
    async def test_that_answers_badly_is_asked_to_put_it_right_once(self, fake_llm, model, bad):
        enrichment = MetadataEnrichment.choose(FIELDS, model)
        fake_llm.script(bad, json.dumps({"area": ["physics"], "task": []}))
        assert await enrichment.make(paper(), EnrichmentContext(TOY, model)) == (
            PaperValue("area", "physics", "scripted"),
        )

        fake_llm.script(bad, bad)
        with pytest.raises(ModelAnswerError) as refused:
            await enrichment.make(paper("Another"), EnrichmentContext(TOY, model))
        assert refused.value.fault in (AnswerFault.NOT_JSON, AnswerFault.WRONG_SCHEMA)
        assert len(fake_llm.requests) == 2 * enrichment.requests(paper())

    async def test_that_refuses_is_an_error_and_one_that_is_busy_is_asked_again(self, fake_llm, model):
        enrichment = MetadataEnrichment.choose(FIELDS, model)
        fake_llm.script(Reply(refusal="I would rather not."))
        with pytest.raises(ModelAnswerError) as refused:
            await enrichment.make(paper(), EnrichmentContext(TOY, model))
        assert refused.value.fault is AnswerFault.REFUSED

        fake_llm.script(rate_limited(), json.dumps({"area": [], "task": ["ranking"]}))
        assert await enrichment.make(paper(), EnrichmentContext(TOY, model)) == (
            PaperValue("task", "ranking", "scripted"),
        )

    async def test_that_was_chosen_must_be_there(self, model):
        with pytest.raises(ModelUnavailableError, match="is asked of the model scripted"):
            await MetadataEnrichment.choose(FIELDS, model).make(paper(), EnrichmentContext(TOY))

    def test_changes_the_config_hash(self, model):
        assert MetadataEnrichment.choose(FIELDS, model).config_hash != MetadataEnrichment.choose(FIELDS).config_hash
