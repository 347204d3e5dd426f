#!/bin/sh
# Prints the path of a pinned MCP server (a knowledge graph), which Claude Code starts with node in the
# end-to-end tests. Fetches it first if it is missing. Standard output has only the path:
#
#   RALPH_TEST_MEMORY_SERVER=$(scripts/fetch-memory-server.sh)
set -eu

fail() {
    printf 'fetch-memory-server: %s\n' "$*" >&2
    exit 1
}

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find the folder of this script"
# The date pins the dependencies: npm takes nothing that was published later.
read -r version day <"$scripts/memory-server.version" || fail "cannot read memory-server.version"
package=@modelcontextprotocol/server-memory
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/memory-server/$version" || fail "cannot create a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/memory-server/$version" && pwd) || fail "cannot enter $target"
program=$folder/node_modules/$package/dist/index.js

command -v node >/dev/null || fail "node is not installed; it runs the server"
if ! [ -f "$program" ]; then
    command -v npm >/dev/null || fail "npm is not installed; it fetches the server"
    # Beside its destination, so that the last step is an atomic rename.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot create a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error \
        --before="$day" "$package@$version" >/dev/null \
        || fail "npm could not fetch $package@$version; is there a network?"
    # mv does not replace a folder with contents: of two concurrent runs the first wins.
    mv -- "$work/node_modules" "$folder/" 2>/dev/null || [ -f "$program" ] \
        || fail "cannot write $program"
    [ -f "$program" ] || fail "$package@$version has no dist/index.js"
fi

printf '%s\n' "$program"
