// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Collection to create. Options that are not set have the defaults of the server.
 */
public final class CollectionOptions extends Options<CollectionOptions> {
    /**
     * Use of the collection; empty for none.
     *
     * @param value the value
     * @return these options
     */
    public CollectionOptions description(String value) {
        return set("description", value);
    }

    /**
     * Title for people; empty for the name.
     *
     * @param value the value
     * @return these options
     */
    public CollectionOptions title(String value) {
        return set("title", value);
    }
}
