# shellcheck shell=sh disable=SC2034,SC2154
# The plugin's own version. In a file of its own, and read without starting a process, because every hook
# call waits for it. Sourced by scripts that set $root, the plugin's folder.

# Sets $version.
read_version() {
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            *'"version"'*)
                version=${line#*'"version"'*\"}
                version=${version%%\"*}
                return 0
                ;;
        esac
    done <"$root/.claude-plugin/plugin.json"
    return 1
}
