#!/bin/sh
# Puts the native programs of exactly this plugin's version into the new folder DEST:
#
#   obtain.sh [--build-dir DIR] DEST
#   obtain.sh --from DIR DEST
#
# It takes the first that works: the plugin's own native/<platform>/, a release archive that
# native/archives.txt lists, a release build of this tree. A build goes on in DIR where an interrupted
# one was; without DIR it starts from nothing. With --from it takes those in DIR. Progress goes to
# stderr. Exit code 1 or 75 means that there are no programs, and the last line on stderr says why and
# what to do; 75, that the same may work a little later.
set -eu

# An archive is given up that takes more seconds or blocks of 512 bytes (some shells: 1024).
MAX_SECONDS=900
MAX_BLOCKS=524288

say() { printf 'obtain: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# The one line that a person gets to see, with every way out.
give_up() {
    say "no programs of version $version for this machine: $1. Install Rust from https://rustup.rs, \
or unpack a release for $(uname -s) $(uname -m) over this plugin, or put the programs on your \
PATH with scripts/install.sh"
    exit "$code"
}

sha256() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1"
    elif command -v shasum >/dev/null; then
        shasum -a 256 <"$1"
    else
        openssl dgst -sha256 -r <"$1"
    fi | cut -d ' ' -f 1
}

download() ( # download URL FILE
    # Where less is allowed already, that will do.
    ulimit -f "$MAX_BLOCKS" 2>/dev/null || :
    if command -v curl >/dev/null; then
        # A connection that delivers nothing for a minute is given up.
        curl -fsSL --retry 2 --connect-timeout 20 --speed-limit 1 --speed-time 60 --max-time "$MAX_SECONDS" \
            -o "$2" -- "$1" >&2
    elif command -v wget >/dev/null; then
        wget -q -T 60 -O "$2" -- "$1" >&2
    else
        say "neither curl nor wget is installed"
        return 1
    fi
)

# Into $work/programs, if they are the right ones.
take() { # take FOLDER
    rm -rf -- "$work/programs"
    mkdir -- "$work/programs"
    for program in $programs; do
        if ! cp -- "$1/$program$suffix" "$work/programs/"; then
            say "$1/$program$suffix could not be copied, as said above"
            return 1
        fi
        chmod 755 -- "$work/programs/$program$suffix"
    done
    if ! holds_programs "$work/programs"; then
        say "$1 does not hold programs of version $version that run here"
        return 1
    fi
}

take_own() {
    [ -d "$root/native/$platform" ] || return 1
    take "$root/native/$platform"
}

# Sets $archive and $code if it fails.
take_archive() { # take_archive SHA256 URL
    say "fetching $2"
    if ! download "$2" "$work/archive"; then
        archive="$2 could not be fetched" code=75
        say "$archive"
        return 1
    fi
    if [ "$(sha256 "$work/archive")" != "$1" ]; then
        rm -f -- "$work/archive"
        archive="$2 has another SHA-256 than the release promised"
        say "WARNING: $2 IS NOT WHAT THE RELEASE PROMISED: its SHA-256 is another. It was deleted and not used."
        return 1
    fi
    mkdir -- "$work/unpacked"
    tar -xzf "$work/archive" -C "$work/unpacked" && take "$work/unpacked"
}

take_any_archive() {
    [ -f "$root/native/archives.txt" ] || return 1
    while read -r for_platform sum url || [ -n "$for_platform" ]; do
        [ "$for_platform" = "$platform" ] || continue
        # The end of a line as Windows writes it.
        take_archive "$sum" "${url%"$(printf '\r')"}" </dev/null && return 0
        rm -rf -- "$work/archive" "$work/unpacked"
    done <"$root/native/archives.txt"
    return 1
}

# Sets $problem and $code if it fails.
build() {
    say "building version $version with $cargo; this takes a few minutes"
    # From the plugin's folder: settings of cargo in the folder of somebody's project are not for us.
    (cd -- "$root" && "$cargo" build --release --locked --manifest-path "$root/Cargo.toml" \
        --target-dir "$build_dir" -p ralph-loop -p stop-guard -p context-monitor -p command-guard) \
        </dev/null >&2 || explain_build $? || return 1
    # Cargo adds a folder if its settings name a target.
    for release in "$build_dir/release" "$build_dir"/*/release; do
        [ -x "$release/ralph-loop$suffix" ] && take "$release" && return 0
    done
    problem='what cargo built does not run here'
    return 1
}

explain_build() { # explain_build EXIT-CODE
    if [ "$1" -gt 128 ]; then
        problem='cargo was killed' code=75
    elif ! (cd -- "$root" && "$cargo" fetch --locked --manifest-path "$root/Cargo.toml") </dev/null >&2; then
        problem='cargo could not fetch what it is built from, as said above' code=75
    else
        problem='cargo could not build it, as said above'
    fi
    return 1
}

build_dir='' from='' code=1 archive='no archive fits' problem=
if [ $# -gt 1 ]; then
    case $1 in
        --build-dir) build_dir=$2 ;;
        --from) from=$2 ;;
        *) shift $# ;;
    esac
    [ $# = 0 ] || shift 2
fi
[ $# = 1 ] || fail "usage: obtain.sh [--build-dir DIR | --from DIR] DEST"
dest=$1
! [ -e "$dest" ] || fail "$dest is there already; name a folder that is not"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || fail "the plugin's folder cannot be found"
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
read_version || fail "$root/.claude-plugin/plugin.json names no version"

# Beside the destination, so that the last step is a rename: nobody sees half of it.
mkdir -p -- "$(dirname -- "$dest")"
work=$(mktemp -d "$dest.XXXXXX") || fail "no folder can be made beside $dest"
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
case $build_dir in
    '') build_dir=$work/build ;;
    /*) ;;
    *) build_dir=$PWD/$build_dir ;;
esac

if ! find_platform; then
    # A build may still work.
    platform='' suffix=''
fi
if [ -n "$from" ]; then
    take "$from" || fail "no programs of version $version can be taken from $from"
elif [ -n "$platform" ] && { take_own || take_any_archive; }; then
    :
elif ! find_cargo; then
    give_up "$archive, and cargo is not installed"
elif ! [ -f "$root/Cargo.toml" ]; then
    give_up "$archive, and the plugin comes without its source"
elif ! build; then
    give_up "$archive, and $problem"
fi
mv -- "$work/programs" "$dest" || fail "$dest cannot be written"
