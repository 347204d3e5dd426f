#!/usr/bin/env bash
# Makes the pictures of docs/pictures/ from one real run of the demo. Nothing in them is drawn by hand: where
# something that a picture shows is gone, this fails and says what.
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
refused, and approves its own story: the Stop hook blocks it, the runner undoes it. In the end, every story is done \
and reviewed." \
    --rows "iteration 4/12" "Bash(sh greet.sh Ada Grace)" \
    --rows "US-002 awaits review → changes requested" "add a test for two names" \
    --rows "iteration 7/12" "the runner rolls back what has to go" \
    --rows "US-003 is done. <promise>" "reviewStatus \"needs_review\"" \
    --rows "UNDONE" "UNDONE" \
    --rows "↺ story US-003: passes" "↺ story US-003: reviewCount" \
    --rows "━━ ✅ complete" "3 of 3 done" \
    -- "$root/scripts/demo.sh" --dir "$demo"

# Stand still, to the beginning, and on to where the eighth iteration begins.
keys=$' \e[H'$(printf '\e[C%.0s' {1..8})
picture --out "$pictures/dashboard.svg" --size 120x30 \
    --title "ralph-loop watch" \
    --description "The dashboard in the middle of the run: two stories are done and reviewed, the third is in work \
again after its approval by the agent itself was blocked and undone. Beside it the agent's words, what was spent, \
the checks, and a log of what was decided." \
    --when "REPLAY" "$keys" --until "Now: iteration 8" \
    --rows "RUNNING" "2/3 done" --rows "✓ US-001" "▸ US-003" --rows "" "Iteration 7 undone" --rows "" "#7 blocked" \
    --rows "" "#7 undone" --rows "" "q leave" \
    -- "$ralph" watch --replay -d "$demo/greeter"

"$ralph" report --format html --out "$folder/report.html" -d "$demo/greeter" >/dev/null
for shown in "every story is done" "Stories done" "Reviews by story" "Iterations by mode"; do
    grep -qF "$shown" "$folder/report.html" || {
        echo "the report does not show \"$shown\" any more: correct scripts/picture.sh" >&2
        exit 1
    }
done
if ! chromium=$(command -v chromium); then
    echo "CHROMIUM IS MISSING: $pictures/report.png is as it was (apt-get install chromium)" >&2
    exit
fi
HOME=$folder "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --user-data-dir="$folder/profile" --hide-scrollbars \
    --force-color-profile=srgb --force-device-scale-factor=1 --window-size=1200,1780 \
    --screenshot="$pictures/report.png" "file://$folder/report.html" 2>"$folder/chromium.log" || {
    cat "$folder/chromium.log" >&2
    exit 1
}
