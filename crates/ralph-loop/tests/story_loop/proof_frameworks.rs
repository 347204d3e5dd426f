//! Proofs with the real test frameworks: a story from red to green, and the tests that are sent back on the way.
#![cfg(unix)]

use events::{LoopEvent, ProofPhase, ProofResult, ProofRun, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::Sha256Digest;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const CRITERIA: [&str; 2] = ["an empty list has the sum 0", "two numbers are added"];

/// A project in one language. Tests are `test` with a name and a body.
struct Language {
    framework: &'static str,
    files: &'static [(&'static str, &'static str)],
    test_file: &'static str,
    /// As the source and as the framework name them.
    names: [(&'static str, &'static str); 2],
    head: &'static str,
    test: &'static str,
    /// The sums of no and of two numbers, which the work adds.
    sums: [&'static str; 2],
    passes: &'static str,
    fails: &'static str,
    /// Passes every second time. Counts in `state/runs`.
    unstable: &'static str,
    /// Passes once the file `state/done` exists.
    reads_state: &'static str,
    work: (&'static str, &'static str),
}

const CARGO: Language = Language {
    framework: "cargo",
    files: &[
        ("Cargo.toml", "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"sums\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "\n"),
    ],
    test_file: "tests/sums.rs",
    names: [("empty", "empty"), ("two", "two")],
    head: "use std::fs;\n",
    test: "#[test]\nfn {name}() {\n    let _ = fs::read(\"x\");\n    {body}\n}\n",
    sums: ["assert_eq!(sums::total(&[]), 0);", "assert_eq!(sums::total(&[1, 2]), 3);"],
    passes: "assert!(true);",
    fails: "assert_eq!(1, 2);",
    unstable: "let runs = fs::read(\"state/runs\").unwrap_or_default().len() + 1; \
               fs::create_dir_all(\"state\").unwrap(); \
               fs::write(\"state/runs\", vec![b'.'; runs]).unwrap(); assert!(runs % 2 == 0);",
    reads_state: "assert!(fs::metadata(\"state/done\").is_ok());",
    work: ("src/lib.rs", "pub fn total(numbers: &[i64]) -> i64 {\n    numbers.iter().sum()\n}\n"),
};

const PYTHON_UNSTABLE: &str = "Path('state').mkdir(exist_ok=True); runs = Path('state/runs'); \
                               runs.open('a').write('.'); assert len(runs.read_text()) % 2 == 0";

const PYTHON_WORK: (&str, &str) = ("sums.py", "def total(numbers):\n    return sum(numbers)\n");

const UNITTEST: Language = Language {
    framework: "unittest",
    files: &[("tests/__init__.py", "")],
    test_file: "tests/test_sums.py",
    names: [("test_empty", "SumTest.test_empty"), ("test_two", "SumTest.test_two")],
    head: "import unittest\nfrom pathlib import Path\n\n\nclass SumTest(unittest.TestCase):\n",
    test: "    def {name}(self):\n        {body}\n\n",
    sums: [
        "from sums import total; self.assertEqual(total([]), 0)",
        "from sums import total; self.assertEqual(total([1, 2]), 3)",
    ],
    passes: "self.assertTrue(True)",
    fails: "self.assertEqual(1, 2)",
    unstable: PYTHON_UNSTABLE,
    reads_state: "self.assertTrue(Path('state/done').exists())",
    work: PYTHON_WORK,
};

const PYTEST: Language = Language {
    framework: "pytest",
    files: &[("conftest.py", "")],
    test_file: "tests/test_sums.py",
    names: [("test_empty", "test_empty"), ("test_two", "test_two")],
    head: "from pathlib import Path\n\n\n",
    test: "def {name}():\n    {body}\n\n\n",
    sums: [
        "from sums import total; assert total([]) == 0",
        "from sums import total; assert total([1, 2]) == 3",
    ],
    passes: "assert True",
    fails: "assert 1 == 2",
    unstable: PYTHON_UNSTABLE,
    reads_state: "assert Path('state/done').exists()",
    work: PYTHON_WORK,
};

const JAVASCRIPT_UNSTABLE: &str = "fs.mkdirSync('state', { recursive: true }); fs.appendFileSync('state/runs', '.'); \
                                   assert.equal(fs.readFileSync('state/runs').length % 2, 0);";

const JAVASCRIPT_WORK: (&str, &str) = (
    "sums.mjs",
    "export function total(numbers) {\n  return numbers.reduce((a, b) => a + b, 0);\n}\n",
);

const NODE: Language = Language {
    framework: "node",
    files: &[("package.json", "{\"type\": \"module\"}\n")],
    test_file: "test/sums.test.mjs",
    names: [("empty", "empty"), ("two", "two")],
    head: "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport fs from 'node:fs';\n",
    test: "test('{name}', async () => {\n  {body}\n});\n",
    sums: [
        "const { total } = await import('../sums.mjs'); assert.equal(total([]), 0);",
        "const { total } = await import('../sums.mjs'); assert.equal(total([1, 2]), 3);",
    ],
    passes: "assert.ok(true);",
    fails: "assert.equal(1, 2);",
    unstable: JAVASCRIPT_UNSTABLE,
    reads_state: "assert.ok(fs.existsSync('state/done'));",
    work: JAVASCRIPT_WORK,
};

const VITEST: Language = Language {
    framework: "vitest",
    head: "import { test, assert } from 'vitest';\nimport fs from 'node:fs';\n",
    ..NODE
};

const GO: Language = Language {
    framework: "go",
    files: &[("go.mod", "module sums\n\ngo 1.19\n"), ("doc.go", "package sums\n")],
    test_file: "sums_test.go",
    names: [("TestEmpty", "TestEmpty"), ("TestTwo", "TestTwo")],
    head: "package sums\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc size(path string) int {\n\tread, _ := \
           os.ReadFile(path)\n\treturn len(read)\n}\n\n",
    test: "func {name}(t *testing.T) {\n\t{body}\n}\n\n",
    sums: [
        "if Total([]int{}) != 0 { t.Fatal(\"not 0\") }",
        "if Total([]int{1, 2}) != 3 { t.Fatal(\"not 3\") }",
    ],
    passes: "_ = size(\"x\")",
    fails: "t.Fatal(\"fails\")",
    unstable: "runs := size(\"state/runs\") + 1; os.MkdirAll(\"state\", 0o755); os.WriteFile(\"state/runs\", \
               make([]byte, runs), 0o644); if runs%2 != 0 { t.Fatal(\"odd\") }",
    reads_state: "if size(\"state/done\") == 0 { t.Fatal(\"no state\") }",
    work: (
        "sums.go",
        "package sums\n\nfunc Total(numbers []int) int {\n\tsum := 0\n\tfor _, number := range numbers {\n\t\tsum += \
         number\n\t}\n\treturn sum\n}\n",
    ),
};

impl Language {
    fn source(&self, bodies: [&str; 2]) -> String {
        let tests = self
            .names
            .iter()
            .zip(bodies)
            .map(|((name, _), body)| self.test.replace("{name}", name).replace("{body}", body));
        tests.fold(self.head.to_owned(), |source, test| source + &test)
    }

    fn specify(&self, source: &str) -> Vec<Act> {
        let criterion = |(text, (_, name)): (&str, (&str, &str))| {
            let digest = Sha256Digest::of(text).to_string();
            let test = json!({"command": self.framework, "file": self.test_file, "name": name});
            json!({"digest": digest, "criterion": text, "tests": [test]})
        };
        let criteria: Vec<Value> = CRITERIA.into_iter().zip(self.names).map(criterion).collect();
        let proof = json!({"story": "US-001", "criteria": criteria});
        vec![
            Act::write(self.test_file, source),
            Act::write("ralph/proofs/US-001.json", proof.to_string()),
            Act::commit("test: [US-001]"),
        ]
    }

    fn project(&self, scenario: Scenario) -> Project {
        let mut story = story("US-001");
        story["acceptanceCriteria"] = json!(CRITERIA);
        let project = Project::with_checks([story], ["true"]).flags(["--proof", "--no-sandbox"]);
        project
            .write(".gitignore", "__pycache__/\n.pytest_cache/\nstate/\ntarget/\nnode_modules\n");
        self.files.iter().for_each(|(path, text)| project.write(path, text));
        project.git(&["add", "--all"]);
        project.git(&["commit", "-qm", "a project"]);
        if self.framework == "vitest" {
            let modules = std::env::var_os("NODE_MODULES").unwrap();
            std::os::unix::fs::symlink(modules, project.path().join("node_modules")).unwrap();
        }
        if self.framework == "cargo" {
            link_toolchain(&project);
        }
        project.scenario(scenario)
    }

    fn shows_what_proves_and_what_does_not(&self) {
        let written = [
            // A syntax error, a test that passes, and one that changes its result.
            self.source([self.fails, "((("]),
            self.source([self.passes, self.fails]),
            self.source([self.unstable, self.fails]),
            self.source(self.sums),
        ];
        let visits = (1..).zip(&written);
        let scenario = visits.fold(Scenario::new(), |scenario, (visit, source)| {
            scenario.rule(When::mode(Mode::Specify).visit(visit), self.specify(source))
        });
        let (path, text) = self.work;
        let work = [Act::write(path, text), Act::submit("sums"), Act::commit("feat: [US-001]")];
        let project = self.project(scenario.rule(When::mode(Mode::Implement), work));
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        use ProofResult::{Broken, Failed, Passed, Unstable};
        let results: Vec<_> = proof_runs(&run).iter().map(results).collect();
        assert!(results[0].1.contains(&Broken), "{results:?}");
        assert_eq!(
            results[1..3],
            [(ProofPhase::Red, vec![Passed, Failed]), (ProofPhase::Red, vec![Unstable, Failed]),]
        );
        assert_eq!(
            results[3..],
            [
                (ProofPhase::Red, vec![Failed, Failed]),
                (ProofPhase::Green, vec![Passed, Passed]),
                (ProofPhase::WithoutWork, vec![Failed, Failed]),
                (ProofPhase::Green, vec![Passed, Passed]),
            ]
        );
        let assigned = run.assignments();
        assert_eq!(assigned[3..], ["specify US-001", "implement US-001", "review US-001"]);
    }

    fn reports_a_test_that_passes_without_the_work(&self) {
        let source = self.source([self.reads_state, self.reads_state]);
        let work = [
            Act::bash("mkdir -p state && echo done > state/done && echo 1 > notes.txt"),
            Act::submit("done"),
            Act::commit("feat: [US-001]"),
        ];
        let scenario = Scenario::new()
            .rule(When::mode(Mode::Specify), self.specify(&source))
            .rule(When::mode(Mode::Implement), work);
        let project = self.project(scenario);
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        let without_work = &proof_runs(&run)[2];
        assert_eq!(without_work.phase, ProofPhase::WithoutWork);
        assert!(!without_work.accepted, "{without_work:?}");
        let prompt = std::fs::read_to_string(run.folder(3).join("prompt.md")).unwrap();
        assert!(prompt.contains("so they do not prove their criterion"), "{prompt}");
    }
}

/// Without rustup, which looks for its toolchains in the user's home.
fn link_toolchain(project: &Project) {
    let printed = assert_cmd::Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = String::from_utf8(printed.stdout).unwrap();
    for name in ["cargo", "rustc"] {
        let program = std::path::Path::new(sysroot.trim()).join("bin").join(name);
        std::os::unix::fs::symlink(program, project.bin().join(name)).unwrap();
    }
}

fn proof_runs(run: &Outcome<'_>) -> Vec<ProofRun> {
    let runs = run.events.iter().filter_map(|event| match event {
        LoopEvent::ProofRan(ran) => Some(ran.clone()),
        _ => None,
    });
    runs.collect()
}

fn results(run: &ProofRun) -> (ProofPhase, Vec<ProofResult>) {
    (run.phase, run.tests().map(|test| test.result).collect())
}

macro_rules! frameworks {
    ($($name:ident: $language:ident $(, $needs:literal)?;)*) => {$(
        mod $name {
            #[test]
            $(#[ignore = $needs])?
            fn what_proves_and_what_does_not() {
                super::$language.shows_what_proves_and_what_does_not();
            }

            #[test]
            $(#[ignore = $needs])?
            fn a_test_that_passes_without_the_work_is_reported() {
                super::$language.reports_a_test_that_passes_without_the_work();
            }
        }
    )*};
}

frameworks! {
    cargo: CARGO;
    unittest: UNITTEST, "needs python3";
    pytest: PYTEST, "needs pytest";
    node: NODE, "needs node";
    vitest: VITEST, "needs NODE_MODULES with vitest";
    go: GO, "needs go";
}
