"""REST over HTTP, on a real Neo4j: it says what GraphQL says, page by page, and every refusal is a problem."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import Code, DatabaseUnavailableError
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.records import Paper
from papergraph.server.app import MAX_BODY_BYTES, create_app
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graphql.options import Rules
from papergraph.server.operations.error_responses import HIDDEN
from papergraph.server.operations.service import Service
from papergraph.server.rest.openapi import describe
from papergraph.server.rest.parts import FOLDERS, PARTS
from papergraph.server.rest.router import ROUTERS
from tests.support.library import MANY, N_SAMPLES
from tests.support.problems import assert_problem
from tests.support.servers import NOWHERE, app_client

QUERY = "How does the logical error rate of a surface code fall with its distance?"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def layered(library: Database, embedder: Embedder) -> Database:
    """The library with questions, entities, clusters and links over ``main``."""
    choice = EnrichmentOptions.choose(
        questions=QuestionOptions(generator="template"), clusters=ClusterOptions(least=0.0)
    )
    assert not (await enrich(library, choice.enrichments(None), EnrichmentContext(embedder), collection="main")).failed
    return library


@pytest_asyncio.fixture(loop_scope="session")
async def rest(layered: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    async with app_client(layered, embedder) as client:
        yield client


async def got(client: httpx.AsyncClient, path: str, /, **query: Any) -> dict[str, Any]:
    """Return what is answered at a path below ``/v1``."""
    response = await client.get(f"/v1{path}", params=query)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def graphql(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in answer, answer
    data: dict[str, Any] = answer["data"]
    return data


async def one_of(client: httpx.AsyncClient, kind: type[Any]) -> str:
    """Return the id of a node of a kind that stands in ``main``."""
    match kind.__name__:
        case "Entity" | "Cluster" | "Question" | "Paper":
            (found,) = (await got(client, f"/{FOLDERS[kind]}", first=1))["data"]
        case "Author":
            (paper,) = (await got(client, "/papers", first=1))["data"]
            found = paper["authors"][0]
        case "Section" | "Chunk" | "Reference":
            for paper in (await got(client, "/papers", first=100))["data"]:
                if some := (await got(client, f"/papers/{paper['id']}/{FOLDERS[kind]}", first=1))["data"]:
                    (found,) = some
                    break
    return str(found["id"])


class TestParity:
    async def test_papers_are_those_of_graphql_page_by_page_with_the_same_cursors(self, rest):
        query = """query ($after: String) { papers(first: 5, after: $after) {
          nodes { id key title abstract authors { id name collection } keys sources categories contentHash ingestedAt
            year doi arxivId license language format headingSource bodyCoverage chunker cleaning nPages
            nPagesWithoutText
            arxivVersion primaryCategory published updated comment journalRef url collection }
          totalCount pageInfo { endCursor hasNextPage } } }"""
        after, pages = None, 0
        while True:
            theirs = (await graphql(rest, query, after=after))["papers"]
            ours = await got(rest, "/papers", first=5, count=True, **({"after": after} if after else {}))

            for mine, other in zip(ours["data"], theirs["nodes"], strict=True):
                moments = {name: mine[name] for name in ("ingestedAt", "published", "updated")}
                assert {name: mine[name] for name in other if name not in moments} == {
                    name: value for name, value in other.items() if name not in moments
                }
            assert ours["total"] == theirs["totalCount"] == N_SAMPLES
            assert ours["next"] == (theirs["pageInfo"]["endCursor"] if theirs["pageInfo"]["hasNextPage"] else None)
            pages += 1
            if (after := ours["next"]) is None:
                break
        assert pages == 3

    @pytest.mark.parametrize("part", PARTS, ids=lambda part: part.path)
    async def test_a_list_holds_what_graphql_says_and_each_entry_once(self, rest, part):
        id = await one_of(rest, part.of)
        name = {"cited-by": "citedBy", "same-as": "sameAs"}.get(part.name, part.name)
        query = f"query ($id: ID!) {{ node(id: $id) {{ ... on {part.of.__name__} {{ {name} {{ totalCount }} }} }} }}"
        total = (await graphql(rest, query, id=id))["node"][name]["totalCount"]
        path = part.path.format(id=id)

        whole = await got(rest, path, first=100, count=True)
        walked, after = [], None
        while len(walked) <= min(total, 12):
            page = await got(rest, path, first=3, **({"after": after} if after else {}))
            walked += page["data"]
            if (after := page["next"]) is None:
                break

        assert whole["total"] == total
        assert len(whole["data"]) == min(total, 100)
        assert walked == whole["data"][: len(walked)]

    @pytest.mark.parametrize("kind", FOLDERS, ids=lambda kind: kind.__name__)
    async def test_a_node_is_the_same_by_its_own_address_and_as_any_node(self, rest, kind):
        id = await one_of(rest, kind)

        own = await got(rest, f"/{FOLDERS[kind]}/{id}")
        node = await got(rest, f"/nodes/{id}")
        several = await got(rest, "/nodes", id=[id, NOWHERE])

        assert node == {"label": kind.__name__, "node": own}
        assert several == {"data": [node, None]}
        assert (await rest.get(f"/v1/{FOLDERS[kind]}/{NOWHERE}")).status_code == 404

    async def test_a_node_of_another_kind_is_not_there(self, rest):
        paper = await one_of(rest, Paper)

        assert_problem(await rest.get(f"/v1/chunks/{paper}"), 404, Code.NOT_FOUND, "id")
        assert_problem(await rest.get(f"/v1/entities/{paper}/papers"), 404, Code.NOT_FOUND, "id")

    async def test_a_search_finds_the_same_and_explains_when_asked(self, rest):
        query = """query ($input: SearchInput!) { search(input: $input) {
          hits { rank score passage outsideFilter chunk { id } section { id } paper { id } previous { id } next { id }
            retrievers { retriever rank score query }
            explanation { whyNotHigher mergedChunkIds rankHistory { step rank } } }
          queries { text origin } trace { step candidatesIn candidatesOut }
          filter { filter matchSummary unknown } } }"""
        asked = {"query": QUERY, "k": 5, "filter": {"kinds": ["body", "abstract"]}}

        theirs = (await graphql(rest, query, input=asked))["search"]
        bare = (await rest.post("/v1/search", json=asked)).json()
        full = (
            await rest.post("/v1/search", json=asked | {"include": ["explanation", "neighbours", "trace", "run"]})
        ).json()

        assert [hit["rank"] for hit in bare["hits"]] == [1, 2, 3, 4, 5]
        assert (bare["trace"], bare["run"]) == (None, None)
        assert all(hit["explanation"] is hit["previous"] is hit["next"] is None for hit in bare["hits"])
        for mine, same, other in zip(bare["hits"], full["hits"], theirs["hits"], strict=True):
            assert mine["score"] == pytest.approx(other["score"])
            assert (mine["passage"], mine["outsideFilter"]) == (other["passage"], other["outsideFilter"])
            for name in ("chunk", "section", "paper"):
                assert mine[name]["id"] == same[name]["id"] == other[name]["id"]
            for name in ("previous", "next"):
                assert (same[name] and same[name]["id"]) == (other[name] and other[name]["id"])
            told = same["explanation"]
            assert [retriever["retriever"].upper() for retriever in told["retrievers"]] == [
                retriever["retriever"] for retriever in other["retrievers"]
            ]
            assert {name: told[name] for name in other["explanation"]} == other["explanation"]
        assert (full["queries"], full["filter"]) == (theirs["queries"], theirs["filter"])
        assert [[step[name] for name in ("step", "candidatesIn", "candidatesOut")] for step in full["trace"]] == [
            list(step.values()) for step in theirs["trace"]
        ]
        assert full["run"]["query"] == QUERY

    async def test_a_search_with_overrides_and_a_selection_has_its_certificate(self, rest):
        asked = {
            "query": QUERY,
            "pipeline": "fused",
            "overrides": {"search.k": 30},
            "selection": {"k": 3, "alpha": 0.5},
        }

        answer = (await rest.post("/v1/search", json=asked)).json()

        assert len(answer["hits"]) == 3
        assert answer["selection"]["objective"] >= answer["selection"]["lowerBound"]
        assert answer["selection"]["k"] == 3 and answer["selection"]["form"] == "mean"
        chunks = {hit["chunk"]["id"] for hit in answer["hits"]}
        assert all(hit["selection"]["nearest"] in chunks - {hit["chunk"]["id"]} for hit in answer["hits"])
        assert answer["pipeline"].startswith("fused")

    async def test_a_way_related_papers_and_collections_are_those_of_graphql(self, rest):
        one, two = [paper["id"] for paper in (await got(rest, "/papers", first=2))["data"]]
        way = """query ($a: ID!, $b: ID!) { path(fromId: $a, toId: $b, maxHops: 6) {
          nodes { id __typename } steps { type direction } } }"""
        near = """query ($id: ID!) { node(id: $id) { ... on Paper {
          related { score paper { id } shared { nodeId label name } } } } }"""
        there = "{ collections { name nPapers nSections nChunks nAuthors nReferences nQuestions nEntities nClusters } }"

        path = (await got(rest, "/path", **{"from": one, "to": two, "maxHops": 6}))["path"]
        related = (await got(rest, f"/papers/{one}/related"))["data"]
        collections = (await got(rest, "/collections"))["data"]

        theirs = (await graphql(rest, way, a=one, b=two))["path"]
        assert len(path["nodes"]) == len(path["steps"]) + 1
        assert len(theirs["steps"]) == len(path["steps"])
        assert (path["nodes"][0]["node"]["id"], path["nodes"][-1]["node"]["id"]) == (one, two)
        others = (await graphql(rest, near, id=one))["node"]["related"]
        assert [(one["paper"]["id"], one["shared"]) for one in related] == [
            (one["paper"]["id"], one["shared"]) for one in others
        ]
        for mine, other in zip(collections, (await graphql(rest, there))["collections"], strict=True):
            assert {name: mine[name] for name in other} == other
        assert (await got(rest, "/path", **{"from": one, "to": NOWHERE}))["path"] is None

    async def test_pipelines_are_those_of_graphql(self, rest):
        told = (await graphql(rest, "{ pipelines { name about source needs missing reader steps } }"))["pipelines"]
        theirs = [one | {"reader": one["reader"].lower()} for one in told]

        assert (await got(rest, "/pipelines"))["data"] == theirs
        assert await got(rest, "/pipelines/fast") in theirs
        assert_problem(await rest.get("/v1/pipelines/nothing"), 404, Code.NOT_FOUND, "name")

    async def test_a_paper_is_found_by_its_key_in_any_form(self, rest):
        for key in ("10.1000/abc", "doi:10.1000/ABC", "https://doi.org/10.1000/abc"):
            assert (await got(rest, "/papers/by-key", key=key, collection="cited"))["title"] == "Known by its DOI"
        missing = await rest.get("/v1/papers/by-key", params={"key": "10.1000/none"})
        assert_problem(missing, 404, Code.NOT_FOUND, "key")


class TestPages:
    async def test_the_link_leads_through_the_whole_list(self, rest):
        path, titles, links = "/v1/papers?collection=many&first=40", [], 0
        while True:
            response = await rest.get(path)
            titles += [paper["title"] for paper in response.json()["data"]]
            if "next" not in response.links:
                break
            path, links = str(response.url.join(response.links["next"]["url"])), links + 1

        assert titles == [f"Paper {number:03}" for number in range(MANY)]
        assert (links, response.json()["next"]) == (2, None)

    @pytest.mark.parametrize(
        "query, field",
        [
            ("first=0", "first"),
            ("first=101", "first"),
            ("first=many", "first"),
            ("after=nonsense", "after"),
            ("after=" + "A" * 5000, "after"),
            ("limit=5", "limit"),
            ("collection=No%20Name", "collection"),
        ],
    )
    async def test_a_page_that_cannot_be_is_a_problem_with_its_field(self, rest, query, field):
        assert_problem(await rest.get(f"/v1/papers?{query}"), 400, Code.BAD_USER_INPUT, field)

    async def test_a_collection_that_is_not_there_is_not_found(self, rest):
        searched = await rest.post("/v1/search", json={"query": "x", "collection": "nowhere"})

        assert_problem(await rest.get("/v1/papers?collection=nowhere"), 404, Code.NOT_FOUND, "collection")
        assert_problem(searched, 404, Code.NOT_FOUND, "collection")

    async def test_a_cursor_is_of_use_in_its_own_list_only(self, rest):
        cursor = (await got(rest, "/papers", first=1))["next"]
        changed = ("A" if cursor[0] != "A" else "B") + cursor[1:]

        for path in (
            f"/papers?collection=many&after={cursor}",
            f"/papers?after={changed}",
            f"/entities?after={cursor}",
        ):
            assert_problem(await rest.get(f"/v1{path}"), 400, Code.BAD_USER_INPUT, "after")

    async def test_a_page_of_many_papers_takes_two_queries(self, rest, layered):
        before = layered.n_queries
        await got(rest, "/papers", collection="many", first=100)

        assert layered.n_queries - before == 2


class TestEtags:
    @pytest.mark.parametrize("kind", [kind for kind in FOLDERS if kind.__name__ in ("Paper", "Chunk")])
    async def test_what_a_client_has_already_is_not_sent_again(self, rest, kind):
        path = f"/v1/{FOLDERS[kind]}/{await one_of(rest, kind)}"
        tag = (await rest.get(path)).headers["etag"]
        strong = tag.removeprefix("W/")

        assert tag.startswith('W/"')
        for sent in (tag, strong, "*", f'"other", {tag}', f'{strong},W/"x"'):
            answer = await rest.get(path, headers={"If-None-Match": sent})
            assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
        for sent in ('"other"', "", tag[:-2] + '"'):
            assert (await rest.get(path, headers={"If-None-Match": sent})).status_code == 200

    async def test_another_answer_has_another_tag(self, rest):
        tags = {
            (await rest.get(f"/v1/papers/{paper['id']}")).headers["etag"]
            for paper in (await got(rest, "/papers"))["data"]
        }

        assert len(tags) == N_SAMPLES


class TestProblems:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"nonsense",
            b"[]",
            b"null",
            b"\xff",
            b"[" * 100_000,
            b"{}",
            b'{"query": 5}',
            b'{"query": ""}',
            b'{"query": "x", "k": 0}',
            b'{"query": "x", "k": 101}',
            b'{"query": "x", "more": 1}',
            b'{"query": "x", "filter": {}}',
            b'{"query": "x", "filter": {"year": 2020}}',
            b'{"query": "x", "pipeline": "nothing"}',
            b'{"query": "x", "overrides": {"search.no": 1}}',
            b'{"query": "x", "selection": {"k": 0}}',
            b'{"query": "x", "selection": {"alpha": NaN}}',
            b'{"query": "x", "include": ["everything"]}',
            b'{"query": "\\ud800"}',
        ],
    )
    async def test_a_search_that_makes_no_sense_is_the_askers_fault(self, rest, body):
        response = await rest.post("/v1/search", content=body, headers={"content-type": "application/json"})

        assert_problem(response, 400, Code.BAD_USER_INPUT)

    async def test_a_filter_that_is_none_is_told_with_its_place(self, rest):
        response = await rest.post("/v1/search", json={"query": "x", "filter": {"any": [{"year": 2020}]}})

        problem = assert_problem(response, 400, Code.BAD_USER_INPUT, "filter.any.0.year")
        assert "did you mean years?" in problem["detail"]

    async def test_what_is_not_there_by_that_method_too_large_or_for_another_name(self, rest):
        assert_problem(await rest.get("/v1/nothing"), 404, Code.NOT_FOUND)
        assert_problem(await rest.get("/v1/papers/"), 404, Code.NOT_FOUND)
        assert_problem(await rest.get("/v1"), 404, Code.NOT_FOUND)
        posted = await rest.post("/v1/papers", json={})
        assert_problem(posted, 405, Code.BAD_USER_INPUT)
        assert posted.headers["allow"] == "GET"
        large = await rest.post("/v1/search", content=b" " * (MAX_BODY_BYTES + 1))
        assert_problem(large, 413, Code.BAD_USER_INPUT)
        foreign = await rest.get("/v1/papers", headers={"host": "example.org"})
        assert_problem(foreign, 400, Code.BAD_USER_INPUT)
        assert_problem(await rest.get("/v1/papers/no-id"), 400, Code.BAD_USER_INPUT, "id")

    async def test_a_fault_of_ours_is_told_without_its_details(self, rest, monkeypatch, caplog):
        async def fail(*_: Any, **__: Any) -> Any:
            raise DatabaseUnavailableError("bolt://secret:7687 does not answer")

        async def break_down(*_: Any, **__: Any) -> Any:
            raise RuntimeError("secret")

        monkeypatch.setattr("papergraph.server.papers.find.passing_papers", fail)
        away = assert_problem(await rest.get("/v1/papers"), 503, Code.UNAVAILABLE)
        monkeypatch.setattr("papergraph.server.papers.find.passing_papers", break_down)
        broken = assert_problem(await rest.get("/v1/papers"), 500, Code.INTERNAL)

        assert away["detail"] == HIDDEN[Code.UNAVAILABLE]
        assert "secret" not in json.dumps([away, broken])
        assert away["requestId"] in caplog.text and broken["requestId"] in caplog.text

    async def test_what_takes_too_long_ends_with_a_problem(self, layered, embedder, monkeypatch):
        monkeypatch.setattr("papergraph.server.app.BESIDE_THE_DATABASE_S", 0.2 - layered.deadline_s)

        async def hang(*_: Any, **__: Any) -> Any:
            await asyncio.sleep(30)

        monkeypatch.setattr("papergraph.server.papers.find.passing_papers", hang)
        async with app_client(layered, embedder) as client:
            assert_problem(await client.get("/v1/papers"), 504, Code.TIMEOUT)


class TestCosts:
    @pytest.mark.slow
    async def test_a_request_is_charged_what_graphql_charges_for_as_much(self, layered, embedder):
        queries: Mapping[str, tuple[str, Mapping[str, Any]]] = {
            "papers": (
                """{ papers(first: 10) { nodes { id key title abstract authors { id name collection } keys sources
                categories contentHash ingestedAt year doi arxivId license language format headingSource bodyCoverage
                chunker
                cleaning nPages nPagesWithoutText notes isPartial keywords citeKey
                editorialStatus editorialDate editorialNotices
                arxivVersion primaryCategory published updated comment journalRef url
                collection } pageInfo { endCursor hasNextPage } } }""",
                {"first": 10},
            ),
            "entities": (
                """{ entities(first: 100) { nodes { id collection name type aliases pageRank }
                pageInfo { endCursor hasNextPage } totalCount } }""",
                {"first": 100, "count": True},
            ),
        }
        policy = ServerLimits(cost_per_minute=100_000)
        for path, (query, params) in queries.items():
            spent = []
            for ask in (("POST", "/graphql", {"json": {"query": query}}), ("GET", f"/v1/{path}", {"params": params})):
                method, url, more = ask
                application = create_app(Service(layered, embedder), policy)
                async with httpx.AsyncClient(
                    transport=httpx.ASGITransport(application), base_url="http://localhost"
                ) as client:
                    answer = await client.request(method, url, **more)
                assert answer.status_code == 200, answer.text
                spent.append(100_000 - int(answer.headers["ratelimit"].split("r=")[1].split(";")[0]))

            assert spent[1] == pytest.approx(spent[0], rel=0.1), path

    async def test_what_is_left_is_told_and_too_much_is_refused_with_when_to_come_again(self, layered, embedder):
        application = create_app(Service(layered, embedder), ServerLimits(requests_per_minute=9, cost_per_minute=2500))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
            search = {"query": "qubits", "k": 1, "pipeline": "fulltext"}
            taken = await client.post("/v1/search", json=search)
            before = layered.n_queries
            refused = await client.post("/v1/search", json=search)

        assert taken.status_code == 200
        assert '"cost";r=' in taken.headers["ratelimit"] and '"requests";q=9' in taken.headers["ratelimit-policy"]
        assert_problem(refused, 429, Code.RATE_LIMITED)
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert layered.n_queries == before

    async def test_what_one_request_may_not_cost_is_refused(self, layered, embedder):
        async with app_client(layered, embedder, Rules(max_cost=1000)) as client:
            assert_problem(await client.post("/v1/search", json={"query": "x"}), 400, Code.QUERY_TOO_COMPLEX)
            assert (await client.get("/v1/papers?first=5")).status_code == 200


class TestDescription:
    @pytest.mark.slow
    def test_every_route_is_described_with_its_problems(self, nothing_there):
        described = describe(create_app(Service(nothing_there, None)))  # type: ignore[arg-type]
        routes = {f"/v1{route.path}" for router in ROUTERS.values() for route in router.routes}

        assert described["openapi"] == "3.1.0"
        assert set(described["paths"]) == routes
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                assert operation["summary"], path
                refusals = {status for status in operation["responses"] if status >= "400"}
                assert {"400", "401", "403", "404", "429", "500", "503", "504"} <= refusals, (method, path)
                assert "422" not in refusals

    async def test_it_is_served(self, rest):
        answer = await rest.get("/openapi.json")

        assert answer.json()["components"]["schemas"]["Problem"]["properties"]["requestId"]
