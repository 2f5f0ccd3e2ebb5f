#!/bin/sh
# Make the passwords that compose.yaml needs, each random, once: what is there is left alone.
#
#   secrets.sh [FOLDER]    docker/secrets by default
#
# Only you can look into the folder. The files in it are readable, since each is mounted into a container whose user is
# not you.
set -eu
folder=${1:-$(dirname "$0")/secrets}

random() {
  python3 -c 'import secrets; print(secrets.token_hex(24), end="")' 2>/dev/null || head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

keep() {
  if [ -s "$folder/$1" ]; then
    echo "$folder/$1 is there already"
  else
    printf '%s' "$2" > "$folder/$1"
    chmod 0444 "$folder/$1"
    echo "made $folder/$1"
  fi
}

mkdir -p "$folder"
chmod 0700 "$folder"
keep papergraph_neo4j_password "$(random)"
keep neo4j_auth "neo4j/$(cat "$folder/papergraph_neo4j_password")"
keep grafana_password "$(random)"
