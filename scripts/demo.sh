#!/usr/bin/env bash
# Builds the programs and runs `ralph-loop demo` with the same options. Needs no account, and network only
# for the build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cargo build --locked --manifest-path "$root/Cargo.toml" \
    -p ralph-loop -p stop-guard -p context-monitor -p command-guard
case ${CARGO_TARGET_DIR:-} in
    "") target=$root/target ;;
    /*) target=$CARGO_TARGET_DIR ;;
    *) target=$PWD/$CARGO_TARGET_DIR ;;
esac
exec "$target/debug/ralph-loop" demo "$@"
