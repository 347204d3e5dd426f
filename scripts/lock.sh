# shellcheck shell=sh disable=SC2034
# A lock that ends with the process that holds it, for scripts that source this. It uses symbolic links,
# which are created atomically with their contents.
#
# The folder of a lock has links named by rising numbers; the highest names the holder. It is replaced
# only by a higher number after its process ended. Two processes that find the same dead holder try to
# create the same number, and one of them succeeds.

# A holder in another PID namespace counts as running if the lock was touched within this many minutes.
# Some systems round up, so 1 would never match.
BELIEF=2

# Identifies the PID namespace, or the machine.
pid_namespace() { readlink /proc/self/ns/pid 2>/dev/null || uname -n; }

# Prints a unique identity of the process $1 of this namespace; nothing if it ended or is a zombie.
identity() {
    process=$1
    if read -r stat 2>/dev/null <"/proc/$1/stat"; then
        boot=
        read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
        # The fields after the name, which may contain anything: 1 is the state, 20 the start time.
        # shellcheck disable=SC2086
        set -- ${stat##*) }
        case $1 in
            Z | X) ;;
            *) printf '%s' "$process ${20} $boot $(pid_namespace)" ;;
        esac
    else
        # shellcheck disable=SC2046
        set -- "$1" $(LC_ALL=C TZ=UTC ps -o stat= -o lstart= -p "$1" 2>/dev/null)
        case ${2-Z} in
            Z*) ;;
            *)
                shift 2
                printf '%s' "$process $* $(pid_namespace)"
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

# Whether a running process holds the lock $1.
is_held() {
    find_highest "$1"
    [ "$highest" != 0 ] && holder=$(readlink "$1/$highest") && [ -n "$holder" ] || return 1
    case $holder in
        *" $(pid_namespace)") [ "$(identity "${holder%% *}")" = "$holder" ] ;;
        *) [ -n "$(find "$1" -prune -mmin "-$BELIEF")" ] ;;
    esac
}

# Shows other namespaces that the holder of the lock $1 is running. Call it every few seconds.
show_holder() { touch -c -- "$1"; }

# Takes the lock $1 for this process and sets $held to its link. Fails if another process has it.
take_lock() {
    mkdir -p -- "$1" && ! is_held "$1" || return 1
    number=$((highest + 1))
    ln -s "$(identity $$)" "$1/$number" 2>/dev/null || return 1
    # A process that looked before an older link was removed may have created that number again.
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
