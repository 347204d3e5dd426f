#!/bin/sh
# shellcheck disable=SC3013
# Puts Ralph's programs on your PATH, or takes them away again:
#
#   install.sh [--prefix DIR] [--from DIR]
#   install.sh [--prefix DIR] --uninstall
#   install.sh --version
#
# They go to DIR/bin; DIR is ~/.local unless you say otherwise. They come from the folder of --from, or
# from what scripts/obtain.sh finds: this tree's own programs, a release archive, a build with cargo.
# They are replaced whole, so a loop that runs meanwhile goes on. What was installed is noted in
# DIR/share/ralph/installed, and nothing else is ever replaced or removed.
set -eu
umask 022

say() { printf 'install: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

usage() {
    sed -n '5,7s/^# *//p' "$0" >&2
    exit 2
}

# The note on one program: which it is, and its name.
note() { printf '%s %s\n' "$(cksum <"$1")" "${1##*/}"; }

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

is_ours() { [ -f "$1" ] && [ -f "$notes" ] && grep -qxF -- "$(note "$1")" "$notes"; }

refuse_to_replace_others() {
    for program in $programs; do
        file=$bin/$program$suffix
        ! is_there "$file" || is_ours "$file" ||
            fail "$file is there already, and not from this script: move it away, or choose another --prefix"
    done
}

# Into $work/new, a folder on the same disk as $bin.
fetch_programs() {
    if [ -n "$from" ]; then
        set -- --from "$from"
    else
        # Where a build by hand would be: the next one is quick, and an interrupted one is not lost.
        set -- --build-dir "${CARGO_TARGET_DIR:-$root/target}"
    fi
    "$root/scripts/obtain.sh" "$@" "$work/new"
}

# Those of installations that were killed; their process is in the name.
remove_left_over() {
    for left in "$bin"/.ralph-install.*.*; do
        process=${left#"$bin"/.ralph-install.}
        kill -s 0 "${process%%.*}" 2>/dev/null || rm -rf -- "$left"
    done
}

install_programs() {
    refuse_to_replace_others
    remove_left_over
    mkdir -p -- "$bin"
    work=$(mktemp -d "$bin/.ralph-install.$$.XXXXXX") || fail "$bin cannot be written"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch_programs || exit 1
    for program in $programs; do
        note "$work/new/$program$suffix"
    done >"$work/notes"
    mkdir -p -- "$share"
    # Before they are there: a script that was interrupted knows its own when it is started again.
    cat "$work/notes" >>"$notes"
    for program in $programs; do
        # A rename: whoever runs the old one keeps it, and nobody meets half a program.
        mv -f -- "$work/new/$program$suffix" "$bin/$program$suffix"
    done
    mv -f -- "$work/notes" "$notes"
    say "version $version is in $bin"
}

# The first folder of PATH that holds a ralph-loop decides which one is started.
tell_about_path() {
    case :$PATH: in
        *:"$bin":* | *:"$bin"/:*) ;;
        *)
            # shellcheck disable=SC2016 # the shell that reads the profile expands it
            say "$bin is not in your PATH. Add this line to your shell's profile:" \
                'export PATH="'"$bin"':$PATH"'
            return
            ;;
    esac
    first=$(command -v ralph-loop) || return 0
    [ "$first" -ef "$bin/ralph-loop" ] ||
        say "WARNING: another ralph-loop comes first in your PATH: $first"
}

uninstall_programs() {
    remove_left_over
    [ -f "$notes" ] || fail "nothing was installed in $prefix by this script"
    for program in $programs; do
        file=$bin/$program$suffix
        if is_ours "$file"; then
            rm -f -- "$file"
        elif is_there "$file"; then
            say "$file stays: it is not the one that was installed"
        fi
    done
    rm -f -- "$notes"
    rmdir -- "$share" 2>/dev/null || true
    say "what was installed is gone from $bin"
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || fail "its own folder cannot be found"
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
read_version || fail "$root/.claude-plugin/plugin.json names no version"
find_platform || suffix=
# Without it every file would look like ours.
command -v cksum >/dev/null || fail "cksum is not installed"

prefix='' from='' step=install_programs
while [ $# -gt 0 ]; do
    case $1 in
        --uninstall) step=uninstall_programs ;;
        --version)
            printf '%s\n' "$version"
            exit
            ;;
        --prefix | --from)
            [ -n "${2-}" ] || usage
            case $1 in
                --prefix) prefix=$2 ;;
                --from) from=$2 ;;
            esac
            shift
            ;;
        *) usage ;;
    esac
    shift
done

prefix=${prefix:-${HOME:?names no folder, so --prefix has to}/.local}
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
bin=$prefix/bin share=$prefix/share/ralph
notes=$share/installed

$step
[ $step = uninstall_programs ] || tell_about_path
