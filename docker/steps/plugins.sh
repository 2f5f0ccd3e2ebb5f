#!/bin/sh
# Fetch the jars of OpenGDS, with their checksums, into the plugins folder of a Neo4j.
#
#   plugins.sh FOLDER PLUGINS    FOLDER is the environment that papergraph.sh filled
#   MAVEN_URL                    a mirror to fetch them from
set -eu
if [ -n "${MAVEN_URL:-}" ]; then
  PAPERGRAPH_CONFIG="$(mktemp -d)/papergraph.toml"
  export PAPERGRAPH_CONFIG
  printf '[mirrors]\nmaven = "%s"\n' "$MAVEN_URL" > "$PAPERGRAPH_CONFIG"
fi
"$1/bin/papergraph" db plugins "$2"
