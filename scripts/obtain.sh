#!/bin/sh
# Puts the native programs of exactly this plugin's version into the new folder DEST:
#
#   obtain.sh [--build-dir DIR] DEST
#   obtain.sh --from DIR DEST
#
# It takes the first that works: the plugin's own native/<platform>/, a release archive that
# native/archives.txt lists, a release build of this tree. A build in DIR
# continues an interrupted one; without DIR it starts from nothing. With --from it takes those in DIR.
# Progress goes to stderr. Exit code 1 or 75 means that there are no programs; the last line on stderr
# says why and what to do. With 75 a later attempt may work.
set -eu

# Limits of a download: seconds, and blocks of 512 bytes (some shells: 1024).
MAX_SECONDS=900
MAX_BLOCKS=524288

say() { printf 'obtain: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# The one line that the user sees, with every fix.
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
    # A lower limit may already apply.
    ulimit -f "$MAX_BLOCKS" 2>/dev/null || :
    if command -v curl >/dev/null; then
        # Stops a connection that delivers nothing for a minute.
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
            say "$1/$program$suffix could not be copied (see above)"
            return 1
        fi
        chmod 755 -- "$work/programs/$program$suffix"
    done
    if ! holds_programs "$work/programs"; then
        say "$1 has no programs of version $version that run here"
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
        archive="$2 has the wrong SHA-256"
        say "WARNING: $2 has the wrong SHA-256; deleted, not used"
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
    # From the plugin's folder: cargo settings of the user's project do not apply.
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
        problem='cargo could not fetch the dependencies (see above)' code=75
    else
        problem='cargo could not build it (see above)'
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
! [ -e "$dest" ] || fail "$dest exists; name a new folder"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || fail "cannot find the plugin's folder"
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
read_version || fail "$root/.claude-plugin/plugin.json has no version"

# Beside the destination, so that the last step is an atomic rename.
mkdir -p -- "$(dirname -- "$dest")"
work=$(mktemp -d "$dest.XXXXXX") || fail "cannot create a folder beside $dest"
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
    take "$from" || fail "cannot take programs of version $version from $from"
elif [ -n "$platform" ] && { take_own || take_any_archive; }; then
    :
elif ! find_cargo; then
    give_up "$archive, and cargo is not installed"
elif ! [ -f "$root/Cargo.toml" ]; then
    give_up "$archive, and the plugin comes without its source"
elif ! build; then
    give_up "$archive, and $problem"
fi
mv -- "$work/programs" "$dest" || fail "cannot write $dest"
