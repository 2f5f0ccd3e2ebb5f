// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A field of a paper, with the source that states it.
 *
 * @param name Name of the field.
 * @param provider Who states it: person, publisher, arxiv or document. Known values: person, publisher, arxiv, document.
 * @param source Address or file name of the source; empty for an edit.
 * @param values Its values; one unless it is a list, and none if it was emptied.
 */
public record PaperField(
    String name,
    String provider,
    String source,
    List<String> values) {}
