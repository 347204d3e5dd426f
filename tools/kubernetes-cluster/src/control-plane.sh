#!/bin/sh
# The control plane, as process 1 of a PID namespace with its own network and mounts: when this shell ends, the kernel
# ends everything. It ends with its standard input.
# control-plane.sh FOLDER PROGRAMS: FOLDER has tokens.csv and machine.config.
set -eu
folder=$1 programs=$2
exec 3<&0

start() { # start NAME PROGRAM ARGS...
    name=$1
    shift
    "$@" >"$folder/$name.out" 2>&1 </dev/null &
}

mount -t tmpfs tmpfs /run
ip link set lo up
# Routes to lost nodes lead here, where packets vanish.
ip link add lost type veth peer name void
ip link set lost arp off up
ip link set void up
key=/run/api/apiserver.key

start etcd etcd --data-dir=/run/etcd --log-level=warn
start kube-apiserver "$programs/kube-apiserver" \
    --etcd-servers=http://127.0.0.1:2379 \
    --bind-address=0.0.0.0 \
    --secure-port=6443 \
    --advertise-address=10.77.0.1 \
    --endpoint-reconciler-type=none \
    --cert-dir=/run/api \
    --token-auth-file="$folder/tokens.csv" \
    --authorization-mode=Node,RBAC \
    --service-cluster-ip-range=10.96.0.0/16 \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-signing-key-file=$key \
    --service-account-key-file=$key \
    --kubelet-preferred-address-types=InternalIP \
    --enable-priority-and-fairness=false \
    --feature-gates=TTLAfterFinished=true
echo up

read -r _ <&3 # The nodes are ready.
start kube-controller-manager "$programs/kube-controller-manager" \
    --kubeconfig="$folder/machine.config" \
    --leader-elect=false \
    --port=0 \
    --secure-port=0 \
    --service-account-private-key-file=$key \
    --root-ca-file=/run/api/apiserver.crt \
    --flex-volume-plugin-dir=/run/volume-plugins \
    --node-monitor-period=500ms \
    --node-monitor-grace-period=8s \
    --node-eviction-rate=100 \
    --feature-gates=TTLAfterFinished=true
start kube-scheduler "$programs/kube-scheduler" \
    --kubeconfig="$folder/machine.config" \
    --leader-elect=false \
    --port=0 \
    --secure-port=0

cat <&3 >/dev/null &
wait $!
