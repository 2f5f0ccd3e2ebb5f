package org.papergraph.client.model;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a request, by their names in the API.
 *
 * @param <S> the class of options
 */
public abstract class Options<S extends Options<S>> {
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** Make options without values. */
    protected Options() {}

    /**
     * Set an option by its name, also one that this version does not know.
     *
     * @param name name in the API
     * @param value the value; null removes it
     * @return these options
     */
    @SuppressWarnings("unchecked")
    public S set(String name, Object value) {
        if (value == null) {
            values.remove(name);
        } else {
            values.put(name, value);
        }
        return (S) this;
    }

    /**
     * The options that are set.
     *
     * @return values by name
     */
    @JsonValue
    public Map<String, Object> values() {
        return values;
    }
}
