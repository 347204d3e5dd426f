#!/usr/bin/env bash
# Makes the pictures of docs/pictures/ from real runs. Nothing in them is drawn by hand: where a row
# that a picture shows is gone, this fails and says which.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$root/docs/pictures"

picture() {
    cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p screen-picture -- "$@"
}

picture --out "$root/docs/pictures/demo.svg" --size 100x34 \
    --title "ralph-loop demo" \
    --description "A review sends a story back with what is missing. An agent tries a forced push, which is \
refused, and approves its own story: the Stop hook blocks it, the runner undoes it. In the end, every story is done \
and reviewed." \
    --rows "iteration 4/12" "Bash(sh greet.sh Ada Grace)" \
    --rows "US-002 awaits review → changes requested" "add a test for two names" \
    --rows "iteration 7/12" "the runner rolls back what has to go" \
    --rows "US-003 is done. <promise>" "reviewStatus \"needs_review\"" \
    --rows "UNDONE" "UNDONE" \
    --rows "↺ story US-003: passes" "↺ story US-003: reviewCount" \
    --rows "━━ ✅ complete" "3 of 3 done" \
    -- "$root/scripts/demo.sh" --dir "$folder"
