// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.OffsetDateTime;
import java.util.List;

/**
 * A research paper in a collection.
 *
 * @param abstract_ Abstract; empty if the source has none.
 * @param arxivId ArXiv id without version, if known.
 * @param arxivVersion Version at arXiv, from 1.
 * @param authors Authors, in the order of the paper.
 * @param bodyCoverage Fraction of the body text, without dropped sections, in chunks, 0 to 1.
 * @param categories Categories, such as cs.CL.
 * @param chunker Name of the chunker.
 * @param cleaning Cleaning steps: drop-back-matter, mask-urls, trim-stops.
 * @param collection Collection of the paper.
 * @param comment The authors' comment at arXiv, such as the number of pages.
 * @param contentHash Sha-256 hex of the source's bytes.
 * @param doi DOI, if known.
 * @param format Format of the source: markdown, text, pdf, jats, tei, latex, docx, html or record.
 * @param headingSource Source of the headings: markup, outline, fonts, keywords, a service or none.
 * @param id Sha-256 hex of collection and key.
 * @param ingestedAt Time of the last write.
 * @param journalRef Journal reference.
 * @param key Doi:…, arxiv:… without version, upload:…, or file:… or another URL.
 * @param keys All keys of this content.
 * @param language Language of the text as ISO 639-1 code, if certain.
 * @param license Licence as the source states it, if it does.
 * @param nChunks Number of chunks.
 * @param nPages Number of pages, if the source has pages.
 * @param nPagesWithoutText Number of pages without text.
 * @param nSections Number of sections.
 * @param primaryCategory First category at arXiv.
 * @param published Publication time of the first version.
 * @param sources Sources of the content, one per key.
 * @param title Title.
 * @param updated Publication time of this version.
 * @param url Landing page.
 * @param year Year of publication, if known.
 */
public record Paper(
    @JsonProperty("abstract") String abstract_,
    String arxivId,
    Integer arxivVersion,
    List<Author> authors,
    Double bodyCoverage,
    List<String> categories,
    String chunker,
    List<String> cleaning,
    String collection,
    String comment,
    String contentHash,
    String doi,
    String format,
    String headingSource,
    String id,
    OffsetDateTime ingestedAt,
    String journalRef,
    String key,
    List<String> keys,
    String language,
    String license,
    Integer nChunks,
    Integer nPages,
    Integer nPagesWithoutText,
    Integer nSections,
    String primaryCategory,
    OffsetDateTime published,
    List<String> sources,
    String title,
    OffsetDateTime updated,
    String url,
    Integer year) implements Node {}
