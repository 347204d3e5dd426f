#!/bin/sh
# shellcheck disable=SC2154
# Gets the plugin's programs in the background: provide-job.sh STORE. Started by provide.sh, in a
# process group of its own. One of them works on a STORE at a time; the others end at once. It ends
# with its whole group when the plugin's data are removed, or when its first process is killed.

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
take_lock "$store/lock" || exit 0
exec >"$store/log" 2>&1

# In a process of its own: it outlives a first process that is killed outright.
watch() {
    me=$(readlink "$held")
    while [ "$(readlink "$held")" = "$me" ] && [ "$(identity "$leader")" = "$me" ]; do
        sleep 1
    done
    trap '' TERM
    kill -s TERM -- "-$leader"
    sleep 1
    [ -L "$held" ] || remove_all
    kill -s KILL -- "-$leader"
}

# What is left of the data of a plugin that was removed, or was made again by whoever was writing there.
# Folders with anything else in them stay.
remove_all() {
    rm -rf -- "$store"
    native=${store%/obtain/*}
    rmdir -- "$native/obtain" "$native" "${native%/*}" 2>/dev/null
}

remember_failure() {
    rm -f -- "$store/told"
    {
        date +%s
        circumstances
        echo
        tail -n 1 "$store/log" | sed 's/^obtain: //'
    } >"$store/failure.new"
    mv -f -- "$store/failure.new" "$store/failure"
}

# Programs that another one got while this one was starting are not got again.
get_programs() {
    holds_programs "$store/programs" && return 0
    # An attempt that was killed may have left anything. Its build goes on where it was.
    rm -rf -- "$store"/programs*
    "$root/scripts/obtain.sh" --build-dir "$store/build" "$store/programs"
}

watch </dev/null >/dev/null 2>&1 &
watcher=$!
get_programs
got=$?
kill "$watcher"
if ! [ -L "$held" ]; then
    remove_all
elif [ "$got" = 0 ]; then
    # The sessions that are waiting have their hooks from now on.
    ln -sfn -- "$store/programs" "${store%/obtain/*}/$version"
    rm -rf -- "$store/build" "$store/failure"
else
    remember_failure
fi
