#!/usr/bin/env bash
# Installs what the tests need and runs them all.
#
#   scripts/test.sh [ARGUMENT...]      the arguments go to `cargo test`
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

need_rust
need gzip gzip
scripts/fetch-models.sh smollm2
exec cargo test --release --workspace "$@"
