// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Papers of another person. Options that are not set have the defaults of the server.
 */
}
