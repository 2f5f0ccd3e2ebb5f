// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Collection with its counts.
 *
 * @param ingestedAt Ingested at.
 * @param nAuthors N authors.
 * @param nChunks N chunks.
 * @param nClusters N clusters.
 * @param nEntities N entities.
 * @param nPapers N papers.
 * @param nQuestions N questions.
 * @param nReferences N references.
 * @param nSections N sections.
 * @param name Name.
 * @param subject Subject of its papers, if set.
 */
public record Collection(
    OffsetDateTime ingestedAt,
    Integer nAuthors,
    Integer nChunks,
    Integer nClusters,
    Integer nEntities,
    Integer nPapers,
    Integer nQuestions,
    Integer nReferences,
    Integer nSections,
    String name,
    String subject) {}
