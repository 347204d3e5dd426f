# shellcheck shell=sh disable=SC2154
# What the entry $name of bin/ does if its program is missing: a hook allows everything and reports
# that, a terminal user gets the fix. Sourced by native.sh.

# shellcheck source=scripts/lock.sh
. "$root/scripts/lock.sh"

why="the next session of Claude Code with this plugin fetches or builds it"
for data in "${CLAUDE_PLUGIN_DATA-}" "${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}"/plugins/data/ralph-*; do
    store=$data/native/obtain/$version
    if is_held "$store/lock"; then
        why="it is being fetched or built; log: $store/log"
    elif [ -f "$store/failure" ]; then
        { read -r _ && read -r _ && read -r reason && why=$reason; } <"$store/failure"
    fi
done

printf 'ralph: %s %s is missing: %s\n' "$name" "$version" "$why" >&2
case $name in
    stop-guard | command-guard)
        if in_loop; then
            system_message "hook failure: $name $version is missing: $why. Stop the loop until it is \
installed: no rule is enforced in this session."
        fi
        exit 0
        ;;
    context-monitor) exit 0 ;;
esac
echo "hint: to build it now, run cargo build --release in the plugin's folder" >&2
exit 2
