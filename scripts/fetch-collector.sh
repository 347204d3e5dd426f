#!/bin/sh
# Prints the path of a pinned OpenTelemetry collector (rotel), which the end-to-end tests run on loopback. Fetches it
# first if it is missing. Standard output has only the path:
#
#   RALPH_TEST_COLLECTOR=$(scripts/fetch-collector.sh)
set -eu

fail() {
    printf 'fetch-collector: %s\n' "$*" >&2
    exit 1
}

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || fail "cannot find the folder of this script"
read -r version <"$scripts/rotel.version" || fail "cannot read rotel.version"
target=${CARGO_TARGET_DIR:-$(dirname -- "$scripts")/target}
mkdir -p -- "$target/rotel/$version" || fail "cannot create a folder in $target"
# An absolute path, because tests start in the folder of their own crate.
folder=$(CDPATH='' cd -- "$target/rotel/$version" && pwd) || fail "cannot enter $target"
program=$folder/rotel-agent

if ! [ -x "$program" ]; then
    command -v python3 >/dev/null || fail "python3 is not installed; its pip fetches the collector"
    # Beside its destination, so that the last step is an atomic rename.
    work=$(mktemp -d "$folder/fetch.XXXXXX") || fail "cannot create a folder in $folder"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    # The package contains the native program. pip verifies the checksum of its registry.
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --target "$work" "rotel==$version" >/dev/null \
        || fail "pip could not fetch rotel $version; is there a network?"
    mv -f -- "$work/rotel/rotel-agent" "$program" || fail "rotel $version has no rotel-agent"
fi

printf '%s\n' "$program"
