#!/usr/bin/env bash
# Prints the folder with the server programs of Kubernetes for scripts/test-kubernetes.sh. With --build, it first builds
# those that are missing, from Debian's source package: about 8 minutes on 2 cores, as root.
# RALPH_TEST_KUBERNETES names another folder that has them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet)
read -r version <scripts/kubernetes.version
folder=${RALPH_TEST_KUBERNETES:-${CARGO_TARGET_DIR:-$PWD/target}/kubernetes/$version}

fail() {
    printf 'build-kubernetes: %s\n' "$*" >&2
    exit 1
}

has_programs() {
    local program
    for program in "${programs[@]}"; do [ -x "$folder/$program" ] || return 1; done
}

sources() ( # The system's own package lists stay as they are.
    mkdir -p "$work/parts" "$work/lists/partial" "$work/source"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$work/parts/${file##*/}"
    done
    [ ! -e /etc/apt/sources.list ] || sed 's/^deb /deb-src /' /etc/apt/sources.list >"$work/parts/own.list"
    cd "$work/source"
    options=(-o Dir::Etc::sourceparts="$work/parts" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$work/lists")
    apt-get "${options[@]}" update -qq
    apt-get "${options[@]}" source -qq --download-only "kubernetes=$version*" || apt-get "${options[@]}" source -qq --download-only kubernetes
    dpkg-source --no-check -x ./*.dsc "$work/kubernetes"
)

build() (
    mkdir -p "$work/go/src/k8s.io"
    ln -s "$work/kubernetes" "$work/go/src/k8s.io/kubernetes"
    cd "$work/go/src/k8s.io/kubernetes"
    IFS=. read -r major minor _ <<<"$version"
    export GOPATH=$work/go GOCACHE=$work/cache GOPROXY=off GOFLAGS=-mod=vendor CGO_ENABLED=0 GO111MODULE=off
    export KUBE_GIT_VERSION=v$version KUBE_GIT_MAJOR=$major KUBE_GIT_MINOR=$minor
    export PATH=/usr/lib/go-1.19/bin:$PATH
    unset GOFLAGS
    make WHAT="${programs[*]/#/cmd/}"
)

if ! has_programs; then
    [ "${1-}" = --build ] || fail "no server programs of Kubernetes in $folder; run scripts/build-kubernetes.sh --build"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "they can be built only as root on a Debian system"
    work=$(mktemp -d)
    trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
    {
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-1.19-go rsync dpkg-dev make
        sources
        build
        mkdir -p "$folder"
        for program in "${programs[@]}"; do install "$work/kubernetes/_output/bin/$program" "$folder/"; done
    } >&2
fi
printf '%s\n' "$folder"
