#!/usr/bin/env bash
# Fuzzes one target for some seconds: fuzz/run.sh TARGET SECONDS
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: fuzz/run.sh TARGET SECONDS" >&2; exit 2; }
# the flags and limits stand in one place, the script that CI runs
exec nice "$(dirname "$0")/../.ci/fuzz" "$2" "$1"
