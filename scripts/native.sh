# shellcheck shell=sh disable=SC2154
# Runs the native program $name, of exactly the plugin's version, in place of the calling script.
# Sourced by the entries of bin/, which set $name; $0 is theirs. What has to be had first is the
# business of provide.sh.

root=${0%/*}/..
# shellcheck source=scripts/version.sh
. "$root/scripts/version.sh"
read_version

# The way that every hook call takes: not one process is started on it.
provided=${CLAUDE_PLUGIN_DATA:-/dev/null}/native/$version/$name
if [ -x "$provided" ]; then
    exec "$provided" "$@"
fi

# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"

# shellcheck disable=SC2317
holds_it() { holds_program "$1" "$name"; }

# Commands of the agent are not told where the plugin's data lie.
find_data() {
    for found in "${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}"/plugins/data/ralph-*/native/"$version"; do
        "$@" "$found" && return 0
    done
    return 1
}

if find_own holds_it || find_build holds_it || find_data holds_it || find_on_path holds_it; then
    exec "$found/$name${suffix-}" "$@"
fi

# shellcheck source=scripts/missing.sh
. "$root/scripts/missing.sh"
