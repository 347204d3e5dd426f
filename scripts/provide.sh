#!/bin/sh
# shellcheck disable=SC2154,SC3013
# SessionStart hook: links the plugin's programs to ${CLAUDE_PLUGIN_DATA}/native/<version>, where the
# entries of bin/ look first. It is fast and never fails. If there are no programs yet, provide-job.sh
# gets them in the background.
#
#   native/<version>           the link
#   native/obtain/<version>/   what the job made: programs/, log, failure, and its lock

# Seconds after which a failed attempt is repeated in any case.
PATIENCE=21600

# Windows starts no script as a hook; there bin/ holds the programs themselves.
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

# A linked folder was checked before; the version of one program shows whether it was replaced.
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

# Prefers a local build, unless it is older than the obtained programs.
find_newer_build() {
    find_build "$@" && ! [ "$store/programs/$name" -nt "$found/$name" ]
}

choose() {
    find_own fits || find_newer_build fits || find_obtained fits
}

point_link_to() {
    [ "$link" -ef "$1" ] && return 0
    # A relative link also works where the data folder has another path, as in a container. Of two
    # concurrent sessions the later one wins; without the link, an entry of bin/ searches the programs.
    ln -sfn -- "${1#"$native"/}" "$link" 2>/dev/null
}

# Versions that no session has used for a week.
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

# Whether another attempt now would fail the same way. A temporary failure has "passing" in place of its
# circumstances.
would_fail_again() {
    has_failed || return 1
    case $when in
        '' | *[!0-9]*) return 1 ;;
    esac
    age=$(($(date +%s) - when))
    [ "$age" -ge 0 ] && [ "$age" -lt "$PATIENCE" ] && [ "$before" = "$(circumstances)" ]
}

# Starts the job and waits until it closes its standard output: then it is working, or has ended.
start_job() {
    set -- sh "$root/scripts/provide-job.sh" "$store"
    ! command -v nice >/dev/null || set -- nice -n 10 "$@"
    # In a process group of its own, so that all of its processes can be ended.
    ! command -v setsid >/dev/null || set -- setsid "$@"
    : "$(
        exec 2>/dev/null
        [ "$1" = setsid ] || set -m
        "$@" </dev/null &
    )"
}

notify_user() {
    if in_loop; then
        system_message "hook failure: stop the loop until the programs are installed. $1"
    else
        system_message "$1"
    fi
}

report_failure() {
    if ! [ -f "$store/reported" ] || in_loop; then
        again='after Rust is installed or updated, else in six hours'
        [ "$before" != passing ] || again='when the next session starts'
        notify_user "Ralph's hooks are off: $reason. The next attempt is $again. Log: $store/log"
        printf '' >"$store/reported"
    fi
}

report_progress() {
    ! has_failed || reason=" The last attempt failed: $reason."
    notify_user "Ralph's programs of version $version are being fetched or built in the background. This \
takes up to a few minutes. Until then its hooks are off. Log: $store/log$reason"
}

report_unwritable_store() {
    notify_user "Ralph's hooks are off: cannot store its programs in $store. Check that the folder is \
writable and that its disk is not full; the next session tries again."
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
# First, because a failed job may still hold the lock.
if would_fail_again; then
    report_failure
elif is_held "$store/lock"; then
    report_progress
elif has_failed; then
    report_failure
elif ! find_on_path holds_programs; then
    report_unwritable_store
fi
exit 0
