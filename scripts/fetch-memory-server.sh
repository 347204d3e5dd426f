#!/bin/sh
# Prints the path of a pinned MCP server, a knowledge graph, which the end-to-end tests have Claude
# Code start with node. Fetches it first if it is not there yet. Standard output carries the path and
# nothing else:
#
#   RALPH_TEST_MEMORY_SERVER=$(scripts/fetch-memory-server.sh)
set -eu

fail() {
    printf 'fetch-memory-server: %s\n' "$*" >&2
    exit 1
}

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find its own folder"
# What it depends on is pinned by the day: nothing that was published later is taken.
read -r version day <"$scripts/memory-server.version" || fail "cannot read memory-server.version"
package=@modelcontextprotocol/server-memory
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/memory-server/$version" || fail "cannot make a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/memory-server/$version" && pwd) || fail "cannot enter $target"
program=$folder/node_modules/$package/dist/index.js

command -v node >/dev/null || fail "node is not installed, and it is what runs the server"
if ! [ -f "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed, and it is what fetches the server"
    # Beside its destination, so that the last step is a rename: another run sees the whole server
    # or none.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot make a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error \
        --before="$day" "$package@$version" >/dev/null \
        || fail "npm could not fetch $package@$version; is there a network?"
    # A folder that is not empty is not replaced: of two runs at once the first one's stays.
    mv -- "$work/node_modules" "$folder/" 2>/dev/null || [ -f "$program" ] \
        || fail "cannot write $program"
    [ -f "$program" ] || fail "$package@$version does not hold dist/index.js"
fi

printf '%s\n' "$program"
