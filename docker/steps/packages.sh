#!/bin/sh
# Install what uv.lock names, without papergraph itself, without PyTorch and without the tools for development.
#
#   packages.sh FOLDER    run at the root of the project; FOLDER becomes the environment
set -eu

python3 scripts/bootstrap_uv.py
export UV_PROJECT_ENVIRONMENT="$1" UV_COMPILE_BYTECODE="${UV_COMPILE_BYTECODE:-1}" UV_PYTHON_DOWNLOADS=never
.tools/uv sync --frozen --no-dev --extra pandoc --extra otel --no-install-project
