// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Uploaded file.
 *
 * @param contentHash Sha-256 hex of the bytes.
 * @param format Format, detected from content and name.
 * @param id Id.
 * @param lastUsedAt Time of the last use by a job.
 * @param name File name; never used as a path.
 * @param sizeBytes Size bytes.
 * @param uploadedAt Uploaded at.
 */
public record Upload(
    String contentHash,
    String format,
    String id,
    OffsetDateTime lastUsedAt,
    String name,
    Integer sizeBytes,
    OffsetDateTime uploadedAt) {}
