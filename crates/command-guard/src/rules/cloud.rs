//! Deletion of remote machines, clusters and databases.

use shell_analysis::Word;

use super::databases::{CLIENTS, empties_database, names_loopback, names_other_host};
use super::destroyers::{self, Destroyers, Reach};
use crate::invocation_view::InvocationView;
use crate::network::{Host, host};
use crate::words::words;
use crate::{Category, Refusal};

const INSTEAD: &str = "Show the plan instead (`terraform plan`, `kubectl diff`, a SELECT), and leave \
                       the deletion to the user";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let asks = |word: &String| {
        word.starts_with("--dry-run") || matches!(word.as_str(), "--help" | "-h" | "--dryrun")
    };
    let call = Call::of(view, &words);
    if call.is_emulator() {
        return None;
    }
    if words.iter().any(asks) && !view.is(CLIENTS) && call.reach() != Some(Reach::NamedHost) {
        return None;
    }
    let why = if call.destroys() {
        "it destroys remote resources or data"
    } else if empties_database(view, &words) {
        "it deletes data from a database that may not be the project's own"
    } else {
        return None;
    };
    view.refuse(Category::CloudDestruction, why, INSTEAD)
}

/// A call of a program with subcommands.
struct Call<'v> {
    view: &'v InvocationView<'v>,
    words: &'v [String],
    operands: Vec<&'v str>,
}

impl<'v> Call<'v> {
    fn of(view: &'v InvocationView<'v>, words: &'v [String]) -> Self {
        let operands = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        Self { view, words, operands: operands.collect() }
    }

    fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.contains(&word.as_str()))
    }

    fn says(&self, names: &[&str]) -> bool {
        self.operands.iter().any(|word| names.contains(word))
    }

    fn starts(&self, names: &[&str]) -> bool {
        self.operands.first().is_some_and(|word| names.contains(word))
    }

    /// An emulator of the cloud on this machine.
    fn is_emulator(&self) -> bool {
        const NAMES: &[&str] = &["--endpoint-url", "--endpoint", "--api-endpoint"];
        let is_here = |address: &str| host(&Word::of(address)) == Host::Loopback;
        self.words.windows(2).any(|pair| NAMES.contains(&pair[0].as_str()) && is_here(&pair[1]))
            || self.words.iter().any(|word| {
                word.split_once('=')
                    .is_some_and(|(name, address)| NAMES.contains(&name) && is_here(address))
            })
    }

    fn of_many(&self) -> Option<&'static Destroyers> {
        destroyers::ALL.iter().find(|row| row.programs.contains(&self.view.program.as_str()))
    }

    fn reach(&self) -> Option<Reach> {
        self.of_many().map(|row| row.reach)
    }

    fn destroys(&self) -> bool {
        let by_word = self.of_many().is_some_and(|row| {
            // Some programs accept `apps:destroy` for `apps destroy`.
            let verb =
                |word: &str| word.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
            let said = |word: &String| row.words.contains(&verb(word).as_str());
            let reaches = row.reach == Reach::Elsewhere || names_other_host(self.view);
            self.words.iter().any(said) && reaches && !self.says(&["restore"])
        });
        by_word || self.scales_to_zero() || self.destroys_otherwise()
    }

    fn destroys_otherwise(&self) -> bool {
        match self.view.program.as_str() {
            "terraform" | "tofu" | "terragrunt" => self.terraform(),
            "pulumi" => {
                (self.starts(&["up"]) && self.has(&["-y", "--yes", "-f", "--skip-preview"]))
                    || (self.starts(&["stack"]) && self.says(&["rm"]))
            }
            "aws" => self.aws(),
            "kubectl" | "oc" | "k" => self.kubectl(),
            "heroku" => self.says(&["pg:reset"]),
            "supabase" => self.says(&["reset"]) && self.has(&["--linked"]),
            "gh" | "glab" => self.github(),
            "rails" | "rake" | "bundle" | "artisan" | "php" | "mix" | "prisma" | "npx"
            | "sequelize" | "knex" | "python" | "python3" | "manage.py" | "alembic" => {
                self.production_reset()
            }
            "mongo" | "mongosh" => {
                let drops = ["dropDatabase", ".drop()", "deleteMany({})"];
                let empties = |word: &String| drops.iter().any(|call| word.contains(call));
                self.words.iter().any(empties) && !names_loopback(self.view)
            }
            "curl" | "http" | "xh" => self.deletes_by_request(),
            _ => false,
        }
    }

    /// Services scaled down to zero.
    fn scales_to_zero(&self) -> bool {
        const COUNTS: &[&str] =
            &["--replicas", "--desired-count", "--desired-capacity", "--max-size", "--size"];
        let is_cloud = self.view.is(&["aws", "kubectl", "oc", "k", "gcloud", "az"]);
        let apart = |pair: &[String]| COUNTS.contains(&pair[0].as_str()) && pair[1] == "0";
        let together =
            |word: &String| word.strip_suffix("=0").is_some_and(|name| COUNTS.contains(&name));
        is_cloud && (self.words.windows(2).any(apart) || self.words.iter().any(together))
    }

    fn terraform(&self) -> bool {
        let command = self.operands.iter().find(|word| !word.contains('='));
        match command.copied() {
            Some("destroy" | "run-all" | "taint" | "force-unlock") => true,
            Some("apply") => self.words.iter().any(|word| {
                word.contains("auto-approve") || word.trim_start_matches('-') == "destroy"
            }),
            Some("state") => self.says(&["rm", "push"]),
            Some("workspace") => self.says(&["delete"]),
            _ => false,
        }
    }

    fn aws(&self) -> bool {
        const VERBS: &[&str] = words!(
            "delete- terminate- remove- deregister- purge- destroy- stop- disable-
             schedule-key-deletion batch-delete put-bucket-lifecycle"
        );
        /// These change settings of the whole account.
        const WHOLE: &[&str] =
            &["iam", "organizations", "route53", "route53domains", "sso-admin", "account"];
        const READS: &[&str] =
            &["get-", "list-", "describe-", "simulate-", "test-", "generate-", "wait", "help"];
        let is_verb = |word: &&str| VERBS.iter().any(|verb| word.starts_with(verb));
        let changes_account = self.operands.windows(2).take(3).any(|pair| {
            WHOLE.contains(&pair[0])
                && pair[1].contains('-')
                && !READS.iter().any(|verb| pair[1].starts_with(verb))
        });
        self.operands.iter().any(is_verb)
            || changes_account
            || self.says(&["rb", "delete"])
            || matches!(self.operands.as_slice(), ["s3", "rm", ..])
            || (matches!(self.operands.as_slice(), ["s3", "sync", ..]) && self.has(&["--delete"]))
    }

    fn kubectl(&self) -> bool {
        const VERBS: &[&str] = &["delete", "drain", "cordon", "replace", "patch", "taint"];
        match self.operands.iter().find(|word| VERBS.contains(word)).copied() {
            Some("delete" | "drain") => true,
            Some("replace") => self.has(&["--force"]),
            Some("patch") => self.words.iter().any(|word| word.contains("finalizers")),
            _ => false,
        }
    }

    fn github(&self) -> bool {
        let removes = self.operands.get(1).is_some_and(|verb| ["delete", "remove"].contains(verb));
        let shows = self.words.iter().any(|word| word.starts_with("--visibility"));
        let changes = match self.operands.as_slice() {
            ["repo", "archive", ..] => true,
            ["repo", "edit", ..] => shows,
            _ => false,
        };
        removes || changes || (self.starts(&["api"]) && self.is_delete_request())
    }

    fn is_delete_request(&self) -> bool {
        let named = self.words.windows(2).any(|pair| {
            ["-X", "--method", "--request"].contains(&pair[0].as_str())
                && pair[1].eq_ignore_ascii_case("delete")
        });
        named || self.has(&["-XDELETE", "--method=DELETE", "--request=DELETE", "DELETE"])
    }

    fn deletes_by_request(&self) -> bool {
        let is_address =
            |word: &&String| word.contains("://") || (word.contains('.') && word.contains('/'));
        let Some(address) = self.words.iter().find(is_address) else {
            return false;
        };
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default().trim_start_matches('_');
        let sends = |word: &String| {
            word.eq_ignore_ascii_case("post")
                || word == "-XPOST"
                || word.starts_with("--data")
                || word == "-d"
        };
        let asks_for_it = ["delete", "purge", "destroy"].iter().any(|verb| last.starts_with(verb))
            && self.words.iter().any(sends);
        (self.is_delete_request() || asks_for_it)
            && host(&Word::of(address.as_str())) == Host::Elsewhere
    }

    /// Resetting a development database is normal; in production it is a mistake.
    fn production_reset(&self) -> bool {
        const VARIABLES: &[&str] =
            &["RAILS_ENV", "RACK_ENV", "NODE_ENV", "APP_ENV", "DJANGO_ENV", "MIX_ENV"];
        const RESETS: &[&str] = words!(
            "db:drop db:reset db:purge db:schema:load migrate:fresh ecto.drop ecto.reset reset_db"
        );
        let assigned = self.view.invocation.assignments.iter().any(|(name, value)| {
            VARIABLES.contains(&name.as_str()) && value.shown().starts_with("prod")
                || is_other_database(value)
        });
        let named = |word: &String| word.contains("production") || word == "--env=prod";
        let resets = |word: &&str| RESETS.iter().any(|reset| word.starts_with(reset));
        let is_production = assigned || self.words.iter().any(named);
        is_production && (self.operands.iter().any(resets) || self.says(&["reset", "flush"]))
    }
}

/// The address of a database on another machine; a name without a dot is a container.
fn is_other_database(value: &Word) -> bool {
    let text = value.known_start();
    text.split_once("://").is_some_and(|(scheme, rest)| {
        let machine = rest.split('/').next().and_then(|part| part.rsplit('@').next());
        !scheme.starts_with("http")
            && host(value) == Host::Elsewhere
            && machine.is_some_and(|name| name.contains('.'))
    })
}
