// How many entries a list of each of several nodes has.
//
// Parameters  $ids          LIST<STRING>  ids of nodes
//             $list         STRING        which of their lists, by the name of the query that reads it page by page
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             n          INTEGER
// Index       paper_id, chunk_id, entity_id, cluster_id, question_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {list: 'references_of_papers', collections: null}
CYPHER 25
UNWIND $ids AS parent_id
RETURN parent_id, CASE $list
  WHEN 'references_of_papers' THEN COUNT {
    MATCH (node:Reference {paperId: parent_id}) WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'references_of_chunks' THEN COUNT {
    MATCH (:Chunk {id: parent_id})-[:CITES_REFERENCE]->(node:Reference)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'chunks_of_references' THEN COUNT {
    MATCH (node:Chunk)-[:CITES_REFERENCE]->(:Reference {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'papers_cited' THEN COUNT {
    MATCH (:Paper {id: parent_id})-[:CITES]->(node:Paper)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'papers_citing' THEN COUNT {
    MATCH (node:Paper)-[:CITES]->(:Paper {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'papers_of_clusters' THEN COUNT {
    MATCH (:Cluster {id: parent_id})-[:PARENT_OF*0..12]->(:Cluster)<-[:IN_CLUSTER]-(node:Paper)
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  }
  WHEN 'venues_of_papers' THEN COUNT {
    MATCH (:Paper {id: parent_id})-[:PUBLISHED_IN]->(node:Venue)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'affiliations_of_papers' THEN COUNT {
    MATCH (:Paper {id: parent_id})-[:AFFILIATED_WITH]->(node:Affiliation)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'affiliations_of_authors' THEN COUNT {
    MATCH (:Author {id: parent_id})-[:WROTE]->(:Paper)-[:AFFILIATED_WITH]->(node:Affiliation)
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  }
  WHEN 'papers_of_venues' THEN COUNT {
    MATCH (node:Paper)-[:PUBLISHED_IN]->(:Venue {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'papers_of_affiliations' THEN COUNT {
    MATCH (node:Paper)-[:AFFILIATED_WITH]->(:Affiliation {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'chunks_of_clusters' THEN COUNT {
    MATCH (:Cluster {id: parent_id})-[:PARENT_OF*0..12]->(:Cluster)<-[:IN_CLUSTER]-(node:Chunk)
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  }
  WHEN 'entities_of_papers' THEN COUNT {
    MATCH (:Chunk {paperId: parent_id})-[:MENTIONS]->(node:Entity)
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  }
  WHEN 'entities_of_chunks' THEN COUNT {
    MATCH (:Chunk {id: parent_id})-[:MENTIONS]->(node:Entity)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'chunks_of_entities' THEN COUNT {
    MATCH (node:Chunk)-[:MENTIONS]->(:Entity {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'papers_of_entities' THEN COUNT {
    MATCH (node:Chunk)-[:MENTIONS]->(:Entity {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node.paperId
  }
  WHEN 'relations_of_entities' THEN COUNT {
    MATCH (:Entity {id: parent_id})-[:RELATED_TO]-(node:Entity)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'same_entities' THEN COUNT {
    MATCH (:Entity {id: parent_id})-[:SAME_AS]-(node:Entity)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'questions_of_papers' THEN COUNT {
    MATCH (node:Question {paperId: parent_id}) WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'questions_of_chunks' THEN COUNT {
    MATCH (node:Question)-[:ANSWERED_BY]->(:Chunk {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'chunks_of_questions' THEN COUNT {
    MATCH (:Question {id: parent_id})-[:ANSWERED_BY]->(node:Chunk)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'similar_chunks' THEN COUNT {
    MATCH (:Chunk {id: parent_id})-[:SIMILAR]-(node:Chunk)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
  WHEN 'clusters_of_members' THEN COUNT {
    MATCH (node:Cluster)-[:PARENT_OF*0..12]->(:Cluster)<-[:IN_CLUSTER]-(:Paper {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  } + COUNT {
    MATCH (node:Cluster)-[:PARENT_OF*0..12]->(:Cluster)<-[:IN_CLUSTER]-(:Chunk {id: parent_id})
    WHERE $collections IS NULL OR node.collection IN $collections
    RETURN DISTINCT node
  }
  WHEN 'clusters_below' THEN COUNT {
    MATCH (:Cluster {id: parent_id})-[:PARENT_OF]->(node:Cluster)
    WHERE $collections IS NULL OR node.collection IN $collections
  }
END AS n
