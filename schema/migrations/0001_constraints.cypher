// Uniqueness, the only kind of constraint in Community Edition, and look-ups.
// Labels of the domain come before LlamaIndex's `__Node__` and `__Entity__`: labels are listed in order of first use.
CREATE CONSTRAINT schema_version_id IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT embedding_model_id IF NOT EXISTS FOR (n:EmbeddingModel) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT paper_id IF NOT EXISTS FOR (n:Paper) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT paper_key IF NOT EXISTS FOR (n:Paper) REQUIRE (n.collection, n.key) IS UNIQUE;
CREATE CONSTRAINT paper_content IF NOT EXISTS FOR (n:Paper) REQUIRE (n.collection, n.contentHash) IS UNIQUE;
CREATE CONSTRAINT author_id IF NOT EXISTS FOR (n:Author) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT section_id IF NOT EXISTS FOR (n:Section) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT section_position IF NOT EXISTS FOR (n:Section) REQUIRE (n.paperId, n.ordinal) IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (n:Chunk) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT chunk_position IF NOT EXISTS FOR (n:Chunk) REQUIRE (n.paperId, n.ordinal) IS UNIQUE;
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (n:Question) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT cluster_id IF NOT EXISTS FOR (n:Cluster) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT llama_node_id IF NOT EXISTS FOR (n:__Node__) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT llama_entity_id IF NOT EXISTS FOR (n:__Entity__) REQUIRE n.id IS UNIQUE;
CREATE INDEX paper_listing IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.title, n.id);
CREATE INDEX paper_shared IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.nKeys);
