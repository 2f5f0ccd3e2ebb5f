// Works that papers cite, by their lists of references: each combination of identities once.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     doi        STRING   may be null, as the next two; without all three the work cannot be told
//             arxiv_id   STRING
//             title_key  STRING
//             n_links    INTEGER  references
//             id         STRING   of one of them, with a title if one has
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:HAS_REFERENCE]->(reference:Reference)
RETURN reference.doi AS doi, reference.arxivId AS arxiv_id, reference.titleKey AS title_key, count(*) AS n_links,
       coalesce(min(CASE WHEN reference.title IS NOT NULL THEN reference.id END), min(reference.id)) AS id
