#!/bin/sh
# Put papergraph itself into the environment that packages.sh made, as a package: the source is not needed any more.
#
#   papergraph.sh FOLDER    run at the root of the project
set -eu
environment=$1

wheel=$(mktemp -d)
trap 'rm -rf "$wheel"' EXIT
.tools/uv build --wheel --quiet --out-dir "$wheel"
.tools/uv pip install --python "$environment/bin/python" --no-deps --compile-bytecode "$wheel"/papergraph-*.whl
"$environment/bin/papergraph" --version
