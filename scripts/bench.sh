#!/usr/bin/env bash
# Measures the hooks against their budgets and prints a Markdown report: scripts/bench.sh [--runs N]
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

cargo build --release --locked -p benchmarks -p stop-guard -p context-monitor
exec "${CARGO_TARGET_DIR:-target}/release/hook-bench" "$@"
