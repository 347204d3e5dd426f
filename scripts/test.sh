#!/usr/bin/env bash
# Runs everything: formatting, lints, all tests, and the end-to-end tests in the real Claude Code, Codex
# and Chromium. Installs what it needs, and lists skipped tests at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n==> %s\n' "$*"; }

need() { # need PROGRAM DEBIAN-PACKAGE
    command -v "$1" >/dev/null && return
    step "installing $2"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "$1 is missing, and this script installs it only as root on a Debian system" >&2
        return 1
    fi
    apt-get update -qq && apt-get install -y -qq "$2"
}

container_runs() { # With storage and settings as in the tests.
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

need_slurm() { # Its daemons run as root.
    local policy=/usr/sbin/policy-rc.d made='' status=0
    [ "$(id -u)" = 0 ] || return 1
    if command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null; then return; fi
    step "installing slurm-wlm"
    # With this file, the packages start no daemons.
    [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && made=yes; }
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge; } || status=1
    [ -z "$made" ] || rm $policy
    return $status
}

browser_runs() { # An installed Chromium may be a stub, or not run in a container.
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
need python3 python3
need npm npm
# A version manager's python3 is a script that looks for the interpreter, which takes as long as most tests in Python.
python=$(python3 -c 'import sys; print(sys.executable)')
[ "$python" -ef "$(command -v python3)" ] || export PATH=${python%/*}:$PATH
command -v cargo >/dev/null || {
    echo "cargo is missing: install Rust with rustup" >&2
    exit 1
}
cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

# Downloads for the last steps while the first ones compile. The last steps repeat and report failed downloads.
fetch_ahead() {
    set +e
    scripts/fetch-agent.sh claude
    scripts/fetch-agent.sh codex
    scripts/fetch-memory-server.sh
    scripts/fetch-forgejo.sh
    need pip3 python3-pip && scripts/fetch-collector.sh && scripts/fetch-test-frameworks.sh
    need go golang-go
    need bwrap bubblewrap
    need podman podman
    need runc runc
    need chromium chromium
    need zsh zsh
    need fish fish
    need_slurm
    scripts/build-kubernetes.sh && scripts/test-kubernetes.sh --prepare
}
fetch_ahead >/dev/null 2>&1 &
ahead=$!
memory=''
# Do not interrupt a package manager.
trap 'wait "$ahead" || true; [ -z "$memory" ] || rm -rf "$memory"' EXIT

step "formatting"
cargo fmt --all --check

# Every cargo command names the whole workspace: another selection of packages would change features and recompile
# dependencies. The wrapper lints and compiles in one pass, and no test reads the lines of a backtrace. Both are --config
# settings because tests that run cargo would inherit a variable.
tests() {
    CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
        cargo --config 'build.rustc-workspace-wrapper = "scripts/test-compiler.sh"' --config profile.dev.debug=0 \
        test --workspace --locked --no-fail-fast "$@"
}

step "lints and build"
tests --all-targets --no-run

# The installed programs must not change while tests run.
wait "$ahead" || true
skipped=()
claude='' server='' forgejo='' collector='' codex='' chromium='' frameworks='' sandbox='' containers='' slurm='' kubernetes=''
claude=$(scripts/fetch-agent.sh claude) || claude=''
codex=$(scripts/fetch-agent.sh codex) || codex=''
server=$(scripts/fetch-memory-server.sh) || server=''
forgejo=$(scripts/fetch-forgejo.sh) || forgejo=''
if need pip3 python3-pip; then
    collector=$(scripts/fetch-collector.sh) || collector=''
    frameworks=$(scripts/fetch-test-frameworks.sh) || frameworks=''
fi
need go golang-go || frameworks=''
if need bwrap bubblewrap && sandbox_runs; then sandbox=yes; fi
if need podman podman && need runc runc && container_runs >/dev/null 2>&1; then containers=yes; fi
if need_slurm; then slurm=yes; fi
if ! scripts/build-kubernetes.sh >/dev/null 2>&1; then
    skipped+=("SKIPPED: TESTS IN A KUBERNETES CLUSTER (SERVER PROGRAMS ARE NOT BUILT; RUN scripts/test-kubernetes.sh)")
elif scripts/test-kubernetes.sh --prepare; then
    kubernetes=yes
else
    skipped+=("SKIPPED: tests in a Kubernetes cluster (cannot be installed or run here)")
fi
need zsh zsh || true
need fish fish || true
if need chromium chromium && browser_runs "$(command -v chromium)"; then chromium=$(command -v chromium); fi

# Tests that need one of these programs are marked as ignored, so that only `--ignored` runs them. They fail
# if their program is missing, so they are skipped here.
left_out=()
[ -n "$sandbox" ] || left_out+=(--skip os_sandbox --skip outside_the_sandbox --skip attacked::)
[ -n "$containers" ] || left_out+=(--skip in_a_container)
[ -n "$server" ] || left_out+=(--skip compacted::)
[ -n "$collector" ] || left_out+=(--skip traced::)

in_claude() {
    RALPH_TEST_CLAUDE=$claude RALPH_TEST_MEMORY_SERVER=$server RALPH_TEST_COLLECTOR=$collector \
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

# Tests create and remove many small files; in memory they take a fifth less time.
if memory_can_be_used; then
    memory=$(mktemp -d /dev/shm/ralph-tests.XXXXXX)
    chmod 1777 "$memory" # As /tmp, for tests as another user.
    export TMPDIR=$memory
fi

without=()
if [ -z "$sandbox" ]; then
    without+=(--skip os_sandbox)
    skipped+=("SKIPPED: tests of the OS sandbox (bubblewrap cannot run here)")
fi
if [ -z "$containers" ]; then
    without+=(--skip container:: --skip container_sessions::)
    skipped+=("SKIPPED: tests in containers (Podman cannot run here)")
fi
[ -n "$claude" ] ||
    skipped+=("SKIPPED: end-to-end tests in the real Claude Code (download failed)")
[ -z "$claude" ] || [ -n "$server" ] ||
    skipped+=("SKIPPED: tests with a real MCP server (download failed)")
[ -z "$claude" ] || [ -n "$collector" ] ||
    skipped+=("SKIPPED: tests with a real OpenTelemetry collector (download failed)")
[ -n "$forgejo" ] || skipped+=("SKIPPED: tests with a real Forgejo (download failed)")
[ -n "$frameworks" ] ||
    skipped+=("SKIPPED: tests of proofs with real test frameworks (download failed)")
[ -n "$codex" ] || skipped+=("SKIPPED: end-to-end tests in the real Codex (download failed)")
[ -n "$slurm" ] || skipped+=("SKIPPED: tests in a Slurm cluster (cannot be installed here)")
[ -n "$chromium" ] || skipped+=("SKIPPED: tests in the real Chromium (cannot be installed or run here)")

# Several series run in parallel, each with one test at a time on two cores: more at once take longer in total, because
# they share the processor's caches. The output of each series is shown in the order of the list below.
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export RUST_TEST_THREADS=$(((cores + 1) / 2))

unit_tests() { tests "$@" -- ${without[@]+"${without[@]}"}; }

# Cargo's flags for all test files except these.
other_tests() {
    local file name
    for file in {crates,tools}/*/tests/*.rs {crates,tools}/*/tests/*/main.rs; do
        [ -e "$file" ] || continue
        name=${file%/main.rs}
        name=$(basename "$name" .rs)
        case " $* " in *" $name "*) ;; *) printf -- '--test %s\n' "$name" ;; esac
    done | sort -u
}

the_story_loop() { unit_tests --test story_loop; }
kills() { unit_tests --test sturdy; }
cheats() { unit_tests --test cheats; }
all_other_tests() {
    # Most of them start no process.
    export RUST_TEST_THREADS=$cores
    # shellcheck disable=SC2046 # Each line is a flag and a name without blanks.
    unit_tests --lib --bins $(other_tests story_loop sturdy cheats corpus supervise)
    # Prints the detection rates of command-guard and validate.
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

test_frameworks() {
    if [ -n "$frameworks" ]; then
        PATH=$frameworks/bin:$PATH NODE_MODULES=$frameworks/node_modules \
            tests --test story_loop -- --ignored proof_frameworks::
    fi
}

real_forge() {
    if [ -n "$forgejo" ]; then
        RALPH_TEST_FORGEJO=$forgejo tests --test forgejo -- --ignored
        RALPH_TEST_FORGEJO=$forgejo tests --test story_loop -- --ignored pull_feedback::
    fi
}

slurm_cluster() {
    test_frameworks
    real_forge
    if [ -n "$slurm" ]; then
        tests --test slurm -- --ignored
        tests --test sturdy -- --ignored slurm::
    fi
}

kubernetes_cluster() {
    if [ -n "$kubernetes" ]; then
        export -f tests
        scripts/test-kubernetes.sh
    fi
}

# Alone: its fork bombs use up process ids, and its timing needs an idle machine.
step "tests of process trees"
unit_tests --test supervise

printed=$(mktemp -d)
series=(the_story_loop kills cheats real_agents all_other_tests slurm_cluster kubernetes_cluster)
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
# Tests that were skipped by themselves.
while IFS= read -r line; do skipped+=("$line"); done < <(grep -h '^SKIPPED: ' "$printed"/* || true)
if [ ${#failed[@]} -gt 0 ]; then
    # Again at the end: logs of long runs are often cut in the middle.
    for name in "${failed[@]}"; do
        step "FAILED: $name"
        sed -n '/^failures:$/,/^test result:/p; /^error/p' "$printed/$name" | head -n 300
    done
    rm -rf "$printed"
    exit 1
fi
rm -rf "$printed"

if [ ${#skipped[@]} -gt 0 ]; then
    step "passed, but"
    printf '%s\n' "${skipped[@]}"
else
    step "all passed"
fi
