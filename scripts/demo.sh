#!/usr/bin/env bash
# The whole cycle on a throw-away project: builds every program the demo needs, then runs it.
# Options are those of `ralph-loop demo`. No account, no network beyond the build.
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
