// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Title and description of a collection; what is left out stays as it is. Options that are not set have the defaults of the server.
 */
public final class CollectionTextsOptions extends Options<CollectionTextsOptions> {
    /**
     * Use of the collection; empty for none.
     *
     * @param value the value
     * @return these options
     */
    public CollectionTextsOptions description(String value) {
        return set("description", value);
    }

    /**
     * Title for people; empty for the name.
     *
     * @param value the value
     * @return these options
     */
    public CollectionTextsOptions title(String value) {
        return set("title", value);
    }
}
