// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Enrichments to make of the papers of a collection. Options that are not set have the defaults of the server.
 */
public final class EnrichOptions extends Options<EnrichOptions> {
    /**
     * Name of the collection; default: main, or the first that the key reaches.
     *
     * @param value the value
     * @return these options
     */
    public EnrichOptions collection(String value) {
        return set("collection", value);
    }
}
