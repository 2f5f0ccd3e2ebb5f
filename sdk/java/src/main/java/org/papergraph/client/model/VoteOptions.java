// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Vote for pipelines that were compared for a question; the last one of a reader counts. Options that are not set have the defaults of the server.
 */
public final class VoteOptions extends Options<VoteOptions> {
    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public VoteOptions collection(String value) {
        return set("collection", value);
    }
}
