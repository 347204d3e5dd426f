//! The configuration of the cluster.

use std::net::TcpListener;
use std::path::Path;

/// A job of a lost node starts again after the time in which its credentials expire.
#[expect(clippy::unwrap_used, reason = "a panic fails the test")]
pub(crate) fn text(dir: &Path, cpus: usize) -> String {
    let (dir, host) = (dir.display(), rustix::system::uname());
    let host = host.nodename().to_str().unwrap().split('.').next().unwrap().to_owned();
    let [controller, first, second] = free_ports();
    format!(
        "ClusterName=ralph
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge.sock,cred_expire=10
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort={controller}
StateSaveLocation={dir}/controller
SlurmdSpoolDir={dir}/slurmd-%n
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmctldPidFile={dir}/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
MinJobAge=600
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs={cpus} State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"
    )
}

/// Ports that nothing uses now.
#[expect(clippy::unwrap_used, reason = "a panic fails the test")]
fn free_ports() -> [u16; 3] {
    let sockets = [0; 3].map(|port| TcpListener::bind(("127.0.0.1", port)).unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port())
}
