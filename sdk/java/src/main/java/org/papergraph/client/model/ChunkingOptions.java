// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * How documents are cut into chunks; null values are those of the chunker. Options that are not set have the defaults of the server.
 */
public final class ChunkingOptions extends Options<ChunkingOptions> {
    /**
     * Let chunks run on over headings.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions acrossHeadings(Boolean value) {
        return set("acrossHeadings", value);
    }

    /**
     * Name of the chunker; see docs/ingestion.md.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions chunker(String value) {
        return set("chunker", value);
    }

    /**
     * Skip references and appendices.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions dropBackMatter(Boolean value) {
        return set("dropBackMatter", value);
    }

    /**
     * Embed the parents of a hierarchy too.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions embedParents(Boolean value) {
        return set("embedParents", value);
    }

    /**
     * Embed {@code [URL]} in place of URLs.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions maskUrls(Boolean value) {
        return set("maskUrls", value);
    }

    /**
     * Maximum characters of a chunk.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions maxChars(Integer value) {
        return set("maxChars", value);
    }

    /**
     * Maximum tokens of a chunk.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions maxTokens(Integer value) {
        return set("maxTokens", value);
    }

    /**
     * What two chunks share, in the unit that the chunker counts in.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions overlap(Integer value) {
        return set("overlap", value);
    }

    /**
     * Remove full stops at the start of chunks.
     *
     * @param value the value
     * @return these options
     */
    public ChunkingOptions trimStops(Boolean value) {
        return set("trimStops", value);
    }
}
