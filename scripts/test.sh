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

container_runs() { # As the tests will: with storage and settings of their own.
    local at podman status=0
    at=$(mktemp -d)
    podman="podman --root $at/images --runroot $at/run --storage-driver vfs --cgroup-manager cgroupfs"
    command -v runc >/dev/null && podman="$podman --runtime runc"
    mkdir -p "$at/root/usr" "$at/root/proc" "$at/root/dev" "$at/root/sys"
    for link in bin lib lib64; do ln -s "usr/$link" "$at/root/$link"; done
    tar -C "$at/root" -cf "$at/root.tar" . && $podman import "$at/root.tar" localhost/trial &&
        timeout 60 $podman run --rm --init --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 \
            -v /usr:/usr:ro localhost/trial true || status=1
    rm -rf "$at"
    return $status
}

sandbox_runs() { # A container may forbid it.
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
need git-lfs git-lfs
need node nodejs
need npm npm
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
    scripts/fetch-agent.sh claude
    scripts/fetch-agent.sh codex
    scripts/fetch-memory-server.sh
    need bwrap bubblewrap
    need podman podman
    need runc runc
    need chromium chromium
    need zsh zsh
    need fish fish
}
fetch_ahead >/dev/null 2>&1 &
ahead=$!
memory=''
# A package manager that is cut off leaves a mess.
trap 'wait "$ahead" || true; [ -z "$memory" ] || rm -rf "$memory"' EXIT

step "formatting"
cargo fmt --all --check

# Every cargo command names the whole workspace: with another selection of packages, cargo would choose other
# features for their dependencies and compile them again. And clippy compiles what it lints: `cargo clippy` would
# go through everything a second time. A setting and no variable says so, which tests that run cargo would inherit.
tests() {
    CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
        cargo --config 'build.rustc-workspace-wrapper = "scripts/test-compiler.sh"' test --workspace --locked "$@"
}

step "lints and build"
tests --all-targets --no-run

# Tests look for what is installed, which should not change under them.
wait "$ahead" || true
skipped=()
claude='' server='' codex='' chromium='' sandbox='' containers=''
claude=$(scripts/fetch-agent.sh claude) || claude=''
codex=$(scripts/fetch-agent.sh codex) || codex=''
server=$(scripts/fetch-memory-server.sh) || server=''
if need bwrap bubblewrap && sandbox_runs; then sandbox=yes; fi
if need podman podman && need runc runc && container_runs >/dev/null 2>&1; then containers=yes; fi
need zsh zsh || true
need fish fish || true
if need chromium chromium && browser_runs "$(command -v chromium)"; then chromium=$(command -v chromium); fi

# Tests that need one of these programs are marked as ignored, so that only `--ignored` runs them. They fail
# if their program is missing: what is left out is decided here.
left_out=()
[ -n "$sandbox" ] || left_out+=(--skip os_sandbox --skip outside_the_sandbox --skip attacked::)
[ -n "$containers" ] || left_out+=(--skip in_a_container)
[ -n "$server" ] || left_out+=(--skip compacted::)

in_claude() {
    RALPH_TEST_CLAUDE=$claude RALPH_TEST_MEMORY_SERVER=$server \
        tests "$@" -- --ignored ${left_out[@]+"${left_out[@]}"}
}

memory_can_be_used() { # Some tests need programs that become another user.
    local options
    options=$(awk '$2 == "/dev/shm" { print $4 }' /proc/mounts 2>/dev/null | tail -n 1)
    case ",$options," in
        ,, | *,ro,* | *,noexec,* | *,nosuid,*) return 1 ;;
    esac
    [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 2000000 ]
}

# Tests make and remove many small files, which takes a fifth less time in memory than on a disk.
if memory_can_be_used; then
    memory=$(mktemp -d /dev/shm/ralph-tests.XXXXXX)
    chmod 1777 "$memory" # As /tmp: other users go through it.
    export TMPDIR=$memory
fi

# What is left out is said once more at the end.
without=()
if [ -z "$sandbox" ]; then
    without+=(--skip os_sandbox)
    skipped+=("THE TESTS OF THE SANDBOX OF THE OPERATING SYSTEM WERE SKIPPED: bubblewrap cannot run here")
fi
if [ -z "$containers" ]; then
    without+=(--skip container:: --skip container_sessions::)
    skipped+=("THE TESTS IN CONTAINERS WERE SKIPPED: Podman cannot run here")
fi
[ -n "$claude" ] ||
    skipped+=("THE END-TO-END TESTS IN THE REAL CLAUDE CODE WERE SKIPPED: it could not be fetched")
[ -z "$claude" ] || [ -n "$server" ] ||
    skipped+=("THE TESTS WITH A REAL MCP SERVER WERE SKIPPED: it could not be fetched")
[ -n "$codex" ] || skipped+=("THE END-TO-END TESTS IN THE REAL CODEX WERE SKIPPED: it could not be fetched")
[ -n "$chromium" ] || skipped+=("THE TESTS IN THE REAL CHROMIUM WERE SKIPPED: it cannot be had or run here")

# Tests wait for processes for a good part of their time, so several series run side by side. Each is shown when it
# is done, in the order in which they are named here.
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export RUST_TEST_THREADS=$((cores > 2 ? cores : 2))

unit_tests() { tests "$@" -- ${without[@]+"${without[@]}"}; }

# Cargo's flags for all files of tests but these.
other_tests() {
    local file name
    for file in {crates,tools}/*/tests/*.rs {crates,tools}/*/tests/*/main.rs; do
        name=${file%/main.rs}
        name=$(basename "$name" .rs)
        case " $* " in *" $name "*) ;; *) printf -- '--test %s\n' "$name" ;; esac
    done | sort -u
}

the_story_loop() { unit_tests --test story_loop; }
kills_and_cheats() { unit_tests --test sturdy --test cheats; }
all_other_tests() {
    # shellcheck disable=SC2046 # Each line is a flag and a name without blanks.
    unit_tests --lib --bins $(other_tests story_loop sturdy cheats corpus supervise)
    # What command-guard makes of attacks and of honest commands, and validate of criteria.
    tests -q --test corpus -- --nocapture
    scripts/try-hooks.sh >/dev/null
}
real_agents() {
    if [ -n "$claude" ]; then
        in_claude --test runner --test plugin --test doctor --test harness --test install --test packaged --test skills
    fi
    if [ -n "$codex" ]; then
        RALPH_TEST_CODEX=$codex tests --test codex -- --ignored ${left_out[@]+"${left_out[@]}"}
    fi
    if [ -n "$chromium" ]; then RALPH_TEST_CHROMIUM=$chromium tests --test browser -- --ignored; fi
}

# Its processes fork as fast as they can, and can use up the process ids that other tests need. And what it says about
# the moment of a stop needs a machine that is not busy.
step "tests of process trees"
unit_tests --test supervise

printed=$(mktemp -d)
series=(the_story_loop kills_and_cheats real_agents all_other_tests)
running=()
step "tests: ${series[*]}"
for name in "${series[@]}"; do
    (
        set -e
        "$name"
        printf 'passed after %s s\n' "$SECONDS"
    ) >"$printed/$name" 2>&1 &
    running+=($!)
done
failed=()
for number in "${!series[@]}"; do
    name=${series[number]}
    wait "${running[number]}" || failed+=("$name")
    step "$name"
    cat "$printed/$name"
done
# What a test found to be missing while it ran.
while IFS= read -r line; do skipped+=("$line"); done < <(grep -h '^SKIPPED: ' "$printed"/* || true)
rm -rf "$printed"
if [ ${#failed[@]} -gt 0 ]; then
    step "FAILED: ${failed[*]}"
    exit 1
fi

if [ ${#skipped[@]} -gt 0 ]; then
    step "passed, but"
    printf '%s\n' "${skipped[@]}"
else
    step "all passed"
fi
