// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * A key to sign up for, with an invitation, or with a challenge and its solution. Options that are not set have the defaults of the server.
 */
public final class SignUpOptions extends Options<SignUpOptions> {
    /**
     * Text of the challenge.
     *
     * @param value the value
     * @return these options
     */
    public SignUpOptions challenge(String value) {
        return set("challenge", value);
    }

    /**
     * Invitation, pi_ and what follows.
     *
     * @param value the value
     * @return these options
     */
    public SignUpOptions invitation(String value) {
        return set("invitation", value);
    }

    /**
     * Number that solves it, in digits.
     *
     * @param value the value
     * @return these options
     */
    public SignUpOptions solution(String value) {
        return set("solution", value);
    }
}
