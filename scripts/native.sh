# shellcheck shell=sh disable=SC2154,SC3013
# Runs the native program $name of a development build in place of the calling script. Sourced by
# the entries of bin/, which set $name; $0 is theirs.
#
# A plugin made from a release names its programs directly and needs none of this.

root=${0%/*}/..
found=
case ${CARGO_TARGET_DIR:-target} in
    /*) elsewhere=$CARGO_TARGET_DIR ;;
    *) elsewhere=$root/${CARGO_TARGET_DIR:-target} ;;
esac
for target in "$elsewhere" "$root/target"; do
    for build in release debug; do
        program=$target/$build/$name
        # The newest build is the one its developer wants to try.
        if [ -x "$program" ] && { [ -z "$found" ] || [ "$program" -nt "$found" ]; }; then
            found=$program
        fi
    done
done

if [ -n "$found" ]; then
    exec "$found" "$@"
fi
echo "ralph: $name is not built; run 'cargo build --release' in the plugin's folder" >&2
exit 1
