// What layers over the papers need: look-ups, and names that queries mention before anything bears them.
CREATE CONSTRAINT prototype_id IF NOT EXISTS FOR (n:Prototype) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT summary_id IF NOT EXISTS FOR (n:Summary) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT review_id IF NOT EXISTS FOR (n:Review) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT layer_id IF NOT EXISTS FOR (n:Layer) REQUIRE n.id IS UNIQUE;
CREATE INDEX question_paper IF NOT EXISTS FOR (n:Question) ON (n.paperId);
CREATE INDEX cluster_kind IF NOT EXISTS FOR (n:Cluster) ON (n.collection, n.kind, n.level);
CREATE INDEX prototype_kind IF NOT EXISTS FOR (n:Prototype) ON (n.collection, n.kind);
CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.collection, n.name);
