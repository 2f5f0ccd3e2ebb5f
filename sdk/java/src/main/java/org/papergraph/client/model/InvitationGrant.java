// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * What a key has that is signed up for now with an invitation.
 *
 * @param collections Collections of the key; null for all.
 * @param costPerMinute Limit of the key; null for that of the server.
 * @param expiresAt End of the invitation.
 * @param keyExpiresAt End of the key; null for no end.
 * @param nLeft Number of keys that the invitation is still good for.
 * @param name Whom the invitation is for.
 * @param requestsPerMinute Limit of the key; null for that of the server.
 * @param scopes Scopes of the key.
 */
public record InvitationGrant(
    List<String> collections,
    Integer costPerMinute,
    OffsetDateTime expiresAt,
    OffsetDateTime keyExpiresAt,
    Integer nLeft,
    String name,
    Integer requestsPerMinute,
    List<String> scopes) {}
