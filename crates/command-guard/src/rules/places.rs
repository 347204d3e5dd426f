//! The policy for effects on files: what may be done with a place, by its owner and by the table of protected places.

use std::path::Path;
use std::sync::LazyLock;

use shell_analysis::{Launcher, Word};

use crate::effect::{Effect, FileAction};
use crate::effects::TEXT_PRINTERS;
use crate::invocation_view::InvocationView;
use crate::pattern::UNKNOWN;
use crate::place::{PathOwner, Place, Relation, as_text, is_temporary_folder, owner_of, relation};
use crate::policy_table::{Reason, Row, rows};
use crate::words::words;
use crate::{Category, CommandContext, Refusal};

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("places.txt")).collect());

/// One refusal per category, for the effects of a command and of the code in it.
pub(crate) fn judge(view: &InvocationView<'_>, of_code: &[Effect]) -> Vec<Refusal> {
    let effects: Vec<&Effect> = view.effects.iter().chain(of_code).collect();
    let mut reasons: Vec<Reason> = Vec::new();
    for effect in &effects {
        if let Place::At(path) = &effect.place {
            reasons.extend(protected(view, path, effect.action));
        }
        if effect.place != Place::Unknown || !is_set_later(view) {
            reasons.extend(by_class(view.context, &effect.place, effect.action));
        }
    }
    reasons.extend(opens_project(view, &effects));
    reasons.extend(of_words(view, &effects));
    let mut found: Vec<Refusal> = Vec::new();
    for reason in reasons {
        if found.iter().all(|refusal| refusal.category != reason.category) {
            found.push(view.refusal(reason));
        }
    }
    found
}

/// The reasons against an effect by the class of its place.
pub(crate) fn by_class(context: &CommandContext, place: &Place, action: FileAction) -> Vec<Reason> {
    let classes = classes(context, place);
    if classes.is_empty() {
        return Vec::new();
    }
    let has = |row: &Row| {
        let (actions, of) = row.text.split_once(" : ").unwrap_or_default();
        of.split(' ').any(|class| classes.contains(&class))
            && actions.split(' ').any(|name| FileAction::named(name) == Some(action))
    };
    ROWS.iter().filter(|row| has(row)).map(|row| row.reason).collect()
}

/// The classes of a place, as in the table.
fn classes(context: &CommandContext, place: &Place) -> Vec<&'static str> {
    let path = match place {
        Place::At(path) => path,
        Place::Temporary => return Vec::new(),
        Place::Unknown => return vec!["UNKNOWN"],
    };
    let mut classes = match owner_of(path, context) {
        PathOwner::Outside if path.starts_with("/dev") => Vec::new(),
        PathOwner::Outside if is_temporary_folder(path, context) => vec!["TEMPORARY"],
        PathOwner::Outside if path.ends_with("*") || path.ends_with("{}") => {
            vec!["OUTSIDE", "EVERYTHING-OUTSIDE"]
        }
        PathOwner::Outside => vec!["OUTSIDE"],
        PathOwner::Stream => vec!["STREAM"],
        _ => Vec::new(),
    };
    match relation(path, &context.project) {
        Relation::Above => classes.push("ABOVE"),
        Relation::Same => classes.push("PROJECT"),
        Relation::Below => {}
        Relation::Apart => return classes,
    }
    let is_lock = || path.extension().is_some_and(|extension| extension == "lock");
    if relation(path, &context.project.join(".git")) != Relation::Apart && !is_lock() {
        classes.push("HISTORY");
    }
    let is_any = |letter: char| "*.?".contains(letter) || letter == UNKNOWN;
    let inside =
        path.strip_prefix(&context.project).ok().filter(|_| as_text(path).ends_with(is_any));
    let inside = inside.unwrap_or(Path::new("x")).to_string_lossy();
    if !inside.is_empty() && inside.chars().all(is_any) {
        classes.push("EVERYTHING");
    }
    classes
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
    let mut reasons = view.whole.protected.reasons(path, action, view.context);
    reasons.retain(|reason| {
        reason.category != Category::CredentialFiles || takes_credentials(view, path)
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
fn opens_project(view: &InvocationView<'_>, effects: &[&Effect]) -> Option<Reason> {
    let is_whole = |effect: &&Effect| {
        effect.action == FileAction::ModeTree
            && matches!(&effect.place, Place::At(path) if relation(path, &view.context.project) == Relation::Same)
    };
    let says = |names: &[&str]| view.texts.iter().any(|word| names.contains(&word.as_ref()));
    let opens =
        view.is(&["chmod"]) && says(words!("777 0777 a+rwx ugo+rwx a=rwx 666 +rwx 000 -rwx a-rwx"));
    let takes = view.is(&["chown"])
        && view.texts.iter().any(|word| word.starts_with("root") || word.starts_with("0:"));
    ((opens || takes) && effects.iter().any(is_whole)).then(|| {
        reason(Category::PermissionSweep, "it changes the mode or the owner of the whole project")
    })
}

/// What its words name besides the effects: keys, disks, a folder to clean, a reference to another variable.
fn of_words(view: &InvocationView<'_>, effects: &[&Effect]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    // Their options name keys that they use, and copied files are effects.
    let uses = TEXT_PRINTERS.contains(&view.program.as_ref())
        || view.is(words!("scp sftp rsync find gfind"));
    let is_read =
        |place: &Place| protected(view, place.path()?, FileAction::Read).into_iter().next();
    let places: Vec<Place> = view.words.iter().map(|word| view.place(word)).collect();
    let mut named = view.words.iter().zip(&places).filter(|_| !uses);
    reasons.extend(named.find_map(|(word, place)| {
        let mut parts = parts_of(word).into_iter();
        is_read(place).or_else(|| parts.find_map(|part| is_read(&view.place(&part))))
    }));
    let mut named = view.words.iter().zip(&places).filter(|_| !view.is(INFO_PROGRAMS));
    if named.any(|(word, place)| names_disk(view, word, place)) {
        reasons.push(reason(Category::DiskTools, "it works on a disk directly"));
    }
    let to_null = |effect: &&Effect| {
        effect.action == FileAction::Write && effect.place == Place::At("/dev/null".into())
    };
    let why = if view.is(&["mv", "gmv"]) && effects.iter().any(to_null) {
        Some("moving to /dev/null deletes the files")
    } else if cleans_outside(view) {
        Some("it cleans a folder outside the project")
    } else {
        None
    };
    reasons.extend(why.map(|why| reason(Category::RecursiveDelete, why)));
    reasons
}

/// The possible file names in a word besides the whole word: the part after a sign or an option letter.
fn parts_of(word: &Word) -> Vec<Word> {
    const MOST: usize = 4;
    let start = word.known_start();
    let glued = start.find('/').filter(|_| start.starts_with('-'));
    let address = start.find("file:").map(|at| {
        let path = start[at + "file:".len()..].trim_start_matches("//");
        start.len() - path.len()
    });
    let signs = start.match_indices(['=', '@']).map(|(at, _)| at + 1).take(MOST);
    signs.chain(glued).chain(address).map(|at| word.without_start(at)).collect()
}

/// Prefixes of disk names below `/dev`.
const DISKS: &[&str] = words!("sd hd vd xvd nvme mmcblk disk rdisk mapper dm- md");

/// Programs that only print information about a disk.
const INFO_PROGRAMS: &[&str] =
    words!("ls lsblk df stat file blkid findmnt udevadm echo printf test [ [[ grep rg git");

/// Whether a word names a disk, also as the value of an option or a setting.
fn names_disk(view: &InvocationView<'_>, word: &Word, place: &Place) -> bool {
    let value = word.known_start().find('=').map(|at| view.place(&word.without_start(at + 1)));
    let Place::At(path) = value.as_ref().unwrap_or(place) else { return false };
    let path = as_text(path);
    path.strip_prefix("/dev/").is_some_and(|name| DISKS.iter().any(|disk| name.starts_with(disk)))
}

/// `git clean` is allowed in the project.
fn cleans_outside(view: &InvocationView<'_>) -> bool {
    let Some(call) = crate::git_call::GitCall::of(view) else { return false };
    let cleans = call.command == "clean" && call.arguments(&["e"]).has(&["f", "force"]);
    cleans
        && call.place(view).is_none_or(|place| owner_of(&place, view.context) == PathOwner::Outside)
}

/// A reason with the way out of its category.
fn reason(category: Category, why: &'static str) -> Reason {
    let instead = match category {
        Category::DiskTools => "Work only with files inside the project",
        Category::PermissionSweep => {
            "Change the mode of the one file inside the project that needs it"
        }
        _ => {
            "Delete only files that you created, by their path inside the project or a temporary folder"
        }
    };
    Reason { category, why, instead }
}
