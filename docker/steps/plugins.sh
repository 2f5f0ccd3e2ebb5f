#!/bin/sh
# Fetch the jars of OpenGDS, with their checksums, into the plugins folder of a Neo4j.
#
#   plugins.sh FOLDER PLUGINS    FOLDER is the environment that papergraph.sh filled
#   MAVEN_URL                    a mirror to fetch them from
set -eu
if [ -n "${MAVEN_URL:-}" ]; then
  export PAPERGRAPH_MAVEN_URL="$MAVEN_URL"
fi
"$1/bin/papergraph" neo4j plugins "$2"
