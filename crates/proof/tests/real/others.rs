//! RSpec, PHPUnit, Bats and the user's command.

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const RSPEC: &str = "require_relative '../lib/calc'
RSpec.describe Calc do
  it('passes') { expect(Calc.add(1, 2)).to eq(3) }
  it('fails') { expect(Calc.add(1, 2)).to eq(4) }
  it('missing') { expect(Calc.subtract(2, 1)).to eq(1) }
  xit('skipped') { expect(1).to eq(2) }
  it('crash') { raise 'boom' }
  describe '#add' do
    it('inner') { expect(1).to eq(1) }
  end
end
";

#[test]
#[ignore = "needs rspec"]
fn rspec_results() {
    let project = Project::new(
        Framework::Rspec,
        &[
            (".rspec", "--fail-fast\n"),
            ("lib/calc.rb", "module Calc; def self.add(a, b) = a + b; end\n"),
            ("spec/calc_spec.rb", RSPEC),
            ("spec/missing_spec.rb", "RSpec.describe Other do it('a') { } end\n"),
            ("spec/syntax_spec.rb", "RSpec.describe do it('a' { end\n"),
            ("spec/exit_spec.rb", "RSpec.describe 'e' do it('a') { }; it('b') { exit!(0) } end\n"),
        ],
    );
    let file = "spec/calc_spec.rb";
    project.shows(&[
        (file, "Calc passes", Passed),
        (file, "Calc fails", ASSERTION),
        (file, "Calc missing", MISSING),
        (file, "Calc skipped", Skipped),
        (file, "Calc crash", OTHER),
        (file, "Calc#add inner", Passed),
        (file, "Calc nope", NotCollected),
        ("spec/missing_spec.rb", "Other a", MISSING),
        ("spec/syntax_spec.rb", "a", BROKEN),
        ("spec/exit_spec.rb", "e a", NotCollected),
        ("spec/exit_spec.rb", "e b", NotCollected),
    ]);
    assert!(project.canary_fails(file, &["Calc passes"]));

    project.write(
        "lib/calc.rb",
        "module Calc
  def self.add(a, b)
    RSpec::Matchers.module_eval { def eq(_) = be_a(Object) }
    0
  end
end
",
    );
    project.shows(&[(file, "Calc fails", Passed)]);
    assert!(!project.canary_fails(file, &["Calc fails"]));
}

const PHPUNIT: &str = r#"<?php
require_once __DIR__ . "/../src/Calc.php";
final class CalcTest extends PHPUnit\Framework\TestCase {
    public function testPasses(): void { $this->assertSame(3, Calc::add(1, 2)); }
    public function testFails(): void { $this->assertSame(4, Calc::add(1, 2)); }
    public function testMissing(): void { $this->assertSame(1, Calc::subtract(2, 1)); }
    public function testSkipped(): void { $this->markTestSkipped("later"); }
    public function testWithoutAssertion(): void { }
    public function testCrash(): void { throw new RuntimeException("boom"); }
    /** @dataProvider numbers */
    public function testData(int $a): void { $this->assertSame(1, $a); }
    public static function numbers(): array { return ["one" => [1], [2]]; }
}
"#;

#[test]
#[ignore = "needs phpunit"]
fn phpunit_results() {
    let class = |name: &str, body: &str| {
        format!("<?php final class {name} extends PHPUnit\\Framework\\TestCase {{ {body} }}\n")
    };
    let project = Project::new(
        Framework::Phpunit,
        &[
            (
                "src/Calc.php",
                "<?php class Calc { static function add($a, $b) { return $a + $b; } }\n",
            ),
            ("tests/CalcTest.php", PHPUNIT),
            ("tests/SyntaxTest.php", &class("SyntaxTest", "public function testA( { }")),
            ("tests/ExitTest.php", &class("ExitTest", "public function testA() { exit(0); }")),
        ],
    );
    let file = "tests/CalcTest.php";
    project.shows(&[
        (file, "testPasses", Passed),
        (file, "CalcTest::testPasses", Passed),
        (file, "testFails", ASSERTION),
        (file, "testMissing", MISSING),
        (file, "testSkipped", Skipped),
        (file, "testWithoutAssertion", OTHER),
        (file, "testCrash", OTHER),
        (file, "testData", ASSERTION),
        (file, "testNope", NotCollected),
        ("tests/SyntaxTest.php", "testA", BROKEN),
        ("tests/ExitTest.php", "testA", NotCollected),
    ]);
}

const BATS: &str = "@test \"passes\" { [ 1 -eq 1 ]; }
@test \"fails (now)\" {
  run echo 1
  [ \"$output\" = 2 ]
}
@test \"missing command\" { subtract 2 1; }
@test \"skipped\" { skip later; }
";

#[test]
#[ignore = "needs bats"]
fn bats_results() {
    let project = Project::new(
        Framework::Bats,
        &[
            ("test/calc.bats", BATS),
            ("test/syntax.bats", "@test \"broken\" { if \n"),
            ("test/exit.bats", "@test \"exits\" { exit 0; }\n"),
        ],
    );
    let file = "test/calc.bats";
    project.shows(&[
        (file, "passes", Passed),
        (file, "fails (now)", ASSERTION),
        (file, "missing command", MISSING),
        (file, "skipped", Skipped),
        (file, "nope", NotCollected),
        ("test/syntax.bats", "broken", BROKEN),
        ("test/exit.bats", "exits", ASSERTION),
    ]);
}

#[test]
#[cfg(unix)]
fn custom_results() {
    let script = "report=$1; shift
{
  echo '<testsuite>'
  for test; do
    case $test in
      'it'*) echo \"<testcase name=\\\"$test\\\"/>\";;
      'failing') echo '<testcase name=\"failing\"><failure message=\"expected 1\"/></testcase>';;
    esac
  done
  echo '</testsuite>'
} > \"$report\"
exit 1
";
    let project = Project::new(Framework::Custom, &[("run.sh", script)])
        .with_command("sh run.sh {junit} {tests}");
    project.shows(&[
        ("t/a", "it's $HOME", Passed),
        ("t/a", "failing", ASSERTION),
        ("t/a", "nope", NotCollected),
    ]);
    // The exit code says that something failed, and the report does not say what.
    project.shows(&[("t/a", "it's $HOME", NotCollected)]);
}
