"""Examples of operations, one for each root field, for readers of the schema."""

from graphql import GraphQLSchema

EXAMPLES = {
    "papers": "{ papers(first: 3) { nodes { id title year } } }",
    "paperFacets": "{ paperFacets(facets: [YEAR]) { values { value n } } }",
    "neighbourhood": "query ($id: ID!) { neighbourhood(ids: [$id]) { nodes { nodeId name } } }",
    "map": "{ map(first: 100) { method ids x y topics { name n } } }",
    "node": "query ($id: ID!) { node(id: $id) { displayName } }",
    "nodes": "query ($ids: [ID!]!) { nodes(ids: $ids) { displayName } }",
    "collections": "{ collections { name nPapers } }",
    "clusters": "{ clusters(kind: TOPIC) { nodes { name nMembers } } }",
    "questions": "{ questions(review: NONE) { nodes { text } } }",
    "path": "query ($from: ID!, $to: ID!) { path(fromId: $from, toId: $to) { nodes { displayName } } }",
    "jobs": "{ jobs(first: 5) { nodes { id state progress } } }",
    "job": "query ($id: ID!) { job(id: $id) { state progress } }",
    "queries": "{ queries { name summary } }",
    "apiKeys": "{ apiKeys { id name state expiresAt } }",
    "invitations": "{ invitations { id name state nUses maxUses } }",
    "viewer": "{ viewer { scopes collections } }",
    "server": "{ server { version languageModel } }",
    "storedAnswer": '{ storedAnswer(id: "answer-0123456789abcdef") { text citations { quote } ratings { verdict } } }',
    "enrichments": "{ enrichments { name about missing } }",
    "enrichmentEstimate": '{ enrichmentEstimate(enrichments: ["entities"]) { nPapers nDue nRequests } }',
    "ingestionEstimate": '{ ingestionEstimate(sources: ["arxiv:1706.03762"]) { papers { value } cost } }',
    "pipelines": "{ pipelines { name about } }",
    "jobProgress": "subscription ($id: ID!) { jobProgress(id: $id) { state progress } }",
    "jobEvents": "subscription ($id: ID!) { jobEvents(id: $id) { job { state } tasks { source nEmbedded } } }",
    "paper": '{ paper(key: "arxiv:1706.03762") { title } }',
    "paperFields": "query ($id: ID!) { paperFields(id: $id) { name values provider source } }",
    "exportPapers": "query ($ids: [ID!]!) { exportPapers(ids: $ids, format: BIBTEX) { files { name text } } }",
    "entities": '{ entities(text: "bert") { nodes { name type } } }',
    "venues": '{ venues(text: "stat") { nodes { name papers { totalCount } } } }',
    "affiliations": '{ affiliations(text: "univ") { nodes { name papers { totalCount } } } }',
    "search": '{ search(input: {query: "tabu search", k: 5}) { hits { passage paper { title } } } }',
    "summary": '{ summary(metadata: [{field: "task", value: "ranking"}]) { text keywords nPapers } }',
    "ask": '{ ask(input: {question: "What is tabu search?"}) { __typename ... on Answer { text } } }',
    "cypher": '{ cypher(input: {query: "MATCH (p:Paper) RETURN count(p)"}) { rows } }',
    "suggest": '{ suggest(text: "tab") { label text } }',
    "pipeline": '{ pipeline(name: "fast") { about steps } }',
    "answer": 'subscription { answer(input: {question: "What is tabu?"}) { ... on DeltaEvent { text } } }',
}
"""An operation by the root field that it uses."""


def add_examples(schema: GraphQLSchema) -> None:
    """Add the examples to the descriptions of the root fields."""
    for root in (schema.query_type, schema.mutation_type, schema.subscription_type):
        for name, field in root.fields.items() if root else ():
            if name in EXAMPLES:
                field.description = f"{field.description}\n\nExample: `{EXAMPLES[name]}`"
