// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Earlier turn of a conversation. Options that are not set have the defaults of the server.
 */
public final class TurnOptions extends Options<TurnOptions> {
    /**
     * Role. Known values: user, assistant.
     *
     * @param value the value
     * @return these options
     */
    public TurnOptions role(String value) {
        return set("role", value);
    }

    /**
     * Text.
     *
     * @param value the value
     * @return these options
     */
    public TurnOptions text(String value) {
        return set("text", value);
    }
}
