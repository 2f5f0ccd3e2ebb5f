// Items of an inbox in its order, the best first.
//
// Parameters  $collection   STRING        for example 'main'
//             $states       LIST<STRING>  new, accepted, rejected or never
//             $source       STRING        id of a watch that found them; null for any
//             $after_score  FLOAT         score of the last item of the page before; null for the first page
//             $after_id     STRING        its id; null for the first page
//             $newest       BOOLEAN       true for the newest first, without pages
//             $limit        INTEGER       most items
// Returns     item  MAP  properties without keys and vector
// Index       inbox_order (schema/model.py)
// Try it      :param {collection: 'main', states: ['new'], source: null, after_score: null, after_id: null, newest: false, limit: 10}
CYPHER 25
MATCH (item:InboxItem)
WHERE item.collection = $collection AND item.state IN $states AND item.score IS NOT NULL
  AND ($source IS NULL OR $source IN item.sources)
  AND ($after_id IS NULL OR item.score < $after_score OR (item.score = $after_score AND item.id > $after_id))
RETURN item {.*, keys: null, vector: null} AS item
ORDER BY CASE WHEN $newest THEN item.foundAt END DESC, item.score DESC, item.id LIMIT $limit
