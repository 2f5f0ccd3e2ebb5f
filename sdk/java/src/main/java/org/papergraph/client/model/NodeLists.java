package org.papergraph.client.model;

/** Lists that nodes have. */
public final class NodeLists {
    private NodeLists() {}

    /** The author's papers, by title. */
    public static final ListOf<Paper> AUTHORS_PAPERS =
        new ListOf<>("authors/papers", Paper.class);

    /** Clusters and their ancestors. */
    public static final ListOf<Cluster> CHUNKS_CLUSTERS =
        new ListOf<>("chunks/clusters", Cluster.class);

    /** Mentioned entities, by name. */
    public static final ListOf<EntityMention> CHUNKS_ENTITIES =
        new ListOf<>("chunks/entities", EntityMention.class);

    /** Answered questions. */
    public static final ListOf<Question> CHUNKS_QUESTIONS =
        new ListOf<>("chunks/questions", Question.class);

    /** Cited references, in the order of the paper. */
    public static final ListOf<Reference> CHUNKS_REFERENCES =
        new ListOf<>("chunks/references", Reference.class);

    /** Similar chunks of other papers, most similar first. */
    public static final ListOf<SimilarChunk> CHUNKS_SIMILAR =
        new ListOf<>("chunks/similar", SimilarChunk.class);

    /** Subclusters, largest first. */
    public static final ListOf<Cluster> CLUSTERS_CHILDREN =
        new ListOf<>("clusters/children", Cluster.class);

    /** Chunks of the cluster, by paper and in reading order; topics only. */
    public static final ListOf<Chunk> CLUSTERS_CHUNKS =
        new ListOf<>("clusters/chunks", Chunk.class);

    /** Papers of the cluster, by title; topics have chunks instead. */
    public static final ListOf<Paper> CLUSTERS_PAPERS =
        new ListOf<>("clusters/papers", Paper.class);

    /** Chunks that mention it, by paper and in reading order. */
    public static final ListOf<ChunkMention> ENTITIES_MENTIONS =
        new ListOf<>("entities/mentions", ChunkMention.class);

    /** Papers that mention it, by title. */
    public static final ListOf<Paper> ENTITIES_PAPERS =
        new ListOf<>("entities/papers", Paper.class);

    /** Relations to other entities, by type and name. */
    public static final ListOf<Relation> ENTITIES_RELATIONS =
        new ListOf<>("entities/relations", Relation.class);

    /** Same entities, by descending confidence. */
    public static final ListOf<SameEntity> ENTITIES_SAME_AS =
        new ListOf<>("entities/same-as", SameEntity.class);

    /** All chunks in reading order. */
    public static final ListOf<Chunk> PAPERS_CHUNKS =
        new ListOf<>("papers/chunks", Chunk.class);

    /** Citing papers of the collection, by title. */
    public static final ListOf<Paper> PAPERS_CITED_BY =
        new ListOf<>("papers/cited-by", Paper.class);

    /** Cited papers of the collection, by title. */
    public static final ListOf<Paper> PAPERS_CITES =
        new ListOf<>("papers/cites", Paper.class);

    /** Clusters and their ancestors, by kind, level and name. */
    public static final ListOf<Cluster> PAPERS_CLUSTERS =
        new ListOf<>("papers/clusters", Cluster.class);

    /** Mentioned entities, most frequent first. */
    public static final ListOf<EntityOfPaper> PAPERS_ENTITIES =
        new ListOf<>("papers/entities", EntityOfPaper.class);

    /** Questions that the paper or its chunks answer. */
    public static final ListOf<Question> PAPERS_QUESTIONS =
        new ListOf<>("papers/questions", Question.class);

    /** References of the paper, in the order of its list. */
    public static final ListOf<Reference> PAPERS_REFERENCES =
        new ListOf<>("papers/references", Reference.class);

    /** All sections, of any level, in reading order. */
    public static final ListOf<Section> PAPERS_SECTIONS =
        new ListOf<>("papers/sections", Section.class);

    /** Answering chunks, in reading order; none if the whole paper answers. */
    public static final ListOf<Chunk> QUESTIONS_CHUNKS =
        new ListOf<>("questions/chunks", Chunk.class);

    /** Chunks that cite it, in reading order. */
    public static final ListOf<Chunk> REFERENCES_CHUNKS =
        new ListOf<>("references/chunks", Chunk.class);

    /** Chunks of the section, without subsections, in reading order. */
    public static final ListOf<Chunk> SECTIONS_CHUNKS =
        new ListOf<>("sections/chunks", Chunk.class);
}
