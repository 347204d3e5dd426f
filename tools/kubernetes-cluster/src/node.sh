#!/bin/sh
# A node, as process 1 of a PID namespace with its own network and mounts: when this shell ends, the kernel ends
# everything, pods included. It ends with its standard input.
# node.sh FOLDER PROGRAMS NAME: FOLDER has NAME.containerd, NAME.kubelet and NAME.config.
set -eu
folder=$1 programs=$2 node=$3
exec 3<&0

start() { # start NAME PROGRAM ARGS...
    name=$1
    shift
    "$@" >"$folder/$node-$name.out" 2>&1 </dev/null &
}

for private in /run /var/lib /var/log; do mount -t tmpfs tmpfs $private; done
# The kubelet sets these values of the machine unless they are as it wants. It sees files in their place.
while read -r setting value; do
    [ -e "/proc/sys/$setting" ] || continue
    mkdir -p "/run/settings/$setting"
    printf '%s\n' "$value" >"/run/settings/$setting/value"
    mount --bind "/run/settings/$setting/value" "/proc/sys/$setting"
done <<'END'
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
start containerd containerd --config "$folder/$node.containerd"
echo up

read -r address <&3 # The network interface is there, and the API server is ready.
ip link set lo up
ip address add "$address/30" dev eth0
ip link set eth0 up
start kubelet "$programs/kubelet" \
    --config="$folder/$node.kubelet" \
    --kubeconfig="$folder/$node.config" \
    --hostname-override="$node" \
    --node-ip="$address" \
    --container-runtime=remote \
    --container-runtime-endpoint=unix:///run/containerd/containerd.sock \
    --cert-dir=/run/kubelet

cat <&3 >/dev/null &
wait $!
