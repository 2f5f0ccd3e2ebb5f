// Annotations of papers, of a collection, or by id, that a reader may see.
//
// Parameters  $papers       LIST<STRING>  ids of papers, or null
//             $ids          LIST<STRING>  ids of annotations, or null
//             $collection   STRING        a collection, where neither is given
//             $collections  LIST<STRING>  collections that are reached; null for all
//             $owner        STRING        account whose private ones are seen; null for those of all
//             $kinds        LIST<STRING>  kinds to include; null for all
//             $tag          STRING        name of a tag in small letters, or null
//             $words        LIST<STRING>  words in small letters, each in the text, the quote or the paper's title
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       most rows, at least 1
// Returns     annotation   MAP     properties
//             source       STRING  id of its source
//             is_shared    BOOLEAN
//             paper_id, title, author  STRING  of its paper; name of its owner's key
//             doubles      LIST<STRING>  ids of others that say the same, as after a merge of papers
//             place        LIST<ANY>  what they are in order of: time and id; of papers, place in the text
//             status       STRING        editorial status of the paper, or null
//             notices      LIST<STRING>  its notices, each as: status | day | source | DOI | reason
// Index       paper_id, annotation_id, annotation_kind, private_annotation_kind (schema/model.py)
// Try it      :param {papers: null, ids: null, collection: 'main', collections: null, owner: null, kinds: null, tag: null}
//             :param {words: [], after: [], limit: 10}
CYPHER 25
CALL () {
  WITH 1 AS one WHERE $papers IS NOT NULL
  UNWIND $papers AS id
  MATCH (:Paper {id: id})-[:HAS_SOURCE]->(:Source)
        <-[:ANNOTATES|ANNOTATES_PRIVATELY]-(found:Annotation|PrivateAnnotation)
  RETURN found
  UNION ALL
  WITH 1 AS one WHERE $ids IS NOT NULL
  MATCH (found:Annotation|PrivateAnnotation)
  WHERE found.id IN $ids
  RETURN found
  UNION ALL
  WITH 1 AS one WHERE $papers IS NULL AND $ids IS NULL
  MATCH (found:Annotation|PrivateAnnotation {collection: $collection})
  WHERE found.kind IN coalesce($kinds, ['tag', 'note', 'star', 'state', 'highlight'])
  RETURN found
}
WITH found
WHERE ($collections IS NULL OR found.collection IN $collections)
  AND ($owner IS NULL OR found:Annotation OR found.owner = $owner)
  AND ($kinds IS NULL OR found.kind IN $kinds)
  AND ($tag IS NULL OR (found.kind = 'tag' AND toLower(found.text) = $tag))
MATCH (found)-[:ANNOTATES|ANNOTATES_PRIVATELY]->(source:Source)<-[:HAS_SOURCE]-(paper:Paper)
FILTER all(word IN $words WHERE toLower(found.text) CONTAINS word OR toLower(paper.title) CONTAINS word
  OR toLower(coalesce(found.quote, '')) CONTAINS word)
WITH found, source, paper, found.kind IN ['tag', 'star', 'state'] AS is_single ORDER BY found.changedAt DESC, found.id
WITH paper, CASE WHEN is_single THEN found.kind + ' ' + found.owner ELSE found.id END AS single,
     CASE WHEN found.kind = 'tag' THEN toLower(found.text) ELSE '' END AS name,
     head(collect([found, source])) AS first, tail(collect(found.id)) AS doubles
WITH paper, first[0] AS found, first[1] AS source, doubles
WITH paper, found, source, doubles, [
  CASE WHEN $papers IS NULL THEN -found.createdAt.epochMillis ELSE coalesce(found.startChar, -1) END,
  found.id
] AS place
FILTER place > $after
ORDER BY place LIMIT $limit
OPTIONAL MATCH (key:ApiKey {id: found.owner})
RETURN found {.*} AS annotation, source.id AS source, found:Annotation AS is_shared, paper.id AS paper_id,
       paper.title AS title, key.name AS author, doubles, place, paper.editorialStatus AS status,
       coalesce(paper.editorialNotices, []) AS notices
ORDER BY place
