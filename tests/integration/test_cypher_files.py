"""Every Cypher file runs on a real server: through the driver, and with its own ``:param`` lines over HTTP."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from neo4j import READ_ACCESS, Driver, GraphDatabase, ResultSummary
from neo4j.exceptions import ClientError

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.migrate import check, prepare
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.for_each import for_each
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest

SAMPLES = Path("ingest/samples")
NO_WRITING = "Neo.ClientError.Statement.AccessMode"
TO_READ, TO_WRITE = "r", ("w", "rw")
ABOUT_THE_STORE = "s"
"""Query types as Neo4j tells them; the last is of commands that make constraints, and of some that only show."""

FIND_NOTHING = {
    *("annotations/find", "annotations/highlights", "annotations/tags", "tables/cells", "tables/list"),
    *("answers/own_answers", "answers/quoting", "answers/standing_quotes", "watches/by_feed", "watches/list"),
    *("filters/chunks_of_highlights", "filters/papers_of_annotations", "filters/papers_of_venues"),
    *("inbox/beginning", "inbox/by_id", "inbox/find", "inbox/known", "inbox/near", "inbox/to_rank"),
    *("papers/statuses", "papers/with_dois", "papers/with_status"),
    *("ingest/find_contents", "ingest/parts", "retrieval/holders"),
    *("jobs/find_open", "jobs/next", "jobs/owners", "jobs/uploads"),
    *("auth/find_key", "auth/find_session", "auth/list_keys", "papers/by_file"),
    *("auth/find_invitation", "auth/list_invitations", "graph/checksum_without_id"),
    *("answers/rated_answers", "authors/decisions", "collections/open_jobs"),
    *("graph/affiliations", "graph/affiliations_of_authors", "graph/affiliations_of_papers", "graph/venues"),
    *("graph/papers_of_affiliations", "graph/papers_of_venues", "graph/venues_of_papers", "ingest/places_of"),
    *("archive/shared_relationships", "ingest/find_papers", "papers/line_boxes", "papers/pairs", "papers/rejected"),
    *("ingest/find_unembedded", "ingest/packed_sources"),
    *("retrieval/entities_of_chunks_near", "retrieval/relation_paths"),
    *("enrichments/missing_gds", "schema/quantization"),
    *(
        "enrichments/entities",
        "enrichments/show_entity",
        "enrichments/list_entities",
        "retrieval/entities_by_id",
        "retrieval/entities_by_name",
        "retrieval/entities_near",
        "retrieval/chunks_around",
        "retrieval/chunks_of_clusters",
        "retrieval/chunks_of_entities",
        "retrieval/mentions_around",
        "retrieval/paper_clusters_near",
        "retrieval/parents",
        "retrieval/question_of_papers",
        "retrieval/question_top_k",
        "retrieval/question_in_papers",
        "enrichments/entity_reviews",
        "enrichments/entity_vectors",
        "enrichments/mentioned_entities",
        "enrichments/same_as",
        "enrichments/state",
    ),
    *("enrichments/metadata_fields", "enrichments/metadata_other", "enrichments/metadata_values"),
    *(
        "enrichments/count_questions",
        "enrichments/find_question",
        "enrichments/find_reviews",
        "enrichments/list_questions",
    ),
    *("enrichments/nearest_questions", "enrichments/question_exists", "enrichments/question_heads"),
    *(
        "enrichments/prototypes",
        "enrichments/question_texts",
        "enrichments/question_vectors",
        "enrichments/questions_to_group",
    ),
    *("enrichments/questions_without_prototype", "retrieval/chunks_by_prototypes", "retrieval/questions_by_prototypes"),
    *(
        "enrichments/cluster_members",
        "enrichments/cluster_mentions",
        "enrichments/clusters",
        "enrichments/find_cluster",
    ),
    *("filters/chunks_of_entities", "filters/members_of_clusters"),
    *("retrieval/chunks_named", "retrieval/follow_links"),
    *("enrichments/find_values", "enrichments/list_clusters", "enrichments/papers_of_clusters", "enrichments/summary"),
    *(
        "graph/chunks_of_references",
        "graph/chunks_of_clusters",
        "graph/chunks_of_entities",
        "graph/chunks_of_questions",
    ),
    *("graph/references_of_chunks", "graph/clusters", "graph/clusters_below", "graph/clusters_of_members"),
    *("graph/entities", "graph/entities_of_chunks", "graph/entities_of_papers"),
    *("graph/papers_of_clusters", "graph/papers_of_entities", "graph/questions"),
    *("graph/questions_of_chunks", "graph/questions_of_papers"),
    *("graph/related_by_clusters", "graph/related_by_entities", "graph/relations_of_entities", "graph/same_entities"),
    *("enrichments/papers_with_metadata", "enrichments/question_groups"),
    *("enrichments/map_papers", "graph/map_near", "graph/map_topics"),
    "graph/similar_chunks",
    *("answers/of_person", "auth/keys_of_collection", "inbox/states", "snowball/citing", "snowball/runs"),
    *("papers/identified", "papers/versions", "papers/with_versions"),
    *(f"screening/{name}" for name in ("identities", "list", "records", "states", "texts", "without_vector")),
}
"""Reading files that return nothing, or whose example names what neither the samples nor the example paper have."""

DOCTOR = "doctor/"
"""Its checks find what is wrong, and about the example paper a good deal is; what they find test_doctor.py tells."""

EXPLORE = "explore/"
"""What its queries find on papers with enrichments, test_explore.py tells."""

NOT_IN_THE_SAMPLES = (
    r"missing relationship type is: (ANSWERED_BY|CHILD_OF|CITES|IN_CLUSTER|MENTIONS|PARENT_OF|RELATED_TO|SAME_AS|"
    r"SIMILAR)\)"
    r"|missing property name is: \w+\)"
)
"""What queries ask for and the doctor looks after although the samples, cut as by default, have none of it."""

CHANGE_NOTHING = {
    *("annotations/delete", "annotations/move", "annotations/place", "annotations/write", "replica/forget_owners"),
    *("annotations/hold", "auth/forget_roles", "auth/set_role", "ingest/write_versions"),
    *(name for name in cypher.names() if name.startswith("screening/") and name != "screening/create"),
    *("inbox/decide", "inbox/nearness", "inbox/put", "inbox/score"),
    *("tables/delete", "tables/write_cells", "tables/write_columns"),
    *("watches/delete", "watches/finish", "watches/hold", "watches/pause", "watches/set_feed"),
    *(name for name in cypher.names() if name.startswith("doctor/repair/")),
    *("auth/delete_session", "auth/hold_key", "auth/mark_used", "auth/revoke_key", "auth/revoke_made"),
    *("auth/count_use", "auth/hold_invitation", "auth/revoke_invitation"),
    *("collections/delete_rest", "schema/choose_quantization"),
    *("archive/delete_nodes", "archive/end_restore", "archive/forget_schema", "archive/write_relationships"),
    *("authors/forget", "replica/hide_review_paths"),
    *("ingest/delete_sources", "ingest/lock_papers"),
    "ingest/link_chunks",
    "ingest/link_parents",
    "enrichments/clear_entities",
    "enrichments/delete_same_as",
    "enrichments/follow_entities",
    "enrichments/forget",
    "enrichments/forget_mentions",
    "enrichments/outdate",
    "enrichments/write_entity_vectors",
    "enrichments/write_mentions",
    "enrichments/write_relations",
    "enrichments/write_same_as",
    *(
        "enrichments/accept_questions",
        "enrichments/clear_questions",
        "enrichments/delete_own_questions",
        "enrichments/delete_questions",
        "enrichments/edit_questions",
    ),
    *(
        "enrichments/assign_prototypes",
        "enrichments/delete_prototypes",
        "enrichments/mark_compared",
        "enrichments/write_duplicates",
    ),
    *(name for name in cypher.names() if name.startswith("jobs/") and name != "jobs/open"),
    *("enrichments/clear_clusters", "enrichments/clear_metadata", "enrichments/write_cluster_vectors"),
    *(
        "enrichments/delete_clusters",
        "enrichments/delete_similar",
        "enrichments/name_clusters",
        "enrichments/rank_entities",
    ),
    "enrichments/write_similar",
    "enrichments/clear_map",
    *("enrichments/clear_links", "enrichments/mark_linked", "enrichments/write_references"),
    "reembed/copy_vectors",
    "reembed/delete_vectors",
    "reembed/forget_model",
    "reembed/release_lease",
    "reembed/switch",
    "reembed/write_vectors",
    "schema/create_names",
    "schema/record_version",
    "schema/register_model",
    "schema/version_constraint",
}
"""Writing files that find what they would write: what is there, or of two things only one; and repairs."""

NEEDED_BEFORE = {
    "answers/delete_answer": "answers/store_answer",
    "answers/rate_answer": "answers/store_answer",
    "replica/forget_locks": "schema/take_lock",
    "replica/forget_service": "answers/spend",
    "schema/release_lock": "schema/take_lock",
}
"""What is run before the example of a file that changes only what another one has left."""

EXAMPLE_PAPER = ("write_papers", "write_sections", "write_chunks", "write_authors", "write_sources", "write_references")
"""Files whose examples together make the paper that the examples of the others change."""

FORGET_EXAMPLES = """
MATCH (n) WHERE n.id =~ '[a-z]1' OR n.id IN ['w', 'watch-0f2a']
  OR (n:SchemaVersion AND n.id IN ['lock', 'reembed', 'replica', 'restore', 'restore point'])
  OR (n:EmbeddingModel AND n.id = 'second') OR n:Invitation
DETACH DELETE n
"""

Explained = Callable[[str], ResultSummary]

each_file = for_each(name=cypher.names())


class QueryApi:
    """The HTTP Query API of one database."""

    def __init__(self, client: httpx.Client, database: str) -> None:
        self._client = client
        self._path = f"/db/{database}/query/v2"
        self._values: dict[str, Any] = {}

    def post(self, statement: str, parameters: dict[str, Any], *, mode: str = "WRITE") -> httpx.Response:
        body = {"statement": statement, "parameters": parameters, "accessMode": mode, "includeCounters": True}
        return self._client.post(self._path, json=body)

    def value(self, expression: str) -> Any:
        """Return what a Cypher expression evaluates to; many files use the same, which is asked for once."""
        if expression not in self._values:
            answer = self.post(f"CYPHER 25 RETURN {expression} AS value", {}, mode="READ").json()
            assert "errors" not in answer, answer
            self._values[expression] = answer["data"]["values"][0][0]
        return self._values[expression]

    def parameters(self, name: str) -> dict[str, Any]:
        """Return the parameters that a file's ``:param`` lines set, as Neo4j Browser reads them, but read only once."""
        parameters: dict[str, Any] = {}
        for line in cypher.describe(cypher.load(name)).tries:
            if assignment := re.fullmatch(r":param (\w+) => (.+)", line):
                parameters[assignment[1]] = self.value(assignment[2])
            else:
                parameters |= self.value(line.removeprefix(":param "))
        return parameters


@pytest.fixture(scope="module")
def http(neo4j_server: Neo4jServer, samples: Database) -> Iterator[QueryApi]:
    with httpx.Client(
        base_url=neo4j_server.http_url, auth=(neo4j_server.user, neo4j_server.password), timeout=30
    ) as client:
        api = QueryApi(client, neo4j_server.database)
        for name in cypher.names():
            api.parameters(name)  # of the samples alone, before the paper of the examples is there
        yield api


@pytest_asyncio.fixture(scope="module", autouse=True)
async def samples(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """A store with the samples for all tests of this file, which leave nothing behind."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        kept = ["SchemaVersion", "EmbeddingModel"]
        await wipe(database.driver, database=database.name, keep=kept)
        await ingest(database, embedder, [SAMPLES])
        await assert_healthy(database)
        yield database
        await wipe(database.driver, database=database.name, keep=kept)


class ExamplePaper:
    """The paper that the examples of writing files are about: made when it is needed, and anew after a change."""

    def __init__(self, http: QueryApi, driver: Driver, database: str) -> None:
        self._http, self._driver, self._database = http, driver, database
        self._is_there = self._is_changed = False

    def have(self, *, to_change: bool = False) -> None:
        """See that it is there as it was written; say whether it will be something else afterwards."""
        if self._is_changed:
            self.forget()
        if not self._is_there:
            for name in EXAMPLE_PAPER:
                answer = self._http.post(cypher.load(f"ingest/{name}").text, self._http.parameters(f"ingest/{name}"))
                assert "errors" not in answer.json(), answer.text
        self._is_there, self._is_changed = True, to_change

    def forget(self) -> None:
        """Delete it, and all that examples write."""
        self._driver.execute_query(FORGET_EXAMPLES, database_=self._database)
        self._is_there = self._is_changed = False


@pytest.fixture(scope="module")
def driver(neo4j_server: Neo4jServer) -> Iterator[Driver]:
    """A driver that hears every notification."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)) as driver:
        yield driver


@pytest.fixture(scope="module")
def examples(http: QueryApi, driver: Driver, neo4j_server: Neo4jServer) -> Iterator[ExamplePaper]:
    examples = ExamplePaper(http, driver, neo4j_server.database)
    yield examples
    examples.forget()


@pytest.fixture(scope="module")
def explained(http: QueryApi, driver: Driver, neo4j_server: Neo4jServer) -> Explained:
    """What the server tells about the query of a file: while it reads, or before it runs if it would write.

    A query that was explained is planned again when it runs; one that has run is not, and to plan all takes a minute.
    """

    @cache
    def explained(name: str) -> ResultSummary:
        text, parameters = cypher.load(name).text, http.parameters(name)
        with driver.session(database=neo4j_server.database, default_access_mode=READ_ACCESS) as session:
            try:
                summary = session.run(text, parameters).consume()
            except ClientError as error:
                assert error.code == NO_WRITING
                summary = session.run(f"EXPLAIN {text}", parameters).consume()
        assert summary.query_type is not None
        return summary

    return explained


@pytest.mark.slow
@each_file
def test_neo4j_accepts_it_without_a_complaint(explained: Explained, name: str):
    complaints = [
        (notification.category.name, notification.description)
        for notification in explained(name).summary_notifications
        if notification.category.name in ("DEPRECATION", "UNRECOGNIZED", "UNSUPPORTED", "SECURITY")
        and not (
            name.startswith(
                (
                    *(
                        "answers/",
                        DOCTOR,
                        EXPLORE,
                        "replica/",
                        "filters/",
                        "graph/",
                        "graph_questions/",
                        "enrichments/",
                    ),
                    *("llama_index/", "retrieval/", "ingest/read_parts", "ingest/places_of", "papers/line_boxes"),
                    *("schema/embedding_model", "schema/fulltext_analyzer"),
                    "schema/quantization",
                )
            )
            and re.search(NOT_IN_THE_SAMPLES, notification.description)
        )
    ]
    assert complaints == []


@pytest.mark.slow
@each_file
def test_it_runs_with_its_own_example_over_http(
    http: QueryApi, explained: Explained, examples: ExamplePaper, name: str
):
    parameters, type = http.parameters(name), explained(name).query_type
    examples.have(to_change=type != TO_READ)
    if name == "schema/release_lock":
        http.post(cypher.load("schema/take_lock").text, http.parameters("schema/take_lock"))

    response = http.post(cypher.load(name).text, parameters)

    answer = response.json()
    assert (response.status_code, answer.get("errors")) == (202, None)
    returned = re.findall(r"\w+", re.sub(r"  .*", "", cypher.describe(cypher.load(name)).returns.partition("\n")[0]))
    if returned == ["nothing"]:
        assert answer["data"]["fields"] == []
    else:
        assert set(returned) <= set(answer["data"]["fields"])
    if type not in TO_WRITE:
        assert not answer["counters"]["containsUpdates"]
    if type == TO_READ and not name.startswith((DOCTOR, EXPLORE)):
        assert bool(answer["data"]["values"]) == (name not in FIND_NOTHING)


GATHERED = ("retrieval/", "archive/paper_", "archive/shared_", "graph/checksum_", "doctor/identities")
"""Beginnings of the names of files whose records come as rows of one, or could."""


@pytest.mark.slow
@for_each(name=[name for name in cypher.names() if name.startswith(GATHERED)])
def test_gathered_it_returns_the_same_records_in_the_same_order(
    http: QueryApi, driver: Driver, neo4j_server: Neo4jServer, examples: ExamplePaper, name: str
):
    examples.have()
    statement, parameters = cypher.gathered(name), http.parameters(name)

    plain = driver.execute_query(statement.text, parameters, database_=neo4j_server.database)
    sent = driver.execute_query(statement.sent, parameters, database_=neo4j_server.database)

    assert len(sent.records) == 1
    assert [dict(record) for record in statement.records(sent.records)] == [dict(record) for record in plain.records]


@pytest.mark.slow
@each_file
def test_it_writes_exactly_if_its_query_type_says_so(
    http: QueryApi, explained: Explained, examples: ExamplePaper, name: str
):
    examples.have()
    text, type = cypher.load(name).text, explained(name).query_type

    answer = http.post(text, http.parameters(name), mode="READ").json()

    if type == TO_READ or "\nSHOW " in text:
        assert "errors" not in answer
    else:
        assert type in (*TO_WRITE, ABOUT_THE_STORE)
        assert [error["code"] for error in answer["errors"]] == [NO_WRITING]


@pytest.mark.slow
def test_the_examples_of_writing_files_change_what_they_say(
    http: QueryApi, explained: Explained, examples: ExamplePaper
):
    ran: set[str] = set()
    unchanged: set[str] = set()
    for name in cypher.names():
        if explained(name).query_type not in TO_WRITE:
            continue
        if name.removeprefix("ingest/") == EXAMPLE_PAPER[0]:
            examples.forget()
        else:
            examples.have(to_change=True)
        if (needed := NEEDED_BEFORE.get(name)) is not None:
            http.post(cypher.load(needed).text, http.parameters(needed))

        answer = http.post(cypher.load(name).text, http.parameters(name)).json()

        examples.forget()
        ran.add(name)
        if not answer["counters"]["containsUpdates"]:
            unchanged.add(name)

    differing = sorted(unchanged ^ (CHANGE_NOTHING & ran))
    assert not differing, ", ".join(differing)


@pytest.mark.slow
async def test_the_files_of_the_schema_can_be_run_again_on_a_prepared_store(
    http: QueryApi, samples: Database, embedder: Embedder
):
    for name in ("schema/version_constraint", "schema/create_names", "schema/record_version", "schema/register_model"):
        for _ in range(2):
            answer = http.post(cypher.load(name).text, http.parameters(name)).json()
            assert "errors" not in answer
            assert not answer["counters"]["containsUpdates"]

    await check(samples, dimension=embedder.card.dimension)
    assert await prepare(samples, embedder.card) == []
