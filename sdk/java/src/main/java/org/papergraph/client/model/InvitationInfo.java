// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Invitation without its secret.
 *
 * @param collections Collections of its keys; null for all.
 * @param costPerMinute Limit of each of its keys; null for that of the server.
 * @param createdAt Created at.
 * @param creators Ids of the keys that it was made with, from the first one.
 * @param expiresAt Expires at.
 * @param id Part of the invitation that is no secret.
 * @param keyTermS Validity of its keys in seconds; null for no end of their own.
 * @param maxUses Number of keys that it is good for.
 * @param nUses Number of keys that were signed up with it.
 * @param name Name.
 * @param requestsPerMinute Limit of each of its keys; null for that of the server.
 * @param revokedAt Revoked at.
 * @param scopes Scopes.
 * @param state State. Known values: valid, expired, revoked, used_up.
 */
public record InvitationInfo(
    List<String> collections,
    Integer costPerMinute,
    OffsetDateTime createdAt,
    List<String> creators,
    OffsetDateTime expiresAt,
    String id,
    Integer keyTermS,
    Integer maxUses,
    Integer nUses,
    String name,
    Integer requestsPerMinute,
    OffsetDateTime revokedAt,
    List<String> scopes,
    String state) {}
