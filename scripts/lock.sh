# shellcheck shell=sh disable=SC2034
# A lock that dies with the process that holds it, for scripts that source this. Needs nothing but
# links, which are made with their contents or not at all.
#
# The folder of a lock holds links named by rising numbers; the highest names the holder. It is never
# removed, only followed by a higher one once its process is gone: so two that find the same holder
# dead reach for the same number, and one of them gets it.

# A holder that cannot be asked is believed to be there if it was seen fewer than this many minutes ago.
# Some systems round up, so that 1 would be never.
BELIEF=2

# Names the part of the world whose processes this one can see: a container has numbers of its own.
world() { readlink /proc/self/ns/pid 2>/dev/null || uname -n; }

# Says who the process $1 of this world is, in words that no other process ever has; nothing if it is
# gone. One that is only waiting for its parent to take note is gone too.
identity() {
    process=$1
    if read -r stat 2>/dev/null <"/proc/$1/stat"; then
        boot=
        read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
        # What follows the name, which may hold anything: the state is first, the start is 20th.
        # shellcheck disable=SC2086
        set -- ${stat##*) }
        case $1 in
            Z | X) ;;
            *) printf '%s' "$process ${20} $boot $(world)" ;;
        esac
    else
        # shellcheck disable=SC2046
        set -- "$1" $(LC_ALL=C TZ=UTC ps -o stat= -o lstart= -p "$1" 2>/dev/null)
        case ${2-Z} in
            Z*) ;;
            *)
                shift 2
                printf '%s' "$process $* $(world)"
                ;;
        esac
    fi
}

# Sets $highest, the highest number in the lock $1, or 0.
find_highest() {
    highest=0
    for link in "$1"/*; do
        if [ -L "$link" ] && [ "${link##*/}" -gt "$highest" ]; then
            highest=${link##*/}
        fi
    done
}

# Whether a process that runs holds the lock $1.
is_held() {
    find_highest "$1"
    [ "$highest" != 0 ] && holder=$(readlink "$1/$highest") && [ -n "$holder" ] || return 1
    case $holder in
        *" $(world)") [ "$(identity "${holder%% *}")" = "$holder" ] ;;
        *) [ -n "$(find "$1" -prune -mmin "-$BELIEF")" ] ;;
    esac
}

# Shows those who cannot see the holder of the lock $1 that it is there. To be called every few seconds.
show_holder() { touch -c -- "$1"; }

# Takes the lock $1 for this process and sets $held to what shows that it has it. Fails if another has it.
take_lock() {
    mkdir -p -- "$1" && ! is_held "$1" || return 1
    number=$((highest + 1))
    ln -s "$(identity $$)" "$1/$number" 2>/dev/null || return 1
    # Somebody who looked before an older link was removed may have made that number again.
    find_highest "$1"
    if [ "$highest" != "$number" ]; then
        rm -f -- "$1/$number"
        return 1
    fi
    for link in "$1"/*; do
        [ "$link" = "$1/$number" ] || rm -f -- "$link"
    done
    held=$1/$number
}
