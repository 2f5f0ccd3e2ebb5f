// Papers of a collection with a source that has one of some keys, ids, contents, files or titles, locked until the
// transaction ends, each with all its sources.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $names       LIST<STRING>  names of sources
//             $keys        LIST<STRING>  keys of sources
//             $dois        LIST<STRING>  DOIs in lower case
//             $arxiv_ids   LIST<STRING>  arXiv ids without version
//             $contents    LIST<STRING>  content hashes
//             $files       LIST<STRING>  files that records describe
//             $titles      LIST<STRING>  title keys
// Returns     id, key, content, config_hash  STRING
//             sources  LIST<MAP>  properties of its sources
//             has_enrichments  BOOLEAN  whether enrichments stand for it
// Revises     nothing
// Index       source_id, source_key, source_content, source_doi, source_arxiv, source_title, source_file
//             (schema/model.py)
// Try it      :param {collection: 'main', names: [], keys: ['doi:10.1000/182'], dois: [], arxiv_ids: [], contents: []}
//             :param {files: [], titles: []}
CYPHER 25
CALL () {
  UNWIND $names AS name
  MATCH (source:Source {id: $collection + ' ' + name})
  RETURN source
  UNION
  UNWIND $keys AS key
  MATCH (source:Source {collection: $collection, key: key})
  RETURN source
  UNION
  UNWIND $dois AS doi
  MATCH (source:Source {collection: $collection, doi: doi})
  RETURN source
  UNION
  UNWIND $arxiv_ids AS arxiv_id
  MATCH (source:Source {collection: $collection, arxivId: arxiv_id})
  RETURN source
  UNION
  UNWIND $contents AS content
  MATCH (source:Source {collection: $collection, contentHash: content})
  RETURN source
  UNION
  UNWIND $files AS file
  MATCH (source:Source {collection: $collection, file: file})
  RETURN source
  UNION
  UNWIND $titles AS title
  MATCH (source:Source {collection: $collection, titleKey: title})
  RETURN source
}
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
WITH DISTINCT paper ORDER BY elementId(paper)
SET paper.nKeys = paper.nKeys  // takes the node's write lock before anything is read from it
WITH paper WHERE paper.id IS NOT NULL  // else it was deleted while we waited
RETURN paper.id AS id, paper.key AS key, paper.contentHash AS content, paper.configHash AS config_hash,
       COLLECT { MATCH (paper)-[:HAS_SOURCE]->(source:Source) RETURN properties(source) } AS sources,
       coalesce(paper.enrichments, paper.pageRank, paper.linksConfigHash) IS NOT NULL AS has_enrichments
ORDER BY id
