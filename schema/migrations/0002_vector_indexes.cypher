// Cosine indexes with the scalars that a search can narrow by inside the index. {{dimension}} comes from the embedding
// model. Quantisation is off and said so: the server's default became binary in 2026.08, and at this size exact scores
// cost little memory.
CYPHER 25 CREATE VECTOR INDEX paper_embedding IF NOT EXISTS FOR (n:Paper) ON n.embedding
  WITH [n.collection, n.year]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
CYPHER 25 CREATE VECTOR INDEX section_embedding IF NOT EXISTS FOR (n:Section) ON n.embedding
  WITH [n.collection, n.paperId, n.kind]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
CYPHER 25 CREATE VECTOR INDEX chunk_embedding IF NOT EXISTS FOR (n:Chunk) ON n.embedding
  WITH [n.collection, n.paperId, n.kind, n.year]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
CYPHER 25 CREATE VECTOR INDEX question_embedding IF NOT EXISTS FOR (n:Question) ON n.embedding
  WITH [n.collection, n.paperId, n.year]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
CYPHER 25 CREATE VECTOR INDEX entity IF NOT EXISTS FOR (n:__Entity__) ON n.embedding
  WITH [n.collection, n.type]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
CYPHER 25 CREATE VECTOR INDEX cluster_embedding IF NOT EXISTS FOR (n:Cluster) ON n.embedding
  WITH [n.collection, n.kind, n.level]
  OPTIONS {indexConfig: {
    `vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none',
    `vector.hnsw.m`: 32, `vector.hnsw.ef_construction`: 200}};
