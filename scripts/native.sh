# shellcheck shell=sh disable=SC2154
# Runs the native program $name, of exactly the plugin's version, in place of the calling script.
# Sourced by the entries of bin/, which set $name and $self, their own file. provide.sh fetches or
# builds the programs.

# holds_program asked this script for the version of the program, but it is a script.
[ -z "${RALPH_ASKED-}" ] || exit 1

root=${self%/*}/..
# shellcheck source=scripts/version.sh
. "$root/scripts/version.sh"
read_version

# Every hook call takes this path, so it starts no process.
provided=${CLAUDE_PLUGIN_DATA:-/dev/null}/native/$version/$name
# An empty file is what a crash of the machine leaves.
if [ -x "$provided" ] && [ -s "$provided" ]; then
    exec "$provided" "$@"
fi

# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"

# shellcheck disable=SC2317
holds_it() { holds_program "$1" "$name"; }

# Commands of the agent lack CLAUDE_PLUGIN_DATA.
find_data() {
    for data in "${CLAUDE_PLUGIN_DATA-}" "${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}"/plugins/data/ralph-*; do
        for found in "$data/native/$version" "$data/native/obtain/$version/programs"; do
            "$@" "$found" && return 0
        done
    done
    return 1
}

if find_own holds_it || find_build holds_it || find_data holds_it || find_on_path holds_it; then
    exec "$found/$name$suffix" "$@"
fi

# shellcheck source=scripts/missing.sh
. "$root/scripts/missing.sh"
