#!/bin/sh
# Pin the images by digest: look up what their tags name now, and write it where compose reads it. Commit the result.
#
#   pin.sh [FILE]    docker/.env by default, whose other lines stay; needs docker with buildx, and the network
set -eu
folder=$(dirname "$0")
file=${1:-$folder/.env}

pin() { # VARIABLE IMAGE TAG
  digest=$(docker buildx imagetools inspect "$2:$3" --format '{{.Manifest.Digest}}')
  if ! printf '%s' "$digest" | grep -qxE 'sha256:[0-9a-f]{64}'; then
    echo "docker names no digest of $2:$3, but '$digest'" >&2
    exit 1
  fi
  { grep -v "^$1=" "$file" || true; } > "$file.new"
  printf '%s=%s@%s\n' "$1" "$3" "$digest" >> "$file.new"
  mv "$file.new" "$file"
  echo "pinned $2:$3@$digest"
}

tag() { # VARIABLE
  sed -n "s/.*\${$1:-\([^}]*\)}.*/\1/p" "$folder/compose.yaml" | head -n 1
}

touch "$file"
pin PYTHON_TAG python "$(tag PYTHON_TAG)"
pin NEO4J_TAG neo4j "$(tag NEO4J_TAG)"
pin PROMETHEUS_TAG prom/prometheus "$(tag PROMETHEUS_TAG)"
pin GRAFANA_TAG grafana/grafana "$(tag GRAFANA_TAG)"
