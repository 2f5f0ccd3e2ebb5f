// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * What somebody without a key can do.
 *
 * @param challenge Work for a key without an invitation; null where there is none.
 * @param collections Collections of a key without an invitation.
 * @param keyDays Validity of a key without an invitation, in days; null where there is none.
 * @param scopes Scopes of a key without an invitation.
 * @param signUp Whether nobody, whoever has an invitation, or everybody may sign up. Known values: off, invite, open.
 */
public record SignUpOffer(
    SignUpChallenge challenge,
    List<String> collections,
    Integer keyDays,
    List<String> scopes,
    String signUp) {}
