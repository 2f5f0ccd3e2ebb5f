// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Caller: the API key of the request, or this machine.
 *
 * @param collections Collections of the key; null for all.
 * @param expiresAt End of the key's validity; null for none.
 * @param isLocal True if the server requires no key.
 * @param limits What is left of each limit; empty without limits.
 * @param name Name of the key; empty if the server requires none.
 * @param scopes Scopes.
 */
public record Viewer(
    List<String> collections,
    OffsetDateTime expiresAt,
    Boolean isLocal,
    List<RateLimit> limits,
    String name,
    List<String> scopes) {}
