// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * API key without its secret.
 *
 * @param collections Collections of the key; null for all.
 * @param createdAt Created at.
 * @param creators Ids of the keys that it was made with, from the first one.
 * @param expiresAt Expires at.
 * @param id Part of the key that is no secret.
 * @param lastUsedAt Time of the last use, to the minute.
 * @param name Name.
 * @param revokedAt Revoked at.
 * @param scopes Scopes.
 * @param state State. Known values: valid, expired, revoked.
 */
public record ApiKey(
    List<String> collections,
    OffsetDateTime createdAt,
    List<String> creators,
    OffsetDateTime expiresAt,
    String id,
    OffsetDateTime lastUsedAt,
    String name,
    OffsetDateTime revokedAt,
    List<String> scopes,
    String state) {}
