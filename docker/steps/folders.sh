#!/bin/sh
# Make the two folders that papergraph writes to, for the user that it runs as; nobody else looks inside.
#
#   folders.sh ROOT
set -eu
for folder in "${1%/}/data" "${1%/}/cache"; do
  mkdir -p "$folder"
  chmod 0700 "$folder"
  chown 10001:10001 "$folder"
done
