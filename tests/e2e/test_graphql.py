"""GraphQL over HTTP on a real server, on a real Neo4j."""

import base64
import json
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import get_introspection_query
from neo4j import AsyncGraphDatabase

from papergraph.database import Database
from papergraph.server.graph import nodes as reading
from papergraph.server.graphql.schema import sdl
from tests.support.library import MANY
from tests.support.servers import NOWHERE, RunningServer, app_client

pytestmark = pytest.mark.usefixtures("library")

SURFACE_CODES = "Surface Codes and Their Logical Error Rates"
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"

SEARCH = """
query ($query: String!, $k: Int! = 10, $collection: String! = "main") {
  search(input: {query: $query, k: $k, collection: $collection}) {
    hits {
      rank score sectionPath
      retrievers { retriever rank score }
      chunk { id ordinal text startChar endChar startPage endPage nTokens kind }
      previous { ordinal } next { ordinal }
      section { id title path }
      paper { id title authors { name } }
    }
  }
}
"""
FILTERED = """
query ($input: SearchInput!) {
  search(input: $input) { hits { paper { title } } filter { filter matchSummary unknown } }
}
"""
PIPELINE = """
query ($input: SearchInput!) {
  search(input: $input) {
    hits {
      rank score passage chunk { id }
      selection { marginal redundancy nearest nearestSimilarity rankBefore }
      retrievers { retriever rank score query via { label nodeId name } }
      explanation { whyNotHigher mergedChunkIds rankHistory { step rank } via { label nodeId name } }
    }
    pipeline { name about source needs steps }
    queries { text origin }
    selection { k objective lowerBound gap certifiedGain proven backend stage ms }
    trace { step options ms candidatesIn candidatesOut notes cypher { file parameters ms records } }
    draft run
  }
}
"""
PAPERS = """
query ($first: Int!, $after: String, $collection: String! = "main") {
  papers(first: $first, after: $after, collection: $collection) {
    totalCount
    nodes { title }
    edges { cursor node { id title } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}
"""
PAPER_PARTS = """
query ($id: ID!, $first: Int!, $after: String) {
  node(id: $id) {
    ... on Paper { PARTS(first: $first, after: $after) { ...page } }
  }
}
fragment page on KINDConnection {
  totalCount
  nodes { id ordinal }
  pageInfo { hasNextPage endCursor }
}
"""


def walk(server: RunningServer, query: str, *way: str, first: int, **variables: Any) -> list[dict[str, Any]]:
    """Turn page after page of the connection at ``way`` and return its entries; check each page on the way."""
    entries: list[dict[str, Any]] = []
    after = None
    while True:
        connection = server.ask(query, first=first, after=after, **variables)
        for name in way:
            connection = connection[name]
        entries += connection["nodes"]
        info = connection["pageInfo"]
        assert info["hasNextPage"] == (len(entries) < connection["totalCount"])
        if not info["hasNextPage"]:
            assert len(entries) == connection["totalCount"]
            return entries
        assert len(connection["nodes"]) == first
        after = info["endCursor"]


def paper_titled(server: RunningServer, title: str) -> dict[str, Any]:
    papers = server.ask("{ papers(first: 100) { nodes { id key title authors { id name } } } }")["papers"]["nodes"]
    return next(paper for paper in papers if paper["title"] == title)


class TestSearch:
    def test_a_question_finds_its_passage_with_where_it_stands_and_who_says_so(self, server):
        best, *_ = server.ask(SEARCH, query=QUESTION)["search"]["hits"]

        assert best["chunk"]["text"].startswith("A patch of distance 7 uses 97 physical qubits")
        assert best["sectionPath"] == best["section"]["path"] == ["Results", "Overhead"]
        assert best["section"]["title"] == "Overhead"
        assert best["paper"]["title"] == SURFACE_CODES
        assert [author["name"] for author in best["paper"]["authors"]] == [
            "Tobias Quillfeather",
            "Noor Winterbourne",
            "Jorin Hallowick",
        ]
        assert best["previous"]["ordinal"] + 1 == best["chunk"]["ordinal"] == best["next"]["ordinal"] - 1

    def test_a_hit_tells_what_each_retriever_thinks_of_it(self, server):
        hits = server.ask(PIPELINE, input={"query": QUESTION, "pipeline": "fused"})["search"]["hits"]

        vector, fulltext = hits[0]["retrievers"]
        assert (vector["retriever"], fulltext["retriever"]) == ("VECTOR", "FULLTEXT")
        assert 0.5 < vector["score"] < 1 < fulltext["score"]
        assert hits[0]["score"] == pytest.approx(1 / (60 + vector["rank"]) + 1 / (60 + fulltext["rank"]))
        assert [hit["rank"] for hit in hits] == list(range(1, 11))
        assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)

    def test_a_pipeline_is_chosen_changed_and_traced(self, server):
        asked = {
            "query": QUESTION,
            "k": 4,
            "pipeline": "fused",
            "overrides": [{"option": "search.k", "value": 30}],
            "selection": {"k": 4, "pool": 20, "alpha": 0.6},
        }

        found = server.ask(PIPELINE, input=asked)["search"]

        assert [step["step"] for step in found["trace"]] == ["search", "fuse", "select"]
        assert found["trace"][0]["options"]["k"] == 30
        assert {call["file"] for call in found["trace"][0]["cypher"]} == {
            "retrieval/vector_top_k",
            "retrieval/fulltext_top_k",
        }
        assert found["trace"][2]["candidatesIn"] == 20 and found["trace"][2]["candidatesOut"] == 4
        assert found["selection"]["gap"] >= 0 and found["selection"]["backend"] == "exact"
        assert found["selection"]["k"] == 4
        assert {hit["selection"]["nearest"] for hit in found["hits"]} <= {hit["chunk"]["id"] for hit in found["hits"]}
        places = [
            {place["step"]: place["rank"] for place in hit["explanation"]["rankHistory"]} for hit in found["hits"]
        ]
        assert [hit["selection"]["rankBefore"] for hit in found["hits"]] == [of_step[2] for of_step in places]
        assert found["pipeline"]["steps"][0]["k"] == 30
        assert found["run"]["hits"][0][0] == found["hits"][0]["chunk"]["id"]
        assert found["hits"][0]["explanation"]["whyNotHigher"] == ""
        assert " against " in found["hits"][1]["explanation"]["whyNotHigher"]
        assert found["queries"] == [{"text": QUESTION, "origin": "query"}]

    @pytest.mark.parametrize(
        ("filter", "n_titles"),
        [
            ({"authors": ["noor winterbourne"]}, 1),
            ({"not": {"authors": ["Noor Winterbourne"]}, "kinds": ["abstract", "body"]}, 3),
            ({"any": [{"authors": ["Noor Winterbourne"]}, {"kinds": ["table"]}]}, 1),
        ],
    )
    def test_a_filter_holds_on_every_retriever_and_says_what_it_let_through(self, server, filter, n_titles):
        found = server.ask(FILTERED, input={"query": QUESTION, "k": 20, "filter": filter})["search"]

        titles = {hit["paper"]["title"] for hit in found["hits"]}
        assert (len(titles) >= n_titles) and (SURFACE_CODES in titles) == ("not" not in filter)
        assert found["filter"]["matchSummary"] and found["filter"]["unknown"] == []

    def test_a_value_that_names_nothing_is_told_and_no_filter_is_refused(self, server):
        none = server.ask(FILTERED, input={"query": QUESTION, "filter": {"authors": ["Nobody At All"]}})["search"]
        error = server.error(FILTERED, input={"query": QUESTION, "filter": {"kinds": ["boddy"]}})

        assert none["hits"] == []
        assert none["filter"]["unknown"] == ["authors 'Nobody At All'"]
        assert error["extensions"]["code"] == "BAD_USER_INPUT" and "did you mean body?" in error["message"]

    def test_the_query_library_is_there_to_paste(self, server):
        wanted = "name summary parameters { name type } columns tries cypher"
        asked = f"query ($name: String) {{ queries(name: $name) {{ {wanted} }} }}"
        all_of_them, (one,) = server.ask(asked)["queries"], server.ask(asked, name="coauthors")["queries"]
        error = server.error(asked, name="nothing")

        assert len(all_of_them) >= 22 and one in all_of_them
        assert one["summary"].startswith("Who writes with whom?")
        assert one["parameters"][0] == {"name": "collection", "type": "STRING"}
        assert one["columns"] == ["author", "coauthor", "n_papers", "since", "until"]
        assert one["tries"] == [":param {collection: 'main', least: 1, limit: 20}"]
        assert one["cypher"] == Path("cypher/explore/coauthors.cypher").read_text()
        assert error["extensions"] == {"code": "NOT_FOUND", "field": "name"} | error["extensions"]

    def test_all_pipelines_are_listed_with_what_they_need(self, server):
        found = server.ask('{ pipelines { name about source needs } pipeline(name: "m8") { steps } }')

        needs = {pipeline["name"]: pipeline["needs"] for pipeline in found["pipelines"]}
        assert (needs["default"], needs["m8"]) == ([], ["language model", "reranker"])
        assert [step["step"] for step in found["pipeline"]["steps"]] == [
            *("expand", "search", "fuse", "draft", "rerank", "threshold")
        ]

    @pytest.mark.parametrize(
        ("asked", "code", "field", "message"),
        [
            ({"pipeline": "fusd"}, "BAD_USER_INPUT", "pipeline", "There is no pipeline 'fusd'; did you mean 'fused'?"),
            ({"pipeline": "m2"}, "BAD_USER_INPUT", "pipeline", "set PAPERGRAPH_RERANKER_MODEL"),
            ({"pipeline": "kv"}, "BAD_USER_INPUT", "pipeline", "run papergraph enrich --enrichments entities"),
            ({"pipeline": "sv*"}, "BAD_USER_INPUT", "pipeline", "asks a language model and none is configured"),
            ({"overrides": [{"option": "search.kk", "value": 3}]}, "BAD_USER_INPUT", "search.kk", "did you mean 'k'?"),
            (
                {"selection": {"alpha": 2}},
                "BAD_USER_INPUT",
                "selection.alpha",
                "alpha: Input should be less than or equal",
            ),
        ],
    )
    def test_what_a_search_cannot_do_is_told(self, server, asked, code, field, message):
        error = server.error(PIPELINE, input={"query": QUESTION, **asked})

        assert (error["extensions"]["code"], error["extensions"].get("field")) == (code, field)
        assert message in error["message"]

    def test_offsets_are_those_of_the_file(self, server):
        best = server.ask(SEARCH, query=QUESTION, k=1)["search"]["hits"][0]

        text = Path("ingest/samples/surface-code-logical-error-rates.md").read_text()
        assert text[best["chunk"]["startChar"] : best["chunk"]["endChar"]] == best["chunk"]["text"]

    def test_no_hits_are_an_empty_list(self, server):
        assert server.ask(SEARCH, query="qubits", collection="unsearched") == {"search": {"hits": []}}

    @pytest.mark.parametrize("k", [1, 100])
    def test_k_bounds_the_hits(self, server, k):
        assert len(server.ask(SEARCH, query="measurement", k=k, collection="many")["search"]["hits"]) == k

    @pytest.mark.parametrize("query", ["zero \0 byte", "\u202e", "🦜" * 1000, "()[]{}^\"'\\/~*?:"])
    def test_any_text_is_a_query(self, server, query):
        assert len(server.ask(SEARCH, query=query, k=1)["search"]["hits"]) == 1


class TestPapers:
    def test_pages_give_every_paper_once_in_the_order_of_titles(self, server):
        pages = []
        after = None
        while after is not None or not pages:
            page = server.ask(PAPERS, first=5, after=after)["papers"]
            pages.append(page)
            after = page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None

        titles = [edge["node"]["title"] for page in pages for edge in page["edges"]]
        assert [len(page["edges"]) for page in pages] == [5, 5, 2]
        assert titles == sorted(set(titles))
        assert SURFACE_CODES in titles
        assert {page["totalCount"] for page in pages} == {12}
        assert [page["pageInfo"]["hasPreviousPage"] for page in pages] == [False, True, True]
        for page in pages:
            assert page["nodes"] == [{"title": edge["node"]["title"]} for edge in page["edges"]]
            assert page["pageInfo"]["startCursor"] == page["edges"][0]["cursor"]
            assert page["pageInfo"]["endCursor"] == page["edges"][-1]["cursor"]

    @pytest.mark.parametrize("first", [12, 100])
    def test_a_page_that_holds_all_is_the_last(self, server, first):
        page = server.ask(PAPERS, first=first)["papers"]

        assert (len(page["edges"]), page["pageInfo"]["hasNextPage"]) == (12, False)

    def test_a_cursor_in_the_middle_of_a_page_goes_on_from_there(self, server):
        page = server.ask(PAPERS, first=5)["papers"]

        rest = server.ask(PAPERS, first=3, after=page["edges"][1]["cursor"])["papers"]

        assert rest["edges"] == page["edges"][2:]

    def test_a_paper_is_found_by_its_key(self, server):
        key = paper_titled(server, SURFACE_CODES)["key"]

        query = "query ($key: String!) { paper(key: $key) { id title year categories keys sources } }"
        stored = f"file:{Path('ingest/samples/surface-code-logical-error-rates.md').absolute()}"
        paper, by_path = (server.ask(query, key=one)["paper"] for one in (key, stored))

        name = "surface-code-logical-error-rates.md"
        assert paper == by_path and key == f"file:{name}#{paper.pop('id')[:16]}"
        about = {"title": SURFACE_CODES, "year": 2023, "categories": ["quant-ph"], "keys": [key], "sources": [name]}
        assert paper == about

    def test_what_is_not_there_is_null_beside_what_is(self, server):
        query = f"""{{
          papers(first: 1) {{ nodes {{ displayName title }} }}
          none: paper(key: "doi:10.1/none") {{ title }} empty: paper(key: "") {{ title }}
          node(id: "{NOWHERE}") {{ id displayName }} pipeline(name: "nope") {{ name }} job(id: "nope") {{ state }}
        }}"""

        found = server.ask(query)

        (paper,) = found.pop("papers")["nodes"]
        assert paper["displayName"] == paper["title"]
        assert found == {"none": None, "empty": None, "node": None, "pipeline": None, "job": None}

    def test_an_error_leaves_the_rest_of_the_page(self, server):
        query = '{ collections { name } papers(collection: "nowhere") { totalCount nodes { id } } }'

        answer = server.answer(query)

        assert {"name": "main"} in answer["data"]["collections"] and answer["data"]["papers"] is None
        (error,) = answer["errors"]
        assert (error["path"], error["extensions"]["code"]) == (["papers"], "NOT_FOUND")
        assert error["message"] == "There is no collection 'nowhere'. Ingest papers into it to create it."

    @pytest.mark.parametrize("key", ["doi:10.1000/abc", "10.1000/ABC", "https://doi.org/10.1000/abc"])
    def test_a_doi_is_a_key_in_any_form(self, server, key):
        query = 'query ($key: String!) { paper(key: $key, collection: "cited") { key doi } }'

        assert server.ask(query, key=key)["paper"] == {"key": "doi:10.1000/abc", "doi": "10.1000/abc"}

    def test_an_authors_papers_can_be_walked(self, server):
        author = server.ask('{ papers(collection: "many", first: 1) { nodes { authors { id } } } }')
        id = author["papers"]["nodes"][0]["authors"][0]["id"]
        query = """query ($id: ID!, $first: Int!, $after: String) { node(id: $id) { ... on Author {
          papers(first: $first, after: $after) { totalCount nodes { title } pageInfo { hasNextPage endCursor } }
        } } }"""

        titles = [paper["title"] for paper in walk(server, query, "node", "papers", first=4, id=id)]

        assert titles == [f"Paper {number:03}" for number in range(0, MANY, 7)]


class TestNodes:
    def test_every_kind_of_node_is_found_by_its_id(self, server):
        hit = server.ask(SEARCH, query=QUESTION, k=1)["search"]["hits"][0]
        author = paper_titled(server, SURFACE_CODES)["authors"][0]
        query = """query ($id: ID!) { node(id: $id) { __typename id ... on Paper { paperTitle: title }
          ... on Section { title level } ... on Chunk { text section { id } paper { id } } ... on Author { name } } }"""

        assert server.ask(query, id=hit["paper"]["id"])["node"] == {
            "__typename": "Paper",
            "id": hit["paper"]["id"],
            "paperTitle": SURFACE_CODES,
        }
        assert server.ask(query, id=hit["section"]["id"])["node"] == {
            "__typename": "Section",
            "id": hit["section"]["id"],
            "title": "Overhead",
            "level": 2,
        }
        assert server.ask(query, id=hit["chunk"]["id"])["node"] == {
            "__typename": "Chunk",
            "id": hit["chunk"]["id"],
            "text": hit["chunk"]["text"],
            "section": {"id": hit["section"]["id"]},
            "paper": {"id": hit["paper"]["id"]},
        }
        assert server.ask(query, id=author["id"])["node"] == {
            "__typename": "Author",
            "id": author["id"],
            "name": "Tobias Quillfeather",
        }

    @pytest.mark.parametrize(("parts", "kind"), [("sections", "Section"), ("chunks", "Chunk")])
    def test_a_papers_parts_come_in_reading_order_whatever_the_page(self, server, parts, kind):
        id = paper_titled(server, SURFACE_CODES)["id"]
        query = PAPER_PARTS.replace("PARTS", parts).replace("KIND", kind)

        by_page = {first: walk(server, query, "node", parts, first=first, id=id) for first in (1, 3, 100)}

        assert by_page[1] == by_page[3] == by_page[100]
        assert [part["ordinal"] for part in by_page[1]] == list(range(len(by_page[1])))
        assert len(by_page[1]) > 10

    def test_sections_chunks_make_up_the_papers(self, server):
        id = paper_titled(server, SURFACE_CODES)["id"]
        query = """query ($id: ID!) { node(id: $id) { ... on Paper { chunks(first: 100) { nodes { id } }
          sections(first: 100) { nodes { title path parent { title } chunks(first: 50) {
            totalCount nodes { id section { title } } } } } } } }"""

        paper = server.ask(query, id=id)["node"]

        sections = paper["sections"]["nodes"]
        in_sections = [chunk["id"] for section in sections for chunk in section["chunks"]["nodes"]]
        assert in_sections == [chunk["id"] for chunk in paper["chunks"]["nodes"]]
        for section in sections:
            assert section["chunks"]["totalCount"] == len(section["chunks"]["nodes"])
            assert {chunk["section"]["title"] for chunk in section["chunks"]["nodes"]} <= {section["title"]}
            assert section["path"][-2:-1] == ([section["parent"]["title"]] if section["parent"] else [])


class TestErrors:
    @pytest.mark.parametrize(
        ("query", "code", "field"),
        [
            ('{ search(input: {query: "  "}) { hits { rank } } }', "BAD_USER_INPUT", "query"),
            ('{ search(input: {query: "' + "x" * 4001 + '"}) { hits { rank } } }', "BAD_USER_INPUT", "query"),
            ('{ search(input: {query: "x", k: 0}) { hits { rank } } }', "BAD_USER_INPUT", "k"),
            ('{ search(input: {query: "x", k: -1}) { hits { rank } } }', "BAD_USER_INPUT", "k"),
            ('{ search(input: {query: "x", k: 101}) { hits { rank } } }', "BAD_USER_INPUT", "k"),
            (
                '{ search(input: {query: "x", collection: "nowhere"}) { hits { rank } } }',
                "NOT_FOUND",
                "collection",
            ),
            (
                '{ search(input: {query: "x", collection: "No Name"}) { hits { rank } } }',
                "BAD_USER_INPUT",
                "collection",
            ),
            ('{ search(input: {query: "x", collection: ""}) { hits { rank } } }', "BAD_USER_INPUT", "collection"),
            ('{ papers(collection: "nowhere") { nodes { id } } }', "NOT_FOUND", "collection"),
            ('{ papers(collection: "../main") { nodes { id } } }', "BAD_USER_INPUT", "collection"),
            ('{ papers(collection: "../main") { totalCount } }', "BAD_USER_INPUT", "collection"),
            ("{ papers(first: 0) { nodes { id } } }", "BAD_USER_INPUT", "first"),
            ("{ papers(first: 101) { nodes { id } } }", "BAD_USER_INPUT", "first"),
            ("{ papers(first: 2147483647) { nodes { id } } }", "BAD_USER_INPUT", "first"),
            ('{ papers(after: "") { nodes { id } } }', "BAD_USER_INPUT", "after"),
            ('{ papers(after: "abc") { nodes { id } } }', "BAD_USER_INPUT", "after"),
            ('{ papers(after: "é") { nodes { id } } }', "BAD_USER_INPUT", "after"),
            ('{ papers(after: "' + "A" * 5000 + '") { nodes { id } } }', "BAD_USER_INPUT", "after"),
            ('{ paper(key: "10.1000/abc", collection: "nowhere") { id } }', "NOT_FOUND", "collection"),
            ('{ node(id: "42") { id } }', "BAD_USER_INPUT", "id"),
            ("{ node(id: 42) { id } }", "BAD_USER_INPUT", "id"),
            ('{ node(id: "' + "A" * 64 + '") { id } }', "BAD_USER_INPUT", "id"),
            ('{ node(id: "' + NOWHERE + '\\n") { id } }', "BAD_USER_INPUT", "id"),
            ('{ path(fromId: "42", toId: "' + NOWHERE + '") { steps { type } } }', "BAD_USER_INPUT", "fromId"),
        ],
    )
    def test_an_error_tells_its_code_and_the_field_at_fault(self, server, query, code, field):
        error = server.error(query)

        assert (error["extensions"]["code"], error["extensions"].get("field")) == (code, field)
        assert len(error["extensions"]["requestId"]) == 32
        assert error["message"]

    @pytest.mark.parametrize(
        "part",
        [
            "authors { papers(first: 0) { nodes { id } } }",
            "authors { papers(first: 101) { nodes { id } } }",
            "sections(first: 0) { nodes { id } }",
            "sections(first: 101) { nodes { id } }",
            "chunks(first: 0) { nodes { id } }",
            "chunks(first: 101) { nodes { id } }",
            "sections { nodes { chunks(first: 0) { nodes { id } } } }",
            "sections { nodes { chunks(first: 101) { nodes { id } } } }",
        ],
    )
    def test_a_page_has_its_bounds_everywhere(self, server, part):
        answer = server.answer('{ papers(collection: "cited", first: 1) { nodes { ' + part + " } } }")

        for error in answer.get("errors", []):
            assert (error["extensions"]["code"], error["extensions"]["field"]) == ("BAD_USER_INPUT", "first")
        assert "authors" in part or answer["errors"]  # the paper in this collection has no authors

    def test_a_cursor_of_another_list_is_refused(self, server):
        papers = server.ask(PAPERS, first=2)["papers"]["edges"]
        query = (
            "query ($id: ID!, $after: String) { node(id: $id) { ... on Paper { PART(after: $after) { totalCount } } } }"
        )
        sections, chunks = (query.replace("PART", part) for part in ("sections", "chunks"))
        one, other = (edge["node"]["id"] for edge in papers)
        in_one = server.ask(
            "query ($id: ID!) { node(id: $id) { ... on Paper { sections { edges { cursor } } } } }", id=one
        )["node"]["sections"]["edges"][0]["cursor"]

        assert server.ask(sections, id=one, after=in_one)["node"]["sections"]["totalCount"] > 1
        for error in (
            server.error(sections, id=other, after=in_one),
            server.error(chunks, id=one, after=in_one),
            server.error(sections, id=one, after=papers[0]["cursor"]),
            server.error(PAPERS, first=5, after=in_one),
            server.error(PAPERS, first=5, after=papers[0]["cursor"], collection="many"),
        ):
            assert error["extensions"]["code"] == "BAD_USER_INPUT"
            assert error["extensions"]["field"] == "after"
            assert "is not a cursor of this list" in error["message"]

    def test_a_changed_cursor_is_refused(self, server):
        cursor = server.ask(PAPERS, first=1)["papers"]["pageInfo"]["endCursor"]
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        other_position = text.replace(' None","', ' None","Z')
        assert other_position != text

        for changed in (
            cursor[:-4],
            cursor[4:],
            cursor.swapcase(),
            base64.urlsafe_b64encode(other_position.encode()).decode(),
            base64.urlsafe_b64encode(text[8:].encode()).decode(),
        ):
            error = server.error(PAPERS, first=1, after=changed)
            assert error["extensions"]["field"] == "after", changed

    @pytest.mark.parametrize(
        ("query", "variables"),
        [
            ("{ papers(first: ", {}),
            ("", {}),
            ("{ nonsense }", {}),
            ("{ papers { nodes } }", {}),
            ("query ($k: Int!) { papers(first: $k) { totalCount } }", {}),
            ("query ($k: Int!) { papers(first: $k) { totalCount } }", {"k": "five"}),
            ("query ($k: Int!) { papers(first: $k) { totalCount } }", {"k": 2**31}),
            ("mutation { papers { totalCount } }", {}),
        ],
    )
    def test_what_is_not_a_valid_operation_is_the_askers_fault(self, server, query, variables):
        response = server.client.post("/graphql", json={"query": query, "variables": variables})

        assert response.status_code in (200, 400)
        if response.headers["content-type"].startswith("application/json"):
            assert {error["extensions"]["code"] for error in response.json()["errors"]} == {"BAD_USER_INPUT"}
        assert "Traceback" not in response.text

    async def test_what_goes_wrong_unexpectedly_stays_in_the_log(self, app, monkeypatch, caplog):
        async def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError("secret /path")

        monkeypatch.setattr("papergraph.server.papers.find.passing_papers", broken)
        response = await app.post("/graphql", json={"query": "{ papers { nodes { id } } }"})

        (error,) = response.json()["errors"]
        assert (response.status_code, error["extensions"]["code"]) == (200, "INTERNAL")
        assert error["path"] == ["papers"]
        assert "secret" not in response.text
        assert "/path" not in response.text
        (record,) = [
            record for record in caplog.records if record.name == "papergraph.server.operations.error_responses"
        ]
        assert (record.levelno, error["extensions"]["requestId"] in record.message) == (logging.ERROR, True)
        assert "secret /path" in caplog.text

    async def test_the_askers_own_mistakes_are_not_logged(self, app, caplog):
        for query in (
            '{ search(input: {query: "private words", k: 0}) { hits { rank } } }',
            '{ node(id: "private words") }',
        ):
            assert (await app.post("/graphql", json={"query": query})).json()["errors"]

        assert "private" not in caplog.text
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]

    async def test_what_goes_wrong_in_a_loader_is_hidden_too(self, app, monkeypatch):
        async def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError("secret /path")

        monkeypatch.setattr(reading, "authors_of", broken)
        response = await app.post("/graphql", json={"query": "{ papers(first: 2) { nodes { authors { name } } } }"})

        assert {error["extensions"]["code"] for error in response.json()["errors"]} == {"INTERNAL"}
        assert "secret" not in response.text

    @pytest.mark.slow
    async def test_a_neo4j_that_is_gone_is_unavailable_and_its_address_is_nobodys_business(self, dead_end):
        answer = await self._papers_of(dead_end, deadline_s=10)

        (error,) = answer["errors"]
        assert error["extensions"]["code"] == "UNAVAILABLE"
        assert "127.0.0.1" not in json.dumps(answer)
        assert "bolt" not in json.dumps(answer)

    async def test_a_neo4j_that_does_not_answer_is_a_timeout(self, black_hole):
        answer = await self._papers_of(black_hole, deadline_s=0.5)

        (error,) = answer["errors"]
        assert error["extensions"]["code"] == "TIMEOUT"
        assert "127.0.0.1" not in json.dumps(answer)

    async def _papers_of(self, uri: str, *, deadline_s: float) -> dict[str, Any]:
        async with (
            Database(AsyncGraphDatabase.driver(uri, auth=("neo4j", "x")), deadline_s=deadline_s) as database,
            app_client(database) as client,
        ):
            response = await client.post("/graphql", json={"query": "{ papers { nodes { id } } }"})
        assert response.status_code == 200
        answer: dict[str, Any] = response.json()
        return answer


class TestLimits:
    def test_a_query_that_goes_too_deep_is_refused(self, server):
        def deep(levels: int) -> str:
            papers = "papers(first: 2) { nodes { "
            return "{ " + papers + ("authors { " + papers) * levels + "id" + " } } }" * levels + " } } }"

        assert "errors" not in server.answer(deep(2))
        error = server.error(deep(5))
        assert "depth" in error["message"]
        assert error["extensions"]["code"] == "BAD_USER_INPUT"

    def test_depth_counts_through_fragments(self, server):
        nested = "{ papers { nodes { ...a } } }" + "".join(
            f" fragment {name} on Paper {{ authors {{ papers {{ nodes {{ {inner} }} }} }} }}"
            for name, inner in [("a", "...b"), ("b", "...c"), ("c", "...d"), ("d", "...e"), ("e", "id")]
        )

        assert "depth" in server.error(nested)["message"]

    def test_more_than_15_aliases_are_refused(self, server):
        def aliases(n: int) -> str:
            return "{ " + " ".join(f"a{number}: papers {{ totalCount }}" for number in range(n)) + " }"

        assert len(server.ask(aliases(15))) == 15
        error = server.error(aliases(16))
        assert "aliases" in error["message"]
        assert error["extensions"]["code"] == "BAD_USER_INPUT"

    def test_more_than_2000_tokens_are_refused(self, server):
        error = server.error("{ papers { " + "totalCount " * 2000 + "} }")

        assert "token" in error["message"].lower()
        assert error["extensions"]["code"] == "BAD_USER_INPUT"

    def test_a_query_may_stand_in_an_address_but_a_mutation_may_not(self, server):
        answered = server.client.get("/graphql", params={"query": "{ papers { totalCount } }"})
        refused = server.client.get("/graphql", params={"query": 'mutation { cancelJob(id: "x") { __typename } }'})

        assert answered.json()["data"]["papers"]["totalCount"] >= 0
        assert 400 <= refused.status_code < 500
        assert "data" not in refused.text

    def test_a_form_of_another_site_is_refused(self, server):
        for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            response = server.client.post(
                "/graphql", content='{"query": "{ papers { totalCount } }"}', headers={"content-type": content_type}
            )
            assert 400 <= response.status_code < 500, content_type
            assert "totalCount" not in response.text


class TestBudget:
    """How often Neo4j is asked must not grow with the length of a list."""

    @pytest.mark.parametrize("first", [10, 100])
    async def test_a_page_of_papers_with_authors_and_sections_costs_three_queries(self, app, library, first):
        query = """query ($first: Int!) { papers(first: $first, collection: "many") { nodes {
          title authors { name } sections { nodes { title path } } } } }"""

        papers, n_queries = await self._ask(app, library, query, first=first)

        nodes = papers["papers"]["nodes"]
        assert (len(nodes), n_queries) == (first, 3)
        assert {len(paper["authors"]) for paper in nodes} == {2}
        assert [section["title"] for section in nodes[-1]["sections"]["nodes"]] == ["Start", "End"]

    @pytest.mark.parametrize("k", [10, 100])
    async def test_a_search_with_papers_and_sections_costs_four_queries(self, app, library, k):
        query = """query ($k: Int!) { search(input: {query: "measurement", k: $k, collection: "many"}) { hits {
          paper { title key } section { title paper { title } } sectionPath
          chunk { text paper { title } section { title } } previous { text } next { paper { title } } } } }"""

        found, n_queries = await self._ask(app, library, query, k=k)

        assert (len(found["search"]["hits"]), n_queries) == (k, 4)

    async def _ask(
        self, app: httpx.AsyncClient, library: Database, query: str, **variables: Any
    ) -> tuple[dict[str, Any], int]:
        before = library.n_queries
        response = await app.post("/graphql", json={"query": query, "variables": variables})
        assert "errors" not in response.json()
        data: dict[str, Any] = response.json()["data"]
        return data, library.n_queries - before


class TestSchema:
    def test_the_committed_schema_is_the_one_that_runs(self):
        assert Path("schema/schema.graphql").read_text() == sdl()

    def test_tools_can_ask_for_it(self, server):
        types = server.ask(get_introspection_query())["__schema"]["types"]

        assert {"Paper", "Section", "Chunk", "Author", "Hit"} <= {kind["name"] for kind in types}

    def test_everything_has_a_description(self, server):
        fields = server.ask("{ __schema { queryType { fields { name description } } } }")["__schema"]["queryType"]

        assert all(field["description"] for field in fields["fields"])
