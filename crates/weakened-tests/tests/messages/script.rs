//! JavaScript and TypeScript.

use crate::{Sample, check, messages, silent};

const PATH: &str = "src/sums.test.ts";
const TWO: &str = r#"
import { add } from "./sums";

const helper = (x: number) => { return x; };

describe("sums", () => {
  it("adds", async () => {
    expect(add(1, 2)).toBe(3);
    expect(add({ a: 1 }, `${[1, 2].map((x) => `{${x}`)}`)).toEqual({ a: 3 });
    expect(() => add("it's", /['"`/]/)).toThrow("no number");
  });
  test("is small", function () { expect(add(1, 1)).toBeLessThan(3); });
});
"#;

const FILE: Sample = Sample { path: PATH, text: TWO };

#[test]
fn a_removed_test() {
    let small = "  test(\"is small\", function () { expect(add(1, 1)).toBeLessThan(3); });\n";
    FILE.reports(small, "", &["`sums > is small` is gone"]);
    FILE.reports(
        small,
        &format!("  // {}", small.trim_start()),
        &["`sums > is small` is commented out"],
    );
    FILE.reports(small, &format!("/*{small}*/"), &["`sums > is small` is commented out"]);
    FILE.reports("expect(add(1, 1)).toBeLessThan(3);", "", &["`sums > is small` is empty now"]);
}

#[test]
fn a_test_that_does_not_run() {
    for (call, words) in [
        ("test.skip(", "is skipped now (`test.skip`)"),
        ("it.skip(", "is skipped now (`it.skip`)"),
        ("xit(", "is skipped now (`xit`)"),
        ("xtest(", "is skipped now (`xtest`)"),
        ("it.todo(", "is skipped now (`it.todo`)"),
        ("test.fixme(", "is skipped now (`test.fixme`)"),
        ("test.concurrent.skip(", "is skipped now (`test.skip`)"),
        ("it.failing(", "is expected to fail now (`it.failing`)"),
        ("test.fails(", "is expected to fail now (`test.fails`)"),
        ("it.skipIf(process.env.CI)(", "may be skipped now (`it.skipIf`)"),
        ("it.only(", "runs alone now (`it.only`): other tests do not run"),
        ("fit(", "runs alone now (`fit`): other tests do not run"),
    ] {
        FILE.reports("test(\"is", &format!("{call}\"is"), &[&format!("`sums > is small` {words}")]);
    }
    FILE.reports(
        "test(\"is small\", ",
        "test(\"is small\", { skip: true }, ",
        &["`sums > is small` is skipped now (`{ skip }`)"],
    );
    for (call, words) in [
        ("describe.skip(", "is skipped now (`describe.skip`)"),
        ("xdescribe(", "is skipped now (`xdescribe`)"),
        ("describe.only(", "runs alone now (`describe.only`): other tests do not run"),
        ("fdescribe(", "runs alone now (`fdescribe`): other tests do not run"),
    ] {
        FILE.reports("describe(", call, &[&format!("all of `sums` {words}")]);
    }
    FILE.reports(
        "function () { expect",
        "function () { this.skip(); expect",
        &["`sums > is small` is skipped now (`this.skip`)"],
    );
    FILE.reports(
        "function () { expect",
        "function () { test.skip(isCi, 'x'); expect",
        &["`sums > is small` may be skipped now (`test.skip`)"],
    );
    FILE.reports(
        "function () { expect",
        "function () { return; expect",
        &["`sums > is small` returns before its assertions now"],
    );
}

#[test]
fn a_test_that_asserts_less() {
    FILE.reports("expect(add(1, 2)).toBe(3);", "", &["`sums > adds` has 2 assertions, had 3"]);
    FILE.reports(
        "expect(add(1, 2)).toBe(3);",
        "expect.assertions(2);",
        &["`sums > adds` has 2 assertions, had 3"],
    );
    for looser in
        ["toBeTruthy()", "toBeDefined()", "not.toThrow()", "toBeGreaterThan(1)", "not.toBe(4)"]
    {
        let name = looser.split('(').next().unwrap_or_default();
        let line = format!("`sums > adds` asserts less strictly: `toBe` became `{name}`");
        FILE.reports("toBe(3)", looser, &[&line]);
    }
    FILE.reports(
        "expect(add(1, 2)).toBe(3)",
        "expect(add(1, 2)).toBe(expect.any(Number))",
        &["`sums > adds` asserts less strictly: `expect(add(1, 2)).toBe(3)` became \
         `expect(add(1, 2)).toBe(expect.any(Number))`"],
    );
    for always in ["expect(true).toBe(true)", "expect(1).toEqual(1)", "expect(true).toBeTruthy()"] {
        let line = format!("`sums > adds` asserts what is always true: `{always}`");
        FILE.reports("expect(add(1, 2)).toBe(3)", always, &[&line]);
    }
    check(
        PATH,
        &[
            (
                "chai",
                "it('x', () => { expect(f()).to.equal(1); assert.deepEqual(a, b); });",
                "it('x', () => { expect(f()).to.exist; assert.deepEqual(a, b); });",
                &["`x` asserts less strictly: `equal` became `exist`"],
            ),
            (
                "assert",
                "it('x', () => { assert.strictEqual(f(), 1); });",
                "it('x', () => { assert.ok(f()); });",
                &["`x` asserts less strictly: `assert.strictEqual` became `assert.ok`"],
            ),
            (
                "assert(true)",
                "it('x', () => { assert.strictEqual(f(), 1); });",
                "it('x', () => { assert(true); });",
                &["`x` asserts what is always true: `assert(true)`"],
            ),
        ],
    );
}

#[test]
fn all_kinds_of_tests_are_known() {
    for test in [
        "test.each([[1, 2], [3, 4]])('x', (a, b) => { expect(a).toBe(b); });",
        "test.each`a|b\n${1}|${2}`('x', ({ a }) => { expect(a).toBe(2); });",
        "it.each<{ a: number }>([{ a: 1 }])('x', () => { expect(a).toBe(2); });",
        "it.concurrent('x', async ({ page }) => { await expect(page).toHaveTitle('y'); });",
        "it(`x`, () => expect(a).toBe(b));",
    ] {
        assert_eq!(messages(PATH, test, ""), ["`x` is gone"], "{test}");
    }
    assert_eq!(
        messages(PATH, "describe(Foo.name, () => { it(\"x\", () => {}) })", ""),
        ["`Foo > x` is gone",]
    );
}

#[test]
fn quotes_that_begin_no_string() {
    let regex = "it('x', () => { expect(s).toMatch(/`/); });\n";
    let other = "it('y', () => { expect(s).toBe(1); });\n";
    let jsx = "it('x', () => { render(<p>Don't</p>); expect(a).toBe(1); });";
    check(
        PATH,
        &[
            ("a regular expression", &format!("{regex}{other}"), regex, &["`y` is gone"]),
            ("JSX", jsx, &jsx.replace("expect(a).toBe(1);", ""), &["`x` has 0 assertions, had 1"]),
        ],
    );
}

#[test]
fn what_is_no_weakening() {
    for (old, new, about) in [
        ("test(\"is", "// test.skip(\n  test(\"is", "a comment"),
        ("function () {", "function () { const s = 'it.skip(\"x\")';", "a string"),
        ("\"is small\"", "\"stays small\"", "renamed"),
        ("\"sums\"", "\"all sums\"", "a group renamed"),
        ("expect(add(1, 2)).toBe(3)", "expect(\n  add(1, 2),\n).toBe(3)", "laid out anew"),
        ("toBe(3)", "toStrictEqual(3)", "as strict"),
        ("toBeLessThan(3)", "toBe(2)", "stricter"),
        ("test(\"is", "it(\"is", "another word for it"),
        ("\"is small\"", "'is small'", "other quotes"),
        ("=> { return x; }", "=> { return regex.test('it', () => 1); }", "a method called test"),
        ("function () {", "function () { if (x) { return; }", "returns under a condition"),
        ("test(\"is", "test.runIf(unix)(\"is", "a platform"),
    ] {
        FILE.silent(old, new, about);
    }
    silent(
        PATH,
        &[
            (
                "a promise returned",
                "it('x', async () => { const d = await f(); expect(d).toBe(1); });",
                "it('x', () => { return f().then((d) => { expect(d).toBe(1); }); });",
            ),
            (
                "cases",
                "it('x', () => { expect(f(1)).toBe(1); expect(f(2)).toBe(2); });",
                "it.each([1, 2])('x', (n) => { expect(f(n)).toBe(n); });",
            ),
            (
                "a helper",
                "it('x', () => { expect(a.x).toBe(1); expect(a.y).toBe(2); });",
                "function expectPoint(a, x, y) { expect(a.x).toBe(x); expect(a.y).toBe(y); }\nit('x', () => { expectPoint(a, 1, 2); });",
            ),
            ("a reminder", "", "it.todo('x');"),
            (
                "JSX",
                "it('x', () => { render(<p>Don't</p>); expect(a).toBe(1); });",
                "it('x', () => {\n render(<p>Don't</p>);\n expect(a).toBe(1);\n});",
            ),
        ],
    );
    check(
        PATH,
        &[
            (
                "born alone",
                "",
                "it.only('x', () => { expect(f()).toBe(1); });",
                &["`x` runs alone now (`it.only`): other tests do not run"],
            ),
            (
                "born skipped",
                "",
                "it.skip('x', () => { expect(f()).toBe(1); });",
                &["`x` is new and skipped (`it.skip`)"],
            ),
        ],
    );
}
