// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Read-only Cypher query and the format of its rows. Options that are not set have the defaults of the server.
 */
public final class CypherOptions extends Options<CypherOptions> {
    /**
     * Deadline in milliseconds; default and maximum: that of the server.
     *
     * @param value the value
     * @return these options
     */
    public CypherOptions deadlineMs(Integer value) {
        return set("deadlineMs", value);
    }

    /**
     * Maximum number of rows; {@code truncated} tells whether there are more.
     *
     * @param value the value
     * @return these options
     */
    public CypherOptions rows(Integer value) {
        return set("rows", value);
    }
}
