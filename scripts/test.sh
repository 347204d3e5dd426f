#!/usr/bin/env bash
# The one test command: formatting, lints, every test, and the end-to-end tests in the real Claude
# Code, the real Codex and the real Chromium. Installs what it needs. Whatever cannot be had is said
# at the end, in capital letters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n==> %s\n' "$*"; }

need() { # need PROGRAM DEBIAN-PACKAGE
    command -v "$1" >/dev/null && return
    step "installing $2"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "$1 is missing, and this script can only install it as root on a Debian system" >&2
        return 1
    fi
    apt-get update -qq && apt-get install -y -qq "$2"
}

sandbox_runs() { # As the sandbox of Claude Code would; a container may forbid it.
    bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / --dev /dev --proc /proc -- true
}

browser_runs() { # Somebody else's Chromium may be a stub, or want what a container does not have.
    local profile status=0
    profile=$(mktemp -d)
    timeout 60 "$1" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --user-data-dir="$profile" --dump-dom 'data:text/html,<p>it runs' \
        2>/dev/null | grep 'it runs' >/dev/null || status=1
    rm -rf "$profile"
    return $status
}

need git git
need cc gcc
need zip zip
need curl curl
need tmux tmux
command -v cargo >/dev/null || {
    echo "cargo is missing: install Rust with rustup" >&2
    exit 1
}
cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

# What the last steps need is downloaded while the first ones compile. They ask for it again, so what did
# not work here is told there.
fetch_ahead() {
    set +e
    need npm npm
    scripts/fetch-agent.sh claude
    scripts/fetch-agent.sh codex
    scripts/fetch-memory-server.sh
    need bwrap bubblewrap
    need socat socat
    need chromium chromium
}
fetch_ahead >/dev/null 2>&1 &
ahead=$!
# A package manager that is cut off leaves a mess.
trap 'wait "$ahead" || true' EXIT

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

step "build"
cargo build --workspace --locked

# Tests look for what is installed, which should not change under them.
wait "$ahead" || true
step "tests"
# Most of them wait for processes: one more at a time than there are usually cores. Only one room has
# examples in its documentation, and looking for them everywhere takes a minute.
RUST_TEST_THREADS=3 cargo test --workspace --locked --lib --bins --tests
cargo test --locked -q -p simulator --doc

step "what command-guard makes of attacks and of honest commands"
cargo test --locked -q -p command-guard --test corpus -- --nocapture

step "the hooks by hand (scripts/try-hooks.sh)"
scripts/try-hooks.sh >/dev/null

skipped=()
step "end-to-end tests in the real Claude Code"
if need npm npm && claude=$(scripts/fetch-agent.sh claude); then
    features=real-claude
    if server=$(scripts/fetch-memory-server.sh); then
        features=real-memory-server
    else
        skipped+=("THE TESTS WITH A REAL MCP SERVER WERE SKIPPED: it could not be fetched")
    fi
    tests=(--test doctor --test harness --test install --test packaged --test plugin --test runner --test skills)
    if need bwrap bubblewrap && need socat socat && sandbox_runs; then
        features+=,real-sandbox
        tests+=(--test isolation)
    else
        skipped+=("THE TESTS IN THE SANDBOX OF CLAUDE CODE WERE SKIPPED: bubblewrap and socat cannot run here")
    fi
    RALPH_TEST_CLAUDE=$claude RALPH_TEST_MEMORY_SERVER=$server cargo test --locked -p simulator \
        --features "$features" "${tests[@]}"
else
    skipped+=("THE END-TO-END TESTS IN THE REAL CLAUDE CODE WERE SKIPPED: it could not be fetched")
fi

step "end-to-end tests in the real Codex"
if need npm npm && codex=$(scripts/fetch-agent.sh codex); then
    RALPH_TEST_CODEX=$codex cargo test --locked -p simulator --features real-codex --test codex
else
    skipped+=("THE END-TO-END TESTS IN THE REAL CODEX WERE SKIPPED: it could not be fetched")
fi

step "the pages of a run in the real Chromium"
if need chromium chromium && chromium=$(command -v chromium) && browser_runs "$chromium"; then
    RALPH_TEST_CHROMIUM=$chromium cargo test --locked -p simulator --features real-browser --test browser
else
    skipped+=("THE TESTS IN THE REAL CHROMIUM WERE SKIPPED: it cannot be had or run here")
fi

if [ ${#skipped[@]} -gt 0 ]; then
    step "passed, but"
    printf '%s\n' "${skipped[@]}"
else
    step "all passed"
fi
