#!/bin/sh
# shellcheck disable=SC2154
# Gets the plugin's programs in the background: provide-job.sh STORE. Started by provide.sh, in a
# process group of its own. One of them works on a STORE at a time; the others end at once. It ends
# with its whole group when the plugin's data are removed, or when its first process is killed.
#
# A session waits until the standard output is closed, which is done before anything that takes time.

store=$1
root=${0%/*}/..
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
# shellcheck source=scripts/lock.sh
. "$root/scripts/lock.sh"

# The folder of the session is not to be held.
cd /
read_version
leader=$$
lock=$store/lock
native=${store%/obtain/*}
new=$store/programs.$leader
take_lock "$lock" && me=$(readlink "$held") || exit 0
# Where nothing can be written there is no use in going on.
exec 2>"$store/log"
printf 'Getting version %s.\n' "$version" >&2 || exit 0

has_lock() { [ "$(readlink "$held")" = "$me" ]; }

# In a process of its own: it outlives a first process that is killed outright.
watch() {
    while has_lock && [ "$(identity "$leader")" = "$me" ]; do
        show_holder "$lock"
        sleep 1
    done
    trap '' TERM
    kill -s TERM -- "-$leader"
    sleep 1
    # A lock that another one took is no sign that the data were removed.
    [ -d "$lock" ] || remove_all
    kill -s KILL -- "-$leader"
}

# What is left of the data of a plugin that was removed, or was made again by whoever was writing there.
# Folders with anything else in them stay.
remove_all() {
    rm -rf -- "$store"
    rmdir -- "$native/obtain" "$native" "${native%/*}" 2>/dev/null
}

# What may have passed by the next session stands for itself, in place of the circumstances.
remember_failure() { # remember_failure EXIT-CODE
    rm -f -- "$store/told"
    {
        date +%s
        if [ "$1" = 75 ]; then printf passing; else circumstances; fi
        echo
        tail -n 1 "$store/log" | sed 's/^obtain: //'
    } >"$store/failure.new" && mv -f -- "$store/failure.new" "$store/failure"
}

# Into $new, or $store/programs if another one got them while this one was starting.
get_programs() {
    ! holds_programs "$store/programs" || return 0
    # An attempt that was killed may have left anything. Its build goes on where it was.
    rm -rf -- "$store"/programs.*
    # A copy: theirs may be replaced by those of another version.
    if find_on_path holds_programs && "$root/scripts/obtain.sh" --from "$found" "$new" >&2; then
        return 0
    fi
    # Where there is nothing to try, it has failed in a moment, and its user need not wait to know.
    if [ -f "$root/native/archives.txt" ] || find_cargo; then
        exec >&2
    fi
    "$root/scripts/obtain.sh" --build-dir "$store/build" "$new" >&2
}

# The sessions that are waiting have their hooks from now on.
put_in_place() {
    if [ -d "$new" ]; then
        # A machine that crashes now must not leave empty files under these names.
        sync
        mv -f -- "$store/programs" "$store/programs.old" 2>/dev/null
        mv -- "$new" "$store/programs"
    fi
    ln -sfn -- "obtain/$version/programs" "$native/$version"
    rm -rf -- "$store/build" "$store/failure" "$store"/programs.*
}

# By exec: with a redirection of its own a shell would keep the old output open beside it.
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
