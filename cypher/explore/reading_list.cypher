// What should I have read before a paper? What it cites, and what that cites, as far as it stands here, the oldest first.
//
// Parameters  $collection  STRING   where to look
//             $paper       STRING   id of the paper
//             $most        INTEGER  most citations from the paper to one of the list, 1 to 3
//             $limit       INTEGER  how many papers; those that are cited most within the collection
// Returns     way        PATH  a shortest way of citations to it, for a drawing
//             title      STRING
//             year       INTEGER  where known
//             distance   INTEGER  citations from the paper to it
//             n_citing   INTEGER  papers of the collection that cite it
// Index       paper_id (schema/model.py)
// Try it      :param paper => head(COLLECT { MATCH (p:Paper {collection: 'main'})-[:CITES]->(q:Paper) WITH p, count(q) AS n ORDER BY p.year DESC, n DESC, p.id LIMIT 1 RETURN p.id })
//             :param {collection: 'main', most: 3, limit: 20}
CYPHER 25
MATCH way = (paper:Paper {id: $paper, collection: $collection})-[:CITES]->{1,3}(earlier:Paper)
WHERE length(way) <= $most AND earlier <> paper
WITH earlier, way ORDER BY length(way), [node IN nodes(way) | node.id]
WITH earlier, head(collect(way)) AS way
WITH way, earlier, COUNT { (earlier)<-[:CITES]-(:Paper) } AS n_citing
ORDER BY n_citing DESC, length(way), earlier.id
LIMIT $limit
RETURN way, earlier.title AS title, earlier.year AS year, length(way) AS distance, n_citing
ORDER BY year, distance, n_citing DESC, title, earlier.id
