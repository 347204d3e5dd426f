//! Pushes a branch as it was judged, to the branch of the same name. Settings that redirect a push are ignored.

use std::ffi::OsString;
use std::time::Instant;

use super::{Scm, ScmProgress, TIMEOUT};
use crate::RunError;
use crate::control::RunControl;
use crate::options::{ScmOptions, ScmTask};

impl Scm<'_> {
    /// The arguments of the program, or why there is nothing to push.
    fn push(&self) -> Result<Result<Vec<OsString>, &'static str>, RunError> {
        let is_git = self.options.program.file_stem().is_some_and(|name| name == "git");
        if !is_git {
            return Ok(Ok(vec!["push".into()]));
        }
        let deadline = Instant::now() + TIMEOUT;
        let Some(branch) = self.tree.state(deadline)?.branch else {
            return Ok(Err("HEAD is detached"));
        };
        let Some(remote) = self.tree.remote_of(&branch, deadline)? else {
            return Ok(Err("there is no remote"));
        };
        let set_upstream = !self.tree.has_upstream(&branch, deadline)?;
        Ok(Ok(push_args(&remote, &branch, set_upstream)))
    }
}

impl RunControl<'_> {
    /// The user's hooks run before it and may have committed.
    pub(super) fn push(
        &mut self,
        scm: &Scm<'_>,
        left: &[ScmTask],
    ) -> Result<ScmProgress, RunError> {
        let judged = scm.tree.head(Instant::now() + TIMEOUT)?;
        let args = match scm.push()? {
            Ok(args) => args,
            Err(why) => return self.scm_failed(&scm.options.program, "push", why),
        };
        let performed = self.scm_task(&scm.options.program, "push", args, "pushed")?;
        if performed == ScmProgress::All && scm.tree.head(Instant::now() + TIMEOUT)? != judged {
            return Ok(ScmProgress::OtherThanChecked { left: left.to_vec() });
        }
        Ok(performed)
    }

    /// A branch that is not checked out. A failed push is no error of the run.
    pub(crate) fn push_branch(
        &mut self,
        options: &ScmOptions,
        remote: &str,
        branch: &str,
    ) -> Result<Result<(), String>, RunError> {
        let set_upstream = true;
        let args = push_args(remote, branch, set_upstream);
        match self.scm_task(&options.program, "push", args, &format!("pushed {branch}")) {
            Ok(ScmProgress::All) => Ok(Ok(())),
            Ok(_) => Ok(Err("the run was stopped".to_owned())),
            Err(RunError::Scm { what }) => Ok(Err(what)),
            Err(error) => Err(error),
        }
    }
}

/// git resolves the branch before it runs a hook.
fn push_args(remote: &str, branch: &str, set_upstream: bool) -> Vec<OsString> {
    let no_mirror = format!("remote.{remote}.mirror=false");
    let whole = format!("refs/heads/{branch}:refs/heads/{branch}");
    let upstream: &[&str] = if set_upstream { &["--set-upstream"] } else { &[] };
    let args = [&["-c", &no_mirror, "push"], upstream, &[remote, &whole]].concat();
    args.into_iter().map(OsString::from).collect()
}
