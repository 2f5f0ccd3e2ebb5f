// Papers of collections with tags, stars, reading states or notes that a reader may see.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $owner        STRING        account whose private ones are seen; null for those of all
//             $kinds        LIST<STRING>  kinds of annotations
//             $texts        LIST<STRING>  texts in small letters, such as names of tags; null for any
// Returns     found      STRING        the text in small letters, or the kind for any text
//             paper_ids  LIST<STRING>
// Index       annotation_kind, private_annotation_kind (schema/model.py)
// Try it      :param {collections: ['main'], owner: null, kinds: ['tag'], texts: ['to cite']}
CYPHER 25
MATCH (one:Annotation|PrivateAnnotation)
WHERE one.collection IN $collections AND one.kind IN $kinds
  AND ($owner IS NULL OR one:Annotation OR one.owner = $owner)
  AND ($texts IS NULL OR toLower(one.text) IN $texts)
MATCH (one)-[:ANNOTATES|ANNOTATES_PRIVATELY]->(:Source)<-[:HAS_SOURCE]-(paper:Paper)
WHERE paper.collection IN $collections
RETURN CASE WHEN $texts IS NULL THEN one.kind ELSE toLower(one.text) END AS found,
       collect(DISTINCT paper.id) AS paper_ids
