#!/bin/sh
# Prints the path of a pinned agent for the end-to-end tests. Fetches it first if it is missing.
# Standard output has only the path:
#
#   RALPH_TEST_CLAUDE=$(scripts/fetch-agent.sh claude)
#   RALPH_TEST_CODEX=$(scripts/fetch-agent.sh codex)
#
# Neither the download nor the tests need an account.
set -eu

fail() {
    printf 'fetch-agent: %s\n' "$*" >&2
    exit 1
}

# Prints -musl if the system has no glibc.
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

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find the folder of this script"
read -r version <"$scripts/$product.version" || fail "cannot read $product.version"
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/$product/$version" || fail "cannot create a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/$product/$version" && pwd) || fail "cannot enter $target"
program=$folder/$agent

if ! [ -x "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed; it fetches $agent"
    # The npm package of a platform contains the native program.
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
    # Beside its destination, so that the last step is an atomic rename.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot create a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    # npm verifies the checksum of its registry.
    (cd -- "$work" && npm pack --loglevel=error "$package") >/dev/null \
        || fail "npm could not fetch $package; is there a network?"
    tar -xzf "$work"/*.tgz -C "$work" "$inside" || fail "$package has no $inside"
    chmod +x "$work/$inside"
    mv -f -- "$work/$inside" "$program" || fail "cannot write $program"
fi

printf '%s\n' "$program"
