#!/bin/sh
# Prints the path of the pinned Claude Code, which the end-to-end tests run. Fetches it first if
# it is not there yet. Standard output carries the path and nothing else:
#
#   RALPH_TEST_CLAUDE=$(scripts/fetch-claude.sh)
#
# No account is needed, neither to fetch it nor to run the tests.
set -eu

fail() {
    printf 'fetch-claude: %s\n' "$*" >&2
    exit 1
}

# The npm package of a platform holds the native program itself, so nothing has to be installed.
platform() {
    case $(uname -s) in
        Linux) system=linux ;;
        Darwin) system=darwin ;;
        *) fail "no Claude Code is known for the system $(uname -s)" ;;
    esac
    case $(uname -m) in
        x86_64 | amd64) machine=x64 ;;
        aarch64 | arm64) machine=arm64 ;;
        *) fail "no Claude Code is known for the machine $(uname -m)" ;;
    esac
    libc=
    if [ "$system" = linux ]; then
        for loader in /lib/ld-musl-*; do
            # A glibc system may have musl beside it; then the glibc program runs as well.
            if [ -e "$loader" ] && ! [ -e /lib64/ld-linux-x86-64.so.2 ] \
                && ! [ -e /lib/ld-linux-aarch64.so.1 ]; then
                libc=-musl
            fi
        done
    fi
    printf '%s-%s%s\n' "$system" "$machine" "$libc"
}

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find its own folder"
read -r version <"$scripts/claude-code.version" || fail "cannot read claude-code.version"
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/claude-code/$version" || fail "cannot make a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/claude-code/$version" && pwd) || fail "cannot enter $target"
program=$folder/claude

if ! [ -x "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed, and it is what fetches Claude Code"
    name=$(platform) # Its own message tells why it failed; `set -e` ends the script.
    package=@anthropic-ai/claude-code-$name@$version
    # Beside its destination, so that the last step is a rename: another run sees the whole
    # program or none, and of two runs at once the later one replaces it with the same.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot make a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    (cd -- "$work" && npm pack --loglevel=error "$package") >/dev/null \
        || fail "npm could not fetch $package; is there a network?"
    tar -xzf "$work"/*.tgz -C "$work" package/claude || fail "$package does not hold package/claude"
    chmod +x "$work/package/claude"
    mv -f -- "$work/package/claude" "$program" || fail "cannot write $program"
fi

printf '%s\n' "$program"
