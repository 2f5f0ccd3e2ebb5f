// What is a collection about? Its papers, years, authors, topics and categories in one row.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $n_listed    INTEGER  topics, categories and papers that are listed, at least 1
// Returns     n_papers, n_authors  INTEGER
//             first_year, last_year  INTEGER  or null
//             topics       LIST<STRING>  names of the largest groups of papers or passages
//             categories   LIST<STRING>  the most frequent ones
//             papers       LIST<MAP>  id, title, year; by title
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WITH paper ORDER BY paper.title, paper.id
WITH count(*) AS n_papers, min(paper.year) AS first_year, max(paper.year) AS last_year,
     collect(paper { .id, .title, .year })[..$n_listed] AS papers
RETURN n_papers, first_year, last_year, papers,
       COUNT { MATCH (:Paper {collection: $collection})<-[:WROTE]-(author:Author) RETURN DISTINCT author } AS n_authors,
       COLLECT {
         MATCH (cluster:Cluster {collection: $collection})
         WHERE cluster.name IS NOT NULL AND cluster.kind <> 'metadata'
         WITH cluster.name AS topic, COUNT { (cluster)<-[:IN_CLUSTER]-() } AS n_members
         ORDER BY n_members DESC, topic LIMIT $n_listed
         RETURN topic
       } AS topics,
       COLLECT {
         MATCH (one:Paper {collection: $collection})
         UNWIND one.categories AS category
         WITH category, count(*) AS n_papers_of
         ORDER BY n_papers_of DESC, category LIMIT $n_listed
         RETURN category
       } AS categories
