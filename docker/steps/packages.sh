#!/bin/sh
# Install what uv.lock names, without papergraph itself and without the tools for development.
#
#   packages.sh FOLDER    run at the root of the project; FOLDER becomes the environment
#   TORCH_INDEX           an index of packages to take PyTorch from; then nothing of CUDA is installed
set -eu
environment=$1

python3 scripts/bootstrap_uv.py
export UV_PROJECT_ENVIRONMENT="$environment" UV_COMPILE_BYTECODE="${UV_COMPILE_BYTECODE:-1}" UV_PYTHON_DOWNLOADS=never
set -- --frozen --no-dev --extra pandoc --extra otel --no-install-project
if [ -z "${TORCH_INDEX:-}" ]; then
  .tools/uv sync "$@"
  exit
fi
for package in torch $(grep -oE '^name = "(nvidia|cuda)-[a-z0-9-]+"' uv.lock | cut -d'"' -f2); do
  set -- "$@" --no-install-package "$package"
done
.tools/uv sync "$@"
version=$(grep -A1 '^name = "torch"$' uv.lock | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
.tools/uv pip install --python "$environment/bin/python" --no-deps --index-url "$TORCH_INDEX" "torch==$version"
