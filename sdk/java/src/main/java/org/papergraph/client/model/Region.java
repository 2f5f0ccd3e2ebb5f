// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Rectangle of a page, as shares (0 to 1) of its width and height from the upper left.
 *
 * @param page Page, from 1.
 * @param x0 X0.
 * @param x1 X1.
 * @param y0 Y0.
 * @param y1 Y1.
 */
public record Region(
    Integer page,
    Double x0,
    Double x1,
    Double y0,
    Double y1) {}
