// Papers of a collection that a filter names, by id, by a key, main or other, or by a citation key.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $named        LIST<MAP>     {name, keys}: what was written, and the ids or keys that it may be
// Returns     name  STRING           what was written
//             paper_ids  LIST<STRING>  papers that it names; names of none are left out
// Index       paper_id, paper_key, paper_shared, source_cite_key (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param named => COLLECT { MATCH (p:Paper) RETURN {name: p.key, keys: [p.key]} LIMIT 2 }
CYPHER 25
CALL () {
  UNWIND $named AS named
  UNWIND named.keys AS key
  MATCH (paper:Paper {id: key})
  WHERE paper.collection IN $collections
  RETURN named.name AS name, paper.id AS paper_id
  UNION
  UNWIND $named AS named
  UNWIND named.keys AS key
  MATCH (paper:Paper {key: key})
  WHERE paper.collection IN $collections
  RETURN named.name AS name, paper.id AS paper_id
  UNION
  UNWIND $named AS named
  WITH named, substring(named.name, 1) AS cite_key WHERE named.name STARTS WITH '@'
  UNWIND $collections AS collection
  MATCH (source:Source {collection: collection, citeKey: cite_key})
  MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
  RETURN named.name AS name, paper.id AS paper_id
  UNION
  MATCH (paper:Paper)
  WHERE paper.collection IN $collections AND paper.nKeys > 1
  UNWIND $named AS named
  WITH paper, named WHERE any(key IN named.keys WHERE key IN paper.keys)
  RETURN named.name AS name, paper.id AS paper_id
}
RETURN name, collect(DISTINCT paper_id) AS paper_ids
ORDER BY name
