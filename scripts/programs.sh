# shellcheck shell=sh disable=SC2034,SC2154,SC3013
# Names, version and locations of the native programs. Sourced by scripts that set $root, the plugin's
# folder; only defines functions and variables.

# shellcheck source=scripts/version.sh
. "$root/scripts/version.sh"

# The first identifies a folder: no other software has a program of that name.
programs='stop-guard context-monitor command-guard ralph-loop'

# The suffix of program names; a variable of the environment does not count.
suffix=

# Sets $platform and $suffix.
find_platform() {
    suffix=
    set -- "$(uname -sm)"
    case $1 in
        Linux\ *) platform=linux ;;
        Darwin\ *) platform=macos ;;
        MINGW* | MSYS* | CYGWIN*) platform=windows suffix=.exe ;;
        *) return 1 ;;
    esac
    case $1 in
        *\ x86_64 | *\ amd64) platform=$platform-x64 ;;
        *\ aarch64 | *\ arm64) platform=$platform-arm64 ;;
        *) return 1 ;;
    esac
}

# Whether the folder $1 has a file that may be the program $2.
has_program() {
    [ -f "$1/$2$suffix" ] && [ -x "$1/$2$suffix" ] && [ -s "$1/$2$suffix" ]
}

has_programs() {
    for program in $programs; do
        has_program "$1" "$program" || return 1
    done
}

# Whether the folder $1 holds the program $2 of exactly this version. RALPH_ASKED prevents an endless
# recursion through a script that runs an entry of bin/: native.sh exits if it is set.
holds_program() {
    has_program "$1" "$2" &&
        [ "$(RALPH_ASKED=1 "$1/$2$suffix" --version </dev/null 2>/dev/null)" = "$2 $version" ]
}

# Whether the folder $1 holds all programs of exactly this version. Runs them only if all exist.
holds_programs() {
    has_programs "$1" || return 1
    for program in $programs; do
        holds_program "$1" "$program" || return 1
    done
}

# find_own HOLDS sets $found to the plugin's own folder for this platform. HOLDS is a command that
# checks a folder.
find_own() {
    [ -d "$root/native" ] && find_platform && found=$root/native/$platform && "$@" "$found"
}

# find_build HOLDS sets $found to the folder of the newest good local build.
find_build() {
    found=
    case ${CARGO_TARGET_DIR-} in
        '' | /*) elsewhere=${CARGO_TARGET_DIR:-$root/target} ;;
        *) elsewhere=$root/$CARGO_TARGET_DIR ;;
    esac
    mark=${name:-stop-guard}
    for build in "$elsewhere/release" "$elsewhere/debug" "$root/target/release" "$root/target/debug"; do
        if { [ -z "$found" ] || [ "$build/$mark" -nt "$found/$mark" ]; } && "$@" "$build"; then
            found=$build
        fi
    done
    [ -n "$found" ]
}

# find_on_path HOLDS sets $found to the first good folder of the PATH. The bin/ of a plugin is
# skipped: it holds scripts like ours.
find_on_path() {
    rest=${PATH-}:
    while [ -n "$rest" ]; do
        found=${rest%%:*}
        rest=${rest#*:}
        case $found in
            /*) ! [ -e "$found/../scripts/native.sh" ] && "$@" "$found" && return 0 ;;
        esac
    done
    return 1
}

# Sets $cargo. A program started from a desktop may not have cargo's usual folder on its PATH.
find_cargo() {
    for cargo in "$(command -v cargo)" "${CARGO_HOME:-${HOME-}/.cargo}/bin/cargo"; do
        [ -x "$cargo" ] && return 0
    done
    return 1
}

# The toolchain state that a failed attempt depends on, in one line. It changes when the user installs or
# updates Rust. Reads files only: cargo is slow, and its version depends on the project.
circumstances() {
    find_cargo || cargo=
    rustup=${RUSTUP_HOME:-${HOME-}/.rustup}
    # shellcheck disable=SC2012 # only whether it changes matters
    LC_ALL=C TZ=UTC ls -lnL "$cargo" "$(command -v cc)" "$rustup/settings.toml" "$rustup"/update-hashes/* \
        2>/dev/null | tr '\n' ','
}

# Whether this session belongs to a loop, which relies on the hooks.
in_loop() {
    [ -n "${RALPH_RUN_ID-}" ] || [ -e "${CLAUDE_PROJECT_DIR:-.}/.ralph-active" ]
}

# Shows the user of the session a message; a hook may print nothing else. Uses only shell builtins,
# because the PATH may be missing.
system_message() {
    rest=$1 text=
    while [ -n "$rest" ]; do
        plain=${rest%%[\\\"[:cntrl:]]*}
        rest=${rest#"$plain"}
        case $rest in
            '') text=$text$plain ;;
            [\\\"]*) text=$text$plain\\${rest%"${rest#?}"} ;;
            *) text="$text$plain " ;;
        esac
        rest=${rest#?}
    done
    printf '{"systemMessage":"%s"}\n' "$text"
}
