//! The policy for effects on files: what may be done with a place, by its owner and by the table of protected places.

use std::path::Path;

use shell_analysis::{Launcher, Word};

use crate::arguments::without_start;
use crate::effect::{Effect, FileAction};
use crate::effects::TEXT_PRINTERS;
use crate::invocation_view::InvocationView;
use crate::network::is_socket;
use crate::pattern::UNKNOWN;
use crate::place::{PathOwner, Place, Relation, is_temporary_folder, owner_of, relation};
use crate::policy_table::Reason;
use crate::words::words;
use crate::{Category, CommandContext, Refusal};

const DELETE_OWN: &str =
    "Delete only files that you created, by their path inside the project or a temporary folder";
const WRITE_INSIDE: &str = "Write inside the project or a temporary folder. The user can allow other folders in the settings";
const CHANGE_ONE: &str = "Change the mode of the one file inside the project that needs it";
const ONLY_FILES: &str = "Work only with files inside the project";

/// One refusal per category.
pub(crate) fn judge(view: &InvocationView<'_>, effects: &[Effect]) -> Vec<Refusal> {
    let mut reasons: Vec<Reason> = Vec::new();
    for effect in effects {
        match &effect.place {
            Place::At(path) => {
                reasons.extend(protected(view, path, effect.action));
                reasons.extend(whole(view.context, path, effect.action));
                reasons.extend(by_owner(view.context, path, effect.action));
            }
            Place::Unknown => reasons.extend(unknown(view, effect.action)),
            Place::Temporary => {}
        }
    }
    reasons.extend(opens_project(view, effects));
    reasons.extend(of_words(view, effects));
    let mut found: Vec<Refusal> = Vec::new();
    for reason in reasons {
        if found.iter().all(|refusal| refusal.category != reason.category) {
            found.push(view.refusal(reason));
        }
    }
    found
}

pub(crate) const fn reason(category: Category, why: &'static str, instead: &'static str) -> Reason {
    Reason { category, why, instead }
}

/// The policy by owner, for places that no table names.
pub(crate) fn by_owner(context: &CommandContext, path: &Path, action: FileAction) -> Vec<Reason> {
    let is_device = path.starts_with("/dev");
    let removes =
        reason(Category::WriteOutside, "it removes files outside the project", WRITE_INSIDE);
    match (owner_of(path, context), action) {
        (PathOwner::Outside, _) if is_socket(&path.to_string_lossy()) || is_device => Vec::new(),
        (PathOwner::Outside, FileAction::Write) if is_temporary_folder(path, context) => Vec::new(),
        (PathOwner::Outside, FileAction::Write | FileAction::Append) => {
            vec![reason(Category::WriteOutside, "it writes outside the project", WRITE_INSIDE)]
        }
        (PathOwner::Outside, FileAction::DeleteTree) => {
            let folder = reason(
                Category::RecursiveDelete,
                "it deletes a folder outside the project",
                DELETE_OWN,
            );
            vec![folder, removes]
        }
        (PathOwner::Outside, FileAction::Delete) if path.ends_with("*") || path.ends_with("{}") => {
            let all = "it deletes everything there, outside the project";
            vec![reason(Category::RecursiveDelete, all, DELETE_OWN), removes]
        }
        (PathOwner::Outside, FileAction::Delete | FileAction::MoveAway) => vec![removes],
        (PathOwner::Outside, FileAction::LinkTo) => {
            vec![reason(
                Category::WriteOutside,
                "the link would lead outside the project",
                WRITE_INSIDE,
            )]
        }
        (PathOwner::Outside, FileAction::Mode | FileAction::ModeTree)
        | (PathOwner::Stream, FileAction::ModeTree) => {
            vec![reason(
                Category::PermissionSweep,
                "it changes modes or owners outside the project",
                CHANGE_ONE,
            )]
        }
        _ => Vec::new(),
    }
}

/// The project, its parents, its history, or everything in it.
fn whole(context: &CommandContext, path: &Path, action: FileAction) -> Option<Reason> {
    let project = relation(path, &context.project);
    if action == FileAction::ModeTree && project == Relation::Above {
        return Some(reason(
            Category::PermissionSweep,
            "it changes modes or owners outside the project",
            CHANGE_ONE,
        ));
    }
    if !matches!(action, FileAction::DeleteTree | FileAction::MoveAway) {
        return None;
    }
    let deletes = |why| Some(reason(Category::RecursiveDelete, why, DELETE_OWN));
    if matches!(project, Relation::Above | Relation::Same) {
        return deletes("it deletes the whole project");
    }
    let git = context.project.join(".git");
    let is_lock = path.extension().is_some_and(|extension| extension == "lock");
    if relation(path, &git) != Relation::Apart && !is_lock {
        return deletes("it deletes the project's history");
    }
    let rest = path.strip_prefix(&context.project).ok()?.to_string_lossy().into_owned();
    let is_any = |letter: char| "*.?".contains(letter) || letter == UNKNOWN;
    if !rest.is_empty() && rest.chars().all(is_any) {
        deletes("it deletes everything in the project")
    } else {
        None
    }
}

fn unknown(view: &InvocationView<'_>, action: FileAction) -> Option<Reason> {
    match action {
        FileAction::DeleteTree if !is_set_later(view) => Some(reason(
            Category::RecursiveDelete,
            "it is unknown what it would delete",
            DELETE_OWN,
        )),
        FileAction::ModeTree => Some(reason(
            Category::PermissionSweep,
            "it is unknown what it would change",
            CHANGE_ONE,
        )),
        _ => None,
    }
}

/// `trap 'rm -rf "$dir"' EXIT` may come before the folder is created.
fn is_set_later(view: &InvocationView<'_>) -> bool {
    let names = InvocationView::variables(view.words);
    let is_temporary = |name: &String| {
        let all = view.analysis.invocations.iter().flat_map(|invocation| &invocation.assignments);
        let mut set = all.filter(|(set, _)| set == name);
        matches!((set.next(), set.next()), (Some((_, value)), None) if view.place(value) == Place::Temporary)
    };
    let is_text = view.invocation.launchers.contains(&Launcher::ShellText);
    is_text && !names.is_empty() && names.iter().all(is_temporary)
}

fn protected(view: &InvocationView<'_>, path: &Path, action: FileAction) -> Vec<Reason> {
    let mut reasons = view.whole.protected().reasons(path, action, view.context);
    reasons.retain(|reason| {
        reason.category != Category::CredentialFiles || takes_credentials(view, path)
    });
    reasons.retain(|reason| {
        reason.category != Category::DiskTools
            || owner_of(path, view.context) == PathOwner::Outside
                && !is_socket(&path.to_string_lossy())
    });
    reasons
}

/// Some programs use a key without printing it. Paths for containers are inside them, unless they are in the home.
fn takes_credentials(view: &InvocationView<'_>, path: &Path) -> bool {
    let is_inside = view.is(super::containers::ENGINES) || view.is(super::containers::CLUSTERS);
    let is_here = !is_inside || view.home().is_some_and(|home| path.starts_with(home));
    is_here && !view.is(&["ssh", "ssh-add", "mkdir", "touch"])
}

/// A mode or an owner for the whole project.
fn opens_project(view: &InvocationView<'_>, effects: &[Effect]) -> Option<Reason> {
    let is_whole = |effect: &Effect| {
        effect.action == FileAction::ModeTree
            && matches!(&effect.place, Place::At(path) if relation(path, &view.context.project) == Relation::Same)
    };
    let says = |names: &[&str]| view.texts().iter().any(|word| names.contains(&word.as_str()));
    let opens =
        view.is(&["chmod"]) && says(words!("777 0777 a+rwx ugo+rwx a=rwx 666 +rwx 000 -rwx a-rwx"));
    let takes = view.is(&["chown"])
        && view.texts().iter().any(|word| word.starts_with("root") || word.starts_with("0:"));
    ((opens || takes) && effects.iter().any(is_whole)).then(|| {
        reason(
            Category::PermissionSweep,
            "it changes the mode or the owner of the whole project",
            CHANGE_ONE,
        )
    })
}

/// What its words name besides the effects: keys, disks, a folder to clean, a reference to another variable.
fn of_words(view: &InvocationView<'_>, effects: &[Effect]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    // Their options name keys that they use, and copied files are effects.
    let uses = TEXT_PRINTERS.contains(&view.program.as_str())
        || view.is(words!("scp sftp rsync find gfind"));
    let mut named = view.words.iter().filter(|_| !uses).flat_map(files_in);
    let is_read = |place: Place| match place {
        Place::At(path) => protected(view, &path, FileAction::Read).into_iter().next(),
        Place::Temporary | Place::Unknown => None,
    };
    reasons.extend(named.find_map(|word| is_read(view.place(&word))));
    if !view.is(INFO_PROGRAMS) && view.words.iter().any(|word| names_disk(view, word)) {
        reasons.push(reason(Category::DiskTools, "it works on a disk directly", ONLY_FILES));
    }
    let to_null = |effect: &Effect| {
        effect.action == FileAction::Write && effect.place == Place::At("/dev/null".into())
    };
    let why = if view.is(&["mv", "gmv"]) && effects.iter().any(to_null) {
        Some("moving to /dev/null deletes the files")
    } else if cleans_outside(view) {
        Some("it cleans a folder outside the project")
    } else {
        None
    };
    reasons.extend(why.map(|why| reason(Category::RecursiveDelete, why, DELETE_OWN)));
    reasons
}

/// The possible file names in a word: the whole word, and the part after a sign or an option letter.
fn files_in(word: &Word) -> Vec<Word> {
    const MOST: usize = 4;
    let start = word.known_start();
    let glued = start.find('/').filter(|_| start.starts_with('-'));
    let signs = start.match_indices(['=', '@']).map(|(at, _)| at + 1).take(MOST);
    let starts = std::iter::once(0).chain(signs).chain(glued);
    starts.map(|at| without_start(word, at)).collect()
}

/// Prefixes of disk names below `/dev`.
const DISKS: &[&str] = words!("sd hd vd xvd nvme mmcblk disk rdisk mapper dm- md");

/// Programs that only print information about a disk.
const INFO_PROGRAMS: &[&str] =
    words!("ls lsblk df stat file blkid findmnt udevadm echo printf test [ [[ grep rg git");

/// Whether a word names a disk, also as the value of an option or a setting.
fn names_disk(view: &InvocationView<'_>, word: &Word) -> bool {
    let start = word.known_start();
    let value = match start.split_once('=') {
        Some((name, _)) => without_start(word, name.len() + 1),
        None => word.clone(),
    };
    let Place::At(path) = view.place(&value) else { return false };
    let is_disk = |name: &Path| DISKS.iter().any(|disk| name.to_string_lossy().starts_with(disk));
    path.strip_prefix("/dev").is_ok_and(is_disk)
}

/// `git clean` is allowed in the project.
fn cleans_outside(view: &InvocationView<'_>) -> bool {
    let Some(call) = crate::git_call::GitCall::of(view) else { return false };
    let cleans = call.command == "clean" && call.arguments(&["e"]).has(&["f", "force"]);
    cleans
        && call.place(view).is_none_or(|place| owner_of(&place, view.context) == PathOwner::Outside)
}
