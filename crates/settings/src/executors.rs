//! Batch engines that run sessions on other machines.

use std::collections::BTreeMap;

use json_reader::{FieldPath, Json, Leaf};
use run_options::{BaseChecks, EngineKind, TimeSpan};
use serde_json::{Map, Value};

use crate::leaf::{NON_BLANK, POSITIVE, TIME};
use crate::section::{Keys, report_doubles, settings, whole_section};

settings! {
    /// A batch engine that runs sessions on other machines.
    pub struct Executor from keys {
        /// The engine. Default: the one that the executor is named after.
        pub engine: Option<EngineKind> = keys.optional("engine", Leaf::word()),
        /// The partition for the jobs. Default: that of the engine.
        pub partition: Option<String> = keys.optional("partition", NON_BLANK),
        /// The account that the jobs are charged to. Default: that of the engine.
        pub account: Option<String> = keys.optional("account", NON_BLANK),
        /// Time limit of a job, if that of its session is not shorter. It does not count while the job waits. Default:
        /// none.
        pub time: Option<TimeSpan> = keys.optional("time", TIME),
        /// Processors for a job. Default: those of the engine.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub cpus: Option<u64> = keys.optional("cpus", POSITIVE),
        /// Memory for a job, as the engine writes it: `8G`. Default: that of the engine.
        pub memory: Option<String> = keys.optional("memory", NON_BLANK),
        /// The image with `ralph-loop`, git and the agent. Kubernetes needs it.
        pub image: Option<String> = keys.optional("image", NON_BLANK),
        /// The namespace for jobs. Default: that of kubectl's configuration.
        pub namespace: Option<String> = keys.optional("namespace", NON_BLANK),
        /// The Kubernetes Secret with variables for the agent, such as its key.
        pub secret: Option<String> = keys.optional("secret", NON_BLANK),
        /// The Kubernetes Secret with files for git's home folder, such as `.git-credentials`. Agents do not get it.
        pub git_secret: Option<String> = keys.optional("gitSecret", NON_BLANK),
        /// Merged into the specification of Kubernetes pods: `nodeSelector`, `tolerations`, `serviceAccountName`, volumes.
        pub pod: Map<String, Value> = keys.optional("pod", OBJECT).unwrap_or_default(),
        /// More arguments for the program that submits jobs. For Kubernetes: for every call of kubectl.
        pub args: Vec<String> = keys.items("args", NON_BLANK).unwrap_or_default(),
        /// The engine's configuration file. Default: the one that its programs use.
        pub config: Option<String> = keys.optional("config", NON_BLANK),
        /// The repository that nodes fetch from and push to: a URL, or a path that they share. Default: the project's
        /// repository, by its path.
        pub remote: Option<String> = keys.optional("remote", NON_BLANK),
        /// The path of `ralph-loop` on a node or in the image. Default: its path here; `ralph-loop` in an image.
        pub program: Option<String> = keys.optional("program", NON_BLANK),
        /// A file on a node with variables for the agent, such as its key: lines of `NAME=value`, readable only for
        /// you.
        pub secrets: Option<String> = keys.optional("secrets", NON_BLANK),
        /// The folder for clones on a node. Default: its folder for temporary files.
        pub folder: Option<String> = keys.optional("folder", NON_BLANK),
    }
}

settings! {
    /// Where checks run, and what they mean before the first story.
    pub struct Checks from keys {
        /// An executor, or `local` for this machine. An executor implies `separate`.
        pub on: String = keys.or("on", NON_BLANK, Executor::LOCAL.into()),
        /// With a task list: what a check means that fails before the first story. It is not held against a story whose
        /// criteria do not name it (`excuse`), the run does not start (`require`), or the checks do not run then (`off`).
        pub base: BaseChecks = keys.optional("base", Leaf::word()).unwrap_or_default(),
    }
}

const OBJECT: Leaf<Map<String, Value>> = Leaf::new("an object", |json| match json {
    Json::Object(_) => serde_json::from_str(&json.to_string()).ok(),
    _ => None,
});

impl Executor {
    /// The name for this machine.
    pub const LOCAL: &str = "local";
}

pub(crate) fn read_executors(keys: &mut Keys<'_, '_, '_>) -> BTreeMap<String, Executor> {
    let Some(Keys { entries, place, problems, .. }) = keys.object("executors") else {
        return BTreeMap::new();
    };
    report_doubles(entries, &place, problems);
    let mut executors = BTreeMap::new();
    for (name, value) in entries.iter().filter(|(_, value)| *value != Json::Null) {
        let place = place.key(name);
        if let Some(keys) = Keys::of(Some(value), &place, FieldPath::Whole, problems) {
            executors.insert(name.clone(), whole_section(keys));
        }
    }
    executors
}
