// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Rating of a stored answer by a reader.
 *
 * @param comment Reason in words; may be empty.
 * @param ratedAt Rated at.
 * @param verdict Verdict. Known values: up, down.
 */
public record AnswerRating(
    String comment,
    OffsetDateTime ratedAt,
    String verdict) {}
