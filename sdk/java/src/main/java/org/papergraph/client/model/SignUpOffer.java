// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * What somebody without a key can do.
 *
 * @param signUp Whether nobody or whoever has an invitation may sign up. Known values: off, invite.
 */
public record SignUpOffer(
    String signUp) {}
