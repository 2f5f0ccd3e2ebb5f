// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Rating of an answer; the last one of a reader counts. Options that are not set have the defaults of the server.
 */
public final class RatingOptions extends Options<RatingOptions> {
    /**
     * Reason in words.
     *
     * @param value the value
     * @return these options
     */
    public RatingOptions comment(String value) {
        return set("comment", value);
    }
}
