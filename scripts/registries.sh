# shellcheck shell=sh disable=SC2154
# Creates the npm packages and the Homebrew formula from the tree and the archives of a release. Sourced
# by package.sh, whose variables and functions it uses. The settings of cargo binstall are in the
# Cargo.toml of each program.

# Homebrew allows 80 characters.
summary='Run a coding agent on stories that count only after checks and a fresh review'

npm_manifest() { # npm_manifest NAME FIELDS
    printf '{\n  "name": "%s",\n  "version": "%s",\n  "description": "%s",\n  "license": "%s",\n  %s\n}\n' \
        "$1" "$version" "$summary" "$(workspace_field license)" "$2"
}

npm_pack() { # npm_pack NAME FIELDS; the files are in $work/npm/package
    for file in LICENSE LICENSE-APACHE LICENSE-MIT README.md; do
        cp -- "$tree/$file" "$work/npm/package/"
    done
    npm_manifest "$1" "$2" >"$work/npm/package/package.json"
    pack_tar "$work/npm" "$out/${1##*/}-$version.tgz"
    rm -rf -- "$work/npm"
}

# One npm package for each platform of $tree, and the one that users install, which depends on them. The
# dependencies of a release are file addresses: in the npm registry the names may belong to others. With a
# scope, which only its owner can publish to, they are versions. Otherwise there are none, and the user
# installs the package of the platform too.
make_npm_packages() {
    npm_name=${npm_scope:+@$npm_scope/}ralph-loop
    dependencies=
    for folder in "$tree/native"/*/; do
        platform=$(basename -- "$folder")
        os=${platform%-*} cpu=${platform##*-}
        # As node calls them.
        case $os in
            macos) os=darwin ;;
            windows) os=win32 ;;
        esac
        mkdir -p -- "$work/npm/package"
        cp -- "$folder"* "$work/npm/package/"
        npm_pack "$npm_name-$os-$cpu" "\"os\": [\"$os\"], \"cpu\": [\"$cpu\"], \"preferUnplugged\": true"
        source=${url:+$url/ralph-loop-$os-$cpu-$version.tgz}
        [ -z "$npm_scope" ] || source=$version
        [ -z "$source" ] || dependencies="$dependencies${dependencies:+, }\"$npm_name-$os-$cpu\": \"$source\""
    done
    mkdir -p -- "$work/npm/package"
    cp -- "$root/deploy/npm/ralph-loop.js" "$work/npm/package/"
    chmod 755 "$work/npm/package/ralph-loop.js"
    npm_pack "$npm_name" "\"bin\": { \"ralph-loop\": \"ralph-loop.js\" }, \"engines\": { \"node\": \">=18\" },
  \"optionalDependencies\": { $dependencies }"
}

# The Homebrew formula of the archives that the tree lists.
formula() {
    cat <<END
class RalphLoop < Formula
  desc "$summary"
  homepage "${url%/releases/*}"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

END
    for system in macos linux; do
        printf '  on_%s do\n' "$system"
        while read -r platform sum archive; do
            case $platform in
                "$system-arm64") processor=arm ;;
                "$system-x64") processor=intel ;;
                *) continue ;;
            esac
            printf '    on_%s do\n      url "%s"\n      sha256 "%s"\n    end\n' "$processor" "$archive" "$sum"
        done <"$tree/native/archives.txt"
        printf '  end\n\n'
    done
    cat <<END
  def install
    bin.install %w[$programs]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ralph-loop --version")
  end
end
END
}

# cargo binstall looks for the archives in the repository that Cargo.toml names.
check_repository() {
    repository=$(workspace_field repository)
    [ "$url" = "$repository/releases/download/v$version" ] ||
        say "WARNING: cargo binstall will not find this release: repository in Cargo.toml is $repository"
}
