#!/bin/sh
# shellcheck disable=SC3013
# Installs Ralph's programs on your PATH, or removes them:
#
#   install.sh [--prefix DIR] [--from DIR]
#   install.sh [--prefix DIR] --uninstall
#   install.sh --version
#
# They go to DIR/bin; the default of DIR is ~/.local. They come from the folder of --from, or from what
# scripts/obtain.sh finds: this tree's own programs, a release archive, a build with cargo. Programs are
# replaced atomically, so a running loop continues. DIR/share/ralph/installed lists what was installed;
# nothing else is replaced or removed.
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

# One line of the list of installed programs: checksum and name.
note() { printf '%s %s\n' "$(cksum <"$1")" "${1##*/}"; }

path_exists() { [ -e "$1" ] || [ -L "$1" ]; }

is_ours() { [ -f "$1" ] && [ -f "$notes" ] && grep -qxF -- "$(note "$1")" "$notes"; }

refuse_to_replace_others() {
    for program in $programs; do
        file=$bin/$program$suffix
        ! path_exists "$file" || is_ours "$file" ||
            fail "$file exists and was not installed by this script: move it, or choose another --prefix"
    done
}

# Into $work/new, a folder on the same disk as $bin.
fetch_programs() {
    if [ -n "$from" ]; then
        set -- --from "$from"
    else
        # The usual build folder: the next build is quick, and an interrupted one is continued.
        set -- --build-dir "${CARGO_TARGET_DIR:-$root/target}"
    fi
    "$root/scripts/obtain.sh" "$@" "$work/new"
}

# Work folders of killed installations; the name has their process id.
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
    work=$(mktemp -d "$bin/.ralph-install.$$.XXXXXX") || fail "cannot write $bin"
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch_programs || exit 1
    for program in $programs; do
        note "$work/new/$program$suffix"
    done >"$work/notes"
    mkdir -p -- "$share"
    # Before the programs are moved, so that an interrupted installation can be repeated.
    cat "$work/notes" >>"$notes"
    for program in $programs; do
        # An atomic rename: a process that runs the old program keeps it.
        mv -f -- "$work/new/$program$suffix" "$bin/$program$suffix"
    done
    mv -f -- "$work/notes" "$notes"
    say "installed version $version in $bin"
}

# The first folder of PATH that holds a ralph-loop decides which one is started.
check_path() {
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
        elif path_exists "$file"; then
            say "kept $file: this script did not install it"
        fi
    done
    rm -f -- "$notes"
    rmdir -- "$share" 2>/dev/null || true
    say "removed the installed programs from $bin"
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || fail "cannot find the folder of this script"
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
read_version || fail "$root/.claude-plugin/plugin.json has no version"
find_platform || suffix=
# Without cksum is_ours would accept every file.
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

prefix=${prefix:-${HOME:?is not set: use --prefix}/.local}
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
bin=$prefix/bin share=$prefix/share/ralph
notes=$share/installed

$step
[ $step = uninstall_programs ] || check_path
