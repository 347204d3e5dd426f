//! The real Chromium in headless mode, with its own profile and home, and without network access.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::json;
use tempfile::TempDir;

use crate::child::Child;
use crate::devtools::DevTools;
use crate::tab::Tab;

/// The environment variable with the path of the tested Chromium.
const PATH_VARIABLE: &str = "RALPH_TEST_CHROMIUM";

/// Flags for root, containers without a sandbox, no graphics card and little shared memory.
/// Chromium sends no requests of its own, and no host name resolves.
const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--remote-debugging-port=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "about:blank",
];

pub(crate) struct Chromium(Mutex<Process>);

struct Process {
    devtools: DevTools,
    /// Host and port of DevTools.
    address: String,
    // Fields are dropped in this order: Chromium has ended when the home is removed.
    _child: Child,
    _home: TempDir,
}

impl Chromium {
    /// One browser for all concurrent tests. It ends with the last of them.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Chromium>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let browser = Arc::new(Self(Mutex::new(Process::start())));
            *shared = Arc::downgrade(&browser);
            browser
        })
    }

    /// A tab with its own cookies and storage.
    pub(crate) fn tab(&self) -> Tab {
        let mut process = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let context = process.devtools.call("Target.createBrowserContext", json!({}));
        let target = process.devtools.call(
            "Target.createTarget",
            json!({ "url": "about:blank", "browserContextId": context["browserContextId"] }),
        );
        let target = target["targetId"].as_str().unwrap();
        let url = format!("ws://{}/devtools/page/{target}", process.address);
        Tab::over(DevTools::connect(&process.address, &url))
    }
}

impl Process {
    fn start() -> Self {
        let home = TempDir::with_prefix("chromium-home-").unwrap();
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(home.path().join("profile"));
        let args = [profile].into_iter().chain(FLAGS.map(OsString::from));
        let environment = vec![
            ("HOME".into(), home.path().into()),
            ("TMPDIR".into(), home.path().into()),
            ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
        ];
        let child = Child::start(&program(), args, environment);
        let url = child.find(|line| {
            line.strip_prefix("DevTools listening on ").map(|url| url.trim().to_owned())
        });
        let rest = url.strip_prefix("ws://").unwrap();
        let address = rest.split('/').next().unwrap().to_owned();
        Self { devtools: DevTools::connect(&address, &url), address, _child: child, _home: home }
    }
}

fn program() -> PathBuf {
    match std::env::var_os(PATH_VARIABLE) {
        Some(program) if !program.is_empty() => program.into(),
        _ => panic!("{PATH_VARIABLE} is not set: {PATH_VARIABLE}=$(command -v chromium)"),
    }
}
