//! The files of a user's project, and who may write them.

use std::path::{Component, Path, PathBuf};

use tasks::{SkillName, StoryId};

/// Prefix of temporary files during a replacement.
pub const TEMPORARY_PREFIX: &str = ".ralph-tmp-";

/// Files of a run that git ignores, relative to the project.
const RUNTIME_FILES: [&str; 7] = [
    ".ralph-active",
    ".ralph/lock",
    ".ralph/prompt-state.json",
    ".ralph/settings.local.json",
    ".ralph/state.json",
    ".ralph/state.md",
    ".ralph/sync.json",
];
const RUNTIME_FOLDERS: [&str; 3] = [".ralph/memory/", ".ralph/orders/", ".ralph/runs/"];

/// What a review may change besides the ralph folder: the project's memory for agents.
const MEMORY_FILE: &str = "CLAUDE.md";
const MEMORY_FOLDER: &str = ".claude/";

/// The number of skills that are protected.
pub(crate) const MOST_SKILLS: usize = 100;

/// Files of the user in the ralph folder; no agent may change them while a loop runs.
pub const USERS_FILES: [&str; 4] = ["prd.md", "prompt.md", FIRST_PROMPT, MEMORY_PROMPT];
const FIRST_PROMPT: &str = "first-iteration.md";
const MEMORY_PROMPT: &str = "memory-prompt.md";

/// Files of an agent in the ralph folder, if that is the project itself.
pub const AGENTS_FILES: [&str; 2] = ["tasks.json", "progress.txt"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    ralph_dir: PathBuf,
    /// The user's alternative to the project's settings file.
    named_settings: Option<PathBuf>,
    /// The project that has the runner's files, if `root` is a clone of it.
    original: Option<PathBuf>,
}

impl Layout {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            ralph_dir: PathBuf::from("ralph"),
            named_settings: None,
            original: None,
        }
    }

    /// The same for a clone of the project. The runner's files stay in the project, where no session in the clone
    /// can write if it is sandboxed.
    pub fn in_clone(&self, root: impl Into<PathBuf>) -> Self {
        let original = Some(self.project_root().to_path_buf());
        Self { root: root.into(), original, ..self.clone() }
    }

    /// `ralph_dir` is relative to the root or absolute, in any spelling.
    pub fn with_ralph_dir(self, ralph_dir: impl AsRef<Path>) -> Self {
        let ralph_dir = lexically_normal(ralph_dir.as_ref());
        let inside = ralph_dir.strip_prefix(lexically_normal(&self.root)).map(Path::to_path_buf);
        Self { ralph_dir: inside.unwrap_or(ralph_dir), ..self }
    }

    /// Another settings file than the project's, as an absolute path.
    pub fn with_settings(self, file: PathBuf) -> Self {
        Self { named_settings: Some(file), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Like `root`; for a clone, the project that was cloned.
    pub fn project_root(&self) -> &Path {
        self.original.as_deref().unwrap_or(&self.root)
    }

    pub fn ralph_dir(&self) -> PathBuf {
        self.root.join(&self.ralph_dir)
    }

    pub fn tasks(&self) -> PathBuf {
        self.ralph_dir().join("tasks.json")
    }

    /// `ralph/tasks.json`, for messages.
    pub fn tasks_name(&self) -> String {
        self.name_in_ralph_dir("tasks.json")
    }

    pub fn progress_name(&self) -> String {
        self.name_in_ralph_dir("progress.txt")
    }

    /// Maps the criteria of a story to the tests that prove them.
    pub fn proof_name(&self, story: &StoryId) -> String {
        self.name_in_ralph_dir(&format!("proofs/{story}.json"))
    }

    pub fn marker(&self) -> PathBuf {
        self.root.join(".ralph-active")
    }

    pub fn data_dir(&self) -> PathBuf {
        self.root.join(".ralph")
    }

    /// Like `data_dir`, for files that only the runner uses.
    fn runner_dir(&self) -> PathBuf {
        self.project_root().join(".ralph")
    }

    pub fn lock(&self) -> PathBuf {
        self.runner_dir().join("lock")
    }

    /// State that survives a killed run.
    pub fn state(&self) -> PathBuf {
        self.runner_dir().join("state.json")
    }

    /// The same for a prompt loop.
    pub fn prompt_state(&self) -> PathBuf {
        self.runner_dir().join("prompt-state.json")
    }

    /// The feedback of pull requests that stories got.
    pub fn sync_state(&self) -> PathBuf {
        self.runner_dir().join("sync.json")
    }

    /// Notes about failed attempts at a story, for the next attempt.
    pub fn state_md(&self) -> PathBuf {
        self.data_dir().join("state.md")
    }

    pub fn settings(&self) -> PathBuf {
        self.named_settings.clone().unwrap_or_else(|| self.data_dir().join("settings.json"))
    }

    /// The user's alternative settings file, if it is in the project, where an agent can write.
    pub fn named_settings_inside(&self) -> Option<&Path> {
        self.named_settings.as_deref().filter(|file| file.starts_with(&self.root))
    }

    /// Every settings file of Ralph in the project, including the default one if this run reads another: the next
    /// run may read it.
    pub fn settings_files(&self) -> Vec<PathBuf> {
        let own = [self.data_dir().join("settings.json"), self.local_settings()];
        let named = self.named_settings_inside().map(Path::to_path_buf);
        let named = named.filter(|named| !own.contains(named));
        own.into_iter().chain(named).collect()
    }

    /// Settings of this machine, which override those of the project.
    pub fn local_settings(&self) -> PathBuf {
        self.data_dir().join("settings.local.json")
    }

    /// The MCP servers of a coding session.
    pub fn mcp_coding(&self) -> PathBuf {
        self.data_dir().join("mcp/coding.json")
    }

    /// The MCP servers of a session that compacts handoffs.
    pub fn mcp_memory(&self) -> PathBuf {
        self.data_dir().join("mcp/memory.json")
    }

    /// Skills that stories may load into sessions, one file each.
    pub fn skills_dir(&self) -> PathBuf {
        self.data_dir().join("skills")
    }

    pub fn skill(&self, name: &SkillName) -> PathBuf {
        self.skills_dir().join(format!("{name}.md"))
    }

    /// Memory shared between runs.
    pub fn memory_dir(&self) -> PathBuf {
        self.runner_dir().join("memory")
    }

    /// Orders of the user to a running loop.
    pub fn orders(&self) -> PathBuf {
        self.runner_dir().join("orders")
    }

    /// One folder per run, named by its id; the ids sort by time.
    pub fn runs(&self) -> PathBuf {
        self.runner_dir().join("runs")
    }

    pub fn run_dir(&self, run_id: &str) -> PathBuf {
        self.runs().join(run_id)
    }

    pub fn prompt(&self) -> PathBuf {
        self.ralph_dir().join("prompt.md")
    }

    /// In place of `prompt`, for the first iteration of a plan.
    pub fn first_prompt(&self) -> PathBuf {
        self.ralph_dir().join(FIRST_PROMPT)
    }

    /// For sessions that compact handoffs.
    pub fn memory_prompt(&self) -> PathBuf {
        self.ralph_dir().join(MEMORY_PROMPT)
    }

    /// `ralph`, for messages.
    pub fn ralph_dir_name(&self) -> String {
        slashed(&self.ralph_dir)
    }

    /// A path for messages: relative to the project if it is inside.
    pub fn name_of(&self, path: &Path) -> String {
        let roots = [Some(&self.root), self.original.as_ref()];
        let inside = roots.into_iter().flatten().find_map(|root| path.strip_prefix(root).ok());
        slashed(inside.unwrap_or(path))
    }

    /// A path for an agent that works in `root`: relative if it is inside.
    pub fn name_for_agent(&self, path: &Path) -> String {
        slashed(path.strip_prefix(&self.root).unwrap_or(path))
    }

    /// Files that belong to the user while a loop runs, relative to the project.
    pub fn protected_names(&self) -> Vec<String> {
        let ours = USERS_FILES.map(|name| self.name_in_ralph_dir(name));
        let servers = [self.mcp_coding(), self.mcp_memory()];
        let others = self.settings_files().into_iter().chain(servers).chain(self.claude_settings());
        let others = others.map(|path| self.name_of(&path));
        ours.into_iter().chain(others).chain(self.skill_names()).collect()
    }

    /// Claude Code's settings for the project. They can disable hooks in later sessions.
    pub fn claude_settings(&self) -> [PathBuf; 2] {
        ["settings.json", "settings.local.json"]
            .map(|name| self.root.join(MEMORY_FOLDER).join(name))
    }

    /// The first existing skills, relative to the project and sorted. A skill influences every session that reads
    /// it, including reviews.
    pub(crate) fn skill_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.skills_dir()).into_iter().flatten().flatten();
        let skill = |name: String| SkillName::new(name.strip_suffix(".md")?).ok();
        let skills = entries.filter_map(|entry| skill(entry.file_name().into_string().ok()?));
        let mut names: Vec<String> =
            skills.map(|skill| self.name_of(&self.skill(&skill))).collect();
        names.sort_unstable();
        names.truncate(MOST_SKILLS);
        names
    }

    /// Whether a loop was set up in this project.
    pub fn is_set_up(&self) -> bool {
        self.tasks().exists() || self.data_dir().exists()
    }

    /// Whether the program itself writes `path` (relative to the root, with `/`), independent of .gitignore.
    pub fn is_runtime(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let written_here = || {
            let ralph_dir = slashed(&self.ralph_dir);
            ["", ".ralph", &ralph_dir].contains(&folder)
        };
        RUNTIME_FILES.contains(&path)
            || RUNTIME_FOLDERS.iter().any(|folder| path.starts_with(folder))
            || (name.starts_with(TEMPORARY_PREFIX) && written_here())
    }

    /// Git ignore patterns for the files of a run, for projects whose .gitignore lacks them.
    pub fn runtime_patterns(&self) -> Vec<String> {
        let names = RUNTIME_FILES.into_iter().chain(RUNTIME_FOLDERS).map(str::to_owned);
        let folders = ["".to_owned(), ".ralph/".to_owned(), format!("{}/", self.ralph_dir_name())];
        let temporary = folders.map(|folder| format!("{folder}{TEMPORARY_PREFIX}*"));
        names.chain(temporary).collect()
    }

    /// What a review may change.
    pub fn review_scope(&self) -> ReviewScope {
        let mut folders = vec![slashed(&self.ralph_dir)];
        // git names the target of a link, and resolves the links above the project.
        if let (Ok(root), Ok(real)) = (self.root.canonicalize(), self.ralph_dir().canonicalize())
            && let Ok(inside) = real.strip_prefix(root)
        {
            folders.push(slashed(inside));
        }
        ReviewScope { folders }
    }

    /// What a specify iteration may change besides test files: the list, the progress file and the proof file.
    pub fn specify_scope(&self, story: &StoryId) -> Vec<String> {
        let folders = self.review_scope().folders.into_iter();
        let own =
            ["tasks.json".to_owned(), "progress.txt".to_owned(), format!("proofs/{story}.json")];
        folders
            .flat_map(|folder| own.clone().map(|name| slashed(&Path::new(&folder).join(name))))
            .collect()
    }

    /// The list and its files, relative to the project; folders end with a slash. Empty if they are outside it.
    pub fn list_paths(&self) -> Vec<String> {
        let mut folders = self.review_scope().folders;
        folders.dedup();
        let inside =
            |folder: &String| !Path::new(folder).is_absolute() && !folder.starts_with("..");
        folders
            .into_iter()
            .filter(inside)
            .flat_map(|folder| match folder.as_str() {
                "" => AGENTS_FILES.into_iter().chain(USERS_FILES).map(str::to_owned).collect(),
                folder => vec![format!("{folder}/")],
            })
            .collect()
    }

    fn name_in_ralph_dir(&self, name: &str) -> String {
        slashed(&self.ralph_dir.join(name))
    }
}

/// The paths that a review may change: it judges, it does not fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewScope {
    folders: Vec<String>,
}

impl ReviewScope {
    /// `path` is relative to the root, with `/`.
    pub fn contains(&self, path: &str) -> bool {
        let in_ralph_dir = self.folders.iter().any(|folder| match folder.as_str() {
            "" => AGENTS_FILES.contains(&path),
            folder => path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        });
        in_ralph_dir || path == MEMORY_FILE || path.starts_with(MEMORY_FOLDER)
    }
}

/// Without `.`, doubled separators, and `..` after a folder.
fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(normal.components().next_back(), Some(Component::Normal(_))) =>
            {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtime_files_are_the_programs_own() {
        let layout = Layout::new("/p");
        for path in [
            ".ralph-active",
            ".ralph/lock",
            ".ralph/state.json",
            ".ralph/state.md",
            ".ralph/sync.json",
            ".ralph/settings.local.json",
            ".ralph/runs/r1/events.jsonl",
            ".ralph/memory/graph.jsonl",
            ".ralph/orders/1.json",
            ".ralph-tmp-x1",
            ".ralph/.ralph-tmp-x1",
            "ralph/.ralph-tmp-x1",
        ] {
            assert!(layout.is_runtime(path), "{path}");
        }
        for path in [
            ".ralph/settings.json",
            ".ralph/skills/a.md",
            ".ralph/mcp/coding.json",
            "ralph/tasks.json",
            "src/.ralph-active",
            ".ralph/runs",
            "src/.ralph-tmp-x1",
        ] {
            assert!(!layout.is_runtime(path), "{path}");
        }
    }

    #[test]
    fn in_a_clone_the_runners_files_are_those_of_the_project() {
        let project = Layout::new("/p").with_ralph_dir("plan");
        let clone = project.in_clone("/lanes/1");
        assert_eq!(clone.project_root(), project.root());
        let runners = |layout: &Layout| {
            [layout.lock(), layout.state(), layout.orders(), layout.runs(), layout.memory_dir()]
        };
        assert_eq!(runners(&clone), runners(&project));
        for (path, wanted) in [
            (clone.tasks(), "/lanes/1/plan/tasks.json"),
            (clone.marker(), "/lanes/1/.ralph-active"),
            (clone.state_md(), "/lanes/1/.ralph/state.md"),
            (clone.skills_dir(), "/lanes/1/.ralph/skills"),
        ] {
            assert_eq!(path, Path::new(wanted));
        }
        assert_eq!(clone.name_of(&clone.run_dir("r1")), ".ralph/runs/r1");
        assert_eq!(clone.name_of(&clone.marker()), ".ralph-active");
    }

    #[test]
    fn runtime_files_are_ignored_and_user_files_are_not() {
        let patterns = Layout::new("/p").runtime_patterns();
        for wanted in [
            ".ralph-active",
            ".ralph/lock",
            ".ralph/memory/",
            ".ralph/orders/",
            ".ralph/runs/",
            "ralph/.ralph-tmp-*",
        ] {
            assert!(patterns.iter().any(|pattern| pattern == wanted), "{wanted}: {patterns:?}");
        }
        assert!(!patterns.iter().any(|pattern| pattern == ".ralph/settings.json"));
    }

    #[test]
    fn existing_skills_are_protected_like_settings() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let always = [
            "ralph/prd.md",
            "ralph/prompt.md",
            "ralph/first-iteration.md",
            "ralph/memory-prompt.md",
            ".ralph/settings.json",
            ".ralph/settings.local.json",
            ".ralph/mcp/coding.json",
            ".ralph/mcp/memory.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
        ];
        assert_eq!(layout.protected_names(), always);
        std::fs::create_dir_all(layout.skills_dir().join("folder")).unwrap();
        for name in ["testing.md", "api-design.md", "notes.txt", "no skill.md", ".md"] {
            std::fs::write(layout.skills_dir().join(name), "x").unwrap();
        }
        let skills = [".ralph/skills/api-design.md", ".ralph/skills/testing.md"];
        assert_eq!(layout.protected_names()[always.len()..], skills);

        for number in 0..200 {
            std::fs::write(layout.skills_dir().join(format!("s{number}.md")), "x").unwrap();
        }
        assert_eq!(layout.protected_names().len(), always.len() + MOST_SKILLS);
    }

    #[test]
    fn a_named_settings_file_is_protected_beside_the_projects_own() {
        let protected = |file: &str| {
            let layout = Layout::new("/p").with_settings(file.into());
            assert_eq!(layout.settings(), Path::new(file));
            layout.protected_names()
        };
        let names = protected("/p/ci/ralph.json");
        assert!(names.contains(&"ci/ralph.json".to_owned()), "{names:?}");
        assert!(names.contains(&".ralph/settings.json".to_owned()), "{names:?}");
        let own = Layout::new("/p").protected_names();
        assert_eq!(protected("/elsewhere/ralph.json"), own);
        assert_eq!(protected("/p/.ralph/settings.json"), own);
    }

    #[test]
    fn a_review_touches_only_the_ralph_folder_and_memory_however_it_is_spelled() {
        for spelling in
            ["ralph", "./ralph/", "/p/ralph", "/p/./ralph/", "ralph//", "x/../ralph", ".//ralph"]
        {
            let scope = Layout::new("/p").with_ralph_dir(spelling).review_scope();
            for path in
                ["ralph/tasks.json", "ralph/deep/x", "ralph", "CLAUDE.md", ".claude/rules/x.md"]
            {
                assert!(scope.contains(path), "{spelling}: {path}");
            }
            for path in [
                "src/lib.rs",
                "ralphx/tasks.json",
                "CLAUDE.md.bak",
                ".claude",
                "x/CLAUDE.md",
                "x/ralph/a",
            ] {
                assert!(!scope.contains(path), "{spelling}: {path}");
            }
        }
    }

    #[test]
    fn where_the_project_is_the_ralph_folder_a_review_touches_its_files() {
        for spelling in [".", "./", "", "/p", "/p/"] {
            let layout = Layout::new("/p").with_ralph_dir(spelling);
            assert_eq!(layout.tasks(), Path::new("/p/tasks.json"), "{spelling}");
            assert_eq!(layout.tasks_name(), "tasks.json");
            let scope = layout.review_scope();
            assert!(scope.contains("tasks.json") && scope.contains("progress.txt"));
            assert!(!scope.contains("src/lib.rs") && !scope.contains("prd.md"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_to_and_above_the_ralph_folder_are_followed() {
        use std::os::unix::fs::symlink;
        let dir = assert_fs::TempDir::new().unwrap();
        let real = dir.path().join("real");
        std::fs::create_dir_all(real.join("docs/ralph")).unwrap();
        symlink(&real, dir.path().join("link")).unwrap();
        symlink("docs/ralph", real.join("ralph")).unwrap();
        let absolute = real.canonicalize().unwrap().join("ralph");
        for ralph_dir in [PathBuf::from("ralph"), absolute] {
            let layout = Layout::new(dir.path().join("link")).with_ralph_dir(ralph_dir);
            assert!(layout.review_scope().contains("docs/ralph/tasks.json"));
            assert!(!layout.review_scope().contains("docs/other"));
        }
    }
}
