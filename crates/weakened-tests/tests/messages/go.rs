//! Go.

use weakened_tests::FileChange;

use crate::{Sample, check, messages_of, silent};

const PATH: &str = "sums_test.go";
const TWO: &str = r#"package sums

import "testing"

func helper(x interface{}) int { return 1 }

func TestAdds(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d {", got)
	}
	if err := Check(); err.Error() != `a "raw" {` {
		t.Fatal(err)
	}
	assert.Equal(t, 4, Add(2, 2))
}

func TestSmall(t *testing.T) {
	require.Equal(t, 2, Add(1, 1))
}
"#;

const FILE: Sample = Sample { path: PATH, text: TWO };

#[test]
fn a_removed_test() {
    let small = "func TestSmall(t *testing.T) {\n\trequire.Equal(t, 2, Add(1, 1))\n}\n";
    FILE.reports(small, "", &["`TestSmall` is gone"]);
    FILE.reports(small, &format!("/*\n{small}*/"), &["`TestSmall` is commented out"]);
    for name in ["testSmall", "_TestSmall", "Testsmall"] {
        let line = format!("`TestSmall` is `{name}` now, which no test runner collects");
        FILE.reports("func TestSmall", &format!("func {name}"), &[&line]);
    }
    FILE.reports("\trequire.Equal(t, 2, Add(1, 1))\n", "", &["`TestSmall` is empty now"]);
}

#[test]
fn a_test_that_does_not_run() {
    let line = "\trequire.Equal(t, 2";
    for skip in ["Skip", "Skipf", "SkipNow"] {
        FILE.reports(
            line,
            &format!("\tt.{skip}()\n{line}"),
            &[&format!("`TestSmall` is skipped now (`t.{skip}`)")],
        );
    }
    FILE.reports(
        line,
        &format!("\tif testing.Short() {{\n\t\tt.Skip()\n\t}}\n{line}"),
        &["`TestSmall` may be skipped now (`t.Skip`)"],
    );
    FILE.reports(
        line,
        &format!("\treturn\n{line}"),
        &["`TestSmall` returns before its assertions now"],
    );
    FILE.reports(
        "package sums",
        "//go:build ignore\n\npackage sums",
        &["the whole file is skipped now (`//go:build ignore`)"],
    );
    FILE.reports(
        "package sums",
        "//go:build slow\n// +build slow\n\npackage sums",
        &["the whole file may be skipped now (`//go:build slow`)"],
    );
}

#[test]
fn a_test_that_asserts_less() {
    FILE.reports("t.Errorf(\"got", "t.Logf(\"got", &["`TestAdds` has 2 assertions, had 3"]);
    FILE.reports(
        "\tassert.Equal(t, 4, Add(2, 2))\n",
        "\t// assert.Equal(t, 4, Add(2, 2))\n",
        &["`TestAdds` has 2 assertions, had 3"],
    );
    for looser in ["NotNil(t, Add(1, 1))", "True(t, Add(1, 1) > 0)", "NotEqual(t, 3, Add(1, 1))"] {
        let name = looser.split('(').next().unwrap_or_default();
        let line =
            format!("`TestSmall` asserts less strictly: `require.Equal` became `require.{name}`");
        FILE.reports("require.Equal(t, 2, Add(1, 1))", &format!("require.{looser}"), &[&line]);
    }
    for always in ["require.True(t, true)", "require.Equal(t, 1, 1)"] {
        let line = format!("`TestSmall` asserts what is always true: `{always}`");
        FILE.reports("require.Equal(t, 2, Add(1, 1))", always, &[&line]);
    }
    check(
        PATH,
        &[
            (
                "a suite",
                "func (s *Suite) TestX() {\n\ts.Equal(1, f())\n\ts.Require().NoError(err)\n}",
                "func (s *Suite) TestX() {\n\ts.Equal(1, f())\n}",
                &["`Suite.TestX` has 1 assertion, had 2"],
            ),
            (
                "a helper",
                "func TestX(t *testing.T) { same(t, 1) }\nfunc same(tt testing.TB, a int) { tt.Fatal(a) }",
                "func TestX(t *testing.T) { same(t, 1) }\nfunc same(tt testing.TB, a int) { tt.Log(a) }",
                &["the helper `same` has 0 assertions, had 1"],
            ),
        ],
    );
}

#[test]
fn what_is_no_weakening() {
    for (old, new, about) in [
        ("\trequire.Equal(t, 2", "\t// t.Skip()\n\trequire.Equal(t, 2", "a comment"),
        ("\trequire.Equal(t, 2", "\ts := `t.Skip() return }`\n\trequire.Equal(t, 2", "a string"),
        ("func TestSmall", "func TestStaysSmall", "renamed"),
        ("func TestSmall", "// TestSmall must not be skipped.\nfunc TestSmall", "words"),
        (
            "require.Equal(t, 2, Add(1, 1))",
            "require.Equal(\n\t\tt,\n\t\t2,\n\t\tAdd(1, 1),\n\t)",
            "laid out",
        ),
        ("err.Error() != `a", "err == nil || err.Error() != `b", "an error's text"),
        ("return 1", "return 2", "a helper"),
        (
            "if got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d {\", got)\n\t}",
            "require.Equal(t, 3, Add(1, 2))",
            "testify",
        ),
    ] {
        FILE.silent(old, new, about);
    }
    let born = "//go:build linux\n\npackage a\n";
    let born = FileChange { path: PATH, before: None, after: Some(born), old_path: None };
    assert_eq!(messages_of(&[born]), [""; 0]);
    silent(
        PATH,
        &[
            (
                "a table",
                "func TestX(t *testing.T) {\n\tif f(1) != 1 {\n\t\tt.Error(1)\n\t}\n\tif f(2) != 2 {\n\t\tt.Error(2)\n\t}\n}",
                "func TestX(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif f(c.in) != c.out {\n\t\t\t\tt.Error(c)\n\t\t\t}\n\t\t})\n\t}\n}",
            ),
            (
                "tags kept",
                "//go:build slow\n\npackage a\n",
                "//go:build slow\n\npackage a\nvar x = 1\n",
            ),
        ],
    );
}
