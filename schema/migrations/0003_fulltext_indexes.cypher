// Full-text indexes. `collectionTerm` is one of the fields: a query asks for it, so that a small collection is not
// starved by a filter after the search. They are updated in the transaction that writes, not some time later.
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text, n.context, n.collectionTerm, n.kind]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX title_text IF NOT EXISTS FOR (n:Paper|Section) ON EACH [n.title, n.abstract, n.collectionTerm]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX name_text IF NOT EXISTS FOR (n:Author|Entity|Cluster) ON EACH [n.name, n.aliases, n.collectionTerm]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding', `fulltext.eventually_consistent`: false}};
