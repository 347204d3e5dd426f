//! The kernel gives a process inside no way around its sandbox.

use crate::os_sandbox_harness::Machine;

#[test]
fn namespaces_mounts_and_devices_are_refused() {
    kernel_refuses(&Machine::new());
}

pub(crate) fn kernel_refuses(machine: &Machine) {
    machine.fails_each(&[
        "unshare --user true",
        "unshare --user --map-root-user --mount true",
        "mount -t tmpfs x /mnt",
        "mount --bind / /mnt",
        "mount -o remount,rw /usr",
        "umount /tmp",
        "chroot . /bin/true",
        "mknod device b 8 0",
        "mknod device c 1 1",
        "head -c 1 /dev/mem",
        "head -c 1 /dev/sda || head -c 1 /dev/vda",
        "test -c /dev/kmsg",
        "echo b >/proc/sysrq-trigger",
        "echo x >/proc/sys/kernel/hostname",
        "echo 1 >/proc/sys/vm/drop_caches",
        "echo x >/sys/power/state",
        "mkdir /sys/fs/cgroup/ralph",
        "nsenter --target 1 --mount true && test -e /nowhere",
    ]);
}

#[test]
fn rights_cannot_be_gained() {
    no_rights(&Machine::new());
}

pub(crate) fn no_rights(machine: &Machine) {
    machine.works("grep -q '^NoNewPrivs:.*1' /proc/self/status");
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        machine.works(&format!("grep -q '^{set}:\\s*0*$' /proc/self/status"));
    }
    // A program with the set-user-id bit, made inside, is one like any other.
    machine.works("cp /bin/sleep own && { chmod 4755 own || true; } && ./own 0 && grep -q '^NoNewPrivs:.*1' /proc/self/status");
}

#[test]
fn nothing_can_be_typed_into_the_terminal_of_the_runner() {
    no_terminal(&Machine::new());
}

pub(crate) fn no_terminal(machine: &Machine) {
    machine.works("! (exec 3</dev/tty) 2>/dev/null");
    // TIOCSTI on the standard streams.
    machine
        .works("! perl -e 'ioctl(STDIN, 0x5412, \"x\") or ioctl(STDOUT, 0x5412, \"x\") or exit 1'");
    machine.works("test \"$(ps -o tty= -p $$ 2>/dev/null || echo '?')\" = '?'");
}
