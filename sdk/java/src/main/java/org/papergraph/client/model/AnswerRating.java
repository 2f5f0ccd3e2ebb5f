// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Rating of a stored answer by a reader.
 *
 * @param comment Reason in words; may be empty.
 * @param ratedAt Time of the rating.
 * @param verdict Good or bad. Known values: up, down.
 */
public record AnswerRating(
    String comment,
    OffsetDateTime ratedAt,
    String verdict) {}
