// Take further keys from papers that other papers of their collection have too; when the files are ingested again,
// each goes to the paper whose content it has.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      left without the keys that others have too
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
UNWIND range(0, size(paper.keys) - 1) AS position
WITH paper, position, paper.keys[position] AS key
WHERE position = 0 OR NOT EXISTS {
  MATCH (other:Paper {collection: paper.collection})
  WHERE other <> paper AND (other.key = key OR other.nKeys > 1 AND key IN other.keys)
}
WITH paper, collect(position) AS kept
WHERE size(kept) < size(paper.keys)
SET paper.sources = [position IN kept | paper.sources[position]],
    paper.keys = [position IN kept | paper.keys[position]],
    paper.nKeys = size(kept)
RETURN count(*) AS n_repaired
