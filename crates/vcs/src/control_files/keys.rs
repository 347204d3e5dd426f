//! The guarded git settings and the effect of changing them.
//!
//! Editors and tools write harmless keys (`branch.*`, `user.*`, unknown sections) during a run, so
//! only harmful keys are listed.

use super::Effect;

/// Settings that decide which files git sees, what counts as changed, conversions, or the
/// repository in use. Subsections are ignored: `filter.<driver>.clean` matches `filter.*`,
/// `submodule.<name>.ignore` matches `submodule.ignore`.
const DECIDES_CONTENT: &str = "
    attr.tree core.attributesfile core.autocrlf core.bare core.bigfilethreshold
    core.checkroundtripencoding core.checkstat core.eol core.excludesfile core.filemode
    core.fsmonitor core.fsmonitorhookversion core.ignorecase core.ignorestat
    core.precomposeunicode core.protecthfs core.protectntfs core.repositoryformatversion
    core.sparsecheckout core.sparsecheckoutcone core.splitindex core.symlinks core.trustctime
    core.untrackedcache core.usereplacerefs core.worktree diff.ignoresubmodules extensions.*
    feature.* filter.* fsmonitor.* include.* includeif.* index.* lfs.extension merge.renormalize
    remote.partialclonefilter remote.promisor sparse.* status.* submodule.active submodule.ignore
";

/// Settings that name a program, a credential or a remote address.
const EXECUTES: &str = "
    alias.* browser.* bundle.* commit.gpgsign commit.template core.alternaterefscommand
    core.askpass core.editor core.gitproxy core.hookspath core.pager core.sshcommand credential.*
    diff.* difftool.* fetch.bundleuri gc.* gpg.* guitool.* help.browser http.* imap.* instaweb.*
    interactive.difffilter lfs.customtransfer lfs.standalonetransferagent lfs.url
    log.showsignature maintenance.* man.* merge.* mergetool.* notes.* pager.* protocol.* push.*
    receive.* remote.mirror remote.proxy remote.push remote.pushdefault remote.receivepack
    remote.uploadpack remote.vcs sendemail.* sequence.editor ssh.variant submodule.update
    tag.gpgsign tar.command trailer.* uploadpack.* url.* user.signingkey web.browser
";

/// The effect of changing `key`; `None` if it is not guarded. `key` is in git's output form:
/// section and name in lower case, subsection unchanged.
pub(crate) fn effect(key: &str) -> Option<Effect> {
    let (section, name) = parts(key)?;
    let is_one_of = |list: &str| {
        list.split_whitespace().any(|guarded| match guarded.split_once('.') {
            Some((of, "*")) => of == section,
            Some((of, wanted)) => {
                of == section && (wanted == name || is_named(key, section, wanted))
            }
            None => false,
        })
    };
    if is_one_of(DECIDES_CONTENT) {
        return Some(Effect::DecidesContent);
    }
    is_one_of(EXECUTES).then_some(Effect::Executes)
}

/// For `lfs.customtransfer.<name>.path` the word after the section decides.
fn is_named(key: &str, section: &str, wanted: &str) -> bool {
    section == "lfs"
        && key[section.len() + 1..].split('.').next().is_some_and(|word| word == wanted)
}

/// Section and name of a key, without the subsection.
pub(crate) fn parts(key: &str) -> Option<(&str, &str)> {
    Some((key.split_once('.')?.0, key.rsplit_once('.')?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_keys_are_guarded_and_harmless_ones_are_not() {
        use Effect::{DecidesContent, Executes};
        for (key, expected) in [
            ("core.fsmonitor", Some(DecidesContent)),
            ("core.trustctime", Some(DecidesContent)),
            ("core.worktree", Some(DecidesContent)),
            ("filter.lfs.clean", Some(DecidesContent)),
            ("filter.a.b.process", Some(DecidesContent)),
            ("include.path", Some(DecidesContent)),
            ("includeif.gitdir:/x/.path", Some(DecidesContent)),
            ("extensions.worktreeconfig", Some(DecidesContent)),
            ("status.showuntrackedfiles", Some(DecidesContent)),
            ("submodule.lib.ignore", Some(DecidesContent)),
            ("core.hookspath", Some(Executes)),
            ("gpg.ssh.program", Some(Executes)),
            ("diff.external", Some(Executes)),
            ("diff.images.textconv", Some(Executes)),
            ("alias.st", Some(Executes)),
            ("credential.https://example.com.helper", Some(Executes)),
            ("url.https://example.com/.insteadof", Some(Executes)),
            ("remote.origin.uploadpack", Some(Executes)),
            ("remote.origin.mirror", Some(Executes)),
            ("remote.origin.push", Some(Executes)),
            ("push.default", Some(Executes)),
            ("submodule.lib.update", Some(Executes)),
            ("lfs.customtransfer.x.path", Some(Executes)),
            ("branch.main.remote", None),
            ("user.name", None),
            ("user.email", None),
            ("vscode-merge-base", None),
            ("branch.main.vscode-merge-base", None),
            ("remote.origin.fetch", None),
            ("lfs.repositoryformatversion", None),
            ("lfs.https://example.com/info/lfs.locksverify", None),
            ("submodule.lib.url", None),
            ("core.ignorecasex", None),
            ("nonsense", None),
        ] {
            assert_eq!(effect(key), expected, "{key}");
        }
    }
}
