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
# The program by which builds are compared.
name=stop-guard
native=$CLAUDE_PLUGIN_DATA/native
link=$native/$version
store=$native/obtain/$version

# What is linked already was looked at then: one program tells whether it was replaced since.
# shellcheck disable=SC2317
fits() {
    if [ "$link" -ef "$1" ]; then
        has_programs "$1" && holds_program "$1" "$name"
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
    find_build "$@" && ! [ "$store/programs/$name" -nt "$found/$name" ]
}

choose() {
    find_own fits || find_newer_build fits || find_obtained fits
}

point_link_to() {
    [ "$link" -ef "$1" ] && return 0
    # What lies beside the link is found also where the data folder has another name, as in a container.
    # Of two sessions at once the later one wins; where the link is missing for a moment, an entry of
    # bin/ finds the programs by itself.
    ln -sfn -- "${1#"$native"/}" "$link" 2>/dev/null
}

# Those that no session has started with for a week.
remove_old_versions() {
    for old in "$native"/obtain/*; do
        if [ "$old" != "$store" ] && [ -n "$(find "$old/used" -mtime +7 2>/dev/null)" ]; then
            rm -rf -- "${native:?}/${old##*/}" "$old"
        fi
    done
}

# Whether the last attempt failed. Sets $when, $before and $reason.
has_failed() {
    reason=
    [ -f "$store/failure" ] &&
        { read -r when && read -r before && read -r reason; } <"$store/failure" && [ -n "$reason" ]
}

# Whether another attempt now would fail the same way. One that may have passed says so in place of its
# circumstances.
would_fail_again() {
    has_failed || return 1
    case $when in
        '' | *[!0-9]*) return 1 ;;
    esac
    age=$(($(date +%s) - when))
    [ "$age" -ge 0 ] && [ "$age" -lt "$PATIENCE" ] && [ "$before" = "$(circumstances)" ]
}

# Starts the job and waits until it closes its standard output: then it is at work, or at its end.
start_job() {
    set -- sh "$root/scripts/provide-job.sh" "$store"
    ! command -v nice >/dev/null || set -- nice -n 10 "$@"
    # In a process group of its own, so that nothing of it stays behind when it is ended.
    ! command -v setsid >/dev/null || set -- setsid "$@"
    : "$(
        exec 2>/dev/null
        [ "$1" = setsid ] || set -m
        "$@" </dev/null &
    )"
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
        again='once Rust is installed or updated, else in six hours'
        [ "$before" != passing ] || again='when the next session starts'
        tell "Ralph's hooks are switched off: $reason. It is tried again $again. Log: $store/log"
        printf '' >"$store/told"
    fi
}

tell_progress() {
    ! has_failed || reason=" The last attempt failed: $reason."
    tell "Ralph's programs of version $version are being fetched or built in the background, once; that \
takes up to a few minutes. Until then its hooks are switched off. Log: $store/log$reason"
}

tell_that_nothing_can_be_kept() {
    tell "Ralph's hooks are switched off: its programs cannot be kept in $store. See to it that you can \
write there and that its disk is not full; the next session tries again."
}

{ mkdir -p -- "$store" && printf '' >"$store/used"; } 2>/dev/null
if choose; then
    point_link_to "$found"
    remove_old_versions
    exit 0
fi
if ! is_held "$store/lock" && ! would_fail_again; then
    start_job
    ! choose || exit 0
fi
# The first also of a job that has failed already and is about to end.
if would_fail_again; then
    tell_failure
elif is_held "$store/lock"; then
    tell_progress
elif has_failed; then
    tell_failure
elif ! find_on_path holds_programs; then
    tell_that_nothing_can_be_kept
fi
exit 0
