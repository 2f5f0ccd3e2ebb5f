// Pairs of papers that may be one: with one DOI, or one title and a year or first author in common. Of many papers
// with one title, each is compared with the next 50.
//
// Parameters  $collection  STRING   the collection, for example 'main'
//             $limit       INTEGER  most rows
// Returns     ids, keys, titles  LIST<STRING>  of both papers, in order of keys
//             years   LIST<INTEGER>
//             common  STRING  doi or title
// Index       paper_key, review_kind (schema/model.py)
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
UNWIND [['doi', paper.doi], ['title', paper.titleKey]] AS common
WITH common, paper WHERE common[1] <> ''
ORDER BY paper.key
WITH common, collect(paper) AS papers WHERE size(papers) > 1
UNWIND range(0, size(papers) - 2) AS place
WITH common, papers[place] AS one, papers[place + 1..place + 51] AS others
UNWIND others AS other
WITH one, other, common[0] AS common
WHERE common = 'doi' OR abs(coalesce(one.year, other.year, 0) - coalesce(other.year, one.year, 0)) <= 1
  OR EXISTS { (one)<-[:WROTE {position: 0}]-(:Author)-[:WROTE {position: 0}]->(other) }
WITH one, other, min(common) AS common
WHERE NOT EXISTS {
  MATCH (review:Review {collection: $collection, kind: 'papers'}) WHERE review.about = [one.key, other.key]
}
RETURN [one.id, other.id] AS ids, [one.key, other.key] AS keys, [one.title, other.title] AS titles,
       [one.year, other.year] AS years, common
ORDER BY common, keys LIMIT $limit
