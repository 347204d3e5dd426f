#!/bin/sh
# A git that counts its calls as soon as the run's state has what `since` says. At the call that `armed`
# names (its number, or words among its arguments) it kills or interrupts the runner that called it.
beside=@BESIDE@
if [ -e "$beside/armed" ] && grep -qf "$beside/since" "$beside/repo/.ralph/state.json" 2>/dev/null
then
    echo "$@" >>"$beside/calls"
    read -r moment at <"$beside/armed"
    hit=
    case $at in
    [0-9]*) [ "$(wc -l <"$beside/calls")" -eq "$at" ] && hit=yes ;;
    *) case "$*" in *"$at"*) mkdir "$beside/hit" 2>/dev/null && hit=yes ;; esac ;;
    esac
    case $hit$moment in
    yesBefore) kill -s KILL $PPID; exit 1 ;;
    yesDuring) kill -s KILL $PPID ;;
    yesInterrupt)
        : >"$beside/interrupted"
        kill -s INT -- -$PPID
        ;;
    esac
fi
exec @GIT@ "$@"
