// Names of the enrichments of papers; those over several papers are named where they reach the paper.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id     STRING        in order
//             names  LIST<STRING>  such as questions and clusters, may be empty
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 2 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH DISTINCT paper.id AS id,
     [noted IN coalesce(paper.enrichments, []) | split(noted, '=')[0]]
     + CASE WHEN EXISTS {
         MATCH (paper)-[:IN_CLUSTER]->(cluster:Cluster) WHERE cluster.kind <> 'metadata'
       } THEN ['clusters'] ELSE [] END
     + CASE WHEN paper.linksConfigHash IS NOT NULL THEN ['links'] ELSE [] END
     + CASE WHEN paper.mapPlace IS NOT NULL THEN ['map'] ELSE [] END AS names
RETURN id, names
ORDER BY id
