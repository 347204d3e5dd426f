//! The prompt of one iteration: read anew, variables filled in, what failed last told.

use bounded_read::FileError;
use project::Layout;
use tasks::Sha256Digest;

use crate::built_in::BuiltIn;
use crate::failed_guardrail::{self, FailedGuardrail};
use crate::options::{PromptOptions, PromptSource};
use crate::template_comments::without_comments;
use crate::user_instructions::UserInstructions;
use crate::variables::{Expanded, Variables, expand};
use crate::{LoopKind, RunError};

const LARGEST: u64 = 4 * 1024 * 1024;

/// Characters of a text that stand for it on a line.
const LONGEST_SUBJECT: usize = 80;

const PLAN: &str = include_str!("../../../../templates/plan.md");
const BUILD: &str = include_str!("../../../../templates/build.md");

impl PromptSource {
    pub(crate) fn kind(&self) -> LoopKind {
        match self {
            Self::Plan => LoopKind::Plan,
            Self::Build => LoopKind::Build,
            Self::Template(_) | Self::File(_) | Self::Text(_) | Self::Draft { .. } => {
                LoopKind::Prompt
            }
        }
    }

    /// What it works from, for people.
    pub(crate) fn subject(&self, options: &PromptOptions) -> String {
        let layout = &options.run.layout;
        match self {
            Self::Plan => format!("{}/ to {}", options.specs_dir, options.plan_file),
            Self::Build => format!("{} to code", options.plan_file),
            Self::Template(path) | Self::File(path) => layout.name_of(path),
            Self::Text(text) => shortened(text),
            Self::Draft { description, .. } => shortened(&format!("draft: {description}")),
        }
    }

    /// The same for the next run, which has to know whether it is the same prompt.
    pub(crate) fn identity(&self, options: &PromptOptions) -> String {
        match self {
            Self::Text(text) | Self::Draft { prompt: text, .. } => {
                Sha256Digest::of(text).to_string()
            }
            _ => self.subject(options),
        }
    }

    /// The prompt as the user wrote it, as it is now.
    pub(crate) fn read(&self, layout: &Layout) -> Result<String, RunError> {
        let own = |name: &str, shipped: &str| {
            let path = layout.ralph_dir().join(name);
            match bounded_read::read_file(&path, LARGEST) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Err(FileError::Absent) => Ok(shipped.to_owned()),
                // The user wrote one: another must not take its place in silence.
                Err(error) => Err(RunError::precondition(
                    format!("{} cannot be read: {error}", layout.name_of(&path)),
                    "put it right, or remove it to use the usual prompt",
                )),
            }
        };
        match self {
            Self::Plan => own("plan.md", PLAN),
            Self::Build => own("build.md", BUILD),
            Self::Text(text) | Self::Draft { prompt: text, .. } => Ok(text.clone()),
            Self::Template(path) | Self::File(path) => {
                let bytes = bounded_read::read_file(path, LARGEST).map_err(|error| {
                    let name = layout.name_of(path);
                    RunError::precondition(
                        format!("the prompt file {name} cannot be read: {error}"),
                        "name another one, or give the prompt itself with -p",
                    )
                })?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}

/// On one line.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST_SUBJECT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// Where an iteration stands, for its prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub(crate) iteration: u64,
    pub(crate) branch: &'a str,
    pub(crate) failed: &'a [FailedGuardrail],
    pub(crate) objections: &'a [String],
    pub(crate) user_instructions: &'a UserInstructions,
}

/// The whole prompt.
pub(crate) fn assemble(
    template: &str,
    options: &PromptOptions,
    standing: Standing<'_>,
) -> Expanded {
    let run = &options.run;
    let mut expanded = match options.source {
        PromptSource::Draft { .. } => Expanded { text: template.to_owned(), unknown: Vec::new() },
        PromptSource::Text(_) => expand(template, &variables(options, standing)),
        _ => expand(&without_comments(template), &variables(options, standing)),
    };
    // A text from the command line is not expected to know the tag.
    if let (PromptSource::Text(_), false) =
        (&options.source, options.completion.is_mentioned_in(&expanded.text))
    {
        let tag = &options.completion;
        expanded.text = format!(
            "{}\n\nWhen all of this is done and verified, end your last message with {tag}; until \
             then, leave that tag out.",
            expanded.text.trim_end()
        );
    }
    let mut text = failed_guardrail::apply(&expanded.text, standing.failed);
    for more in standing.objections.iter().chain(&standing.user_instructions.section()) {
        text = format!("{text}\n\n{more}");
    }
    let (number, most) = (standing.iteration, run.policy.max_iterations);
    Expanded { text: run.iteration_count.before(&text, number, most), ..expanded }
}

fn variables(options: &PromptOptions, standing: Standing<'_>) -> Variables {
    let run = &options.run;
    let most = run.policy.max_iterations;
    let mode = match options.source.kind() {
        LoopKind::Plan => "plan",
        LoopKind::Build => "build",
        LoopKind::Prompt | LoopKind::Stories => "prompt",
    };
    let guardrails = run.guardrails.iter().map(|rail| format!("- `{}`", rail.command));
    let guardrails = guardrails.collect::<Vec<_>>().join("\n");
    let none = "(none are configured)".to_owned();
    let mut variables = Variables::with(&run.variables);
    variables.set(BuiltIn::Mode, mode);
    variables.set(BuiltIn::Iteration, standing.iteration);
    variables.set(BuiltIn::MaxIterations, most);
    variables.set(BuiltIn::Remaining, most.saturating_sub(standing.iteration));
    variables.set(BuiltIn::SpecsDir, &options.specs_dir);
    variables.set(BuiltIn::PlanFile, &options.plan_file);
    variables.set(BuiltIn::Guardrails, if guardrails.is_empty() { none } else { guardrails });
    variables.set(BuiltIn::Branch, standing.branch);
    variables.set(BuiltIn::RalphDir, run.layout.ralph_dir_name());
    variables.set(BuiltIn::CompletionTag, &options.completion);
    variables
}
