#!/usr/bin/env bash
# From nothing to text: gets the small real model, builds the program, and generates.
#
#   scripts/try.sh [PROMPT]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

prompt=${1:-Explain in two sentences why the sky is blue.}
# The folder that the tests use may be another one; here the model lies beside the program.
unset SYNSEMA_TEST_MODELS

echo "1/3 the model: SmolLM2-135M-Instruct, 98 MB"
scripts/fetch-models.sh smollm2

echo "2/3 the program"
need_rust
cargo build --release --package synsema

echo "3/3 the answer"
echo
exec "${CARGO_TARGET_DIR:-target}/release/synsema" generate \
    --model models/SmolLM2-135M-Instruct.Q4_1.gguf \
    --max-tokens 128 --prompt "$prompt"
