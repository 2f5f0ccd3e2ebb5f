// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * API key to create; it never goes beyond the key of the request. Options that are not set have the defaults of the server.
 */
public final class KeyOptions extends Options<KeyOptions> {
    /**
     * Collections, some of those of the key of the request; default: all of them.
     *
     * @param value the value
     * @return these options
     */
    public KeyOptions collections(Object value) {
        return set("collections", value);
    }

    /**
     * Time to live, such as 12h, 30d or 8w; default: that of the key of the request.
     *
     * @param value the value
     * @return these options
     */
    public KeyOptions expires(String value) {
        return set("expires", value);
    }
}
