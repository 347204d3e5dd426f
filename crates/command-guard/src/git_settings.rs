//! Git settings whose values git runs.

use crate::pattern::glob;
use crate::words::words;

const RUN: &[&str] = words!(
    "core.hookspath core.sshcommand core.pager core.editor core.fsmonitor core.askpass core.gitproxy sequence.editor
     gpg.program gpg.ssh.program gpg.*.program init.templatedir include.path uploadpack.packobjectshook protocol.ext.allow
     core.alternaterefscommand diff.external interactive.difffilter alias.* credential.* filter.[!l]* filter.l[!f]*
     includeif.* pager.* difftool.* mergetool.* url.*insteadof remote.*url remote.*proxy remote.*.vcs remote.*.uploadpack
     remote.*.receivepack diff.*command trailer.*command trailer.*cmd diff.*textconv merge.*driver submodule.*update
     browser.* man.* guitool.* sendemail.*cmd tar.*.command core.worktree instaweb.* web.browser"
);

pub(crate) fn runs_something(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    RUN.iter().any(|pattern| glob(pattern, &name))
}
