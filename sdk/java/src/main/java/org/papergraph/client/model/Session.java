// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Session of a browser; its secret is in the cookie only.
 *
 * @param expiresAt Expires at.
 */
public record Session(
    OffsetDateTime expiresAt) {}
