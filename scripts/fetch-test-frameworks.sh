#!/bin/sh
# Prints the path of a folder with pinned test frameworks, which the tests of proofs run: `bin/python3` with pytest, and
# `node_modules` with vitest. Fetches them first if they are missing. Standard output has only the path:
#
#   frameworks=$(scripts/fetch-test-frameworks.sh)
#   PATH=$frameworks/bin:$PATH NODE_MODULES=$frameworks/node_modules \
#       cargo test --workspace --test story_loop -- --ignored proof_frameworks::
set -eu

fail() {
    printf 'fetch-test-frameworks: %s\n' "$*" >&2
    exit 1
}

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find the folder of this script"
# The date pins the dependencies: npm takes nothing that was published later.
read -r pytest vitest day <"$scripts/test-frameworks.version" || fail "cannot read test-frameworks.version"
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/test-frameworks" || fail "cannot create a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
parent=$(CDPATH='' cd -- "$target/test-frameworks" && pwd) || fail "cannot enter $target"
folder=$parent/pytest-$pytest-vitest-$vitest

if ! [ -d "$folder" ]; then
    python=$(command -v python3) || fail "python3 is not installed"
    command -v npm >/dev/null || fail "npm is not installed; it fetches vitest"
    # Beside its destination, so that the last step is an atomic rename.
    work=$(mktemp -d "$parent/fetch.XXXXXX") || fail "cannot create a folder in $parent"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    PIP_ROOT_USER_ACTION=ignore "$python" -m pip install --quiet --disable-pip-version-check \
        --target "$work/python" "pytest==$pytest" >/dev/null \
        || fail "pip could not fetch pytest $pytest; is there a network?"
    npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error \
        --before="$day" "vitest@$vitest" >/dev/null \
        || fail "npm could not fetch vitest $vitest; is there a network?"
    mkdir "$work/bin"
    # Tests clear the environment, except for PATH.
    printf '#!/bin/sh\nPYTHONPATH=%s exec %s "$@"\n' "$folder/python" "$python" >"$work/bin/python3"
    chmod 755 "$work" "$work/bin/python3"
    # mv does not replace a folder with contents: of two concurrent runs the first wins.
    mv -T -- "$work" "$folder" 2>/dev/null || [ -d "$folder" ] || fail "cannot write $folder"
fi

printf '%s\n' "$folder"
