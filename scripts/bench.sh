#!/usr/bin/env bash
# Measures hooks and runner against their budgets and prints two Markdown reports: idle, and with one busy core.
# scripts/bench.sh [--runs N] [--iterations N] [--lanes N] [--stream-mb N]   (0 skips a part)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The peers in bash need jq; without it their rows say "not measured".
if ! command -v jq >/dev/null; then
  if command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; then
    { apt-get update -qq && apt-get install -y -qq jq; } >&2 || echo "bench.sh: cannot install jq" >&2
  else
    echo "bench.sh: jq is missing, and this script installs it only as root with apt" >&2
  fi
fi

cargo build --release --locked -p benchmarks -p stop-guard -p context-monitor -p command-guard -p ralph-loop -p simulator
bench=${CARGO_TARGET_DIR:-target}/release/ralph-bench
"$bench" "$@"
# What many lanes cost is CPU time, which is the same on a busy machine.
exec "$bench" --busy "$@" --lanes 0
