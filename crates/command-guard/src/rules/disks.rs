//! Disks, partitions and mounts.

use shell_analysis::Word;

use crate::arguments::without_start;
use crate::effects::FileAction;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;
use crate::{Category, Refusal};

const TOOLS: &[&str] = words!(
    "fdisk sfdisk cfdisk gdisk sgdisk parted wipefs losetup cryptsetup lvremove vgremove pvremove
     lvcreate vgcreate pvcreate blkdiscard hdparm swapon swapoff mkswap umount nvme mdadm dmsetup
     resize2fs tune2fs e2label badblocks partprobe kpartx fsck debugfs mke2fs newfs format
     sg_format ddrescue partclone xfs_repair btrfs nwipe e2fsck growpart flashrom efibootmgr
     grub-install grub2-install update-grub bootctl fwupdmgr fwupdtool extlinux"
);

/// Prefixes of disk names below `/dev`.
const DISKS: &[&str] =
    &["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper", "dm-", "md"];

/// Programs that only print information about a disk.
const INFO_PROGRAMS: &[&str] =
    words!("ls lsblk df stat file blkid findmnt udevadm echo printf test [ [[ grep rg git");

const INSTEAD: &str = "Work only with files inside the project";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let first = words.first().map(String::as_str).unwrap_or_default();
    let is_tool = match view.program.as_str() {
        program if program.starts_with("mkfs") => true,
        "fdisk" | "parted" | "sfdisk"
            if words.iter().any(|word| word == "-l" || word == "--list") =>
        {
            false
        }
        "mount" => words.iter().any(|word| !word.starts_with('-')),
        "zpool" | "zfs" => ["destroy", "create", "labelclear", "rollback"].contains(&first),
        "diskutil" => first != "list" && first != "info",
        program => {
            TOOLS.contains(&program)
                && !words.iter().any(|word| word == "--version" || word == "--help")
        }
    };
    if is_tool {
        return view.refuse(Category::DiskTools, "it changes disks or mounts", INSTEAD);
    }
    if !view.is(INFO_PROGRAMS) && view.words.iter().any(|word| names_disk(view, word)) {
        return view.refuse(Category::DiskTools, "it works on a disk directly", INSTEAD);
    }
    let writes_device = view.effects.iter().any(|effect| match (&effect.place, effect.action) {
        (Place::At(path), action) if action.changes() => {
            path.starts_with("/dev")
                && owner_of(path, view.context) == PathOwner::Outside
                && !crate::network::is_socket(&path.to_string_lossy())
        }
        (_, FileAction::Read) => false,
        _ => false,
    });
    if writes_device {
        return view.refuse(Category::DiskTools, "it writes to a device", INSTEAD);
    }
    None
}

/// Whether a word names a disk, also as the value of an option or a setting.
fn names_disk(view: &InvocationView<'_>, word: &Word) -> bool {
    let start = word.known_start();
    let value = match start.split_once('=') {
        Some((name, _)) => without_start(word, name.len() + 1),
        None => word.clone(),
    };
    let Place::At(path) = view.place(&value) else {
        return false;
    };
    path.strip_prefix("/dev").is_ok_and(|name| {
        let name = name.to_string_lossy();
        DISKS.iter().any(|disk| name.starts_with(disk))
    })
}
