//! Jobs in a real Kubernetes cluster.
#![cfg(target_os = "linux")]

mod cluster;
