#!/usr/bin/env bash
# Measures hooks and runner against their budgets and prints two Markdown reports: as the machine is, and with one core
# kept busy. scripts/bench.sh [--runs N] [--iterations N] [--stream-mb N]   (0 leaves a part out)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The peers in bash need it; without it their rows say that they were not measured.
if ! command -v jq >/dev/null; then
  if command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; then
    { apt-get update -qq && apt-get install -y -qq jq; } >&2 || echo "bench.sh: jq could not be installed" >&2
  else
    echo "bench.sh: jq is missing, and only root with apt can install it from here" >&2
  fi
fi

cargo build --release --locked -p benchmarks -p stop-guard -p context-monitor -p command-guard -p ralph-loop -p simulator
bench=${CARGO_TARGET_DIR:-target}/release/ralph-bench
"$bench" "$@"
exec "$bench" --busy "$@"
