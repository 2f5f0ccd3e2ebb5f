// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Fields of a paper to set, to empty, and to restore from the sources. Options that are not set have the defaults of the server.
 */
public final class PaperEditOptions extends Options<PaperEditOptions> {
    /**
     * Names of fields to empty, such as {@code journalRef}.
     *
     * @param value the value
     * @return these options
     */
    public PaperEditOptions clear(Object value) {
        return set("clear", value);
    }

    /**
     * Values to set.
     *
     * @param value the value
     * @return these options
     */
    public PaperEditOptions fields(Object value) {
        return set("fields", value);
    }

    /**
     * Names of fields to restore from the sources.
     *
     * @param value the value
     * @return these options
     */
    public PaperEditOptions undo(Object value) {
        return set("undo", value);
    }
}
