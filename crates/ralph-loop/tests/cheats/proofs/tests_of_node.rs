//! The same for tests of node's own runner, which writes a report into a file.

use events::ProofPhase;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use super::{assert_runs, next_session, refused, target};
use crate::harness::Project;

const FILE: &str = "test/sums.test.js";

const TEST: &str = "const test = require('node:test');
const assert = require('node:assert');

test('empty', () => {
  const { total } = require('../sums.js');
  assert.strictEqual(total([]), 0);
});

test('two', () => {
  const { total } = require('../sums.js');
  assert.strictEqual(total([1, 2]), 3);
});
";

const WRONG: &str = "exports.total = () => -1;\n";

fn package() -> String {
    json!({"scripts": {"test": "node --test"}}).to_string()
}

fn specified_in_node() -> Project {
    let tests =
        Act::specify([(FILE, TEST)], ["empty", "two"].map(|name| vec![["node", FILE, name]]));
    let project = target(&Scenario::new().rule(When::mode(Mode::Specify), [tests]));
    project.write("package.json", package());
    test_repo::commit_all(&project.path());
    assert_eq!(next_session(&project).assignments(), ["specify US-001"]);
    project
}

#[track_caller]
fn refused_in_node(project: &Project, acts: Vec<Act>, reported: &str) {
    let done = vec![Act::submit("done"), Act::bash("git add -A; git commit -qm 'feat: sums'")];
    let case = format!("{acts:?}");
    let run = refused(project, [acts, done].concat(), reported);
    assert_runs(&run, ProofPhase::Green, &case);
}

#[test]
fn work_that_changes_nodes_runner_does_not_pass() {
    let project = specified_in_node();
    for (work, reported) in [
        ("require('node:assert').strictEqual = () => {};", "a test that must fail"),
        ("process.exit(0);", "accepted: false"),
        ("process.exit = () => {}; process.reallyExit(0);", "accepted: false"),
        ("require('node:test').test('two', () => {});", "accepted: false"),
        ("process.on('exit', () => { process.exitCode = 0; });", "accepted: false"),
        (
            "const fs = require('fs');
for (const pid of [process.pid, process.ppid]) {
  const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\\0');
  for (const word of words.filter(word => word.endsWith('.xml'))) {
    const path = word.slice(word.indexOf('=') + 1);
    try { fs.unlinkSync(path); } catch {}
    fs.writeFileSync(path, '<testsuites><testcase name=\"empty\"/><testcase name=\"two\"/></testsuites>');
  }
}
process.exit(0);",
            "a test that must fail",
        ),
    ] {
        let acts = vec![Act::write("sums.js", format!("{work}\n{WRONG}"))];
        refused_in_node(&project, acts, reported);
    }
}

#[test]
fn settings_of_nodes_runner_stay_as_they_are() {
    let project = specified_in_node();
    for package in [
        json!({"scripts": {"test": "true"}}),
        json!({"scripts": {"test": "node --test", "pretest": "cp easy.js test/sums.test.js"}}),
        json!({"scripts": {"test": "node --test"}, "type": "module"}),
        json!({"scripts": {"test": "node --test"}, "imports": {"#sums": "./easy.js"}}),
    ] {
        let right =
            "exports.total = numbers => numbers.reduce((sum, number) => sum + number, 0);\n";
        let acts =
            vec![Act::write("sums.js", right), Act::write("package.json", package.to_string())];
        refused_in_node(&project, acts, "decides which tests run or how");
    }
}
