#!/bin/sh
# Builds the release files, reproducibly: the same commit and toolchain give the same bytes.
#
#   package.sh [--out DIR] [--npm-scope NAME] [--target TRIPLE] [--programs DIR] [--archive-only]
#   package.sh [--out DIR] [--npm-scope NAME] --assemble DIR [--url URL]
#   package.sh --version
#
# The first builds the programs for one platform (or takes those of --programs) and creates
# their release archive, the plugin's tree, the tree as a zip, and the npm packages. The second creates one
# tree, zip and set of npm packages from the release archives in DIR; --url is the download address of the
# files, for native/archives.txt (with checksums), the npm packages and a Homebrew formula. The third
# checks and prints the version.
#
# The npm packages are for a folder or a release; with --npm-scope, they are for the npm registry.
set -eu
umask 022
# COPYFILE_DISABLE keeps macOS from adding metadata files.
export LC_ALL=C TZ=UTC COPYFILE_DISABLE=1
# Personal options of the archive programs do not apply.
unset GZIP ZIP ZIPOPT TAR_OPTIONS

say() { printf 'package: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

usage() {
    sed -n '4,6s/^# *//p' "$0" >&2
    exit 2
}

# The files of the repository that belong to the plugin.
parts='.claude-plugin .gitattributes hooks skills bin scripts/native.sh scripts/version.sh scripts/programs.sh
scripts/missing.sh scripts/lock.sh scripts/provide.sh scripts/provide-job.sh scripts/obtain.sh
scripts/install.sh
docs LICENSE LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md'

workspace_field() { # workspace_field NAME
    sed -n '/^\[workspace.package\]/,/^\[/s/^'"$1"' = "\(.*\)"$/\1/p' "$root/Cargo.toml"
}

check_version() {
    read_version || fail ".claude-plugin/plugin.json has no version"
    cargo_version=$(workspace_field version)
    [ "$version" = "$cargo_version" ] ||
        fail ".claude-plugin/plugin.json says $version and Cargo.toml $cargo_version: make them the same"
}

# Sets $platform and $suffix to those of $target.
platform_of_target() {
    suffix=
    case $target in
        x86_64-*-linux-*) platform=linux-x64 ;;
        aarch64-*-linux-*) platform=linux-arm64 ;;
        x86_64-apple-darwin) platform=macos-x64 ;;
        aarch64-apple-darwin) platform=macos-arm64 ;;
        x86_64-pc-windows-*) platform=windows-x64 suffix=.exe ;;
        *) fail "unsupported target $target" ;;
    esac
}

platform_of_archive() { # platform_of_archive FILE
    target=${1##*/ralph-"$version"-}
    target=${target%.tar.gz}
    platform_of_target
}

is_installed() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }

# Some dependencies are written in C.
has_compiler() { command -v musl-gcc || command -v "${1%%-*}-linux-musl-gcc"; } >/dev/null

# Sets $target: this machine's own, on Linux the static one.
choose_target() {
    target=$(rustc -vV | sed -n 's/^host: //p')
    case $target in
        *-linux-gnu*)
            static=${target%-gnu*}-musl
            missing=
            if ! has_compiler "$static"; then
                missing="musl-gcc is missing (Debian: musl-tools)"
            elif ! is_installed "$static" && ! rustup target add "$static" >&2; then
                missing="the target $static is not installed"
            fi
            if [ -z "$missing" ]; then
                target=$static
            else
                say "WARNING: the programs will need the C library of this system or a newer one: $missing"
            fi
            ;;
    esac
}

# As rustc writes a path.
native_path() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else printf %s "$1"; fi; }

# Flags of rustc, with cargo's separator. They keep paths of this machine out of the programs; of two
# prefixes that match, rustc takes the later one.
rust_flags() {
    sysroot=$(rustc --print sysroot)
    commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
    printf -- '--remap-path-prefix=%s=%s\037' \
        "$(native_path "$root")" /ralph \
        "$(native_path "$target_dir")" /target \
        "$(native_path "${CARGO_HOME:-$HOME/.cargo}")" /cargo \
        "$(native_path "$sysroot/lib/rustlib/src/rust")" "/rustc/$commit"
    case $target in
        # No build time in the file, and no runtime to install.
        *-windows-msvc) printf -- '-Clink-arg=/Brepro\037-Ctarget-feature=+crt-static\037' ;;
    esac
    printf -- '-Cdebuginfo=0'
}

# Sets $programs_dir.
build_programs() {
    say "building version $version for $target"
    target_dir=${CARGO_TARGET_DIR:-$root/target}
    mkdir -p -- "$target_dir"
    target_dir=$(CDPATH='' cd -- "$target_dir" && pwd)
    (
        cd -- "$root"
        # MSYS2_ENV_CONV_EXCL keeps the shell of Git for Windows from converting paths in the flags.
        CARGO_ENCODED_RUSTFLAGS=$(rust_flags) CARGO_INCREMENTAL=0 MSYS2_ENV_CONV_EXCL=CARGO_ENCODED_RUSTFLAGS \
            cargo build --release --locked --target "$target" --target-dir "$target_dir" \
            -p ralph-loop -p stop-guard -p context-monitor -p command-guard >&2
    ) || fail "cargo could not build it (see above)"
    programs_dir=$target_dir/$target/release
}

# Runs git only if this tree is a repository of its own.
own_git() { [ -e "$root/.git" ] && git -C "$root" "$@" 2>/dev/null; }

# Sets $time in the form of `touch -t`: that of the commit, unless SOURCE_DATE_EPOCH says another.
find_time() {
    epoch=${SOURCE_DATE_EPOCH:-$(own_git log -1 --format=%ct)} || epoch=
    # The earliest time of a zip.
    [ -n "$epoch" ] || epoch=315532800
    time=$(date -u -d "@$epoch" +%Y%m%d%H%M.%S 2>/dev/null || date -u -r "$epoch" +%Y%m%d%H%M.%S)
    if [ -n "$(own_git status --porcelain)" ]; then
        say "WARNING: the release will contain uncommitted changes of the work tree"
    fi
}

# Names, modes and times of a folder's files, as they go into an archive.
settle() { # settle FOLDER
    (
        cd -- "$1"
        find . -type f -exec touch -t "$time" {} +
        find . -type f | sed 's|^\./||' | sort
    )
}

pack_tar() { # pack_tar FOLDER FILE.tar.gz
    settle "$1" >"$work/names"
    case $(tar --version) in
        *GNU*) owner='--owner=0 --group=0' ;;
        *) owner='--uid 0 --gid 0' ;;
    esac
    # shellcheck disable=SC2086 # these are several words
    (cd -- "$1" && tar --format=ustar $owner --numeric-owner -cf "$work/tar" -T "$work/names")
    gzip -n <"$work/tar" >"$2"
}

pack_zip() { # pack_zip FOLDER FILE.zip
    command -v zip >/dev/null || fail "zip is not installed"
    settle "$1" >"$work/names"
    rm -f -- "$2"
    (cd -- "$1" && zip -q -X -D -@ "$2" <"$work/names")
}

make_archive() {
    mkdir -- "$work/programs"
    for program in $programs; do
        cp -- "$programs_dir/$program$suffix" "$work/programs/" ||
            fail "$programs_dir has no program $program"
        chmod 755 "$work/programs/$program$suffix"
    done
    # cargo binstall expects the target in the name.
    pack_tar "$work/programs" "$work/ralph-$version-$target.tar.gz"
}

# The files of $parts; with git, only tracked ones.
list_parts() {
    # shellcheck disable=SC2086 # these are several words
    (cd -- "$root" && { own_git ls-files -- $parts || find $parts -type f 2>/dev/null; })
}

unpack_programs() { # unpack_programs ARCHIVE
    platform_of_archive "$1"
    mkdir -p -- "$tree/native/$platform"
    tar -xzf "$1" -C "$tree/native/$platform"
    if [ -n "$suffix" ]; then
        # Claude Code starts hooks without a shell, and Windows then needs this name.
        cp -- "$tree/native/$platform"/*.exe "$tree/bin/"
    fi
}

# $tree from the repository and the archives in $out.
make_tree() {
    list_parts | while IFS= read -r file; do
        mkdir -p -- "$tree/$(dirname -- "$file")"
        cp -- "$root/$file" "$tree/$file"
    done
    for archive in "$out/ralph-$version"-*.tar.gz; do
        unpack_programs "$archive"
    done
    [ -z "$url" ] || list_archives >"$tree/native/archives.txt"
    find "$tree" -type f -exec chmod 644 {} +
    find "$tree/bin" "$tree/native"/*/ "$tree/scripts" -type f -exec chmod 755 {} +
    if find_platform && [ -d "$tree/native/$platform" ] && ! holds_programs "$tree/native/$platform"; then
        fail "the programs for $platform do not report version $version"
    fi
}

sums() { # sums FILE…
    (
        cd -- "$out"
        if command -v sha256sum >/dev/null; then sha256sum -- "$@"; else shasum -a 256 -- "$@"; fi
    )
}

list_archives() {
    for archive in "$out/ralph-$version"-*.tar.gz; do
        platform_of_archive "$archive"
        sum=$(sums "${archive##*/}")
        printf '%s %s %s\n' "$platform" "${sum%% *}" "$url/${archive##*/}"
    done
}

report() {
    for file in "$out/ralph-$version"*.tar.gz "$out/ralph-$version"*.zip "$out/ralph-loop"*"-$version.tgz"; do
        ! [ -f "$file" ] || sums "${file##*/}"
    done >"$out/SHA256SUMS"
    while read -r sum file; do
        printf '%s\n  %s bytes, sha256 %s\n' "$out/$file" "$(wc -c <"$out/$file" | tr -d ' ')" "$sum"
    done <"$out/SHA256SUMS"
    ! [ -d "$tree" ] || printf '%s\n  the tree, %s KiB\n' "$tree" "$(du -sk "$tree" | cut -f 1)"
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || fail "cannot find the folder of this script"
# shellcheck source=scripts/programs.sh
. "$root/scripts/programs.sh"
# shellcheck source=scripts/registries.sh
. "$root/scripts/registries.sh"

out='' target='' programs_dir='' assemble='' url='' npm_scope='' only=
while [ $# -gt 0 ]; do
    case $1 in
        --archive-only) only=archive ;;
        --version) only=version ;;
        --out | --target | --programs | --assemble | --url | --npm-scope)
            [ $# -gt 1 ] || usage
            case $1 in
                --out) out=$2 ;;
                --target) target=$2 ;;
                --programs) programs_dir=$2 ;;
                --assemble) assemble=$2 ;;
                --url) url=${2%/} ;;
                --npm-scope) npm_scope=$2 ;;
            esac
            shift
            ;;
        *) usage ;;
    esac
    shift
done

check_version
if [ "$only" = version ]; then
    printf '%s\n' "$version"
    exit
fi

out=${out:-${CARGO_TARGET_DIR:-$root/target}/package}
mkdir -p -- "$out"
out=$(CDPATH='' cd -- "$out" && pwd)
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
find_time

if [ -n "$assemble" ]; then
    name=ralph-$version
    for archive in "$assemble/$name"-*.tar.gz; do
        [ -f "$archive" ] || fail "$assemble has no release archives of version $version"
        cp -- "$archive" "$work/"
    done
else
    [ -n "$target" ] || choose_target
    platform_of_target
    name=ralph-$version-$platform
    [ -n "$programs_dir" ] || build_programs
    make_archive
fi
tree=$out/$name
# Removes the files of an earlier call.
rm -rf -- "$tree" "$out/ralph-$version"*.tar.gz "$out/ralph-$version"*.zip "$out/ralph-loop"*"-$version.tgz" \
    "$out/ralph-loop.rb"
mv -- "$work"/*.tar.gz "$out/"
if [ "$only" != archive ]; then
    make_tree
    pack_zip "$tree" "$tree.zip"
    make_npm_packages
    if [ -n "$url" ]; then
        formula >"$out/ralph-loop.rb"
        check_repository
    fi
fi
report
