// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Work to be done before a sign-up: find a number so that sha256(text.number) begins with zero bits.
 *
 * @param difficulty Number of zero bits.
 * @param expiresAt Expires at.
 * @param text Text.
 */
public record SignUpChallenge(
    Integer difficulty,
    OffsetDateTime expiresAt,
    String text) {}
