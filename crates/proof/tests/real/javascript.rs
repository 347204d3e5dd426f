//! jest, vitest, mocha and `node --test`.
#![cfg(unix)]

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const CALC: (&str, &str) = ("calc.js", "export function add(a, b) { return a + b; }\n");
const MODULE: (&str, &str) = ("package.json", "{ \"type\": \"module\" }\n");

const NODE: &str = "import { describe, it, test } from 'node:test';
import assert from 'node:assert/strict';
import * as calc from '../calc.js';
test('passes', () => { assert.equal(calc.add(1, 2), 3); });
test('fails', () => { assert.equal(calc.add(1, 2), 4); });
test('missing function', () => { assert.equal(calc.subtract(2, 1), 1); });
test('skipped', { skip: true }, () => { assert.fail(); });
test('todo', { todo: true }, () => { assert.fail(); });
test('crash', () => { throw new Error('boom'); });
describe('group', () => { it('inner', () => { assert.ok(true); }); });
test('parent', async (t) => { await t.test('child', () => { assert.ok(true); }); });
test('twice', () => { assert.ok(true); });
test('twice', () => { assert.ok(false); });
";

fn node() -> Project {
    Project::new(Framework::Node, &[MODULE, CALC, ("test/calc.test.js", NODE)])
}

#[test]
#[ignore = "needs node"]
fn node_results() {
    let project = node();
    let import = "import { test } from 'node:test';\nimport { multiply } from '../calc.js';\ntest('multiplies', () => { multiply(); });\n";
    project.write("test/missing.test.js", import);
    project.write(
        "test/syntax.test.js",
        "import { test } from 'node:test';\ntest('broken', ( => {});\n",
    );
    project.write(
        "test/exit.test.js",
        "import { test } from 'node:test';\ntest('before', () => {});\ntest('exits', () => { process.exit(0); });\n",
    );
    let file = "test/calc.test.js";
    project.shows(&[
        (file, "passes", Passed),
        (file, "fails", ASSERTION),
        (file, "missing function", MISSING),
        (file, "skipped", Skipped),
        (file, "todo", Skipped),
        (file, "crash", OTHER),
        (file, "group > inner", Passed),
        (file, "parent child", Passed),
        (file, "inner", NotCollected),
        (file, "twice", ASSERTION),
        (file, "nope", NotCollected),
        ("test/missing.test.js", "multiplies", MISSING),
        ("test/syntax.test.js", "broken", BROKEN),
        ("test/exit.test.js", "before", NotCollected),
        ("test/exit.test.js", "exits", NotCollected),
        ("test/absent.test.js", "nope", NotCollected),
    ]);
}

#[test]
#[ignore = "needs node"]
fn node_canary() {
    let project = node();
    assert!(project.canary_fails("test/calc.test.js", &["passes"]));
    let cheat = "import assert from 'node:assert/strict';\nassert.equal = () => {};\nexport function add() { return 0; }\n";
    project.write("calc.js", cheat);
    let file = "test/calc.test.js";
    project.shows(&[(file, "passes", Passed), (file, "fails", Passed)]);
    assert!(!project.canary_fails(file, &["fails"]));
}

const JEST: &str = "const calc = require('./calc');
test('passes', () => { expect(calc.add(1, 2)).toBe(3); });
test('fails', () => { expect(calc.add(1, 2)).toBe(4); });
test('missing function', () => { expect(calc.subtract(2, 1)).toBe(1); });
test.skip('skipped', () => { expect(1).toBe(2); });
test.todo('todo');
test('crash', () => { throw new Error('boom'); });
describe('group', () => { it('inner', () => { expect(1).toBe(1); }); });
describe('group', () => { it('a $b (c) \\'d\\' [e]', () => { expect(1).toBe(1); }); });
";

fn jest() -> Project {
    let calc = ("web/calc.js", "exports.add = (a, b) => a + b;\n");
    let files = [("web/package.json", "{}\n"), calc, ("web/calc.test.js", JEST)];
    Project::with_node_modules(Framework::Jest, &files)
}

#[test]
#[ignore = "needs node and NODE_MODULES"]
fn jest_results() {
    let project = jest();
    project.write("web/missing.test.js", "const { other } = require('./other');\ntest('other', () => { expect(other()).toBe(6); });\n");
    project.write("web/syntax.test.js", "test('broken', ( => {});\n");
    let file = "web/calc.test.js";
    project.shows(&[
        (file, "passes", Passed),
        (file, "fails", ASSERTION),
        (file, "missing function", MISSING),
        (file, "skipped", Skipped),
        (file, "todo", Skipped),
        (file, "crash", OTHER),
        (file, "group > inner", Passed),
        (file, "group a $b (c) 'd' [e]", Passed),
        (file, "inner", NotCollected),
        (file, "nope", NotCollected),
        ("web/missing.test.js", "other", MISSING),
        ("web/syntax.test.js", "broken", BROKEN),
    ]);
    project.write(
        "web/exit.test.js",
        "test('before', () => {});\ntest('exits', () => { process.exit(0); });\n",
    );
    project.shows(&[
        ("web/exit.test.js", "before", NotCollected),
        ("web/exit.test.js", "exits", NotCollected),
    ]);
}

#[test]
#[ignore = "needs node and NODE_MODULES"]
fn jest_canary() {
    let project = jest();
    assert!(project.canary_fails("web/calc.test.js", &["passes"]));
    let cheat = "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\nexports.add = () => 0;\n";
    project.write("web/calc.js", cheat);
    project.shows(&[("web/calc.test.js", "fails", Passed)]);
    assert!(!project.canary_fails("web/calc.test.js", &["fails"]));
}

const VITEST: &str = "import { describe, expect, it, test } from 'vitest';
import * as calc from './calc.js';
test('passes', () => { expect(calc.add(1, 2)).toBe(3); });
test('fails', () => { expect(calc.add(1, 2)).toBe(4); });
test('missing function', () => { expect(calc.subtract(2, 1)).toBe(1); });
test.skip('skipped', () => { expect(1).toBe(2); });
test.todo('todo');
test('crash', () => { throw new Error('boom'); });
describe('group', () => { it('inner', () => { expect(1).toBe(1); }); });
";

fn vitest() -> Project {
    Project::with_node_modules(Framework::Vitest, &[MODULE, CALC, ("calc.test.js", VITEST)])
}

#[test]
#[ignore = "needs node and NODE_MODULES"]
fn vitest_results() {
    let project = vitest();
    let import = |from: &str| {
        format!(
            "import {{ expect, test }} from 'vitest';\nimport {{ other }} from '{from}';\ntest('other', () => {{ expect(other()).toBe(6); }});\n"
        )
    };
    project.write("file.test.js", &import("./other.js"));
    project.write("export.test.js", &import("./calc.js"));
    project.write("syntax.test.js", "import { test } from 'vitest';\ntest('broken', ( => {});\n");
    project.write(
        "exit.test.js",
        "import { test } from 'vitest';\ntest('exits', () => { process.exit(0); });\n",
    );
    let file = "calc.test.js";
    project.shows(&[
        (file, "passes", Passed),
        (file, "fails", ASSERTION),
        (file, "missing function", MISSING),
        (file, "skipped", Skipped),
        (file, "todo", Skipped),
        (file, "crash", OTHER),
        (file, "group > inner", Passed),
        (file, "inner", NotCollected),
        (file, "nope", NotCollected),
        ("file.test.js", "other", MISSING),
        ("export.test.js", "other", MISSING),
        ("syntax.test.js", "broken", BROKEN),
        ("exit.test.js", "exits", OTHER),
    ]);
    project.write("calc.js", "process.reallyExit(0);\n");
    project.shows(&[(file, "passes", NotCollected)]);
}

#[test]
#[ignore = "needs node and NODE_MODULES"]
fn vitest_canary() {
    let project = vitest();
    assert!(project.canary_fails("calc.test.js", &["passes"]));
    let cheat = "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\nexport function add() { return 0; }\n";
    project.write("calc.js", cheat);
    project.shows(&[("calc.test.js", "fails", Passed)]);
    assert!(!project.canary_fails("calc.test.js", &["fails"]));
}

const MOCHA: &str = "import assert from 'node:assert/strict';
import * as calc from '../calc.js';
it('passes', () => { assert.equal(calc.add(1, 2), 3); });
it('fails', () => { assert.equal(calc.add(1, 2), 4); });
it('missing function', () => { assert.equal(calc.subtract(2, 1), 1); });
it.skip('skipped', () => { assert.fail(); });
it('crash', () => { throw new Error('boom'); });
describe('group', () => { it('inner', () => { assert.ok(true); }); });
describe('hooked', () => { before(() => { throw new Error('hook'); }); it('never', () => {}); });
";

#[test]
#[ignore = "needs node and NODE_MODULES"]
fn mocha_results() {
    let project =
        Project::with_node_modules(Framework::Mocha, &[MODULE, CALC, ("test/calc.spec.js", MOCHA)]);
    project.write(
        "test/missing.spec.js",
        "import { multiply } from '../calc.js';\nit('multiplies', () => { multiply(); });\n",
    );
    project.write("test/syntax.spec.js", "it('broken', ( => {});\n");
    project.write(
        "test/exit.spec.js",
        "it('before', () => {});\nit('exits', () => { process.exit(0); });\n",
    );
    let file = "test/calc.spec.js";
    project.shows(&[
        (file, "passes", Passed),
        (file, "fails", ASSERTION),
        (file, "missing function", MISSING),
        (file, "skipped", Skipped),
        (file, "crash", OTHER),
        (file, "group inner", Passed),
        (file, "hooked never", NotCollected),
        (file, "nope", NotCollected),
        ("test/missing.spec.js", "multiplies", MISSING),
        ("test/syntax.spec.js", "broken", BROKEN),
        ("test/exit.spec.js", "before", NotCollected),
        ("test/exit.spec.js", "exits", NotCollected),
    ]);
    assert!(project.canary_fails(file, &["passes"]));
    project.write("calc.js", "import assert from 'node:assert/strict';\nassert.equal = () => {};\nexport function add() { return 0; }\n");
    assert!(!project.canary_fails(file, &["fails"]));
}
