#!/usr/bin/env bash
# Creates the pictures of docs/pictures/ from one real run of the demo. It fails if a row that a picture must
# show is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pictures=$root/docs/pictures
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$pictures"
case ${CARGO_TARGET_DIR:-} in
    "") target=$root/target ;;
    /*) target=$CARGO_TARGET_DIR ;;
    *) target=$PWD/$CARGO_TARGET_DIR ;;
esac
ralph=$target/debug/ralph-loop
demo=$folder/demo

picture() {
    cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p terminal-svg -- "$@"
}

picture --out "$pictures/demo.svg" --size 100x34 \
    --title "ralph-loop demo" \
    --description "A review sends a story back with what is missing. An agent tries a forced push, which is \
refused, and approves its own story: the Stop hook blocks it, the runner reverts it. In the end, every story is done \
and reviewed." \
    --rows "iteration 4/12" "Bash(sh greet.sh Ada Grace)" \
    --rows "US-002 awaits review → changes requested" "add a test for two names" \
    --rows "iteration 7/12" "the runner reverts what is wrong" \
    --rows "US-003 is done." "reviewStatus \"needs_review\"" \
    --rows "the agent broke a rule" "the agent broke a rule" \
    --rows "↺ story US-003: passes" "↺ story US-003: reviewCount" \
    --rows "━━ ✅ complete" "3 of 3 done" \
    -- "$root/scripts/demo.sh" --dir "$demo"

# Pause, jump to the start, then step to the start of iteration 8.
keys=$' \e[H'$(printf '\e[C%.0s' {1..8})
picture --out "$pictures/dashboard.svg" --size 120x30 \
    --title "ralph-loop watch" \
    --description "The dashboard in the middle of the run: two stories are done and reviewed, the third is in work \
again: the agent approved it itself, which was blocked and reverted. The other panels show the agent's output, the \
cost, the checks, and a log of decisions." \
    --when "REPLAY" "$keys" --until "Now: iteration 8" \
    --rows "RUNNING" "2/3 done" --rows "✓ US-001" "▸ US-003" --rows "" "Iteration 7 reverted" --rows "" "#7 blocked" \
    --rows "" "#7 reverted" --rows "" "q leave" \
    -- "$ralph" watch --replay -d "$demo/greeter"

"$ralph" report --format html --out "$folder/report.html" -d "$demo/greeter" >/dev/null
for shown in "every story is done" "Stories done" "Reviews by story" "Iterations by mode"; do
    grep -qF "$shown" "$folder/report.html" || {
        echo "the report does not show \"$shown\": update scripts/picture.sh" >&2
        exit 1
    }
done
if ! chromium=$(command -v chromium); then
    echo "chromium is missing: $pictures/report.png is unchanged (apt-get install chromium)" >&2
    exit
fi
HOME=$folder "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --user-data-dir="$folder/profile" --hide-scrollbars \
    --force-color-profile=srgb --force-device-scale-factor=1 --window-size=1200,1780 \
    --screenshot="$pictures/report.png" "file://$folder/report.html" 2>"$folder/chromium.log" || {
    cat "$folder/chromium.log" >&2
    exit 1
}
