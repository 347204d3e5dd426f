# shellcheck shell=sh disable=SC2154
# What the entry $name of bin/ does where its program is nowhere: a hook lets everything pass and says
# so, a person is told how to get it. Sourced by native.sh.

# shellcheck source=scripts/lock.sh
. "$root/scripts/lock.sh"

why="the next session of Claude Code with this plugin fetches or builds it"
for data in "${CLAUDE_PLUGIN_DATA-}" "${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}"/plugins/data/ralph-*; do
    store=$data/native/obtain/$version
    if is_held "$store/lock"; then
        why="it is being fetched or built right now; log: $store/log"
    elif [ -f "$store/failure" ]; then
        { read -r _ && read -r _ && read -r reason && why=$reason; } <"$store/failure"
    fi
done

printf 'ralph: %s %s is not there: %s\n' "$name" "$version" "$why" >&2
case $name in
    stop-guard | command-guard)
        if in_loop; then
            system_message "THE GUARD OF THIS LOOP IS MISSING: stop the loop until it is there. Nothing \
holds this session to the rules, because $name $version is not there: $why."
        fi
        exit 0
        ;;
    context-monitor) exit 0 ;;
esac
echo "ralph: to have it at once: cargo build --release in the plugin's folder" >&2
exit 2
