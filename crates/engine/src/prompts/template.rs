//! Builds the prompt of one iteration: the template is read again, variables are expanded, failures appended.

use bounded_read::FileError;
use events::{IterationMode, LoopKind};
use project::Layout;
use tasks::Sha256Digest;

use crate::RunError;
use crate::checks::{FailedGuardrail, failed_guardrail};
use crate::control::UserInstructions;
use crate::options::{PromptOptions, PromptSource};
use crate::templates::built_in::BuiltIn;
use crate::templates::{ExpandedText, Variables, expand, without_comments};

const LARGEST: u64 = 4 * 1024 * 1024;

/// Characters of a text that name it in messages.
const LONGEST_SUBJECT: usize = 80;

const PLAN: &str = include_str!("../../../../templates/plan.md");
const BUILD: &str = include_str!("../../../../templates/build.md");

impl PromptSource {
    pub(crate) fn kind(&self) -> LoopKind {
        match self {
            Self::Plan => LoopKind::Plan,
            Self::Build => LoopKind::Build,
            _ => LoopKind::Prompt,
        }
    }

    pub(crate) fn mode(&self) -> IterationMode {
        match self {
            Self::Plan => IterationMode::Plan,
            Self::Build => IterationMode::Build,
            _ => IterationMode::Prompt,
        }
    }

    /// What it works from, for display.
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

    /// Shows the next run whether its prompt is the same.
    pub(crate) fn identity(&self, options: &PromptOptions) -> String {
        match self {
            Self::Text(text) | Self::Draft { prompt: text, .. } => {
                Sha256Digest::of(text).to_string()
            }
            _ => self.subject(options),
        }
    }

    /// The current template.
    pub(crate) fn read(&self, layout: &Layout) -> Result<String, RunError> {
        let own = |name: &str, shipped: &str| {
            let path = layout.ralph_dir().join(name);
            match bounded_read::read_file(&path, LARGEST) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Err(FileError::Absent) => Ok(shipped.to_owned()),
                // The built-in prompt must not replace an unreadable one of the user without notice.
                Err(error) => Err(RunError::precondition(
                    format!("cannot read {}: {error}", layout.name_of(&path)),
                    "fix the file, or remove it to use the built-in prompt",
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
                        format!("cannot read the prompt file {name}: {error}"),
                        "give another file, or the prompt itself with -p",
                    )
                })?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}

fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST_SUBJECT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// State of the run that its next prompt contains.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptContext<'a> {
    pub(crate) iteration: u64,
    pub(crate) branch: &'a str,
    pub(crate) failed: &'a [FailedGuardrail],
    pub(crate) objections: &'a [String],
    pub(crate) user_instructions: &'a UserInstructions,
}

pub(crate) fn assemble(
    template: &str,
    options: &PromptOptions,
    context: PromptContext<'_>,
) -> ExpandedText {
    let run = &options.run;
    let mut expanded = match options.source {
        PromptSource::Draft { .. } => {
            ExpandedText { text: template.to_owned(), unknown: Vec::new() }
        }
        PromptSource::Text(_) => expand(template, &variables(options, context)),
        _ => expand(&without_comments(template), &variables(options, context)),
    };
    // A prompt from the command line does not need to contain the tag.
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
    let mut text = failed_guardrail::apply(&expanded.text, context.failed);
    for more in context.objections.iter().chain(&context.user_instructions.section()) {
        text = format!("{text}\n\n{more}");
    }
    ExpandedText { text: run.with_iteration_count(text, context.iteration), ..expanded }
}

fn variables(options: &PromptOptions, context: PromptContext<'_>) -> Variables {
    let run = &options.run;
    let most = run.policy.max_iterations;
    let guardrails = run.guardrails.iter().map(|rail| format!("- `{}`", rail.command));
    let guardrails = guardrails.collect::<Vec<_>>().join("\n");
    let none = "(none are configured)".to_owned();
    let mut variables = Variables::with(&run.variables);
    variables.set(BuiltIn::Mode, options.source.mode());
    variables.set(BuiltIn::Iteration, context.iteration);
    variables.set(BuiltIn::MaxIterations, most);
    variables.set(BuiltIn::Remaining, most.saturating_sub(context.iteration));
    variables.set(BuiltIn::SpecsDir, &options.specs_dir);
    variables.set(BuiltIn::PlanFile, &options.plan_file);
    variables.set(BuiltIn::Guardrails, if guardrails.is_empty() { none } else { guardrails });
    variables.set(BuiltIn::Branch, context.branch);
    variables.set(BuiltIn::RalphDir, run.layout.ralph_dir_name());
    variables.set(BuiltIn::CompletionTag, &options.completion);
    variables
}
