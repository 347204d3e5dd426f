//! Options of a run in clones of the project: how many, and where.

use std::path::{Path, PathBuf};

use anyhow::Result;
use engine::LaneOptions;
use project::{Layout, env};
use settings::{Executor, LoadedSettings, Settings};
use tasks::Sha256Digest;
use vcs::WorkTree;

use super::command_rules::absolute;
use super::{jobs, place};
use crate::command_error::precondition;

const PORTS_PER_LANE: u64 = 100;

/// The first port that every user may use.
const UNPRIVILEGED: u64 = 1024;

/// `None` if the run works in the user's work tree.
pub(crate) fn lanes(
    loaded: &LoadedSettings,
    layout: &Layout,
    agent_program: Option<&Path>,
) -> Result<Option<LaneOptions>> {
    let Settings { jobs, lanes, .. } = &loaded.settings;
    if !uses_lanes(&loaded.settings) {
        return Ok(None);
    }
    let highest = highest_first_port(*jobs);
    if u64::from(lanes.first_port) > highest {
        let fix = match highest {
            0..UNPRIVILEGED => "use fewer jobs".to_owned(),
            port => format!("set lanes.firstPort to at most {port}, or use fewer jobs"),
        };
        return Err(precondition(
            format!("too many jobs for the ports from {} on: {jobs}", lanes.first_port),
            format!(
                "each job needs {PORTS_PER_LANE} ports, and so do the checks of merged work: {fix}"
            ),
        ));
    }
    Ok(Some(LaneOptions {
        dir: lanes_dir(loaded, layout)?,
        jobs: *jobs,
        setup: lanes.setup.clone(),
        first_port: lanes.first_port,
        sessions: jobs::jobs(loaded, "on", &loaded.settings.on, agent_program)?,
        checks: jobs::jobs(loaded, "checks.on", &loaded.settings.checks.on, agent_program)?,
    }))
}

fn uses_lanes(settings: &Settings) -> bool {
    let executors = [&settings.on, &settings.checks.on];
    settings.separate
        || settings.jobs > 1
        || executors.into_iter().any(|name| name != Executor::LOCAL)
}

/// One block of ports is for the clone that verifies merged work.
fn highest_first_port(jobs: u64) -> u64 {
    let needed = jobs.saturating_add(1).saturating_mul(PORTS_PER_LANE);
    (u64::from(u16::MAX) + 1).saturating_sub(needed)
}

/// The folder for the clones of this project, whether it exists or not.
pub(crate) fn lanes_dir(loaded: &LoadedSettings, layout: &Layout) -> Result<PathBuf> {
    let root = layout.root();
    let (of_all, place) = match &loaded.settings.lanes.dir {
        Some(dir) => (absolute(dir, root, "lanes.dir")?, place(loaded, "lanes.dir")),
        None => (state_folder()?.join("ralph/lanes"), "the default folder for lanes".to_owned()),
    };
    let of_all = resolved(&of_all);
    let tree = WorkTree::open(root).ok();
    let project = tree.as_ref().map_or(root, WorkTree::top);
    if of_all.starts_with(resolved(project)) {
        return Err(precondition(
            format!("{place}: folder {} is inside the project", of_all.display()),
            "choose a folder outside of the repository with lanes.dir or --lanes-dir, such as ~/lanes",
        ));
    }
    Ok(of_all.join(folder_name(root)))
}

/// Distinct for each project, because several may share the folder for lanes.
fn folder_name(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '-' }).take(40).collect();
    let digest = Sha256Digest::of(root.to_string_lossy().as_bytes()).short();
    format!("{name}-{digest}")
}

/// Also on macOS, where the path of the usual folder contains a space, which breaks many builds.
fn state_folder() -> Result<PathBuf> {
    let variable = |name| env::variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let of_system = variable("XDG_STATE_HOME");
    let of_system = of_system.or_else(|| variable("LOCALAPPDATA").filter(|_| cfg!(windows)));
    of_system.or_else(|| Some(env::home()?.join(".local/state"))).ok_or_else(|| {
        precondition(
            "no folder for lanes: HOME is not set",
            "set HOME, or set lanes.dir to a folder outside of the project",
        )
    })
}

/// The existing part of the path with every link resolved, and the rest unchanged.
fn resolved(path: &Path) -> PathBuf {
    let resolve = |there: &Path| {
        let rest = path.strip_prefix(there).ok()?;
        Some(there.canonicalize().ok()?.components().chain(rest.components()).collect())
    };
    path.ancestors().find_map(resolve).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use settings::Flags;

    use super::*;
    use crate::resolve;

    fn resolved_with(root: &Path, settings: &str) -> Result<Option<LaneOptions>, String> {
        let layout = Layout::new(root);
        std::fs::create_dir_all(layout.data_dir()).unwrap();
        std::fs::write(layout.settings(), settings).unwrap();
        let loaded = resolve::settings(&layout, &Flags::default()).unwrap();
        lanes(&loaded, &layout, None).map_err(|error| error.to_string())
    }

    #[test]
    fn several_jobs_imply_clones_and_each_project_has_its_folder() {
        let dir = TempDir::new().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (shop, other) = (base.join("my shop"), base.join("b/my shop"));
        assert!(resolved_with(&shop, "{}").unwrap().is_none());
        assert!(resolved_with(&shop, r#"{"lanes": {"dir": "x"}}"#).unwrap().is_none());
        let separate = r#"{"separate": true, "lanes": {"dir": "../lanes", "setup": ["npm ci"]}}"#;
        let one = resolved_with(&shop, separate).unwrap().unwrap();
        assert_eq!((one.jobs, one.first_port, &one.setup[..]), (1, 20_000, &["npm ci".into()][..]));
        assert_eq!(one.dir.parent(), Some(&*base.join("lanes")));
        let name = one.dir.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("my-shop-") && name.len() == 20, "{name}");
        let jobs = r#"{"jobs": 3, "lanes": {"dir": "../../lanes"}}"#;
        let three = resolved_with(&other, jobs).unwrap().unwrap();
        assert_eq!((three.jobs, three.dir.parent()), (3, one.dir.parent()));
        assert_ne!(three.dir, one.dir);
    }

    #[test]
    fn a_folder_inside_the_repository_is_refused() {
        let dir = TempDir::new().unwrap();
        test_repo::init_for_commits(dir.path());
        let project = dir.path().join("packages/shop");
        std::fs::create_dir_all(&project).unwrap();
        for inside in ["lanes", ".", "../../lanes", "../shop/./x/y"] {
            let settings = format!(r#"{{"separate": true, "lanes": {{"dir": "{inside}"}}}}"#);
            let refused = resolved_with(&project, &settings).unwrap_err();
            let start = ".ralph/settings.json: lanes.dir: folder ";
            assert!(refused.starts_with(start), "{refused}");
            assert!(refused.ends_with(" is inside the project"), "{refused}");
        }
        let beside = format!("{}-lanes", dir.path().display());
        let settings = format!(r#"{{"separate": true, "lanes": {{"dir": "{beside}"}}}}"#);
        assert!(resolved_with(&project, &settings).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_into_the_project_is_followed() {
        let dir = TempDir::new().unwrap();
        let project = dir.path().join("shop");
        std::fs::create_dir_all(&project).unwrap();
        std::os::unix::fs::symlink(&project, dir.path().join("link")).unwrap();
        let settings = r#"{"separate": true, "lanes": {"dir": "../link/lanes"}}"#;
        assert!(resolved_with(&project, settings).is_err());
    }

    #[test]
    fn every_lane_and_the_verification_have_100_ports() {
        let dir = TempDir::new().unwrap();
        let with = |jobs, port| {
            let lanes = format!(r#"{{"dir": "/l", "firstPort": {port}}}"#);
            let settings = format!(r#"{{"separate": true, "jobs": {jobs}, "lanes": {lanes}}}"#);
            resolved_with(dir.path(), &settings)
        };
        assert!(with(4, 65_036).is_ok());
        let refused = with(4, 65_037).unwrap_err();
        assert_eq!(refused, "too many jobs for the ports from 65037 on: 4");
        assert!(with(u64::MAX, 1).is_err());
    }
}
