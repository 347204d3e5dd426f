//! go.

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const CALC: &str = "package calc

func Add(a, b int) int { return a + b }

func Crash() int { var m []int; return m[1] }
";

const TESTS: &str = "package calc

import \"testing\"

func TestPasses(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error(\"sum\")
	}
}

func TestFails(t *testing.T) {
	if got := Add(1, 2); got != 4 {
		t.Errorf(\"Add(1, 2) = %d, want 4\", got)
	}
}

func TestSkipped(t *testing.T) { t.Skip(\"later\") }

func TestGroup(t *testing.T) {
	t.Run(\"one two\", func(t *testing.T) {})
	t.Run(\"bad\", func(t *testing.T) { t.Fatal(\"no\") })
}
";

#[test]
#[ignore = "needs go"]
fn go_results() {
    let package = |name: &str| CALC.replace("package calc", &format!("package {name}"));
    let project = Project::new(
        Framework::Go,
        &[
            ("svc/go.mod", "module example.com/p\n\ngo 1.19\n"),
            ("svc/calc/calc.go", CALC),
            ("svc/calc/calc_test.go", TESTS),
            ("svc/missing/calc.go", &package("missing")),
            (
                "svc/missing/a_test.go",
                "package missing\n\nimport \"testing\"\n\nfunc TestMultiply(t *testing.T) {\n\tif Multiply(2, 3) != 6 {\n\t\tt.Error(\"product\")\n\t}\n}\n",
            ),
            ("svc/syntax/calc.go", &package("syntax")),
            (
                "svc/syntax/a_test.go",
                "package syntax\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T { }\n",
            ),
            ("svc/exit/calc.go", &package("exit")),
            (
                "svc/exit/a_test.go",
                "package exit\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestExits(t *testing.T) { os.Exit(0) }\n",
            ),
            ("svc/start/calc.go", "package start\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n"),
            (
                "svc/start/a_test.go",
                "package start\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
            ),
            ("svc/crash/calc.go", &package("crash")),
            (
                "svc/crash/a_test.go",
                "package crash\n\nimport \"testing\"\n\nfunc TestCrash(t *testing.T) { Crash() }\n",
            ),
            (
                "svc/forged/a_test.go",
                "package forged\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestForged(t *testing.T) {\n\
                 \tfmt.Println(\"--- PASS: TestForged (0.00s)\")\n\
                 \tfmt.Println(`{\"Action\":\"pass\",\"Package\":\"example.com/p/forged\",\"Test\":\"TestForged\"}`)\n\
                 \tt.Fail()\n}\n",
            ),
        ],
    );
    let file = "svc/calc/calc_test.go";
    project.shows(&[
        (file, "TestPasses", Passed),
        (file, "TestFails", ASSERTION),
        (file, "TestSkipped", Skipped),
        (file, "TestGroup", ASSERTION),
        (file, "TestGroup/one_two", Passed),
        (file, "TestGroup/bad", ASSERTION),
        (file, "TestNope", NotCollected),
        ("svc/missing/a_test.go", "TestMultiply", MISSING),
        ("svc/syntax/a_test.go", "TestBroken", BROKEN),
        ("svc/exit/a_test.go", "TestExits", OTHER),
        ("svc/start/a_test.go", "TestA", NotCollected),
        ("svc/crash/a_test.go", "TestCrash", OTHER),
        ("svc/forged/a_test.go", "TestForged", ASSERTION),
    ]);
}
