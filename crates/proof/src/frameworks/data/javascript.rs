//! jest, vitest, mocha and `node --test`.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{
    Assertion as Check, CanarySpec, ConfigurationFile, Form, Grouping, KindSign, Program,
    Selection, Sign, Spec,
};

const PACKAGE_FILES: &[&str] = &["package.json"];

const FAILURES: &[KindSign] = &[
    KindSign { kind: Assertion, texts: &["AssertionError", "ERR_ASSERTION", "Error: expect"] },
    KindSign {
        kind: MissingSymbol,
        texts: &[
            "is not a function",
            "is not a constructor",
            "is not defined",
            "does not provide an export named",
            "Cannot read properties of undefined",
            "Cannot find module '.",
            "Cannot find module '/",
            "Cannot find module '@/",
            "Cannot find module '~/",
            "Cannot find module 'file:",
            "Failed to resolve import",
            "Failed to load url",
            "not implemented",
        ],
    },
    KindSign {
        kind: BrokenTest,
        texts: &["SyntaxError", "invalid JS syntax", "Transform failed", "PARSE_ERROR"],
    },
];

const CANARY: CanarySpec = CanarySpec {
    parent: None,
    file: "{stem}_canary_{id}{suffix}",
    test: "\n;{found}('canary {id}', () => {\n  let caught = 0;\n{attempts}  \
           if (caught === {count}) { throw new Error('canary {id}'); }\n});\n",
    name: "canary {id}",
    attempt: "  try { {statement}; } catch { caught += 1; }\n",
    declaration: r"(?m)(?:^|[^\w.$])(test|it|specify)(?:\.\w+)*\s*\(",
    assertions: &[
        Check { used: ".toBe(", statement: "expect(1).toBe(2)" },
        Check { used: ".toEqual(", statement: "expect(1).toEqual(2)" },
        Check { used: ".toStrictEqual(", statement: "expect(1).toStrictEqual(2)" },
        Check { used: ".toMatchObject(", statement: "expect({ a: 1 }).toMatchObject({ a: 2 })" },
        Check { used: ".toMatch(", statement: "expect('a').toMatch(/b/)" },
        Check { used: ".toThrow(", statement: "expect(() => {}).toThrow()" },
        Check { used: ".toContain(", statement: "expect([]).toContain(1)" },
        Check { used: ".toHaveLength(", statement: "expect([]).toHaveLength(1)" },
        Check { used: ".toHaveProperty(", statement: "expect({}).toHaveProperty('a')" },
        Check { used: ".toBeTruthy(", statement: "expect(false).toBeTruthy()" },
        Check { used: ".toBeFalsy(", statement: "expect(true).toBeFalsy()" },
        Check { used: ".toBeNull(", statement: "expect(1).toBeNull()" },
        Check { used: ".toBeUndefined(", statement: "expect(1).toBeUndefined()" },
        Check { used: ".toBeDefined(", statement: "expect(undefined).toBeDefined()" },
        Check { used: ".toBeInstanceOf(", statement: "expect(1).toBeInstanceOf(Date)" },
        Check { used: ".toBeCloseTo(", statement: "expect(1).toBeCloseTo(2)" },
        Check { used: ".toBeGreaterThan(", statement: "expect(1).toBeGreaterThan(2)" },
        Check { used: ".toBeLessThan(", statement: "expect(2).toBeLessThan(1)" },
        Check { used: ".to.equal(", statement: "expect(1).to.equal(2)" },
        Check { used: ".to.eql(", statement: "expect(1).to.eql(2)" },
        Check { used: ".to.deep.equal(", statement: "expect([1]).to.deep.equal([2])" },
        Check { used: ".to.be.true", statement: "expect(false).to.be.true" },
        Check { used: ".to.be.false", statement: "expect(true).to.be.false" },
        Check { used: ".to.throw(", statement: "expect(() => {}).to.throw()" },
        Check { used: ".to.include(", statement: "expect([]).to.include(1)" },
        Check { used: "assert.equal(", statement: "assert.equal(1, 2)" },
        Check { used: "assert.strictEqual(", statement: "assert.strictEqual(1, 2)" },
        Check { used: "assert.notEqual(", statement: "assert.notEqual(1, 1)" },
        Check { used: "assert.deepEqual(", statement: "assert.deepEqual([1], [2])" },
        Check { used: "assert.deepStrictEqual(", statement: "assert.deepStrictEqual([1], [2])" },
        Check { used: "assert.ok(", statement: "assert.ok(false)" },
        Check { used: "assert.match(", statement: "assert.match('a', /b/)" },
        Check { used: "assert.throws(", statement: "assert.throws(() => {})" },
        Check { used: "assert.fail(", statement: "assert.fail('canary')" },
        Check { used: "assert(", statement: "assert(false)" },
    ],
};

pub(super) static JEST: Spec = Spec {
    signs: &[
        Sign { file: "jest.config.*", text: "" },
        Sign { file: "package.json", text: "\"jest\"" },
    ],
    package_files: PACKAGE_FILES,
    programs: &[
        Program { file: "node_modules/.bin/jest", command: "{up}node_modules/.bin/jest" },
        Program { file: "", command: "npx --no-install jest" },
    ],
    // With CI, no snapshot is written. A coverage threshold would change the exit code.
    command: "CI=true {program} --ci --coverage=false --bail=0 --json --outputFile={report} {tests} \
              --runTestsByPath {files}",
    tests: Selection {
        each: "{name}",
        form: Form::Pattern { before: "--testNamePattern=^", after: "$" },
    },
    grouping: Grouping::Package,
    reported_as: "{name}",
    reader: Reader::Jest,
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: "jest.config.*", keys: &[] },
        ConfigurationFile { pattern: "jest.setup.*", keys: &[] },
        ConfigurationFile { pattern: "babel.config.*", keys: &[] },
        ConfigurationFile { pattern: ".babelrc*", keys: &[] },
        ConfigurationFile { pattern: "**/__mocks__/**", keys: &[] },
        ConfigurationFile {
            pattern: "package.json",
            keys: &["scripts.test", "scripts.pretest", "jest", "babel", "type"],
        },
    ],
    canary: Some(&CANARY),
};

pub(super) static VITEST: Spec = Spec {
    signs: &[
        Sign { file: "vitest.config.*", text: "" },
        Sign { file: "package.json", text: "\"vitest\"" },
    ],
    package_files: PACKAGE_FILES,
    programs: &[
        Program { file: "node_modules/.bin/vitest", command: "{up}node_modules/.bin/vitest" },
        Program { file: "", command: "npx --no-install vitest" },
    ],
    command: "CI=true {program} run --coverage.enabled=false --bail=0 --reporter=default --reporter=json \
              --outputFile.json={report} {tests} {files}",
    tests: Selection {
        each: "{name}",
        form: Form::Pattern { before: "--testNamePattern=^", after: "$" },
    },
    grouping: Grouping::Package,
    reported_as: "{name}",
    reader: Reader::Jest,
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: "vitest.config.*", keys: &[] },
        ConfigurationFile { pattern: "vitest.workspace.*", keys: &[] },
        ConfigurationFile { pattern: "vitest.setup.*", keys: &[] },
        ConfigurationFile { pattern: "vite.config.*", keys: &[] },
        ConfigurationFile { pattern: "**/__mocks__/**", keys: &[] },
        ConfigurationFile {
            pattern: "package.json",
            keys: &["scripts.test", "scripts.pretest", "vitest", "type"],
        },
    ],
    canary: Some(&CANARY),
};

pub(super) static MOCHA: Spec = Spec {
    signs: &[
        Sign { file: ".mocharc*", text: "" },
        Sign { file: "package.json", text: "\"mocha\"" },
    ],
    package_files: PACKAGE_FILES,
    programs: &[
        Program { file: "node_modules/.bin/mocha", command: "{up}node_modules/.bin/mocha" },
        Program { file: "", command: "npx --no-install mocha" },
    ],
    command: "CI=true {program} --no-bail --no-color --reporter=json --reporter-option=output={report} {tests} {files}",
    tests: Selection { each: "{name}", form: Form::Pattern { before: "--grep=^", after: "$" } },
    grouping: Grouping::File,
    reported_as: "{name}",
    reader: Reader::Mocha,
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: ".mocharc*", keys: &[] },
        ConfigurationFile { pattern: "test/mocha.opts", keys: &[] },
        ConfigurationFile {
            pattern: "package.json",
            keys: &["scripts.test", "scripts.pretest", "mocha", "type"],
        },
    ],
    canary: Some(&CANARY),
};

pub(super) static NODE: Spec = Spec {
    signs: &[Sign { file: "package.json", text: "node --test" }],
    package_files: PACKAGE_FILES,
    programs: &[Program { file: "", command: "node" }],
    // The whole file: versions differ in what --test-name-pattern does with nested tests. The second
    // reporter prints why a file could not be loaded.
    command: "CI=true {program} --test --test-reporter=junit --test-reporter-destination={report} \
              --test-reporter=spec --test-reporter-destination=stdout {files}",
    tests: Selection { each: "{name}", form: Form::Arguments },
    grouping: Grouping::File,
    reported_as: "{name}",
    reader: Reader::Junit(Dialect::NodeTest),
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: "node.config.json", keys: &[] },
        ConfigurationFile {
            pattern: "package.json",
            keys: &["scripts.test", "scripts.pretest", "type", "imports"],
        },
    ],
    canary: Some(&CANARY),
};
