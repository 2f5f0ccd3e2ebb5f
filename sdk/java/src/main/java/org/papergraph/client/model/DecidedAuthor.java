// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * An author after a decision.
 *
 * @param aliases Other spellings.
 * @param authorId Id of the author.
 * @param key ORCID or other id of the person; null for one known by name.
 * @param name Name, the first of the spellings in use.
 * @param paperIds The author's papers.
 */
public record DecidedAuthor(
    List<String> aliases,
    String authorId,
    String key,
    String name,
    List<String> paperIds) {}
