#!/bin/sh
# shellcheck disable=SC2154
# Gets the plugin's programs in the background: provide-job.sh STORE. Started by provide.sh, in a
# process group of its own. Only one job works on a STORE at a time; others exit. The whole group ends
# when the plugin's data are removed, or when its first process is killed.
#
# The session waits until standard output is closed, so it is closed before any slow step.

store=$1
root=${0%/*}/..
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
# shellcheck source=scripts/lock.sh
. "$root/scripts/lock.sh"

# Does not keep the session's folder in use.
cd /
read_version
leader=$$
lock=$store/lock
native=${store%/obtain/*}
new=$store/programs.$leader
take_lock "$lock" && me=$(readlink "$held") || exit 0
# Exits if the log cannot be written.
exec 2>"$store/log"
printf 'Getting version %s.\n' "$version" >&2 || exit 0

has_lock() { [ "$(readlink "$held")" = "$me" ]; }

# In a process of its own, so it survives a SIGKILL of the leader.
watch() {
    while has_lock && [ "$(identity "$leader")" = "$me" ]; do
        show_holder "$lock"
        sleep 1
    done
    trap '' TERM
    kill -s TERM -- "-$leader"
    sleep 1
    # If another job took the lock, the data still exist.
    [ -d "$lock" ] || remove_all
    kill -s KILL -- "-$leader"
}

# Removes what is left of the data of a removed plugin. Keeps folders with other contents.
remove_all() {
    rm -rf -- "$store"
    rmdir -- "$native/obtain" "$native" "${native%/*}" 2>/dev/null
}

# A temporary failure is stored as "passing" instead of the circumstances.
remember_failure() { # remember_failure EXIT-CODE
    rm -f -- "$store/reported"
    {
        date +%s
        if [ "$1" = 75 ]; then printf passing; else circumstances; fi
        echo
        tail -n 1 "$store/log" | sed 's/^obtain: //'
    } >"$store/failure.new" && mv -f -- "$store/failure.new" "$store/failure"
}

# Into $new, or $store/programs if another job got them while this one was starting.
get_programs() {
    ! holds_programs "$store/programs" || return 0
    # Leftovers of a killed attempt. Its build is continued.
    rm -rf -- "$store"/programs.*
    # A copy: the user may replace theirs with another version.
    if find_on_path holds_programs && "$root/scripts/obtain.sh" --from "$found" "$new" >&2; then
        return 0
    fi
    # Without an archive list and cargo the attempt fails at once, and the session can report that.
    if [ -f "$root/native/archives.txt" ] || find_cargo; then
        exec >&2
    fi
    "$root/scripts/obtain.sh" --build-dir "$store/build" "$new" >&2
}

# Activates the hooks of running sessions.
put_in_place() {
    if [ -d "$new" ]; then
        # So that a crash of the machine leaves no empty files under these names.
        sync
        mv -f -- "$store/programs" "$store/programs.old" 2>/dev/null
        mv -- "$new" "$store/programs"
    fi
    ln -sfn -- "obtain/$version/programs" "$native/$version"
    rm -rf -- "$store/build" "$store/failure" "$store"/programs.*
}

# With exec: after a plain redirection the shell would keep the old output open.
(exec </dev/null >/dev/null 2>&1 && watch) &
watcher=$!
get_programs
got=$?
kill "$watcher"
if ! [ -d "$lock" ]; then
    remove_all
elif ! has_lock; then
    rm -rf -- "$new"
elif [ "$got" = 0 ]; then
    put_in_place
else
    remember_failure "$got"
fi
