#!/usr/bin/env bash
# Runs the tests in a real Kubernetes cluster. Builds its server programs if they are missing, and installs Debian's
# packages. With --prepare, it only installs the packages and checks that a cluster can run here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'test-kubernetes: %s\n' "$*" >&2
    exit 1
}

# Of scripts/test.sh, if it runs this: with its flags, nothing is compiled twice.
if declare -F tests >/dev/null; then export -fn tests; else
    tests() { cargo test --workspace --locked --no-fail-fast "$@"; }
fi

packages() { # Those that are missing.
    local program package
    while read -r program package; do
        [ -x "$program" ] || command -v "$program" >/dev/null || printf '%s\n' "$package"
    done <<'END'
etcd etcd-server
containerd containerd
runc runc
/usr/lib/cni/ptp containernetworking-plugins
ip iproute2
kubectl kubernetes-client
END
}

install_packages() (
    policy=/usr/sbin/policy-rc.d
    # With this file, the packages start no daemons.
    if [ ! -e $policy ]; then
        trap 'rm -f $policy' EXIT
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
)

prepare() {
    local missing
    mapfile -t missing < <(packages)
    [ "$(id -u)" = 0 ] || fail "a cluster can be started only as root"
    if [ ${#missing[@]} -gt 0 ]; then
        command -v apt-get >/dev/null || fail "this installs packages only on a Debian system; missing: ${missing[*]}"
        install_packages "${missing[@]}" >&2 || fail "packages cannot be installed: ${missing[*]}"
    fi
    unshare --net --mount --pid --fork --mount-proc sh -c 'ip link add n1 type veth peer name eth0' ||
        fail "this machine allows no namespaces or has no virtual network interfaces"
}

prepare
[ "${1-}" != --prepare ] || exit 0
RALPH_TEST_KUBERNETES=$(scripts/build-kubernetes.sh --build)
export RALPH_TEST_KUBERNETES
tests --test kubernetes -- --ignored
tests --test sturdy -- --ignored kubernetes::
