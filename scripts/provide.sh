#!/bin/sh
# shellcheck disable=SC2154,SC3013
# The step at the start of every session that sees to it that the plugin's programs are where the
# entries of bin/ look first: ${CLAUDE_PLUGIN_DATA}/native/<version>, a link. It takes no time and never
# fails. Where there are no programs yet, provide-job.sh gets them in the background.
#
#   native/<version>           the link
#   native/obtain/<version>/   what the job made: programs/, log, failure, and its lock

# After this many seconds a failure is no reason any more not to try again.
PATIENCE=21600

# Windows starts no script as a hook: there the programs themselves have to lie in bin/.
[ "${OS-}" != Windows_NT ] || exit 0

root=${CLAUDE_PLUGIN_ROOT:-}
[ -n "$root" ] && [ -n "${CLAUDE_PLUGIN_DATA-}" ] || exit 0
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
# shellcheck source=scripts/lock.sh
. "$root/scripts/lock.sh"
read_version || exit 0
native=$CLAUDE_PLUGIN_DATA/native
link=$native/$version
store=$native/obtain/$version

# What is linked already was looked at then: one program tells whether it was replaced since.
# shellcheck disable=SC2317
fits() {
    if [ "$link" -ef "$1" ]; then
        holds_program "$1" stop-guard
    else
        holds_programs "$1"
    fi
}

find_obtained() {
    found=$store/programs
    [ -d "$found" ] && "$@" "$found"
}

# A build is left aside only if it is older than what was obtained: then nobody is working on it.
find_newer_build() {
    find_build "$@" && ! [ "$store/programs/stop-guard" -nt "$found/stop-guard" ]
}

choose() {
    find_own fits || find_newer_build fits || find_obtained fits || find_on_path fits
}

point_link_to() {
    [ "$link" -ef "$1" ] && return 0
    # Of two sessions at once the later one wins; where the link is missing for a moment, an entry of
    # bin/ finds the programs by itself.
    ln -sfn -- "$1" "$link" 2>/dev/null
}

# Those that no session has started with for a week.
remove_old_versions() {
    for old in "$native"/obtain/*; do
        if [ "$old" != "$store" ] && [ -n "$(find "$old/used" -mtime +7 2>/dev/null)" ]; then
            rm -rf -- "${native:?}/${old##*/}" "$old"
        fi
    done
}

# Whether the last attempt failed, and another one now would fail the same way. Sets $reason.
has_failed() {
    [ -f "$store/failure" ] || return 1
    { read -r when && read -r before && read -r reason; } <"$store/failure" || return 1
    [ $(($(date +%s) - when)) -lt "$PATIENCE" ] && [ "$before" = "$(circumstances)" ]
}

start_job() {
    # In a process group of its own, so that nothing of it stays behind when it is ended.
    if command -v setsid >/dev/null; then
        setsid nice -n 10 sh "$root/scripts/provide-job.sh" "$store" </dev/null >/dev/null 2>&1 &
    else
        set -m
        nice -n 10 sh "$root/scripts/provide-job.sh" "$store" </dev/null >/dev/null 2>&1 &
    fi
    # Where there is nothing to try, it has failed in a moment, and its user need not wait to know.
    [ -f "$root/native/archives.txt" ] || find_cargo || wait
}

tell() {
    if in_loop; then
        system_message "THE GUARD OF THIS LOOP IS MISSING: stop the loop until it is there. $1"
    else
        system_message "$1"
    fi
}

tell_failure() {
    if ! [ -f "$store/told" ] || in_loop; then
        tell "Ralph's hooks are switched off: $reason. It is tried again once Rust is installed or updated, \
else in six hours. Log: $store/log"
        printf '' >"$store/told"
    fi
}

tell_progress() {
    tell "Ralph's programs of version $version are being fetched or built in the background, once; that \
takes up to a few minutes. Until then its hooks are switched off. Log: $store/log"
}

[ -d "$store" ] || mkdir -p -- "$store" || exit 0
printf '' >"$store/used"
if choose; then
    point_link_to "$found"
    remove_old_versions
    exit 0
fi
if is_held "$store/lock"; then
    tell_progress
elif has_failed || { start_job && has_failed; }; then
    tell_failure
else
    tell_progress
fi
exit 0
