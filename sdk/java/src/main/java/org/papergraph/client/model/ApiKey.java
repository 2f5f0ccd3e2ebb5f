// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * API key without its secret.
 *
 * @param collections Collections of the key; null for all.
 * @param costPerMinute Limit of its own; null for that of the server.
 * @param createdAt Created at.
 * @param creators Ids of the keys that it was made with, from the first one.
 * @param expiresAt Expires at.
 * @param id Part of the key that is no secret.
 * @param lastUsedAt Time of the last use, to the minute.
 * @param name Name.
 * @param requestsPerMinute Limit of its own; null for that of the server.
 * @param revokedAt Revoked at.
 * @param scopes Scopes.
 * @param signedUpBy Id of the invitation that it was signed up with; null for other keys.
 * @param state State. Known values: valid, expired, revoked.
 */
public record ApiKey(
    List<String> collections,
    Integer costPerMinute,
    OffsetDateTime createdAt,
    List<String> creators,
    OffsetDateTime expiresAt,
    String id,
    OffsetDateTime lastUsedAt,
    String name,
    Integer requestsPerMinute,
    OffsetDateTime revokedAt,
    List<String> scopes,
    String signedUpBy,
    String state) {}
