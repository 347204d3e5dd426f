#!/bin/sh
# Prints the path of a pinned agent, which the end-to-end tests run. Fetches it first if it is not
# there yet. Standard output carries the path and nothing else:
#
#   RALPH_TEST_CLAUDE=$(scripts/fetch-agent.sh claude)
#   RALPH_TEST_CODEX=$(scripts/fetch-agent.sh codex)
#
# No account is needed, neither to fetch it nor to run the tests.
set -eu

fail() {
    printf 'fetch-agent: %s\n' "$*" >&2
    exit 1
}

# musl, if the system has no glibc. A glibc system may have musl beside it; then the glibc program
# runs as well.
libc() {
    [ "$system" = linux ] || return 0
    for loader in /lib/ld-musl-*; do
        if [ -e "$loader" ] && ! [ -e /lib64/ld-linux-x86-64.so.2 ] \
            && ! [ -e /lib/ld-linux-aarch64.so.1 ]; then
            printf '%s' -musl
        fi
    done
}

agent=${1-}
case $agent in
    claude) product=claude-code ;;
    codex) product=codex ;;
    *) fail "usage: fetch-agent.sh claude|codex" ;;
esac
case $(uname -s) in
    Linux) system=linux vendor=unknown-linux-musl ;;
    Darwin) system=darwin vendor=apple-darwin ;;
    *) fail "no $agent is known for the system $(uname -s)" ;;
esac
case $(uname -m) in
    x86_64 | amd64) machine=x64 processor=x86_64 ;;
    aarch64 | arm64) machine=arm64 processor=aarch64 ;;
    *) fail "no $agent is known for the machine $(uname -m)" ;;
esac

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find its own folder"
read -r version <"$scripts/$product.version" || fail "cannot read $product.version"
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/$product/$version" || fail "cannot make a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/$product/$version" && pwd) || fail "cannot enter $target"
program=$folder/$agent

if ! [ -x "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed, and it is what fetches $agent"
    # The npm package of a platform holds the native program itself, so nothing has to be installed.
    case $agent in
        claude)
            package=@anthropic-ai/claude-code-$system-$machine$(libc)@$version
            inside=package/claude
            ;;
        codex)
            package=@openai/codex@$version-$system-$machine
            inside=package/vendor/$processor-$vendor/bin/codex
            ;;
    esac
    # Beside its destination, so that the last step is a rename: another run sees the whole
    # program or none, and of two runs at once the later one replaces it with the same.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot make a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    # npm compares what it gets with the checksum that its registry gives for the version.
    (cd -- "$work" && npm pack --loglevel=error "$package") >/dev/null \
        || fail "npm could not fetch $package; is there a network?"
    tar -xzf "$work"/*.tgz -C "$work" "$inside" || fail "$package does not hold $inside"
    chmod +x "$work/$inside"
    mv -f -- "$work/$inside" "$program" || fail "cannot write $program"
fi

printf '%s\n' "$program"
