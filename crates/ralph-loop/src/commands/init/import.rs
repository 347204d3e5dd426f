//! What `init` imports: a plan, a Markdown task list, or issues of the project's forge.

use std::path::Path;

use anyhow::{Result, anyhow};
use forge::Import;
use project::Layout;

use crate::cli::ImportArgs;
use crate::command_error::precondition;
use crate::forge_access::ForgeAccess;
use crate::scaffold::from_plan;
use crate::scaffold::imported::Imported;

/// Named problems of a file.
const SHOWN: usize = 100;

/// `None` without an option that imports.
pub(super) fn imported(args: &ImportArgs, layout: &Layout) -> Result<Option<Imported>> {
    let imported = match args {
        ImportArgs { from_plan: Some(path), .. } => plan(path)?,
        ImportArgs { from_markdown: Some(path), .. } => markdown(path, layout)?,
        ImportArgs { from_issue, from_issues: None, from_milestone: None, .. }
            if from_issue.is_empty() =>
        {
            return Ok(None);
        }
        _ => issues(args, layout)?,
    };
    Ok(Some(imported))
}

fn plan(path: &Path) -> Result<Imported> {
    from_plan::read(&read(path)?).map_err(|problems| refused(path, problems))
}

fn markdown(path: &Path, layout: &Layout) -> Result<Imported> {
    let text = String::from_utf8(read(path)?)
        .map_err(|_| refused(path, vec!["it is not UTF-8 text".to_owned()]))?;
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let inside = whole.strip_prefix(layout.root()).unwrap_or(path);
    let name = inside.display().to_string().replace('\\', "/");
    let import = forge::from_markdown(&text, &name);
    if import.stories.is_empty() {
        let none = "no heading has an open check box (`- [ ] …`)".to_owned();
        return Err(refused(path, [none].into_iter().chain(notes(&import)).collect()));
    }
    Ok(Imported::of_forge(name, import))
}

fn issues(args: &ImportArgs, layout: &Layout) -> Result<Imported> {
    let access = ForgeAccess::open(layout)?;
    let mut issues = Vec::new();
    for number in &args.from_issue {
        issues.push(access.call(|client| client.issue(*number))?);
    }
    if let Some(label) = &args.from_issues {
        issues.extend(access.call(|client| client.issues_with_label(label))?);
    }
    if let Some(milestone) = &args.from_milestone {
        issues.extend(access.call(|client| client.issues_of_milestone(milestone))?);
    }
    if issues.is_empty() {
        let repository = access.repository();
        let what = format!("{} has no such open issues", repository.path());
        return Err(precondition(what, "check the label and the milestone"));
    }
    let import = forge::import(&issues, access.repository());
    if import.stories.is_empty() {
        let why: Vec<String> = notes(&import).collect();
        return Err(anyhow!("no story to import:\n  {}", why.join("\n  ")));
    }
    Ok(Imported::of_forge("the issues".to_owned(), import))
}

fn notes(import: &Import) -> impl Iterator<Item = String> {
    import.notes.iter().map(ToString::to_string)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    const LARGEST: u64 = 64 * 1024 * 1024;
    bounded_read::read_file(path, LARGEST)
        .map_err(|error| anyhow!("cannot read {}: {error}", path.display()))
}

fn refused(path: &Path, mut problems: Vec<String>) -> anyhow::Error {
    if let more @ 1.. = problems.len().saturating_sub(SHOWN) {
        problems.truncate(SHOWN);
        problems.push(format!("and {more} more problems"));
    }
    anyhow!("cannot import {}:\n  {}", path.display(), problems.join("\n  "))
}
