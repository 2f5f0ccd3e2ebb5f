// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Collection with its counts.
 *
 * @param description Use of the collection, if described.
 * @param ingestedAt Time of the last write of a paper; of an empty collection, its creation.
 * @param languageWarnings Why searches may miss papers, one text for each language that is not supported.
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
 * @param title Title for people; by default the name.
 */
public record Collection(
    String description,
    OffsetDateTime ingestedAt,
    List<String> languageWarnings,
    Integer nAuthors,
    Integer nChunks,
    Integer nClusters,
    Integer nEntities,
    Integer nPapers,
    Integer nQuestions,
    Integer nReferences,
    Integer nSections,
    String name,
    String subject,
    String title) {}
